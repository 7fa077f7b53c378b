/* What is written over the picture: the legend of its colours, a small tag, a notice. */
#ifndef REC_VIEW_OVERLAY_H
#define REC_VIEW_OVERLAY_H

#include <SDL.h>

#include "view/draw/glyphs.h"
#include "view/draw/palette.h"
#include "view/draw/viewport.h"

int rec_legend_height(const rec_text *text); /* output pixels */

/* Draws a bar of all colours on a panel, and nothing outside `place`: with 2 labels, of its ends,
 * or 3, of its ends and its middle. The middle one is left out where they would meet. */
void rec_legend_draw(const Uint32 palette[REC_PALETTE_SIZE], SDL_Renderer *renderer, rec_text *text,
                     SDL_Rect place, const char *const *labels, size_t count);

/* One line on a panel whose upper left corner is (x, y), output pixels. */
void rec_overlay_tag(SDL_Renderer *renderer, rec_text *text, int x, int y, const char *line);

/* A few words, or the message of a failure, in the middle of an area without a picture. */
void rec_overlay_notice(rec_text *text, rec_size area, const char *notice, int is_bad);

#endif
