/* What the window can ask the worker for. */
#ifndef REC_VIEW_ACTION_H
#define REC_VIEW_ACTION_H

#include <stdint.h>

typedef enum rec_action {
    REC_ACTION_NONE,
    REC_ACTION_PAUSE,  /* and go on again */
    REC_ACTION_STEP,   /* one batch, then pause */
    REC_ACTION_SINGLE, /* one iteration, then pause */
    REC_ACTION_RESTART,
    REC_ACTION_SAVE,
    REC_ACTION_NEXT,
    REC_ACTION_PREVIOUS,
    REC_ACTION_LESS_OFTEN, /* K doubles */
    REC_ACTION_MORE_OFTEN, /* K halves */
    REC_ACTION_USUAL_K,    /* what -k says, or by itself */
    REC_ACTION_FASTER,     /* the pace doubles */
    REC_ACTION_SLOWER,     /* the pace halves */
    REC_ACTION_FULL_SPEED,
    REC_ACTION_OPEN,       /* another input is added, and shown */
    REC_ACTION_ADD,        /* it is only added */
    REC_ACTION_LEAVE,
    REC_ACTION_SEEK,   /* show an iterate by a jump */
    REC_ACTION_BACK,   /* from there to the run */
    REC_ACTIONS
} rec_action;

typedef struct rec_request {
    rec_action action;
    uint64_t iteration; /* to seek; REC_LIMIT_ITERATION: the limit */
    char *path;         /* of an input to open or add, for free(); else NULL */
    unsigned number;    /* of the requests, in their order; 0: none */
} rec_request;

#endif
