/* The keys: one table, which the handling, the help, the manual page and the tests are made from. A
 * new key is a row with its function. */
#ifndef REC_VIEW_KEYS_H
#define REC_VIEW_KEYS_H

#include "view/window/window_state.h"

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
    void (*press)(rec_window *w, int argument);
    int argument;
    const char *help;  /* what it does; NULL for one more key with the meaning of the row before */
} rec_key;

extern const rec_key rec_keys[]; /* ends with a row of zeros */

/* The row of a key that went down; NULL for one that has none, or that does not repeat. `now`: of
 * the times it is, the latest in their order. */
const rec_key *rec_keys_find(const SDL_KeyboardEvent *event, rec_key_time now);

/* 1: the picture as large as it can be; 0: 1:1, at the cursor. */
void rec_window_fit(rec_window *w, int fit);
/* A step nearer (in = 1) or farther away, at the cursor, or in the middle when it is elsewhere. */
void rec_window_zoom(rec_window *w, int in);
void rec_window_pan(rec_window *w, int x, int y); /* by so many pixels */

#endif
