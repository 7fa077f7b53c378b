/* What the worker tells the window, and the window the user. */
#ifndef REC_VIEW_STATE_H
#define REC_VIEW_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "run/run.h"
#include "view/fit.h"

typedef enum rec_phase {
    REC_PHASE_LOADING,
    REC_PHASE_ITERATING,
    REC_PHASE_PAUSED,
    REC_PHASE_PREPARING, /* the first jump: the edges are transformed */
    REC_PHASE_JUMPED,    /* the run waits while `jump` is shown */
    REC_PHASE_STOPPED, /* by a stop rule: `stop` says which */
    REC_PHASE_FAILED,  /* this input cannot be shown: `failure` says why */
    REC_PHASE_LEAVING, /* results are being written */
    REC_PHASE_LEFT     /* the worker's thread is about to end */
} rec_phase;

/* Which picture a snapshot holds; two of the same shot are the same picture. */
typedef struct rec_shot {
    unsigned run;       /* number of the run; 0: no snapshot was begun yet */
    uint64_t iteration; /* N, counted from the solver's creation; REC_LIMIT_ITERATION */
    rec_size size;      /* of the snapshot */
} rec_shot;

typedef struct rec_view_state {
    rec_phase phase;
    size_t index;        /* of the input */
    rec_size size;       /* of the input in pixels; 0 x 0 until the first was loaded */
    uint64_t iteration;  /* done so far */
    uint64_t jump;       /* the iterate shown instead, or REC_LIMIT_ITERATION */
    unsigned answered;   /* number of the newest request that was done */
    double rate;         /* updates a second: of the last second while it iterates, else of the
                            whole run; 0 when not known */
    double change;       /* of the last iteration that was looked at, grey levels RMS; NaN when not
                            known */
    double distance;     /* to the limit, grey levels RMS; NaN when not known */
    rec_stop stop;
    size_t alternating;  /* pixels that go to and fro at a standstill */
    rec_shot begun;      /* the newest snapshot that was begun */
    unsigned messages;   /* counts the messages; 0: there was none */
    int message_is_bad;
    char message[512];   /* the newest */
    char failure[1024];
} rec_view_state;

#endif
