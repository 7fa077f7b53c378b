/* The shipped solvers, a row for each of their kernels, timed by the calls that every run makes. A
 * kernel that this processor or device lacks is skipped with the solver's own reason. A new kernel
 * is a row here: its name, its bytes an update by its own count (0: not counted). */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "problem/guidance.h"

enum { HOLES = 12 };

typedef struct shipped_solver {
    rec_solver *solver;
    const rec_solver_type *type;
    rec_problem problem;
    rec_image edges, start; /* of an exact picture; with a mask */
    rec_mask mask;
    int exact;              /* the limit, not an iterate */
} shipped_solver;

static void shipped_destroy(void *state)
{
    shipped_solver *shipped = state;
    rec_solver_destroy(shipped->solver);
    rec_image_destroy(&shipped->edges);
    rec_image_destroy(&shipped->start);
    rec_mask_destroy(&shipped->mask);
    rec_free(shipped);
}

/* The noise is the picture, known in round holes of a mask, at multiples of the golden ratio. */
static rec_status make_mask(shipped_solver *made, const bench_case *problem, rec_error *error)
{
    const double width = (double)problem->width, height = (double)problem->height;
    REC_TRY(rec_image_copy(&made->start, &problem->edges, error));
    REC_TRY(rec_mask_create(&made->mask, problem->width, problem->height, error));
    for (size_t y = 0; y < problem->height; y++)
        for (size_t x = 0; x < problem->width; x++) {
            unsigned char *unknown = &made->mask.unknown[y * problem->width + x];
            *unknown = 1;
            for (int i = 0; i < HOLES; i++) {
                const double dx = (double)x - fmod(i * 0.618034, 1) * width;
                const double dy = (double)y - (i + 0.5) / HOLES * height;
                *unknown = *unknown && hypot(dx, dy) > 0.05 * fmin(width, height);
            }
            if (*unknown)
                rec_image_row(&made->start, 0, y)[x] = 0;
        }
    rec_mask_measure(&made->mask);
    made->problem.start = &made->start;
    made->problem.mask = &made->mask;
    return REC_OK;
}

static rec_status shipped_create(void **state, const bench_rung *rung, const bench_case *problem,
                                 rec_ladder_block block, const rec_solver_options *place,
                                 rec_error *error)
{
    const char *const *way = rung->way;
    rec_solver_options options = *place;
    options.kernel = way[1];
    REC_TRY(rec_allocate_zeroed(state, 1, sizeof(shipped_solver), "a rung", error));
    shipped_solver *made = *state;
    made->problem = (rec_problem){.input = &problem->edges, .boundary.value = problem->halo,
                                  .operators = problem->radius ? &problem->filter : NULL,
                                  .operator_count = problem->radius != 0};
    made->exact = rung->check == BENCH_COPY;
    REC_TRY(rec_solver_find(way[0], &made->type, error));
    if (made->exact) { /* the case's samples are the picture: those of its edges would be huge */
        REC_TRY(rec_laplacian(&problem->edges, REC_BOUNDARY_HALO, problem->halo, &made->edges,
                              error));
        made->problem.input = &made->edges;
    }
    /* Several devices or slabs share an exact picture that is nothing but the limit. */
    made->problem.in_place = made->exact && rung->device &&
                             rec_larger(options.device_count, options.slabs) > 1;
    if (!strcmp(rung->type->group, "masked"))
        REC_TRY(make_mask(made, problem, error));
    return rec_solver_create(&made->solver, made->type, &made->problem, &options, error);
}

/* A filter is applied n times, to its own result: the work of n times one input. */
static rec_status shipped_advance(void *state, uint64_t n, rec_ladder_launch *launch,
                                  rec_error *error)
{
    const shipped_solver *shipped = state;
    const double before = rec_now();
    const rec_status status = rec_solver_advance(shipped->solver, n, 0, NULL, error);
    launch->seconds = rec_now() - before;
    return status;
}

/* The exact picture n times, each time from the start, by the solver's own clock. */
static rec_status shipped_solve(void *state, uint64_t n, rec_ladder_launch *launch,
                                rec_error *error)
{
    shipped_solver *shipped = state;
    for (launch->seconds = 0; n; n--) {
        rec_solver_info info;
        if (shipped->problem.mask)
            REC_TRY(rec_solver_renew(&shipped->solver, shipped->type, &shipped->problem, NULL,
                                     error));
        else
            REC_TRY(rec_solver_jump(shipped->solver, 0, error));
        REC_TRY(rec_solver_jump(shipped->solver, REC_LIMIT_ITERATION, error));
        rec_solver_get_info(shipped->solver, &info);
        launch->seconds += info.costs.seconds_jump;
    }
    return REC_OK;
}

