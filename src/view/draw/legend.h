/* What the colours of a layer mean: a small bar of them with a few numbers. */
#ifndef REC_VIEW_LEGEND_H
#define REC_VIEW_LEGEND_H

#include <SDL.h>

#include "view/draw/palette.h"
#include "view/draw/text.h"

int rec_legend_height(const rec_text *text); /* output pixels */

/* Draws a bar of all colours on a panel, and nothing outside `place`: with 2 labels, of its ends,
 * or 3, of its ends and its middle. The middle one is left out where they would meet. */
void rec_legend_draw(const Uint32 palette[REC_PALETTE_SIZE], SDL_Renderer *renderer, rec_text *text,
                     SDL_Rect place, const char *const *labels, size_t count);

#endif
