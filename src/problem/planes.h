/* Where a solver keeps the current iterate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "problem/boundary.h"

typedef struct rec_planes { /* own rows, without the halo and ghost rows */
    size_t width, height, planes; /* pixels; height in own rows */
    size_t pitch;       /* floats from row to row, of m and f */
    size_t step;        /* floats from plane to plane, of m and f */
    const float *m;     /* the first own pixel of M_N */
    const float *f;     /* the first own pixel of -E / 4, after rec_boundary_fold, or NaN for a
                           known pixel; NULL: not kept */
    rec_boundary_kind boundary; /* its fixed values were folded into f */
    uint64_t iteration; /* N */
    int on_device;      /* 1: m and f are on a device, described by: */
    int device;         /* the device's number */
    void *stream;       /* the cudaStream_t on which the planes change */
    struct rec_cuda_transfer *transfer; /* copies planes to the host */
} rec_planes;

/* Those of an image as M_N, without f. */
static inline rec_planes rec_planes_of(const rec_image *image)
{
    return (rec_planes){.width = image->width,
                        .height = image->height,
                        .planes = image->planes,
                        .pitch = image->stride,
                        .step = image->height * image->stride,
                        .m = image->data};
}
