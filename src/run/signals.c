#include <stddef.h>

#include "base/clock.h"
#include "base/status.h"
#include "run/signals.h"

static const int stopping[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGXCPU};
enum { STOPPING = sizeof stopping / sizeof *stopping };

/* timeout(1) and batch systems signal the process and then its group: the same signal arrives twice
 * within microseconds. So many seconds later it means that the user will not wait. */
#define PATIENCE_SECONDS 1

static double first[STOPPING]; /* rec_now() when each came for the first time; 0: it did not */

static void receive(int number)
{
    size_t kind = 0;
    const double now = rec_now(); /* clock_gettime may be called here */
    while (kind + 1 < STOPPING && stopping[kind] != number)
        kind++;
    if (first[kind] == 0) {
        first[kind] = now;
        if (!rec_signal_received)
            rec_signal_received = number;
    } else if (number != SIGXCPU && /* the system repeats it every second */
               now - first[kind] >= PATIENCE_SECONDS) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when this returns */
    }
}

static void note_interrupt(int number) { rec_call_interrupted = number; }

void rec_signals_install(void)
{
    struct sigaction action = {.sa_handler = receive}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < STOPPING; i++)
        if (!sigaction(stopping[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(stopping[i], &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
    action.sa_handler = note_interrupt;
    sigaction(SIGURG, &action, NULL);
}

/* This one is ignored by default, so that it harms no program without the handlers. */
void rec_signals_interrupt(pthread_t thread) { pthread_kill(thread, SIGURG); }

void rec_signals_die(void)
{
    const int number = rec_signal_received;
    if (!number)
        return;
    signal(number, SIG_DFL);
    raise(number);
}
