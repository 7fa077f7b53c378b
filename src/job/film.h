/* A film of a run: which iterates are its frames, the names of their files, and writing them. The
 * headless loop and the window end a batch at each frame, so that none is skipped.
 *
 * A frame's number follows from its iterate alone: a run that is stopped and resumed goes on with
 * the same numbers. The frames between its checkpoint and its end are written again, with the same
 * bits. */
#ifndef REC_JOB_FILM_H
#define REC_JOB_FILM_H

#include <stdint.h>
#include <stdio.h>

#include "image/image.h"
#include "run/run.h"

typedef struct rec_film {
    const char *prefix;     /* of the paths of the frames: "film/edges-"; NULL: no film */
    const char *ending;     /* of these paths: "pgm" */
    uint64_t every;         /* the multiples of it are frames, 0 included; 0: log-spaced, 0 to 10
                               and then in steps of at least 10% */
    uint64_t next;          /* iterates before this one are no frames any more */
    uint64_t first, last;   /* numbers of the frames written so far; 0: none */
} rec_film;

/* The first iterate from `iteration` on that is a frame still to be written; UINT64_MAX: none. */
uint64_t rec_film_next(const rec_film *film, uint64_t iteration);

/* The number of the frame that iterate `iteration` is: the start is number 1. */
uint64_t rec_film_number(const rec_film *film, uint64_t iteration);

/* Writes the run's current iterate if it is a frame. Errors as of rec_image_write. *seconds grows
 * by the time that writing takes, without reading the image back, which the run counts. */
rec_status rec_film_write(rec_film *film, rec_run *run, const rec_write_options *writing,
                          double *seconds, rec_error *error);

/* Writes the run's current iterate as frame number `number`. */
rec_status rec_film_write_frame(const rec_film *film, uint64_t number, rec_run *run,
                                const rec_write_options *writing, double *seconds,
                                rec_error *error);

/* Prints one line about the frames that were written; it warns of frames of an older film behind
 * them. Prints nothing if there are none. */
void rec_film_print(const rec_film *film, FILE *stream, const char *input);

#endif
