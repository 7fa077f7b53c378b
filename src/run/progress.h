/* Progress for a person: a bar that redraws itself on a terminal, a line every few seconds in a log. */
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
} rec_progress;

/* stream NULL: nothing will be written. The name must outlive the progress. */
rec_progress rec_progress_begin(FILE *stream, const char *name, uint64_t target, double tolerance);

/* Writes when it is time: 10 times a second on a terminal, every 5 seconds in a log. */
void rec_progress_update(rec_progress *progress, const rec_run_state *state);

/* Clears the bar. */
void rec_progress_end(rec_progress *progress);

/* "12.3 G", for rates. */
char *rec_format_rate(char text[32], double per_second);

#endif
