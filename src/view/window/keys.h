/* The keys: one table, which the handling, the help, the manual page and the tests are made from. A
 * new key is a row with its function. */
#ifndef REC_VIEW_KEYS_H
#define REC_VIEW_KEYS_H

#include "view/window/window_state.h"

/* What a key is about: the parts of the help. */
typedef enum rec_key_group {
    REC_KEYS_SEE,
    REC_KEYS_MOVE,
    REC_KEYS_TIME,
    REC_KEYS_FILES,
    REC_KEY_GROUPS
} rec_key_group;

extern const char *const rec_key_groups[REC_KEY_GROUPS]; /* for people */

typedef struct rec_key {
    SDL_Keycode code;
    int shift;           /* only together with Shift */
    int repeats;         /* again and again while it is held down */
    rec_key_group group; /* rows of a group stand together */
    const char *name;    /* for people */
    void (*press)(rec_window *w, int argument);
    int argument;
    const char *help;    /* what it does; NULL: the same as the key of the row before */
} rec_key;

extern const rec_key rec_keys[]; /* ends with a row of zeros */

int rec_key_is_of_slider(const rec_key *key); /* it does nothing without one */

/* The row of a key that went down; NULL for one that has none, or that does not repeat. */
const rec_key *rec_keys_find(const SDL_KeyboardEvent *event);

/* 1: the picture as large as it can be; 0: 1:1, at the cursor. */
void rec_window_fit(rec_window *w, int fit);
/* A step nearer (in = 1) or farther away, at the cursor, or in the middle when it is elsewhere. */
void rec_window_zoom(rec_window *w, int in);
void rec_window_pan(rec_window *w, int x, int y); /* by so many pixels */

#endif
