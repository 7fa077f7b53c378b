/* The two lines at the bottom of the window: which input and how it is shown; how far, how fast and
 * how near the run is. */
#ifndef REC_VIEW_BAR_H
#define REC_VIEW_BAR_H

#include "view/worker/scene.h"
#include "view/worker/state.h"
#include "view/draw/glyphs.h"

enum { REC_BAR_FIELDS = 14 };

typedef struct rec_bar_field {
    char before[16], value[160], after[72]; /* the value stands out from what is around it */
    int stale;                              /* the value is an older iterate's: it is dimmed */
    int slot;                               /* output pixels: the widest it has been, so that the
                                               fields to its right do not jump about */
} rec_bar_field;

typedef struct rec_bar_view { /* what the window itself knows */
    const rec_wanted *wanted;
    double scale;      /* output pixels to one of the image's */
    double frame_rate; /* pictures a second; 0: not known */
} rec_bar_view;

typedef struct rec_bar {
    rec_bar_field field[REC_BAR_FIELDS];
    char state[96];       /* on the right: "paused", ... */
    SDL_Color state_color;
    int jumped;           /* an iterate is shown by a jump */
    unsigned messages;    /* of rec_view_state, when the message was taken */
    char message[512];    /* in place of the upper fields for a while; "": none */
    int message_is_bad;
    double message_until; /* rec_now() */
    int scale;            /* of the text, when the slots were measured */
} rec_bar;

/* The input's name as it is shown: without folders. */
const char *rec_bar_name(const char *input);

/* Writes the texts anew; 1 when one of them is not what it was. `now`: rec_now(). */
int rec_bar_update(rec_bar *bar, const rec_view_state *state, const rec_bar_view *view, double now);

int rec_bar_height(const rec_text *text); /* output pixels */

/* Draws it at the bottom of an output of that size. What has no room is left out, the less
 * important first. */
void rec_bar_draw(rec_bar *bar, SDL_Renderer *renderer, rec_text *text, int width, int height);

#endif
