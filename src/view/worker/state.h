/* What the worker tells the window, and the window the user. */
#ifndef REC_VIEW_STATE_H
#define REC_VIEW_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "run/run.h"
#include "view/draw/viewport.h"
#include "view/worker/levels.h"

typedef enum rec_phase {
    REC_PHASE_EMPTY,     /* there is no input yet */
    REC_PHASE_LOADING,
    REC_PHASE_ITERATING,
    REC_PHASE_PAUSED,
    REC_PHASE_PREPARING, /* the first jump: the edges are transformed */
    REC_PHASE_JUMPED,    /* the run waits while `jump` is shown */
    REC_PHASE_STOPPED,   /* by a stop rule: `stop` says which */
    REC_PHASE_FAILED,    /* this input cannot be shown: `failure` says why */
    REC_PHASE_LEAVING,   /* results are being written */
    REC_PHASE_LEFT       /* the worker's thread is about to end */
} rec_phase;

/* Which picture a snapshot holds; two of the same shot are the same picture. */
typedef struct rec_shot {
    unsigned run;       /* number of the run; 0: no snapshot was begun yet */
    uint64_t iteration; /* N, counted from the solver's creation; REC_LIMIT_ITERATION */
    rec_view view;      /* what was asked for */
    rec_size image;     /* of the input, pixels */
} rec_shot;

/* The pixel under the cursor. */
typedef struct rec_probed {
    int known;
    size_t column, row;
    rec_probe values;   /* NaN: there is none */
} rec_probed;

typedef struct rec_view_state {
    rec_phase phase;
    size_t index, inputs;    /* of the input shown, and how many there are */
    char name[256];          /* of the input, as it was given, to be shown: it may be longer */
    rec_size size;           /* of the input in pixels; 0 x 0 until the first was loaded */
    size_t planes;
    rec_solver_info info;    /* of the run's solver */
    uint64_t iteration;      /* done so far */
    uint64_t jump;           /* the iterate shown instead, or REC_LIMIT_ITERATION */
    uint64_t every;          /* K */
    int every_is_automatic;  /* it follows the screen */
    unsigned answered;       /* number of the newest request that was done */
    double rate;             /* updates a second: of the last second while it iterates, else of the
                                whole run; 0 when not known */
    double change;           /* of the last iteration that was looked at, grey levels RMS; NaN when
                                not known */
    double distance;         /* to the limit, grey levels RMS; NaN when not known */
    double psnr;             /* of what is shown to the reference, dB; INFINITY; NaN without one */
    uint64_t measured_at;    /* the iterate that these two are of ... */
    double measured_time;    /* ... and rec_now() then */
    double pace;             /* seconds a decade of iterations; 0: full speed */
    rec_tone tone;           /* that the picture is shown by */
    rec_levels levels;       /* of what is shown, now and then; while somebody wants them */
    double seconds;          /* that were spent iterating */
    rec_stop stop;
    size_t alternating;      /* pixels that go to and fro at a standstill */
    rec_shot begun[REC_LAYERS]; /* the newest snapshot that was begun of each layer */
    unsigned missing;        /* bits (1 << layer) of what the scene wants and nothing can show */
    rec_probed probed;
    unsigned points;         /* counts what was added to the history ... */
    unsigned values;         /* ... and how often the values were looked at */
    unsigned messages;       /* counts the messages; 0: there was none */
    int message_is_bad;
    char message[512];       /* the newest */
    char failure[1024];
} rec_view_state;

/* A run is open and shown. */
static inline int rec_phase_is_open(rec_phase phase)
{
    return phase >= REC_PHASE_ITERATING && phase <= REC_PHASE_STOPPED;
}

static inline int rec_shot_equals(const rec_shot *a, const rec_shot *b)
{
    const rec_view *x = &a->view, *y = &b->view;
    return a->run == b->run && a->iteration == b->iteration && x->x == y->x && x->y == y->y &&
           x->width == y->width && x->height == y->height && x->out_width == y->out_width &&
           x->out_height == y->out_height && x->tone == y->tone && x->layer == y->layer &&
           x->contrast == y->contrast && x->shift == y->shift;
}

#endif
