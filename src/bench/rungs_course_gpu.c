/* The course on convolution on a GPU, rungs 52 to 59: what kernels/ladder has of it, as a table. */
#include "bench/rung.h"

#if REC_HAVE_CUDA

#include <stdlib.h>

#include "kernels/ladder/course.h"

typedef struct way {
    rec_course_rung *rung;
} way;

typedef struct gpu {
    rec_course_rung *rung;
    rec_course *course;
} gpu;

static void destroy(void *state)
{
    gpu *made = state;
    rec_course_destroy(made->course);
    free(made);
}

static rec_status create(void **state, const bench_rung *rung, const bench_case *problem,
                         bench_block block, const rec_solver_options *place, rec_error *error)
{
    (void)block;
    gpu *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for a rung");
    made->rung = ((const way *)rung->way)->rung;
    const rec_course_problem asked = {
        .side = problem->width,
        .stride = problem->edges.stride,
        .radius = (int)problem->radius,
        .input = problem->edges.data,
        .weights = problem->filter.taps.weights,
        .device = place->devices[0],
    };
    const rec_status status = rec_course_create(&made->course, &asked, error);
    if (status)
        destroy(made);
    else
        *state = made;
    return status;
}

static rec_status advance(void *state, uint64_t n, double *seconds, rec_error *error)
{
    gpu *made = state;
    return rec_course_advance(made->course, made->rung, n, seconds, error);
}

static rec_status read_back(void *state, void *words, rec_error *error)
{
    return rec_course_read(((gpu *)state)->course, words, error);
}

static void get_launch(const void *state, bench_launch *launch)
{
    rec_course_launch about;
    rec_course_get_launch(((const gpu *)state)->course, &about);
    *launch = (bench_launch){about.blocks, about.threads, about.waves};
}

static const bench_type type = {"gpu", create, advance, read_back, NULL, get_launch, destroy};

#define COURSE .check = BENCH_CONVOLUTION, .bytes = 8, .batch = 1, .device = 1, .type = &type
#define WAY(name) .way = &(const way){rec_course_##name}

const bench_rung bench_course_gpu_rungs[] = {
    {52, 51, "row", "a thread a row, the sum in memory", WAY(row), COURSE},
    {53, 52, "pixel", "a thread a pixel, the sum in memory", WAY(pixel), COURSE},
    {54, 53, "block", "a block of 128 threads a pixel, which add up in a tree",
     WAY(block), COURSE},
    {55, 54, "vector-128", "128 threads over the rows of the stencil", WAY(vector), COURSE},
    {56, 55, "vector-32", "32 threads over the rows of the stencil", WAY(warp), COURSE},
    {57, 53, "register", "a thread a pixel, the sum in a register", WAY(register), COURSE},
    {58, 57, "unrolled", "loops unrolled, the weights in constant memory",
     WAY(unrolled), COURSE},
    {59, 57, "tile", "input and weights in shared memory", WAY(tile), COURSE},
    {0},
};

#else

const bench_rung bench_course_gpu_rungs[] = {{0}};

#endif
