#include "run/signals.h"

#include <stddef.h>

volatile sig_atomic_t rec_signal_received;

static const int stopping[] = {SIGINT, SIGTERM, SIGUSR1};
enum { STOPPING = sizeof stopping / sizeof *stopping };

static void receive(int number)
{
    if (!rec_signal_received)
        rec_signal_received = number;
}

void rec_signals_install(void)
{
    /* One signal is enough: the second Ctrl+C of an impatient person kills at once. */
    struct sigaction action = {.sa_handler = receive, .sa_flags = (int)SA_RESETHAND}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < STOPPING; i++)
        if (!sigaction(stopping[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(stopping[i], &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

void rec_signals_die(void)
{
    const int number = rec_signal_received;
    if (!number)
        return;
    signal(number, SIG_DFL);
    raise(number);
}
