/* Norms of the solvers on the host, and the constants of the bound for all of them. */
#pragma once

#include <stddef.h>

#include "solver/solver.h"

/* A plane with its halo in memory: cell (0, 0) is at `cells`, row y at cells + y * stride, and the
 * cells -1 and width of every row, and the rows -1 and height, hold the halo. */
typedef struct rec_plane {
    float *cells;
    size_t stride;
} rec_plane;

/* The constants of the bound of a problem. With a mask rho is that of the box around the unknown
 * pixels: fewer unknown pixels have no larger one. If the boundary leaves the mean of M free, an
 * iteration adds the mean of f = -E / 4 to the mean of M. So the mean of J(J(M)) - M is known, and
 * the bound leaves it out. The checkerboard mode has no part in J(J(M)) - M. */
typedef struct rec_bound {
    double pixels;   /* the unknown ones */
    double factor;   /* 1 / (1 - rho^2); NaN: a mask's box has nothing known beside it */
    double drift[3]; /* the mean of J(J(M)) - M, by planes */
} rec_bound;
rec_bound rec_bound_of(const rec_problem *problem);

/* The sums of a look: over the own rows of all slabs, from the top down. */
typedef struct rec_sums {
    double change[3], distance[3]; /* squares of M_N - M_(N-1) and of J(J(M_N)) - M_N, by planes */
    double maximum;                /* of |M_N - M_(N-1)| */
    size_t alternating, moving;    /* pixels */
    int moving_known;              /* M_(N-2) was available */
} rec_sums;

/* Adds the rows of a plane, from the top down, to the change, the distance or both. */
void rec_sums_add_rows(rec_sums *sums, size_t plane, const rec_row_change *rows, size_t height,
                       int change, int distance);

/* Makes the look from the sums over the whole image. Norms that were not requested, or that need an
 * earlier iterate than there is, are NaN. */
rec_look rec_look_of(const rec_sums *sums, const rec_bound *bound, int change, int distance,
                     size_t planes);
