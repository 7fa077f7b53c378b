/* The time machine's slider: a thin strip above the bar. While nobody touches it its knob shows how
 * far the run is; dragged, or moved by keys, it asks for the iterate that it stands on. */
#ifndef REC_VIEW_SLIDER_H
#define REC_VIEW_SLIDER_H

#include "view/worker/exchange.h"
#include "view/draw/glyphs.h"

typedef struct rec_slider {
    int present;        /* there is one in this window */
    int enabled;        /* an input is open */
    SDL_Rect strip;     /* output pixels */
    int left, length;   /* of the track */
    int dragging;       /* the knob is held by the mouse */
    int hovered;        /* the mouse is over the strip */
    int jumped;         /* an iterate of its own is shown, or asked for */
    uint64_t iteration; /* under the knob; REC_LIMIT_ITERATION */
    unsigned asked;     /* number of the newest request; 0: none */
    int waiting;        /* for what was asked */
} rec_slider;

int rec_slider_height(const rec_slider *slider, const rec_text *text); /* output pixels; 0: none */

/* Its place: as wide as the output, and that far down. */
void rec_slider_arrange(rec_slider *slider, const rec_text *text, int width, int top);

/* Takes what the worker says, unless it has not done yet what was asked for. Returns 1 when it
 * looks different. */
int rec_slider_follow(rec_slider *slider, const rec_view_state *state);

/* An event of the mouse; `density`: output pixels for each of the window's own, which events are
 * in. Returns 1 when it looks different. */
int rec_slider_handle(rec_slider *slider, const SDL_Event *event, double density,
                      rec_exchange *exchange);

/* By key. */
typedef enum rec_slider_step {
    REC_SLIDER_EARLIER,
    REC_SLIDER_LATER,
    REC_SLIDER_FIRST,
    REC_SLIDER_LIMIT
} rec_slider_step;
void rec_slider_move(rec_slider *slider, rec_slider_step step, rec_exchange *exchange);

void rec_slider_draw(const rec_slider *slider, SDL_Renderer *renderer, rec_text *text);

#endif
