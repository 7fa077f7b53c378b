/* The window's icon: the pixels that data/icon.c draws, compiled in. */
#ifndef REC_VIEW_ICON_H
#define REC_VIEW_ICON_H

enum { REC_ICON_SIDE = 64 }; /* pixels across and down */

/* Red, green, blue and alpha of each pixel, row by row without gaps; alpha is not multiplied in
 * (SDL_PIXELFORMAT_RGBA32). */
extern const unsigned char rec_icon[4 * REC_ICON_SIDE * REC_ICON_SIDE];

#endif
