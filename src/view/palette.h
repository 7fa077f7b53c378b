/* Which colour a byte of a snapshot is shown in, and the legend that says so. Entries are ARGB8888,
 * opaque. gamma > 0 bends the way from one end to the other: 1 leaves it straight, more brings out
 * what is near 0. */
#ifndef REC_VIEW_PALETTE_H
#define REC_VIEW_PALETTE_H

#include <SDL.h>

#include "view/text.h"

#define REC_PALETTE_SIZE 256

/* 255 (byte / 255)^(1/gamma), rounded. */
void rec_palette_grey(Uint32 palette[REC_PALETTE_SIZE], double gamma);

/* For what begins at 0, as the change does: from near black over violet, red and orange to pale
 * yellow. With gamma 1 lightness rises and colours differ evenly. */
void rec_palette_heat(Uint32 palette[REC_PALETTE_SIZE], double gamma);

/* For signed differences: 128 is 0, a dark grey; below it blue, above it orange, equally light at
 * equal distance. 127 steps each way: byte 0 looks like 1. */
void rec_palette_diverging(Uint32 palette[REC_PALETTE_SIZE], double gamma);

int rec_palette_legend_height(const rec_text *text); /* output pixels */

/* Draws a bar of all colours on a panel, and nothing outside `place`: with 2 labels, of its ends,
 * or 3, of its ends and its middle. The middle one is left out where they would meet. */
void rec_palette_draw_legend(const Uint32 palette[REC_PALETTE_SIZE], SDL_Renderer *renderer,
                             rec_text *text, SDL_Rect place, const char *const *labels,
                             size_t count);

#endif
