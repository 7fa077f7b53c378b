/* The window: a reconstruction shown while it happens. The only user of SDL2. */
#ifndef REC_VIEW_VIEW_H
#define REC_VIEW_VIEW_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "image/image.h"
#include "run/run.h"

typedef struct rec_view_input { /* what the window must know of an input that was opened */
    size_t width, height, planes;
} rec_view_input;

/* Loads input `index`, creates its run and fills *input. Called from the window's worker thread,
 * once for every input shown and again for a restart, which it tells by `restart` (any checkpoint
 * is then left alone: start from the beginning). */
typedef rec_status rec_view_open(void *context, size_t index, int restart, rec_run **run,
                                 rec_view_input *input, rec_error *error);

/* Called with the run of input `index` when the window is done with it, on the worker thread. */
typedef rec_status rec_view_leave(void *context, size_t index, rec_run *run, rec_error *error);

/* A solver that jumps, for the same problem from its very start, where the run's data is. */
typedef rec_status rec_view_open_jumper(void *context, size_t index, rec_solver **jumper,
                                        rec_error *error);

/* The run goes on from iterate `iteration`, which is `image`, as by rec_run_jump. */
typedef rec_status rec_view_jump(void *context, size_t index, rec_run *run, uint64_t iteration,
                                 const rec_image *image, rec_error *error);

/* The name of input `index`, for the title and the text, and something that changes when its file
 * does: 0 when it is no file, or is gone. From any thread; a name stays as it is and where it is. */
typedef const char *rec_view_name(void *context, size_t index);
typedef uint64_t rec_view_stamp(void *context, size_t index);

/* Makes the file an input, the last one, and *index its number; where it is one already, the number
 * that it has. It was read to see that it can be. After a failure, which names the file and the
 * reason, the inputs are what they were. On the worker thread, as all that follows. */
typedef rec_status rec_view_add(void *context, const char *path, size_t *index, rec_error *error);

/* The picture that input `index`, which was opened, is to be compared with: an image that this call
 * creates, and the largest value that its samples can have (of the PSNR). REC_BAD_INPUT when its
 * size or planes are not the input's. */
typedef rec_status rec_view_reference(void *context, size_t index, rec_image *reference,
                                      double *peak, rec_error *error);

/* The first iterate from `iteration` on that is a frame of the film, and not written yet since the
 * input was opened; UINT64_MAX: none. A batch must end there, and be followed by rec_view_record,
 * which writes the run's current iterate if it is one: that of the start as well. */
typedef uint64_t rec_view_next_frame(void *context, size_t index, uint64_t iteration);
typedef rec_status rec_view_record(void *context, size_t index, rec_run *run, rec_error *error);

typedef struct rec_view_options {
    size_t inputs;                     /* at the start; 0: the first is yet to be added */
    rec_view_name *name;
    rec_view_stamp *stamp;
    rec_view_add *add;
    uint64_t every;                    /* K of the runs; 0: as many as a picture takes, and
                                          REC_DEFAULT_EVERY for one batch by key */
    uint64_t iterations;               /* as asked for, for the title; REC_ENDLESS */
    rec_view_open *open;
    rec_view_leave *finish;            /* the user leaves it, finished or not: writes the result, as
                                          -o asks; NULL without -o */
    rec_view_leave *interrupted;       /* instead of finish when a signal ends it: writes the
                                          checkpoint; may be NULL */
    rec_view_open_jumper *open_jumper; /* for the slider; NULL: there is none */
    rec_view_jump *jump;               /* with open_jumper */
    rec_view_reference *reference;     /* NULL: there is none */
    rec_view_next_frame *next_frame;   /* NULL: no film is made */
    rec_view_record *record;           /* with next_frame */
    void *context;                     /* given to all of them */
    rec_tone tone;
    const volatile sig_atomic_t *stop; /* a signal: leave at once, and return REC_OK; may be NULL */
} rec_view_options;

/* 1 when built with SDL2. */
int rec_view_available(void);

/* 1 when there is a display to open a window on (SDL_VIDEODRIVER counts: somebody asked for it). */
int rec_view_has_display(void);

/* Shows the inputs until the user leaves. REC_UNAVAILABLE without a display or without SDL2, naming
 * --headless; otherwise interrupted's failure, else the first one of open, a run or finish, or
 * REC_OK. The window shows such a failure and the other inputs stay in reach; only where the one
 * input there is cannot be opened does it close by itself. */
rec_status rec_view_show(const rec_view_options *options, rec_error *error);

#endif
