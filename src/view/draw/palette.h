/* Which colour a byte of a snapshot is shown in. Entries are ARGB of 8 bits each, opaque. gamma > 0
 * bends the way from one end to the other: 1 leaves it straight, more brings out what is near 0. */
#ifndef REC_VIEW_PALETTE_H
#define REC_VIEW_PALETTE_H

#include <stdint.h>

#define REC_PALETTE_SIZE 256

/* 255 (byte / 255)^(1/gamma), rounded. */
void rec_palette_grey(uint32_t palette[REC_PALETTE_SIZE], double gamma);

/* For what begins at 0, as the change does: from near black over violet, red and orange to pale
 * yellow. With gamma 1 lightness rises and colours differ evenly. */
void rec_palette_heat(uint32_t palette[REC_PALETTE_SIZE], double gamma);

/* For signed differences: 128 is 0, a dark grey; below it blue, above it orange, equally light at
 * equal distance. 127 steps each way: byte 0 looks like 1. */
void rec_palette_diverging(uint32_t palette[REC_PALETTE_SIZE], double gamma);

#endif
