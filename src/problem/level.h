/* The picture around a part of a mask, in bytes, at full size or reduced: for the search alone. */
#pragma once

#include "base/memory.h"
#include "problem/sources.h"

typedef struct rec_span { /* pixels x..end-1 of a row */
    ptrdiff_t y, x, end;
} rec_span;

typedef struct rec_spans {
    rec_span *at;
    size_t count, pixels;
} rec_spans;

typedef struct rec_level {
    size_t width, height, planes;
    unsigned char *plane[4];     /* three colours (of grey the same one), luminance */
    unsigned char *blocked, *part; /* 1: no source may have the pixel; it is of the part */
    rec_area box;                  /* of the part */
    size_t radius;               /* of the ring */
    rec_spans own, skin, ring;   /* the part; it and what is beside it; known pixels around it */
    int16_t *ring_sample;        /* of each signal */
    double ring_sum[3];          /* of its colours */
    double mean[3], variance[3], slope[2]; /* of a wider ring, or if that is less of the ring: of
                                              colours, and of the squares of gradients across and
                                              down; the mean is the wider one's */
} rec_level;

/* The picture around the patch, and the pixels of its label. To be destroyed also after a failure;
 * all zeros: nothing. REC_LIMIT. */
rec_status rec_level_crop(rec_level *level, const rec_search *search, uint16_t label,
                          const rec_patch *patch, size_t margin, rec_error *error);
rec_status rec_level_halve(rec_level *half, const rec_level *level, rec_error *error);
void rec_level_destroy(rec_level *level);

/* Finds the sets of pixels and what the surroundings look like; with an empty ring there is nothing
 * to compare. What lies under blocked pixels does not count: they get its mean. REC_LIMIT. */
rec_status rec_level_describe(rec_level *level, size_t radius, rec_error *error);
enum { REC_LEVEL_WIDER = 3 }; /* times the ring: the wider one */

/* Of the surroundings; a border that crosses them is texture. */
typedef enum rec_smoothness {
    REC_TEXTURED,
    REC_GRAINED, /* little more than grain, as in a sky */
    REC_FLAT     /* not even that, as in a drawing */
} rec_smoothness;
rec_smoothness rec_level_smoothness(const rec_level *level);

/* ---- samples; those at the sides go on beyond them ---- */

enum { REC_LEVEL_SIGNALS = 5 }; /* colours, of grey the last alone; luminance's two gradients */

static inline size_t rec_level_clip(ptrdiff_t at, size_t length)
{
    return at < 0 ? 0 : rec_smaller((size_t)at, length - 1);
}

static inline int rec_level_sample(const rec_level *of, size_t signal, ptrdiff_t x, ptrdiff_t y)
{
    const size_t column = rec_level_clip(x, of->width);
    const size_t row = rec_level_clip(y, of->height) * of->width;
    if (signal < 3)
        return of->plane[signal][row + column];
    const size_t other = signal == 3
                             ? row + rec_level_clip(x + 1, of->width)
                             : rec_level_clip(y + 1, of->height) * of->width + column;
    return of->plane[3][other] - of->plane[3][row + column];
}
