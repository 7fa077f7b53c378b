/* Signals that end a run in good order: SIGINT, SIGTERM, SIGUSR1 (which batch systems send ahead
 * of the end), SIGHUP and SIGXCPU. The handler only sets a flag; who iterates looks at it between
 * two batches. Signal dispositions belong to the whole process, so this is the one place with
 * global state. */
#ifndef REC_RUN_SIGNALS_H
#define REC_RUN_SIGNALS_H

#include <pthread.h>
#include <signal.h>

/* Installs the handlers; a signal that the parent had ignored (nohup) stays ignored, and one that
 * comes again a second or more after the first kills at once. Writing to a
 * closed pipe or over a size limit becomes an error of the write instead of a death. */
void rec_signals_install(void);

/* Ends what another thread waits for in the system, as in a read of a pipe: it is told EINTR. */
void rec_signals_interrupt(pthread_t thread);

/* 0, or the number of the first signal that came. */
extern volatile sig_atomic_t rec_signal_received;

/* Dies of the signal that came, with its default disposition, so that the parent sees why. Returns
 * when none came. */
void rec_signals_die(void);

#endif
