/* Progress for a person: a bar that redraws itself on a terminal, a line every few seconds in a
 * log. */
#ifndef REC_RUN_PROGRESS_H
#define REC_RUN_PROGRESS_H

#include <stdio.h>

#include "run/run.h"

typedef struct rec_progress {
    FILE *stream;        /* NULL: quiet */
    int terminal;        /* it can be redrawn */
    int columns;         /* its width */
    const char *name;    /* of the input */
    uint64_t target;     /* iterations in all, or REC_ENDLESS */
    double tolerance;    /* 0: none */
    double last;         /* rec_now() of the last line */
    double begin;        /* rec_now() and iterations of the first */
    uint64_t first;
    int drawn;           /* a bar is on the screen */
    size_t inputs, done; /* of a list, and how many of them are; 0: there is no list */
    size_t passed;       /* of these, those that took no time */
    double list_begin;   /* rec_now() */
} rec_progress;

/* Of a list of inputs: a line over all of them, and over the one that is iterated once that takes
 * long; 0: over this one alone. stream NULL: nothing will be written. */
rec_progress rec_progress_begin(FILE *stream, size_t inputs);

/* The next input is iterated, or the only one; the name must outlive that. */
void rec_progress_take(rec_progress *progress, const char *name, uint64_t target,
                       double tolerance);

/* Writes when it is time: 10 times a second on a terminal, every 5 seconds in a log. */
void rec_progress_update(rec_progress *progress, const rec_run_state *state);

/* Clears the bar. */
void rec_progress_end(rec_progress *progress);

/* Of a list: so many inputs are done; those passed over were done before. Writes if it is time. */
void rec_progress_count(rec_progress *progress, size_t done, size_t passed);

/* "12.3 G", for rates. */
char *rec_format_rate(char text[32], double per_second);
/* "4:05", "2:03:45" */
char *rec_format_seconds(char text[32], double seconds);

#endif
