/* Which iterates of a run are frames, the names of their files, and writing them. The headless loop
 * and the window end a batch at each frame, so that none is skipped.
 *
 * A frame's number follows from its iterate alone: a run that is stopped and resumed goes on with
 * the same numbers. The frames between its checkpoint and its end are written again, with the same
 * bits. */
#pragma once

#include <stdint.h>
#include <stdio.h>

typedef struct rec_film {
    char *prefix;           /* of the paths of the frames: "film/edges"; NULL: no film */
    const char *ending;     /* of these paths: "pgm"; NULL: no iterate is a frame on the way */
    uint64_t every;         /* the multiples of it are frames, 0 included; 0: log-spaced, 0 to 10
                               and then in steps of at least 10% */
    uint64_t next;          /* iterates before this one are no frames any more */
    uint64_t first, last;   /* numbers of the frames written so far; 0: none */
} rec_film;

/* The first iterate from `iteration` on that is a frame and is not written yet; UINT64_MAX:
 * none. */
uint64_t rec_film_next(const rec_film *film, uint64_t iteration);

/* The number of the frame that iterate `iteration` is: the start is number 1. */
uint64_t rec_film_number(const rec_film *film, uint64_t iteration);

/* Prints one line about the frames that were written, if any; it warns if frames of an older film
 * follow them. */
void rec_film_print(const rec_film *film, FILE *stream, const char *input);
