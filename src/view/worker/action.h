/* What the user can ask for, by key, by mouse or by the window's frame. */
#ifndef REC_VIEW_ACTION_H
#define REC_VIEW_ACTION_H

#include <stdint.h>

typedef enum rec_action {
    REC_ACTION_NONE,
    /* the worker's */
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
    REC_ACTION_OPEN,       /* another input is added, and shown */
    REC_ACTION_ADD,        /* it is only added */
    REC_ACTION_LEAVE,
    REC_ACTION_SEEK,   /* show an iterate by a jump */
    REC_ACTION_BACK,   /* from there to the run */
    /* the slider's, which become seeks */
    REC_ACTION_EARLIER,
    REC_ACTION_LATER,
    REC_ACTION_FIRST,
    REC_ACTION_LIMIT,
    /* the window's own */
    REC_ACTION_SHOW_PICTURE, /* the scenes, in their order */
    REC_ACTION_SHOW_EDGES,
    REC_ACTION_SHOW_SIDES,
    REC_ACTION_SHOW_CHANGE,
    REC_ACTION_SHOW_DIFFERENCE,
    REC_ACTION_SHOW_NEXT,
    REC_ACTION_ZOOM_IN,
    REC_ACTION_ZOOM_OUT,
    REC_ACTION_FIT,
    REC_ACTION_ORIGINAL_SIZE,
    REC_ACTION_PAN_LEFT,
    REC_ACTION_PAN_RIGHT,
    REC_ACTION_PAN_UP,
    REC_ACTION_PAN_DOWN,
    REC_ACTION_TONE,
    REC_ACTION_BRIGHTER, /* gamma */
    REC_ACTION_DARKER,
    REC_ACTION_MORE_CONTRAST,
    REC_ACTION_LESS_CONTRAST,
    REC_ACTION_PLAIN_TONE,
    REC_ACTION_PLOT,
    REC_ACTION_VALUES, /* of the pixel under the cursor */
    REC_ACTION_FULL_SCREEN,
    REC_ACTION_HELP
} rec_action;

typedef struct rec_request {
    rec_action action;
    uint64_t iteration; /* to seek; REC_LIMIT_ITERATION: the limit */
    char *path;         /* of an input to open or add, for free(); else NULL */
    unsigned number;    /* of the requests, in their order; 0: none */
} rec_request;

#endif
