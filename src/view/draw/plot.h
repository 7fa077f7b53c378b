/* The plot over a corner of the picture: the change and the distance to the limit against the
 * iterations, both axes logarithmic. Iterate 0 has no place on it. */
#ifndef REC_VIEW_PLOT_H
#define REC_VIEW_PLOT_H

#include <SDL.h>

#include "view/draw/viewport.h"
#include "view/worker/history.h"
#include "view/draw/glyphs.h"

/* A place for it in an area at the upper left of the output, output pixels: large, over all of it,
 * else in the lower right corner; empty where the area has no room for it. */
SDL_Rect rec_plot_place(const rec_text *text, rec_size area, int large);

/* Draws it, and nothing outside `place`. Zeros lie on a line of their own below the decades; where
 * a history has a break, the curves have a gap. */
void rec_plot_draw(const rec_history *history, SDL_Renderer *renderer, rec_text *text,
                   SDL_Rect place);

#endif
