/* An axis of a level, and the numbers of conjugate gradients for one plane, which follow from the
 * sums of a step. Read by the C compiler and by nvcc. With e the error, A the matrix (4 less the
 * sum over the neighbours), r = A e the residual, z the preconditioned residual, step k is
 *
 *     beta = r z / (r z of step k - 1), p = z + beta p, alpha = r z / (p A p), x += alpha p,
 *     r -= alpha A p, and takes d_k = alpha r z off |e|_A^2
 *
 * Successive d fall by a ratio q that changes slowly: the sum of those to come is taken as
 * d_k q / (1 - q). z is about the error before the step, and falls by sqrt(q) in one. Both are
 * estimates, no proof (docs/multigrid.md). */
#pragma once

#include "kernels/stencil.h"

/* An axis of a level: what lies beyond its first and its last cell. REC_FIXED: known cells;
 * REC_MIRRORED: no neighbour; REC_WRAPPED (both): the cell at the other end. A wrapped axis of one
 * cell has no neighbours: REC_MIRRORED. */
typedef struct rec_multigrid_axis {
    int cells;
    rec_beyond low, high;
} rec_multigrid_axis;

/* The neighbours of cell i along the axis that do not exist. */
static inline REC_HD int rec_missing(const rec_multigrid_axis *axis, int i)
{
    return (i == 0 && axis->low == REC_MIRRORED) +
           (i == axis->cells - 1 && axis->high == REC_MIRRORED);
}

enum {
    REC_MULTIGRID_LEAST_STEPS = 4, /* before the ratios say something */
    REC_MULTIGRID_MOST_STEPS = 100,
    REC_MULTIGRID_COARSEST_SWEEPS = 5, /* of the last level: down, and as many up */
    REC_MULTIGRID_MOST_SWEEPS = 8      /* of another */
};

/* Sweeps on level 0, the finest, 1 and so on: down, and as many up. A power of two. */
static inline REC_HD size_t rec_multigrid_sweeps(size_t level)
{
    return level == 0 ? 2 : level == 1 ? 4 : REC_MULTIGRID_MOST_SWEEPS;
}

typedef struct rec_multigrid_steps {
    int count;    /* k: steps since the residual was computed from x */
    int finished; /* r is 0, or d below what double resolves */
    double rz, alpha, beta;
    double d, ratio; /* d_k; d_k / d_(k-1), 0 before the second step */
    double error;    /* the estimate of |e|_A; infinite: none yet */
    double largest;  /* of |z|; then what it says of |e| */
} rec_multigrid_steps;

static inline REC_HD rec_multigrid_steps rec_multigrid_begin(void)
{
    rec_multigrid_steps steps = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    steps.error = steps.largest = INFINITY;
    return steps;
}

/* r z and the largest |z| are known: sets beta, or finishes. */
static inline REC_HD void rec_multigrid_set_rz(rec_multigrid_steps *steps, double rz,
                                               double largest_z)
{
    steps->beta = steps->count ? rz / steps->rz : 0;
    steps->rz = rz;
    steps->largest = largest_z;
    if (rz == 0) { /* r is 0 */
        steps->finished = 1;
        steps->error = steps->largest = 0;
    }
}

/* p A p is known: sets alpha, and the estimate after this step. `largest`: the largest magnitude of
 * the start and of the edges in the box, for what double resolves. */
static inline REC_HD void rec_multigrid_set_pap(rec_multigrid_steps *steps, double pap,
                                                double largest)
{
    const double before = steps->d, ratio_before = steps->ratio, least = ldexp(largest, -40);
    if (!(pap > 0)) { /* not a number: no step helps */
        steps->alpha = 0;
        steps->count = REC_MULTIGRID_MOST_STEPS;
        steps->error = steps->largest = INFINITY;
        return;
    }
    steps->alpha = steps->rz / pap;
    steps->d = steps->alpha * steps->rz;
    steps->ratio = steps->count ? steps->d / before : 0;
    steps->count++;
    const double q = fmax(steps->ratio, ratio_before), fall = sqrt(fmax(q, 1.0 / 16));
    const int known = steps->count >= REC_MULTIGRID_LEAST_STEPS && q < 1;
    steps->finished = steps->d <= least * least;
    steps->error = steps->finished ? sqrt(steps->d)
                   : known         ? sqrt(steps->d * fmax(q / (1 - q), 1.0))
                                   : (double)INFINITY;
    steps->largest = steps->finished ? steps->error
                     : known         ? steps->largest * fall / (1 - fall)
                                     : (double)INFINITY;
}

/* 1: a further step is not needed, or of no use. */
static inline REC_HD int rec_multigrid_is_done(const rec_multigrid_steps *steps, double stop)
{
    return steps->finished || steps->largest <= stop || steps->count >= REC_MULTIGRID_MOST_STEPS;
}
