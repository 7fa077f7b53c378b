/* Convolutions: for the files of this folder alone. All solvers keep planes with a border as wide
 * as the stencil's radius. The border is filled before each application, so that no pixel is a
 * special case. */
#pragma once

#include "solver/norms.h"
#include "solver/type.h"

/* ---- the stencils of a run ---- */

typedef struct rec_filter {
    rec_operator op;
    rec_factors factors; /* 0 terms: not separable, or not wanted */
} rec_filter;

typedef struct rec_filters {
    size_t count;         /* an iteration applies all of them in turn */
    rec_filter *items;
    int exact;            /* the first application of the first stencil is exact in any order */
    int always_separable; /* --kernel separable */
} rec_filters;

/* The passes of a kernel: as is faster, one, or two (--kernel separable). */
typedef enum rec_passes { REC_ANY_PASSES, REC_ONE_PASS, REC_TWO_PASSES } rec_passes;

/* REC_UNAVAILABLE for two passes with a stencil that has no factors. */
rec_status rec_filters_create(rec_filters *filters, const rec_problem *problem, rec_passes passes,
                              rec_error *error);
void rec_filters_destroy(rec_filters *filters);

/* Three sets of planes hold M_N (set `now`) and, in the sets after it, M_(N-1) and M_(N-2). The set
 * for the next stencil's result: the first stencil replaces M_(N-2). A later stencil reads set
 * `from` and takes the third set, of the indices 0, 1, 2 that is neither `now` nor `from`. */
enum { REC_SETS = 3 };
static inline int rec_set_behind(int now, int from, int first)
{
    return first ? (now + 2) % REC_SETS : 3 - now - from;
}

/* 1 if stencil i is applied in two passes in the iteration after `iterations`. */
int rec_filters_separate(const rec_filters *filters, size_t i, uint64_t iterations);

/* ---- on the host ---- */

/* One application of a stencil to a plane. */
typedef struct rec_convolution_task {
    const rec_taps *taps;
    const rec_factors *factors; /* NULL: not separable */
    const rec_plane *out, *in;  /* `in` with its border */
    const float *f;             /* row 0 of f, with the stride of the planes; or NULL */
    size_t width;
    float *ring;                /* for factors: the thread's rec_ring_rows() rows of in->stride */
    int follows;                /* the ring holds what the rows before `first` left there */
    int streams;                /* nobody reads the result soon */
} rec_convolution_task;

/* Makes rows first..end-1. Reads up to REC_CONVOLUTION_OVER floats to the right of the border, and
 * up to REC_CONVOLUTION_ROWS rows below it, which are in no result. */
typedef void rec_convolution_rows(const rec_convolution_task *task, size_t first, size_t end);
enum { REC_CONVOLUTION_OVER = 64, REC_CONVOLUTION_ROWS = 6 };

static inline size_t rec_ring_rows(const rec_filter *filter)
{
    return (size_t)filter->factors.terms *
           ((size_t)filter->op.taps.height - 1 + REC_CONVOLUTION_ROWS);
}

/* The inner loops of one instruction set; the reference has no separable ones. */
typedef struct rec_convolution_loops {
    size_t rows; /* that are made side by side, at most REC_CONVOLUTION_ROWS */
    rec_convolution_rows *direct, *separable;
} rec_convolution_loops;

extern const rec_convolution_loops rec_convolution_loops_avx512, rec_convolution_loops_avx2,
    rec_convolution_loops_base;

typedef struct rec_convolution {
    size_t width, height, planes;
    size_t margin;        /* floats of a row to the left of its first pixel */
    size_t radius, stride;
    rec_beyond beyond;   /* the rule of both axes */
    float halo;          /* the constant of a fixed one */
    rec_filters filters;
    rec_plane sets[REC_SETS][3]; /* by planes; M_N is in set `now` */
    int now;
    float *f[3];          /* NULL: filters have none */
    size_t step;          /* floats from plane to plane, in sets and f */
    float *block, *rings;
    size_t ring;          /* rows of a thread in `rings` */
    rec_row_change *row_changes;
    uint64_t iterations;
    rec_sums sums;               /* of the last iteration, if it was compared */
    int streams, threads;
    const char *kernel;
    const rec_convolution_loops *loops;
    double seconds_upload;
} rec_convolution;

/* Functions of rec_solver_type. `shape`: threads, kernel and loops, which the problem has not. */
rec_status rec_convolution_create(void *state, const rec_problem *problem,
                                  const rec_convolution *shape, rec_error *error);
void rec_convolution_destroy(void *state);
rec_status rec_convolution_advance(void *state, uint64_t n, rec_ending ending, rec_error *error);
void rec_convolution_collect(const void *state, int change, int distance, rec_sums *sums);
rec_status rec_convolution_planes(void *state, rec_planes *planes, rec_error *error);
void rec_convolution_get_info(const void *state, rec_solver_info *info);
