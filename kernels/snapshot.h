/* What one pixel of a snapshot is, read by the C compiler and by nvcc so that a snapshot has the
 * same bytes wherever it is made: the mean of a box of the image, in float32, row by row. */
#ifndef REC_KERNELS_SNAPSHOT_H
#define REC_KERNELS_SNAPSHOT_H

#include <stddef.h>

#include "kernels/host_device.h"

/* Output pixel i of n covers the source pixels from rec_box_edge(i) to rec_box_edge(i + 1) - 1 of
 * `size`; never empty while n <= size. */
static inline REC_HD size_t rec_box_edge(size_t i, size_t n, size_t size) { return i * size / n; }

/* The mean of width x height samples at `box`, rows `stride` floats apart. */
static inline REC_HD float rec_box_mean(const float *box, size_t stride, size_t width,
                                        size_t height)
{
    float sum = 0.0f;
    for (size_t y = 0; y < height; y++) {
        float row = 0.0f;
        for (size_t x = 0; x < width; x++)
            row += box[y * stride + x];
        sum += row;
    }
    return sum / (float)(width * height);
}

#endif
