/* The arithmetic contract: the update of one pixel, read by the C compiler and by nvcc.
 *
 * M is the picture, E its edges, both surrounded by a halo (rec_beyond). Every stencil
 * solver gives the same bits for the same N because each does exactly this, in float32:
 *
 *     f  = -0.25 E                               once, before the first iteration
 *     s  = (up + left) + (right + down)
 *     M' = fma(0.25, s, f)
 *
 * With a mask, f of a known pixel is NaN (rec_is_known), and M' = M there, bit for bit.
 *
 * The order of the additions is chosen for streaming: right + down of pixel (y, x) is up + left of
 * pixel (y + 1, x + 1), so a kernel that walks down the rows makes one pair sum a pixel.
 * C is compiled with -ffp-contract=off, CUDA with -fmad=false, neither with fast-math: no other fma
 * may appear and denormals are kept. */
#pragma once

#include <math.h>
#include <stddef.h>

/* For functions that run on both sides. */
#ifdef __CUDACC__
#define REC_HD __host__ __device__
#else
#define REC_HD
#endif

/* The rule of one axis: what the halo of an iterate holds there. The boundaries of src/problem are
 * made of two of them. */
typedef enum rec_beyond {
    REC_FIXED,    /* a constant, the same in every iterate */
    REC_MIRRORED, /* the border pixel, repeated */
    REC_WRAPPED,  /* the border pixel of the opposite side: the picture is periodic */
    /* For filters alone (convolution.h: rec_boundary_index): */
    REC_MIRRORED_101, /* a mirror that does not repeat the border pixel */
    REC_REPLICATED    /* the border pixel, however far away the cell is */
} rec_beyond;

/* A cell of the halo, from the border pixel beside it, the border pixel of the opposite side, and
 * the constant. It is linear in all three, and exact. NaN: the rule is for filters alone. */
static inline REC_HD double rec_ghost(rec_beyond rule, double border, double opposite,
                                      double constant)
{
    return rule == REC_FIXED      ? constant
           : rule == REC_MIRRORED ? border
           : rule == REC_WRAPPED  ? opposite
                                  : (double)NAN;
}

/* What one row contributes to the norms. */
typedef struct rec_row_change {
    double squares;         /* of M_N - M_(N-1) */
    double distance;        /* squares of J(J(M_N)) - M_N */
    double maximum;         /* of |M_N - M_(N-1)| */
    size_t alternating;     /* pixels whose bits differ between M_N and M_(N-1) */
    size_t moving;          /* pixels whose bits differ between M_N and M_(N-2) */
} rec_row_change;

/* f of an edge sample. An edge of +0 gives -0, which is part of the contract. */
static inline REC_HD float rec_edge_term(float edge) { return -0.25f * edge; }

/* 1: the pixel keeps its value, since a mask calls it known. f has no other NaN. */
static inline REC_HD int rec_is_known(float f) { return isnan(f); }

/* The update as the contract writes it, of an unknown pixel. */
static inline REC_HD float rec_update(float up, float left, float right, float down, float f)
{
    return fmaf(0.25f, (up + left) + (right + down), f);
}

/* The same bits on a processor without FMA, in a form that vectorises: the quarter of a float is
 * exact in double, the sum of two floats rounded to double and then to float is the sum rounded to
 * float once (53 >= 2 * 24 + 2 bits). */
static inline REC_HD float rec_update_without_fma(float up, float left, float right, float down,
                                                  float f)
{
    return (float)(0.25 * (double)((up + left) + (right + down)) + (double)f);
}

/* The residual r = J(M) - M of one pixel in double, for the bound on the distance to the limit. Its
 * inputs are float32, so only the last additions round. */
static inline REC_HD double rec_residual(float up, float left, float right, float down, float f,
                                         float m)
{
    return 0.25 * (((double)up + (double)left) + ((double)right + (double)down)) +
           ((double)f - (double)m);
}
