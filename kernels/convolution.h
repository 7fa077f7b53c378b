/* The arithmetic contract of convolutions, for the C compiler and nvcc (that of the five-point
 * update is stencil.h).
 *
 * An iteration makes M <- S * M + f. All solvers give the same bits because each does exactly this
 * for a pixel, in float32:
 *
 *     acc = f of the pixel, or 0 for a filter, which has no f
 *     for the rows of the stencil from the top, for the weights of a row from the left:
 *         acc = fma(weight, sample, acc)
 *     M'  = acc / scale + offset
 *
 * Weights of 0 may be left out: this can only change the sign of a zero in acc, and adding the
 * offset, which is never -0, makes every zero +0. (Sums that overflow are undefined.) For damped
 * iterations the scale is 1 and the offset 0.
 *
 * A separable stencil, weight[y][x] = the sum of up to three terms down[y] * across[x], can be
 * applied in two passes a term. The bits differ from those of one pass unless all sums are exact,
 * but this order is fixed, too:
 *
 *     acc = 0; for the terms, for the rows from the top:
 *         h = 0; for the columns from the left: h = fma(across[x], sample, h)
 *         acc = fma(down[y], h, acc)
 *
 * With one term both orders are exact, and equal, if weights and samples are integers and the sum
 * of |weight| times the largest |sample| is at most 2^24. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/stencil.h"

enum { REC_TAPS_SIDE = 63 };

/* A stencil ready to be applied: odd sides, weights in rows of `width`. */
typedef struct rec_taps {
    int width, height;
    float scale, offset;
    float weights[REC_TAPS_SIDE * REC_TAPS_SIDE];
} rec_taps;

/* A separable stencil: the two factors of each term, `height` and `width` long. */
enum { REC_TERMS = 3 };
typedef struct rec_factors {
    int terms;
    float down[REC_TERMS][REC_TAPS_SIDE], across[REC_TERMS][REC_TAPS_SIDE];
} rec_factors;

static inline REC_HD float rec_convolution_end(float acc, float scale, float offset)
{
    return acc / scale + offset;
}

/* The row or column in 0..n-1 whose pixels stand at i, inside or outside; -1: the constant halo. In
 * scipy and OpenCV mirror is "reflect" and BORDER_REFLECT, mirror101 "mirror" and
 * BORDER_REFLECT_101, replicate "nearest" and BORDER_REPLICATE, wrap "grid-wrap" and
 * BORDER_WRAP. */
static inline REC_HD ptrdiff_t rec_boundary_index(rec_beyond rule, ptrdiff_t i, ptrdiff_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (rule == REC_FIXED)
        return -1;
    if (rule == REC_REPLICATED)
        return i < 0 ? 0 : n - 1;
    const ptrdiff_t period = rule == REC_WRAPPED    ? n
                             : rule == REC_MIRRORED ? 2 * n
                             : n > 1                ? 2 * n - 2
                                                    : 1;
    const ptrdiff_t rest = i % period, place = rest < 0 ? rest + period : rest;
    if (place < n)
        return place;
    return rule == REC_MIRRORED ? period - 1 - place : period - place;
}

/* fmaf on a processor without FMA. The product of two floats is exact in double. The sum is rounded
 * to odd: then rounding it again, to float, is as rounding once. */
static inline float rec_fma_without_fma(float a, float b, float c)
{
    const double product = (double)a * (double)b;
    double sum = product + (double)c;
    const double part = sum - product;
    const double error = (product - (sum - part)) + ((double)c - part);
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if ((error > 0 || error < 0) && !(bits & 1))
        bits += (error > 0) == (sum > 0) ? 1 : -1;
    memcpy(&sum, &bits, sizeof sum);
    return (float)sum;
}
