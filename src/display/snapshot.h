/* What is shown of an iterate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "kernels/tone.h"

typedef struct rec_layer_row {
    rec_source source;
    rec_scale scale;
} rec_layer_row;

#define REC_LAYER_ROW(name, source, scale, value) {REC_SOURCE_##source, REC_SCALE_##scale},
static const rec_layer_row rec_layers[REC_LAYERS] = {REC_LAYER_ROWS(REC_LAYER_ROW)};

/* One pixel, by planes. NaN stands for a plane, a reference or edges that do not exist.
 * Known pixels have edges of 0. */
typedef struct rec_probe {
    float picture[3], edges[3], reference[3];
} rec_probe;

typedef struct rec_snapshot {
    const uint8_t *pixels;         /* planes * height rows of `stride` bytes */
    size_t width, height, planes;  /* as asked for */
    size_t stride;                 /* bytes */
    rec_view view;                 /* as asked for, but a contrast of 0 is 1 here */
    uint64_t iteration;            /* N, counted from the solver's creation */
    float low, high;               /* the values at the ends of the scale, with a contrast of 1: the
                                      range of v in the whole image, or of |v| for the picture by
                                      epcc; -most..most of a signed layer; 0..most of the change;
                                      0 and 0 if the mapping needs no range */
} rec_snapshot;
