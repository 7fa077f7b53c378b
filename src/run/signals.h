/* SIGINT, SIGTERM, SIGUSR1 (which batch systems send ahead of the end), SIGHUP and SIGXCPU end a
 * run in good order. The handler only sets a flag, which is tested between two batches. Signal
 * dispositions belong to the whole process, so this is the one place with global state. */
#pragma once

#include <pthread.h>

/* Installs the handlers. A signal that the parent had ignored (nohup) stays ignored. A second
 * signal, a second or more after the first, kills at once. A write to a closed pipe or over a size
 * limit fails with an error instead of killing the process. */
void rec_signals_install(void);

/* Interrupts another thread's blocking system call, such as a read of a pipe, with EINTR. */
void rec_signals_interrupt(pthread_t thread);

/* Dies of the received signal, so that the parent sees the reason. Returns if there was none. */
void rec_signals_die(void);
