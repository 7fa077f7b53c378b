/* The course on convolution, on the host and by the shipped solvers: rungs 50, 51 and 60 up. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/rung.h"
#include "solver/solver.h"

/* ---- the course's own loops ---- */

/* The input with a halo of `radius` zeros around it, and the output. */
typedef struct host {
    const bench_case *of;
    size_t stride;
    float *in, *out; /* in: the first cell of the halo */
    int parallel;
} host;

static void destroy_host(void *state)
{
    host *made = state;
    rec_free(made->in);
    rec_free(made->out);
    free(made);
}

static rec_status create_host(void **state, const bench_rung *rung, const bench_case *problem,
                              bench_block block, const rec_solver_options *place,
                              rec_error *error)
{
    (void)block, (void)place;
    host *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for a rung");
    made->of = problem;
    made->parallel = rung->way != NULL;
    made->stride = problem->width + 2 * problem->radius;
    const size_t cells = made->stride * (problem->height + 2 * problem->radius);
    void *in = NULL, *out = NULL;
    rec_status status = rec_allocate(&in, cells, sizeof(float), "the input", error);
    if (!status)
        status = rec_allocate(&out, problem->width * problem->height, sizeof(float), "the output",
                              error);
    made->in = in;
    made->out = out;
    if (status) {
        destroy_host(made);
        return status;
    }
    memset(made->in, 0, cells * sizeof(float));
    for (size_t y = 0; y < problem->height; y++)
        memcpy(made->in + (y + problem->radius) * made->stride + problem->radius,
               rec_image_row(&problem->edges, 0, y), problem->width * sizeof(float));
    *state = made;
    return REC_OK;
}

/* The sum is kept where the course keeps it: in the output. */
static void convolve_row(const host *of, size_t y)
{
    const rec_taps *taps = &of->of->filter.taps;
    const size_t side = (size_t)taps->width, width = of->of->width;
    for (size_t x = 0; x < width; x++) {
        float *sum = of->out + y * width + x;
        *sum = 0;
        for (size_t j = 0; j < side; j++)
            for (size_t i = 0; i < side; i++)
                *sum += taps->weights[j * side + i] * of->in[(y + j) * of->stride + x + i];
    }
}

static rec_status advance_host(void *state, uint64_t n, double *seconds, rec_error *error)
{
    const host *of = state;
    const size_t height = of->of->height;
    (void)error;
    const double before = rec_now();
    for (uint64_t k = 0; k < n; k++) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (of->parallel)
#endif
        for (size_t y = 0; y < height; y++)
            convolve_row(of, y);
    }
    *seconds = rec_now() - before;
    return REC_OK;
}

static rec_status read_host(void *state, void *words, rec_error *error)
{
    const host *of = state;
    (void)error;
    memcpy(words, of->out, of->of->width * of->of->height * sizeof(float));
    return REC_OK;
}

static const bench_type host_type = {
    "cpu", create_host, advance_host, read_host, NULL, NULL, destroy_host};

/* ---- the shipped solvers ---- */

typedef struct way {
    const char *solver, *kernel; /* kernel NULL: what the solver chooses by itself */
} way;

static void destroy_solver(void *state) { rec_solver_destroy(state); }

static rec_status create_solver(void **state, const bench_rung *rung, const bench_case *problem,
                                bench_block block, const rec_solver_options *place,
                                rec_error *error)
{
    (void)block;
    const way *of = rung->way;
    const rec_solver_type *type;
    rec_solver *solver = NULL;
    const rec_problem solved = {.edges = &problem->edges, .operators = &problem->filter,
                                .operator_count = 1};
    rec_solver_options options = *place;
    options.kernel = of->kernel;
    rec_status status = rec_solver_find(of->solver, &type, error);
    if (!status)
        status = rec_solver_create(&solver, type, &solved, &options, error);
    *state = solver;
    return status;
}

/* The filter is applied n times, to its own result: the work of n times one input. */
static rec_status advance_solver(void *state, uint64_t n, double *seconds, rec_error *error)
{
    const double before = rec_now();
    const rec_status status = rec_solver_pass(state, n, error);
    *seconds = rec_now() - before;
    return status;
}

static rec_status read_solver(void *state, void *words, rec_error *error)
{
    rec_image image = {0};
    const rec_status status = rec_solver_read_image(state, &image, error);
    for (size_t y = 0; !status && y < image.height; y++)
        memcpy((float *)words + y * image.width, rec_image_row(&image, 0, y),
               image.width * sizeof(float));
    rec_image_destroy(&image);
    return status;
}

static const bench_type solver_type = {
    "shipped", create_solver, advance_solver, read_solver, NULL, NULL, destroy_solver};

static const way cpu = {"cpu", NULL};
#if REC_HAVE_CUDA
static const way direct = {"cuda", "direct"}, separable = {"cuda", "separable"},
                 cuda = {"cuda", NULL};
#endif
static const int parallel = 1;

#define COURSE .check = BENCH_CONVOLUTION, .bytes = 8, .batch = 1

const bench_rung bench_course_host_rungs[] = {
    {50, 0, "serial", "the course's serial loops, the sum in memory", .base = 1,
     .type = &host_type, COURSE},
    {51, 50, "openmp", "the rows shared among all threads", .way = &parallel, .type = &host_type,
     COURSE},
    {0},
};

const bench_rung bench_course_shipped_rungs[] = {
#if REC_HAVE_CUDA
    {60, 57, "direct", "the cuda solver: sums roll down the columns", .device = 1, .way = &direct,
     .type = &solver_type, COURSE},
    {61, 60, "separable", "the cuda solver: a column and a row, if the stencil is their product",
     .device = 1, .way = &separable, .type = &solver_type, COURSE},
    {62, 60, "auto", "the cuda solver by its own choice", .device = 1, .way = &cuda,
     .type = &solver_type, COURSE},
#endif
    {63, 51, "cpu-solver", "the cpu solver", .way = &cpu, .type = &solver_type, COURSE},
    {0},
};
