/* A film of a run: which iterates are its frames, what their files are called, and writing them.
 * The headless loop and the window end a batch at each one, so that none is skipped.
 *
 * A frame's number follows from its iterate alone, and a run that is stopped and resumed goes on
 * with the numbers as if nothing had happened. What lies between its checkpoint and its end is
 * written again, with the same bits. */
#ifndef REC_COMMANDS_RECORDING_H
#define REC_COMMANDS_RECORDING_H

#include <stdint.h>

#include "image/image.h"
#include "run/run.h"

typedef struct rec_recording {
    const char *prefix;     /* how the paths of the frames begin, "film/edges-"; NULL: no film */
    const char *ending;     /* and how they end: "pgm" */
    uint64_t every;         /* the multiples of it are frames, 0 among them; 0: log-spaced: 0 to 10,
                               and then each at least a tenth further on than the one before */
    uint64_t next;          /* no iterate before this one is a frame any more */
    uint64_t first, last;   /* numbers of the frames written so far; 0: none */
} rec_recording;

/* The first iterate from `iteration` on that is a frame still to be written; UINT64_MAX: none. */
uint64_t recording_next(const rec_recording *recording, uint64_t iteration);

/* Of the frame that iterate `iteration` is: the start is number 1. */
uint64_t recording_number(const rec_recording *recording, uint64_t iteration);

/* Writes the run's current iterate; nothing where it is no frame. As rec_image_write, and *seconds
 * grows by the time that it takes, without reading the image back, which the run counts. */
rec_status recording_write(rec_recording *recording, rec_run *run,
                           const rec_write_options *writing, double *seconds, rec_error *error);

/* One frame, whatever its number. */
rec_status recording_write_frame(const rec_recording *recording, uint64_t number, rec_run *run,
                                 const rec_write_options *writing, double *seconds,
                                 rec_error *error);

/* One line about the frames that were written, which tells of older ones behind them: a film made
 * of all the files in the folder would have them too. Nothing where there are none. */
void recording_print(const rec_recording *recording, FILE *stream, const char *input);

#endif
