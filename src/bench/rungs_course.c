/* The course on convolution on the host: rungs 50 and 51. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/rung.h"

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

static const int parallel = 1;

#define COURSE .check = BENCH_CONVOLUTION, .bytes = 8, .batch = 1

const bench_rung bench_course_host_rungs[] = {
    {50, 0, "serial", "the course's serial loops, the sum in memory", .base = 1,
     .type = &host_type, COURSE},
    {51, 50, "openmp", "the rows shared among all threads", .way = &parallel, .type = &host_type,
     COURSE},
    {0},
};
