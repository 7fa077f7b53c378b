/* Progress: a bar that redraws itself on a terminal, a line every few seconds in a log. */
#pragma once

#include <stdio.h>

#include "run/run.h"

typedef struct rec_progress {
    FILE *stream;        /* NULL: quiet */
    int terminal;        /* the line can be redrawn */
    int columns;         /* of the terminal */
    const char *name;    /* of the input */
    uint64_t target;     /* iterations in all, or REC_ENDLESS */
    double tolerance;    /* 0: none */
    double last;         /* rec_now() of the last line */
    double begin;        /* rec_now() and iterations of the first */
    uint64_t first;
    int drawn;           /* a bar is on the screen */
    size_t inputs, done; /* inputs of the list (0: no list), and the inputs done */
    size_t passed;       /* of those, failed or done by an earlier run: no work that counts */
    size_t begun;        /* of the list: the last is shown, the one before may still be written */
    double list_begin;   /* rec_now() */
    const char *slowest; /* of the list's inputs that are solved beside each other, or NULL, ... */
    double slowest_begin; /* ... and rec_now() when it began */
} rec_progress;

/* `inputs`: the length of a list (its line also shows the current input once that takes long); 0:
 * a single input. stream NULL: nothing is written. */
rec_progress rec_progress_begin(FILE *stream, size_t inputs);

/* The next or only input begins; `name` must stay valid until the next call. */
void rec_progress_next(rec_progress *progress, const char *name, uint64_t target, double tolerance);

/* Writes when it is time: 10 times a second on a terminal, every 5 seconds in a log. */
void rec_progress_update(rec_progress *progress, const rec_run_state *state);

/* Clears the bar. */
void rec_progress_end(rec_progress *progress);

/* For a list: `done` inputs are done, `passed` of them without work. Writes if it is time. */
void rec_progress_count(rec_progress *progress, size_t done, size_t passed);
