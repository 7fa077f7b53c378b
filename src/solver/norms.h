/* Norms of the solvers on the host, and the constants of the bound for all of them. */
#ifndef REC_SOLVER_NORMS_H
#define REC_SOLVER_NORMS_H

#include <stddef.h>

#include "solver/solver.h"

/* A plane with its halo in memory: cell (0, 0) is at `cells`, row y at cells + y * stride, and the
 * cells -1 and width of every row, and the rows -1 and height, hold the halo. */
typedef struct rec_plane {
    float *cells;
    size_t stride;
} rec_plane;

/* What the bound of one problem is made of. A free mean is kept by the iteration but for that of
 * f = -E / 4, so the mean of J(J(M)) - M is known and is left out; the checkerboard's part is 0. */
typedef struct rec_bound {
    double pixels;
    double factor;   /* 1 / (1 - rho^2) */
    double drift[3]; /* the mean of J(J(M)) - M that is left out, by planes */
} rec_bound;
rec_bound rec_bound_of(const rec_problem *problem);

/* What a look adds up: over the own rows of one slab after the other, from the top one down. */
typedef struct rec_sums {
    double change[3], distance[3]; /* squares of M_N - M_(N-1) and of J(J(M_N)) - M_N, by planes */
    double maximum;                /* of |M_N - M_(N-1)| */
    size_t alternating, moving;    /* pixels */
    int tells;                     /* M_(N-2) was there, without which nobody knows what moves */
} rec_sums;

/* Adds what a plane's rows contribute to the change, the distance or both, in their order. */
void rec_sums_add_rows(rec_sums *sums, size_t plane, const rec_row_change *rows, size_t height,
                       int change, int distance);

/* The look that sums over the whole image are. Numbers that were not asked for, or whose iteration
 * was not made, are NaN. */
rec_look rec_look_of(const rec_sums *sums, const rec_bound *bound, int change, int distance,
                     size_t planes);

/* Sets the distance of rows first..end-1 of plane m, whose halo was made before; the boundary of
 * J(M) - M is of the same kind. The rows of f are as far apart as those of m. `residuals` has room
 * for 3 * (width + 2) doubles a thread, `threads` of them. */
void rec_distance_squares(const rec_plane *m, const float *f, size_t width, size_t height,
                          rec_boundary_kind boundary, size_t first, size_t end,
                          rec_row_change *rows, double *residuals, int threads);

#endif
