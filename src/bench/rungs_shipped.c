/* The shipped solvers, a row for each of their kernels, timed through the same door as every run
 * uses. A kernel that this processor or device lacks is skipped with the solver's own reason. A
 * new kernel is a row here: its name, its bytes an update by its own count (0: not counted). */
#include <stdlib.h>

#include "base/clock.h"
#include "bench/rung.h"
#include "solver/solver.h"

typedef struct way {
    const char *solver, *kernel; /* kernel NULL: what the solver chooses by itself */
} way;

static void destroy(void *state) { rec_solver_destroy(state); }

static rec_status create(void **state, const bench_rung *rung, const bench_case *problem,
                         bench_block block, const rec_solver_options *place, rec_error *error)
{
    (void)block;
    const way *of = rung->way;
    const rec_solver_type *type;
    rec_solver *solver = NULL;
    const rec_problem solved = {.edges = &problem->edges, .boundary.value = problem->halo};
    rec_solver_options options = *place;
    options.kernel = of->kernel;
    rec_status status = rec_solver_find(of->solver, &type, error);
    if (!status)
        status = rec_solver_create(&solver, type, &solved, &options, error);
    *state = solver;
    return status;
}

static rec_status advance(void *state, uint64_t n, double *seconds, rec_error *error)
{
    const double before = rec_now();
    const rec_status status = rec_solver_pass(state, n, error);
    *seconds = rec_now() - before;
    return status;
}

static rec_status read_back(void *state, void *words, rec_error *error)
{
    rec_image image = {0};
    const rec_status status = rec_solver_read_image(state, &image, error);
    for (size_t y = 0; !status && y < image.height; y++)
        for (size_t x = 0; x < image.width; x++)
            ((float *)words)[y * image.width + x] = rec_image_row(&image, 0, y)[x];
    rec_image_destroy(&image);
    return status;
}

static const bench_type type = {"shipped", create, advance, read_back, NULL, NULL, destroy};

static const way cpu = {"cpu", NULL}, cpu_base = {"cpu", "base"}, cpu_avx2 = {"cpu", "avx2"},
                 cpu_avx512 = {"cpu", "avx512"};
#if REC_HAVE_CUDA
static const way cuda = {"cuda", NULL}, cuda_pixel = {"cuda", "pixel"},
                 cuda_stream = {"cuda", "stream"}, cuda_resident = {"cuda", "resident"},
                 cuda_diagonal = {"cuda", "diagonal"};
#endif

#define SHIPPED .check = BENCH_STENCIL, .batch = 1, .deep = 1, .type = &type

const bench_rung bench_shipped_rungs[] = {
    {30, 4, "cpu/base", "the cpu solver: every core, plain code", .way = &cpu_base, SHIPPED},
    {31, 30, "cpu/avx2", "the cpu solver with AVX2", .way = &cpu_avx2, SHIPPED},
    {32, 31, "cpu/avx512", "the cpu solver with AVX-512", .way = &cpu_avx512, SHIPPED},
    {33, 0, "cpu/auto", "the cpu solver by its own choice", .way = &cpu, SHIPPED},
#if REC_HAVE_CUDA
    {40, 10, "cuda/pixel", "the cuda solver, a thread a pixel", .bytes = 12, .way = &cuda_pixel,
     .device = 1, SHIPPED},
    {41, 40, "cuda/stream", "many iterations in one pass through registers",
     .bytes = (8.0 * 372 / 324 + 4) / 24, .way = &cuda_stream, .device = 1, SHIPPED},
    {42, 41, "cuda/resident", "the image stays on the chip", .way = &cuda_resident, .device = 1,
     SHIPPED},
    {43, 41, "cuda/diagonal", "the same passes along antidiagonals: one shuffle a level",
     .bytes = (8.0 * 376 / 344 + 4) / 32, .way = &cuda_diagonal, .device = 1, SHIPPED},
    {49, 40, "cuda/auto", "the cuda solver by its own choice", .way = &cuda, .device = 1, SHIPPED},
#endif
    {0},
};
