/* What the solvers of the host share: planes with their halo in memory, plain iterations and looks.
 * A solver adds one function, which makes rows of the next iterate. */
#pragma once

#include "solver/type.h"

/* Rows first..end-1 of the next iterate of a plane: out = J(in). All three begin at cell (0, 0);
 * the cells -1 and width of every row, and the rows -1 and height, hold the halo. */
typedef void rec_host_rows(float *out, const float *in, const float *f, size_t stride, size_t width,
                           size_t first, size_t end);

typedef struct rec_host {
    size_t width, height, planes; /* height with the ghost rows of the slab */
    rec_slab slab;
    size_t stride, step;  /* floats from row to row, from plane to plane, of m, other and f */
    float *m;             /* the current iterate, M_N */
    float *other;         /* M_(N-1), once N >= 1; the next iterate replaces it */
    float *f;             /* -E / 4; NaN: known */
    int masked;           /* there are known pixels */
    int threads;
    rec_boundary_kind boundary; /* a halo that is not constant is refilled before it is read */
    rec_host_rows *rows;

    const char *kernel;   /* the kernel's name */
    float *block;         /* the memory of m, other and f */
    rec_row_change *changes; /* height for each plane */
    double *residuals;    /* 3 rows of width + 2 a thread, for the distance; the first row also
                             keeps a row of M_(N-2) while M_N replaces it */
    rec_costs costs;      /* with the processor's name, which is slow to find out */
} rec_host;

rec_status rec_host_create(rec_host *host, const rec_problem *problem, const rec_slab *slab,
                           const char *kernel, rec_host_rows *rows, int threads, rec_error *error);

/* One plain iteration of all planes, with the rows divided among the threads; swaps m and other.
 * compares: for a look. */
void rec_host_iterate(rec_host *host, int compares);

/* What a row contributes to a look: `now` of M_N, `last` of M_(N-1), `before` of M_(N-2). */
rec_row_change rec_host_compare(const float *now, const float *last, const float *before,
                                size_t width);

/* For a state that begins with a rec_host. */
void rec_host_destroy(void *state);
rec_status rec_host_advance(void *state, uint64_t n, int compares, rec_error *error);

size_t rec_host_bytes(const rec_problem *problem, const rec_solver_options *options);
rec_status rec_host_load(void *state, const rec_problem *problem, rec_error *error);
void rec_host_get_info(const void *state, rec_solver_info *info);
rec_status rec_host_distance(void *state, rec_error *error);
void rec_host_collect(const void *state, int change, int distance, rec_sums *sums);
rec_status rec_host_exchange(void *const *states, size_t count, rec_trade field, rec_error *error);
rec_status rec_host_planes(void *state, rec_planes *planes, rec_error *error);

/* What a rec_solver_type has for such a state. */
#define REC_HOST_FUNCTIONS(state, creates, destroys, advances) \
    .shows = REC_ALL_SOURCES, .takes = REC_MASKS, \
    .memory = &(const rec_solver_memory){ \
        .size = sizeof(state), .bytes = rec_host_bytes, .create = creates, .load = rec_host_load, \
        .destroy = destroys, .get_info = rec_host_get_info, .planes = rec_host_planes}, \
    .iterate = &(const rec_solver_iterator){ \
        .advance = advances, .distance = rec_host_distance, .collect = rec_host_collect, \
        .exchange = rec_host_exchange}
