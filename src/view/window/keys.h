/* The keys: one table, which the handling and the help sheet are made from. */
#ifndef REC_VIEW_KEYS_H
#define REC_VIEW_KEYS_H

#include <SDL.h>

#include "view/worker/action.h"

/* When a key has its meaning. */
typedef enum rec_key_time {
    REC_KEY_ALWAYS,
    REC_KEY_SLIDER, /* where there is a slider */
    REC_KEY_JUMPED  /* while an iterate is shown by a jump */
} rec_key_time;

typedef struct rec_key {
    SDL_Keycode code;
    int shift;         /* only together with Shift */
    int repeats;       /* again and again while it is held down */
    rec_key_time time;
    const char *name;  /* for people */
    rec_action action;
    const char *help;  /* what the action does; NULL for one more key with the action of the row
                          before */
} rec_key;

extern const rec_key rec_keys[]; /* ends with a row of REC_ACTION_NONE */

/* The action of a key that went down, REC_ACTION_NONE for one that has none; `now`: of the times it
 * is, the latest in their order. */
rec_action rec_keys_find(const SDL_KeyboardEvent *event, rec_key_time now);

#endif
