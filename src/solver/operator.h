/* The operator of a convolution: what an iteration does to the picture, M <- S * M + f, in place of
 * the five-point update. */
#ifndef REC_SOLVER_OPERATOR_H
#define REC_SOLVER_OPERATOR_H

#include "image/image.h"
#include "image/stencil.h"
#include "kernels/convolution.h"

typedef struct rec_operator {
    rec_taps taps;   /* S, as kernels/convolution.h applies it */
    int adds;        /* there is an f: gain * (E - level), computed in double and rounded once */
    double gain, level;
    /* Of one that adds: */
    rec_stencil stencil; /* K, with its weights rounded to float32, as filters apply them */
    double omega;
    int force;           /* the picture is wanted even where the stencil does not determine it */
} rec_operator;

/* A filter: S = K / scale, and the offset is added. */
void rec_operator_filter(rec_operator *made, const rec_stencil *stencil);

/* The damped iteration towards the picture that has edges E = K * M / scale + offset, with d the
 * weight in the middle: S = delta - (omega / d) K, f = (omega scale / d) (E - offset). */
void rec_operator_iteration(rec_operator *made, const rec_stencil *stencil, double omega);

/* d: the weight in the middle, or 1 where that is 0, as it cancels in the limit. */
double rec_stencil_middle(const rec_stencil *stencil);

/* The omega with which that iteration goes fastest: 2 / (l + L), where K's symbol over d goes from
 * l to L. REC_USAGE when it does not converge with any, or has no weight in its middle. */
rec_status rec_operator_choose_omega(const rec_stencil *stencil, double *omega, rec_error *error);

/* 1 when w(i, j) = w(-i, j) = w(i, -j): its symbol is real in every basis. */
int rec_stencil_is_even(const rec_stencil *stencil);

/* 1 when the weights sum to 0, but for rounding: the mean of a mirrored or wrapped picture is
 * lost. */
int rec_stencil_loses_mean(const rec_stencil *stencil);

/* Goes on with a hash by all that decides the bits. */
uint64_t rec_operator_hash(const rec_operator *of, uint64_t hash);

/* The factors of a filter of rank REC_TERMS at most; their number of terms is 0 for others. Integer
 * weights of rank 1 have integer factors. */
void rec_operator_factors(const rec_operator *of, rec_factors *factors);

/* 1 when applying it to this picture is exact in any order; `halo` is a constant around it, or
 * 0. */
int rec_operator_is_exact(const rec_operator *of, const rec_image *picture, float halo);

#endif
