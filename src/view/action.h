/* What the user can ask for, by key or by the window's frame. */
#ifndef REC_VIEW_ACTION_H
#define REC_VIEW_ACTION_H

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
    /* the window's own */
    REC_ACTION_FULL_SCREEN,
    REC_ACTION_HELP
} rec_action;

#endif
