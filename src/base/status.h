/* Every function that can fail returns a rec_status and fills a rec_error. The codes are the
 * program's exit codes: who fails returns one, and does not exit. */
#pragma once

#include <signal.h>
#include <stdio.h>

#ifndef __cplusplus /* kernels are not stopped */
#include <stdatomic.h>

/* The number of the first signal that asked the program to stop; 0: none yet. A handler sets it,
 * all threads read it. */
extern atomic_int rec_signal_received;
/* A thread's system call was interrupted on purpose (rec_signals_interrupt). */
extern atomic_int rec_call_interrupted;

/* Loops over bytes that may never end, and what takes long, ask this: fail with EINTR then. */
static inline int rec_is_stopped(void) { return rec_signal_received != 0; }
#endif

typedef enum rec_status {
    REC_OK = 0,           /* done */
    REC_NO = 1,           /* done, but a check failed: bits differ, a tolerance was missed */
    REC_USAGE = 64,       /* wrong usage */
    REC_BAD_INPUT = 65,   /* the input is not what it must be */
    REC_NO_INPUT = 66,    /* the input cannot be opened */
    REC_UNAVAILABLE = 69, /* unavailable: a device, a display, a library */
    REC_FAULT = 70,       /* a fault of this program */
    REC_LIMIT = 71,       /* out of memory or another system limit */
    REC_NO_OUTPUT = 73,   /* the output cannot be created */
    REC_IO = 74,          /* reading or writing failed */
    REC_STOPPED = 75,     /* stopped by a signal, with a checkpoint written */
    REC_SIGNALLED = 128,  /* stopped by a signal without one: no exit code, main dies of it */
    REC_IN_USE = 129      /* another run works with the file: no failure of an input */
} rec_status;

typedef struct rec_error {
    rec_status status;
    char message[1024]; /* what, where, what to do; one line without a final newline */
    size_t advice; /* where in it "; " begins what to do by options or commands; else its end */
} rec_error;

/* Fills `error` (which may be NULL) and returns `status`: a failure is one line. A \v in the format
 * stands between message and advice. A message that is too long loses its middle, and control
 * characters in it become '?'. */
rec_status rec_fail(rec_error *error, rec_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* rec_fail for a failed system call: with the meaning of the errno `number` (0: unknown). Returns
 * `status`, but REC_SIGNALLED if a signal to stop ended the call, REC_LIMIT if memory or files ran
 * out, and REC_IO if the disk is full. */
rec_status rec_fail_system(rec_error *error, rec_status status, int number, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));

/* Prints a line, or a part of a line. Control characters, as in a file's name, become '?'. */
void rec_say(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The length of the UTF-8 character at `at` in a string; 0 if it is invalid. */
size_t rec_utf8_length(const unsigned char *at);

/* A variable that is destroyed where its block ends, by a function of its address. It has a value
 * before anything returns. */
#define REC_OWNED(destroy) __attribute__((cleanup(destroy)))

/* Returns the status of the call if it fails: all that is to be freed is owned. */
#define REC_TRY(call) \
    do { \
        const rec_status status_ = (call); \
        if (status_) \
            return status_; \
    } while (0)

/* The call, unless `status` is a failure already: where something is left to do after one, too. */
#define REC_THEN(status, call) \
    do { \
        if (!(status)) \
            (status) = (call); \
    } while (0)

/* Puts "prefix: " before the message: the caller knows the name of the file. */
rec_status rec_fail_in(rec_error *error, const char *prefix);
