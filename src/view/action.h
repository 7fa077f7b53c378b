/* What the user can ask for, by key or by the window's frame. */
#ifndef REC_VIEW_ACTION_H
#define REC_VIEW_ACTION_H

#include <stdint.h>

typedef enum rec_action {
    REC_ACTION_NONE,
    /* the worker's */
    REC_ACTION_PAUSE, /* and go on again */
    REC_ACTION_STEP,  /* one batch, then pause */
    REC_ACTION_RESTART,
    REC_ACTION_SAVE,
    REC_ACTION_NEXT,
    REC_ACTION_PREVIOUS,
    REC_ACTION_LEAVE,
    REC_ACTION_SEEK, /* show an iterate by a jump */
    REC_ACTION_BACK, /* from there to the run */
    /* the slider's, which become seeks */
    REC_ACTION_EARLIER,
    REC_ACTION_LATER,
    REC_ACTION_FIRST,
    REC_ACTION_LIMIT,
    /* the window's own */
    REC_ACTION_FULL_SCREEN,
    REC_ACTION_HELP
} rec_action;

typedef struct rec_request {
    rec_action action;
    uint64_t iteration; /* to seek; REC_LIMIT_ITERATION: the limit */
    unsigned number;    /* of the requests, in their order; 0: none */
} rec_request;

#endif
