/* Which part of the image is seen, how large and where: the window's zoom and pan. Lengths in the
 * output's pixels unless said; the picture's area begins at the output's upper left corner. */
#ifndef REC_VIEW_VIEWPORT_H
#define REC_VIEW_VIEWPORT_H

#include "solver/solver.h"

typedef struct rec_size {
    size_t width, height;
} rec_size;

/* The largest size of the picture's aspect inside the area, at least one pixel each way. */
rec_size rec_fit(rec_size picture, rec_size area);

/* The size of the part of the screen that a picture of that size asks for when its window opens: at
 * 1:1 when it is near `usual`, magnified by a whole number when it is small, reduced to `most` when
 * it is large. */
rec_size rec_fit_window(rec_size picture, rec_size usual, rec_size most);

typedef struct rec_viewport {
    rec_size area;    /* for the picture; 0 x 0: it is not seen */
    size_t most;      /* of a snapshot's sides; 0: any length */
    int fit;          /* the whole image, as large as it can be */
    double scale;     /* output pixels to one of the image's; of no meaning while `fit` */
    double x, y;      /* the point in the middle of the area, in shares of the image's sides: it
                         stays where it is on an image of another size */
} rec_viewport;

typedef struct rec_place { /* a rectangle of the output */
    int x, y, width, height;
} rec_place;

/* Output pixels to one of the image's. */
double rec_viewport_scale(const rec_viewport *viewport, rec_size image);

/* Where a rectangle of the image's pixels lies. */
rec_place rec_viewport_place(const rec_viewport *viewport, rec_size image, size_t x, size_t y,
                             size_t width, size_t height);

/* What a snapshot must show to fill the area: writes the rectangle and the size of *view. The area
 * is not empty. At 1:1 and magnified a pixel each, else as many as rec_viewport_place gives. */
void rec_viewport_part(const rec_viewport *viewport, rec_size image, rec_view *view);

/* The image's pixel under a point of the output; 0 when there is none. */
int rec_viewport_pixel(const rec_viewport *viewport, rec_size image, int x, int y, size_t *column,
                       size_t *row);

/* One step nearer (in = 1) or farther away; the point of the image at (x, y) stays there as far as
 * the image's border, which never leaves the area's, allows. */
void rec_viewport_zoom(rec_viewport *viewport, rec_size image, int in, int x, int y);

/* To that scale, likewise. */
void rec_viewport_set_scale(rec_viewport *viewport, rec_size image, double scale, int x, int y);

/* The picture moves by (x, y). */
void rec_viewport_pan(rec_viewport *viewport, rec_size image, int x, int y);

/* The same part of the image in pixels where that can be, after the area or the image changed. */
void rec_viewport_keep(rec_viewport *viewport, rec_size image);

#endif
