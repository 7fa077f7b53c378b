/* Which part of an image is seen, how large and where. Lengths are in pixels of the output unless
 * said; the picture's area begins at the output's upper left corner. */
#pragma once

#include "display/snapshot.h"

typedef struct rec_size {
    size_t width, height;
} rec_size;

typedef struct rec_viewport {
    rec_size area;    /* for the picture; 0 x 0: not visible */
    int fit;          /* the whole image, as large as it can be */
    double scale;     /* output pixels for an image pixel; unused while `fit` */
    double x, y;      /* the point in the middle of the area, in shares of the image's sides: it
                         stays where it is on an image of another size */
} rec_viewport;

typedef struct rec_place { /* a rectangle of the output */
    int x, y, width, height;
} rec_place;

/* Output pixels for an image pixel. */
double rec_viewport_scale(const rec_viewport *viewport, rec_size image);

/* Where a rectangle of the image's pixels lies. */
rec_place rec_viewport_place(const rec_viewport *viewport, rec_size image, rec_area part);

/* Writes the rectangle and the size into *view with which a snapshot fills the area, which is not
 * empty. Magnified and at 1:1 a snapshot pixel for each image pixel, else the size that
 * rec_viewport_place gives. */
void rec_viewport_part(const rec_viewport *viewport, rec_size image, rec_view *view);

/* The image's pixel under a point of the output; 0 when there is none. */
int rec_viewport_pixel(const rec_viewport *viewport, rec_size image, int x, int y, size_t *column,
                       size_t *row);

/* The image's point, also outside of both: middles of pixels are whole numbers. */
void rec_viewport_point(const rec_viewport *viewport, rec_size image, int x, int y, double *column,
                        double *row);

/* One step nearer or farther away; by a notch of a wheel to the next power of the fourth root of 2.
 * The image point at (x, y) stays there unless the image's border would move inside the area. */
enum { REC_ZOOM_OUT, REC_ZOOM_IN, REC_ZOOM_WHEEL };
void rec_viewport_zoom(rec_viewport *viewport, rec_size image, int way, int x, int y);

/* As rec_viewport_zoom, to a given scale. */
void rec_viewport_set_scale(rec_viewport *viewport, rec_size image, double scale, int x, int y);

/* The picture moves by (x, y). */
void rec_viewport_pan(rec_viewport *viewport, rec_size image, int x, int y);

/* The same part of the image in pixels where that can be, after the area or the image changed. */
void rec_viewport_keep(rec_viewport *viewport, rec_size image);
