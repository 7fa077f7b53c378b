/* Convolutions: for the files of this folder alone. All solvers keep planes with a border as wide
 * as the stencil's radius. The border is filled before each application, so that no pixel is a
 * special case. */
#pragma once

#include "solver/type.h"

/* ---- the stencils of a run ---- */

typedef struct rec_filter {
    rec_operator op;
    rec_factors factors; /* 0 terms: not separable, or not wanted */
} rec_filter;

/* The passes of a kernel: as is faster, one, or two (--kernel separable). */
typedef enum rec_passes { REC_ANY_PASSES, REC_ONE_PASS, REC_TWO_PASSES } rec_passes;

/* ---- the state ----
 *
 * Three sets of planes hold M_N (set `now`) and, in the sets after it, M_(N-1) and M_(N-2). */
enum { REC_SETS = 3 };

typedef struct rec_convolution {
    const struct rec_convolution_compute *compute;
    rec_room room;     /* in its planes their sizes */
    rec_beyond beyond; /* the rule of both axes */
    float halo;        /* the constant of a fixed one */
    size_t count;      /* an iteration applies all filters in turn */
    rec_filter *filters;
    int exact;            /* the first application of the first one is exact in any order */
    int always_separable; /* --kernel separable */
    float *sets[REC_SETS]; /* first pixels; M_N is in set `now` */
    int now;
    float *f;                    /* NULL: filters have none */
    rec_row_change *row_changes; /* planes * height: of the last iteration, if it was compared */
    uint64_t iterations;
    unsigned depth; /* iterations in a pass where nobody looks; 0: one by one */
    const char *kernel;
    rec_costs costs;
} rec_convolution;

/* The numbers of its memory: the sets of planes, and f behind the third one; what the host or a
 * device needs besides; row_changes. */
enum { REC_CONVOLUTION_SETS, REC_CONVOLUTION_OWN, REC_CONVOLUTION_CHANGES = REC_PINNED };

static inline size_t rec_convolution_floats(const rec_convolution *c) /* of all sets */
{
    return (REC_SETS + (size_t)c->filters->op.is_inverse) * c->room.planes.planes *
           c->room.planes.step;
}

static inline size_t rec_convolution_changes(const rec_convolution *c) /* bytes */
{
    return c->room.planes.planes * c->room.planes.height * sizeof(rec_row_change);
}

/* What is computed where the planes are. */
typedef struct rec_convolution_compute {
    /* Fills the borders with the constant, f with the terms, set 0 with the start. */
    rec_status (*load)(rec_convolution *c, const rec_problem *problem, const rec_image *start,
                       rec_error *error);
    /* Applies stencil i to set `from`. If it compares: with M_(N-1), which is set `now`, and
     * M_(N-2), the set after it. */
    rec_status (*apply)(rec_convolution *c, size_t i, int from, int to, int compares,
                        rec_error *error);
    /* Makes `depth` iterations from set `now`. */
    rec_status (*pass)(rec_convolution *c, int to, rec_error *error);
} rec_convolution_compute;

/* Sets sizes, rule and stencils. The filters are to be freed also after a failure, such as
 * REC_UNAVAILABLE for two passes with a stencil that has no factors. */
rec_status rec_convolution_begin(rec_convolution *c, const rec_problem *problem, rec_passes passes,
                                 rec_error *error);
/* Once its memory is there. `before`: floats of a set before its first pixel. */
rec_status rec_convolution_load(rec_convolution *c, const rec_problem *problem, size_t before,
                                rec_error *error);

/* 1 if stencil i is applied in two passes in the next iteration. */
int rec_convolution_separates(const rec_convolution *c, size_t i);

/* For a state that begins with a rec_convolution. */
rec_status rec_convolution_advance(void *state, uint64_t n, int compares, rec_error *error);
void rec_convolution_collect(const void *state, int change, int distance, rec_sums *sums);
rec_status rec_convolution_planes(void *state, rec_planes *planes, rec_error *error);
void rec_convolution_get_info(const void *state, rec_solver_info *info);
void rec_convolution_destroy(void *state);

#define REC_CONVOLUTION_FUNCTIONS(state, creates, advances) \
    .own_bits = "separable", .shows = REC_ALL_SOURCES & ~(1u << REC_SOURCE_EDGES), \
    .memory = &(const rec_solver_memory){ \
        .size = sizeof(state), .create = creates, .destroy = rec_convolution_destroy, \
        .get_info = rec_convolution_get_info, .planes = rec_convolution_planes}, \
    .iterate = &(const rec_solver_iterator){.advance = advances, .collect = rec_convolution_collect}

/* ---- the loops of the host ---- */

/* One application of a stencil to a plane. */
typedef struct rec_convolution_task {
    const rec_taps *taps;
    const rec_factors *factors; /* NULL: not separable */
    float *out;                 /* the first pixel, */
    const float *in;            /* with its border, */
    const float *f;             /* or NULL; all with the same stride */
    size_t stride, width;
    float *ring;                /* for factors: the thread's rec_ring_rows() rows of the stride */
    int follows;                /* 1: this thread made row first - 1, its ring can be used again */
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