/* The samples of an exact picture were integers, and no zero was negative. */
static rec_status read_back(void *state, void *words, double *squares, rec_error *error)
{
    const shipped_solver *shipped = state;
    rec_owned_image found = {0};
    REC_TRY(rec_solver_read_image(shipped->solver, &found, error));
    for (size_t y = 0; y < found.height; y++) {
        float *row = (float *)words + y * found.width;
        memcpy(row, rec_image_row(&found, 0, y), found.width * sizeof *row);
        for (size_t x = 0; shipped->exact && x < found.width; x++)
            row[x] = rintf(row[x]) + 0.0f;
    }
    return REC_OK;
}

#define TYPE(group, advance) {group, shipped_create, advance, read_back, shipped_destroy}
static const bench_type type = TYPE("shipped", shipped_advance),
                        exact = TYPE("shipped", shipped_solve),
                        masked = TYPE("masked", shipped_solve);

/* Kernel NULL: what the solver chooses by itself. */
#define WAY(solver, kernel) .way = (const char *const[]){solver, kernel}
/* 96: whole passes of every kernel, for a profiler, too. */
#define SHIPPED .check = BENCH_STENCIL, .batch = 96, .type = &type
#define EXACT .check = BENCH_COPY, .batch = 1, .type = &exact
#define MASKED .check = BENCH_COPY, .batch = 1, .asked = 1, .type = &masked

const bench_rung bench_shipped_rungs[] = {
    {30, 4, "cpu/base", "the cpu solver: every core, plain code", WAY("cpu", "base"), SHIPPED},
    {31, 30, "cpu/avx2", "the cpu solver with AVX2", WAY("cpu", "avx2"), SHIPPED},
    {32, 31, "cpu/avx512", "the cpu solver with AVX-512", WAY("cpu", "avx512"), SHIPPED},
    {33, 0, "cpu/auto", "the cpu solver by its own choice", WAY("cpu", NULL), SHIPPED},
#if REC_HAVE_CUDA
    {40, 10, "cuda/pixel", "the cuda solver, a thread a pixel", .bytes = 12, WAY("cuda", "pixel"),
     .device = 1, SHIPPED},
    {41, 40, "cuda/stream", "many iterations in one pass through registers",
     .bytes = (8.0 * 372 / 324 + 4) / 24, WAY("cuda", "stream"), .device = 1, SHIPPED},
    {42, 41, "cuda/resident", "the image stays on the chip", WAY("cuda", "resident"), .device = 1,
     SHIPPED},
    {43, 41, "cuda/diagonal", "the same passes along antidiagonals: one shuffle a level",
     .bytes = (8.0 * 376 / 344 + 4) / 32, WAY("cuda", "diagonal"), .device = 1, SHIPPED},
    {49, 40, "cuda/auto", "the cuda solver by its own choice", WAY("cuda", NULL), .device = 1,
     SHIPPED},
#endif
    {70, 0, "exact/cpu", "the exact picture instead of an iteration", WAY("spectral", "fftw"),
     EXACT},
#if REC_HAVE_CUDA
    {71, 70, "exact/cuda", "the same on the device, by its own clock", WAY("spectral", "cuda"),
     .device = 1, EXACT},
#endif
    {76, 0, "masked/host", "a mask: multigrid and conjugate gradients, to their own stop",
     WAY("multigrid", "host"), MASKED},
#if REC_HAVE_CUDA
    {77, 76, "masked/cuda", "the same on the device, by its own clock", WAY("multigrid", "cuda"),
     .device = 1, MASKED},
#endif
    {0},
};

#define COURSE .check = BENCH_CONVOLUTION, .bytes = 8, .batch = 1, .type = &type

const bench_rung bench_course_shipped_rungs[] = {
#if REC_HAVE_CUDA
    {60, 57, "direct", "the cuda solver: sums roll down the columns", .device = 1,
     WAY("cuda", "direct"), COURSE},
    {61, 60, "separable", "the cuda solver: a column and a row, if the stencil is their product",
     .device = 1, WAY("cuda", "separable"), COURSE},
    {62, 60, "auto", "the cuda solver by its own choice", .device = 1, WAY("cuda", NULL), COURSE},
#endif
    {63, 51, "cpu-solver", "the cpu solver", WAY("cpu", NULL), COURSE},
    {0},
};
