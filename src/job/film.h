/* Which iterates of a run are frames, and the names of the frames' files. The headless loop and the
 * window end a batch at each frame, so that no frame is skipped.
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
    uint64_t every;         /* its multiples are frames, and iterate 0. 0: log-spaced, 0 to 10 and
                               then in steps of at least 10% */
    uint64_t next;          /* no iterate below this one is a frame any more */
    uint64_t first, last;   /* numbers of the frames written so far; 0: none */
} rec_film;

/* The next frame that is not written yet, from `iteration` on; UINT64_MAX: none. */
uint64_t rec_film_next(const rec_film *film, uint64_t iteration);

/* The number of the frame of iterate `iteration`, a frame; the start is number 1. */
uint64_t rec_film_number(const rec_film *film, uint64_t iteration);

/* Prints one line about the frames that were written, if any; it warns if frames of an older film
 * follow them. */
void rec_film_print(const rec_film *film, FILE *stream, const char *input);
