/* A mask: which pixels are unknown. All others are known and keep their samples. */
#pragma once

#include <stddef.h>

#include "image/samples.h"
#include "problem/sparse.h"

typedef struct rec_mask {
    size_t width, height;
    unsigned char *unknown; /* [y * width + x]: 1 unknown, 0 known; NULL: they are in `sparse` */
    size_t count;           /* unknown pixels */
    rec_area box;           /* the smallest that holds them; 0: there are none */
    rec_sparse *sparse;
} rec_mask;

/* All pixels are known. REC_LIMIT if the mask does not fit into memory. */
rec_status rec_mask_create(rec_mask *mask, size_t width, size_t height, rec_error *error);
/* The same of a picture that is larger than memory, sparse or not. */
rec_status rec_mask_create_for(rec_mask *mask, size_t width, size_t height, int sparse,
                               rec_error *error);
void rec_mask_destroy(rec_mask *mask);

/* Pixel (x, y), with those to its right, up to end - 1: *count of them; NULL: they are known. */
static inline unsigned char *rec_mask_run(const rec_mask *mask, size_t x, size_t y, size_t end,
                                          size_t *count)
{
    *count = end - x;
    return mask->sparse ? rec_sparse_run(mask->sparse, x, y, end, count)
                        : mask->unknown + y * mask->width + x;
}
/* Pixels x..x+count-1 of row y. */
void rec_mask_read(const rec_mask *mask, size_t x, size_t y, size_t count, unsigned char *unknown);
rec_status rec_mask_write(const rec_mask *mask, size_t x, size_t y, size_t count,
                          const unsigned char *unknown, rec_error *error);

/* Sets count and box from `unknown`: to be called after each change, before the mask is used. */
void rec_mask_measure(rec_mask *mask);
/* The same, where only this rectangle can have unknown pixels. */
void rec_mask_measure_in(rec_mask *mask, rec_area area);

/* What samples say as a mask: the means of their pixels' planes, and each of them. */
typedef struct rec_mask_values {
    double low, high; /* the least mean and the largest */
    size_t count;     /* different means; 3 for more */
    size_t between;   /* samples between a quarter and three quarters of white: if they are over
                         half of all, it is no mask */
} rec_mask_values;

/* Sets the pixels under the samples, of at most 3 planes, whose top left pixel is pixel (x, y) of
 * the mask: unknown where the mean of the planes is at least half of `white`, or, if that is 0,
 * where the sample of the last plane is not 0. What lies outside is left out. Measures. Errors as
 * of rec_samples_read. */
rec_status rec_mask_paste(rec_mask *mask, const rec_samples *samples, double white, ptrdiff_t x,
                          ptrdiff_t y, rec_mask_values *found, rec_error *error);

/* Makes it the shape, with its top left pixel at (x, y); all else is known. Measures. */
void rec_mask_place(rec_mask *mask, const rec_mask *shape, ptrdiff_t x, ptrdiff_t y);

/* Makes `grown`, of the same size, the mask with the pixels of `through` that a path of such pixels
 * connects with it; an axis that wraps has no ends. Measures. REC_LIMIT. */
rec_status rec_mask_grow(rec_mask *grown, const rec_mask *mask, const rec_mask *through,
                         int wraps_x, int wraps_y, rec_error *error);

/* Creates the mask of the pixels that have an unknown one at most `radius` pixels away, across and
 * down. Measures. REC_LIMIT. */
rec_status rec_mask_widen(rec_mask *wider, const rec_mask *mask, size_t radius, rec_error *error);

/* out: 1 for the pixels that have one of `in` that is 1 at most `radius` pixels away, across and
 * down. `work` and `out` have rows of `width` bytes. */
void rec_mask_spread(const unsigned char *in, size_t stride, size_t width, size_t height,
                     size_t radius, unsigned char *work, unsigned char *out);
