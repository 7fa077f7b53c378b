/* The operator of a convolution, M <- S * M + f, in place of the five-point update. */
#pragma once

#include "image/image.h"
#include "image/stencil.h"
#include "kernels/convolution.h"

typedef struct rec_operator {
    rec_taps taps;   /* S, as kernels/convolution.h applies it */
    int is_inverse;  /* 0: a filter, f = 0. 1: the damped iteration, whose f is
                        gain * (E - level), computed in double and rounded once; with it: */
    double gain, level;
    rec_stencil stencil; /* K, with its weights rounded to float32, as filters apply them */
    double omega;
    int force;           /* reconstruct even if the stencil does not determine the picture */
} rec_operator;

/* A filter: S = K / scale, and the offset is added. */
void rec_operator_filter(rec_operator *made, const rec_stencil *stencil);

/* The damped iteration towards the picture that has edges E = K * M / scale + offset, with d the
 * weight in the middle: S = delta - (omega / d) K, f = (omega scale / d) (E - offset). */
void rec_operator_iteration(rec_operator *made, const rec_stencil *stencil, double omega);

/* d: the weight in the middle, or 1 if it is 0. (d cancels in the limit.) */
double rec_stencil_middle(const rec_stencil *stencil);

/* The omega with which the damped iteration converges fastest: 2 / (l + L), with l and L the least
 * and the largest value of K's symbol over d. REC_USAGE if it converges with none, or if d is 0. */
rec_status rec_operator_choose_omega(const rec_stencil *stencil, double *omega, rec_error *error);

/* 1 if w(i, j) = w(-i, j) = w(i, -j): then the symbol is real in every basis. */
int rec_stencil_is_even(const rec_stencil *stencil);

/* Of a filter of rank up to REC_TERMS, else 0 terms. Integers of rank 1 have integer factors. */
void rec_operator_factors(const rec_operator *op, rec_factors *factors);

/* 1 if applying the operator to this picture is exact in any order of the additions. `halo`: the
 * constant around the picture, or 0. */
int rec_operator_is_exact(const rec_operator *op, const rec_image *picture, float halo);
