/* What one pixel of a snapshot is, read by the C compiler and by nvcc so that a snapshot has the
 * same bytes wherever it is made: the mean of a box of a layer, in float32, row by row. */
#ifndef REC_KERNELS_SNAPSHOT_H
#define REC_KERNELS_SNAPSHOT_H

#include <math.h>
#include <stddef.h>

#include "kernels/host_device.h"
#include "kernels/tone.h"

/* Output pixel i of n covers the source pixels from rec_box_edge(i) to rec_box_edge(i + 1) - 1 of
 * `size`; never empty while n <= size. */
static inline REC_HD size_t rec_box_edge(size_t i, size_t n, size_t size) { return i * size / n; }

/* Sample i of a layer: of M less what M is compared with, of M, or of f, whose edges are exact.
 * `minus` is read where something is compared. */
static inline REC_HD float rec_layer_value(int layer, const float *of, const float *minus, size_t i)
{
    switch (layer) {
    case REC_LAYER_NUMBER_EDGES:
        return -4.0f * of[i];
    case REC_LAYER_NUMBER_CHANGE:
        return fabsf(of[i] - minus[i]);
    case REC_LAYER_NUMBER_DIFFERENCE:
        return of[i] - minus[i];
    default:
        return of[i];
    }
}

/* The mean of width x height values from sample `first` on, rows `stride` samples apart. */
static inline REC_HD float rec_box_mean(int layer, const float *of, const float *minus,
                                        size_t first, size_t stride, size_t width, size_t height)
{
    float sum = 0.0f;
    for (size_t y = 0; y < height; y++) {
        float row = 0.0f;
        for (size_t x = 0; x < width; x++)
            row += rec_layer_value(layer, of, minus, first + y * stride + x);
        sum += row;
    }
    return sum / (float)(width * height);
}

#endif
