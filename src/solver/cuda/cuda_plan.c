/* The choice between the kernels: the first one of the table that can do the image on the device.
 * resident  the image fits on the chip, and stays there
 * diagonal  many iterations a pass over memory, along the diagonal: for large images, where it is
 *           faster than stream, which makes what is left over
 * stream    many iterations a pass over memory
 * pixel     an iteration a pass: if the device lacks the shared memory for the others, the boundary
 *           is not a constant, or there is a mask
 * Measured in docs/measurements.md, "The shipped kernels". */
#include "solver/cuda/cuda_solver.h"

#include <string.h>

/* Up to FEW iterations, plain ones are faster than a launch of the resident kernel. */
enum { FEW = 3 };
/* The most iterations of such a launch: tens of milliseconds. */
enum { MANY = 1 << 15 };

enum { RESIDENT, DIAGONAL, STREAM, PIXEL, KERNELS };
const char *const rec_cuda_kernels[KERNELS + 1] = {"resident", "diagonal", "stream", "pixel", NULL};
/* Why it may be unable, where the boundary is a constant and there is no mask. */
static const char *const needs[] = {
    [RESIDENT] = "the image must fit into the registers of the device and have 48 rows",
    [DIAGONAL] = "it needs compute capability 9.0 and a side of at least 752",
    [STREAM] = "the device has too little shared memory",
};

/* ---- passes of the stream kernel ---- */

/* The time of a pass with fewer stages, as a part of that with all; 0: there is no such pass.
 * Measured on an H200: at 16384 x 16384 for images of at least LARGE pixels, at 3072 x 3072 for
 * others. */
#define LARGE (25.0 * 1000 * 1000)
static const struct {
    int levels;
    double part[2][4]; /* [large][stages - 1] */
} passes[REC_CUDA_PASSES] = {
    {6, {{0.81, 0.84, 0.91, 1}, {0.97, 0.98, 0.97, 1}}},
    {8, {{0, 0, 0, 1}, {0, 0, 0, 1}}},
};

/* Finds for every n the first step of the cheapest way to make n iterations by passes and plain
 * iterations; the rest is a smaller n. The last n stands for all larger ones: its step is the pass
 * with the lowest price an iteration. */
static cudaError_t plan_stream(rec_cuda_plan *plan, const rec_grid *grid)
{
    const double pixels = (double)grid->width * (double)grid->height;
    /* Nanoseconds of a plain iteration: the launch, and 12 bytes a pixel at 4.1 TB/s. */
    const double plain = 2000 + 0.0029 * pixels;
    double price[REC_CUDA_STEPS] = {0};
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < REC_CUDA_PASSES; i++)
        REC_FIRST_FAILURE(rec_stream_plan(grid, passes[i].levels, &plan->pass[i]));
    if (result != cudaSuccess)
        return result;
    for (int n = 1; n <= REC_CUDA_STEPS; n++) {
        const int last = n == REC_CUDA_STEPS;
        double best = last ? plain : price[n - 1] + plain;
        for (int i = 0; i < REC_CUDA_PASSES; i++)
            for (int stages = 1; stages <= plan->pass[i].stages; stages++) {
                const double own =
                    passes[i].part[pixels >= LARGE][stages - 1] * plan->pass[i].nanoseconds;
                const int depth = plan->pass[i].levels * stages;
                if (own == 0 || depth > n)
                    continue;
                const double all = last ? own / depth : own + price[n - depth];
                if (all >= best)
                    continue;
                best = all;
                plan->step[n].index = (unsigned char)i;
                plan->step[n].stages = (unsigned char)stages;
            }
        if (last)
            plan->nanoseconds = best;
        else
            price[n] = best;
    }
    return cudaSuccess;
}

/* ---- the diagonal kernel ---- */

/* Break-even: rotating an image and back takes the time that this number of passes saves. */
enum { WORTH_ROTATING = 5 };
enum { PLANES = 6 }; /* picture, other and terms, as they are and rotated */

/* Uses the diagonal kernel if it can do the image. Unless it is forced, it must also be faster than
 * the stream kernel, and leave memory for a reference where one may be shown. */
static cudaError_t plan_diagonal(rec_cuda_plan *plan, const rec_grid *grid, int forced, int shown)
{
    size_t free_bytes = 0, all_bytes = 0;
    cudaError_t result = plan_stream(plan, grid);
    if (forced || (grid->width >= REC_DIAGONAL_WIDTH && grid->height >= REC_DIAGONAL_HEIGHT))
        REC_FIRST_FAILURE(rec_diagonal_plan(grid, &plan->diagonal));
    plan->worth_rotating = forced ? 1 : WORTH_ROTATING;
    if (result != cudaSuccess || !plan->diagonal.processors || forced)
        return result;
    const size_t rotated = rec_diagonal_cells(&plan->diagonal) * grid->planes * sizeof(float);
    result = cudaMemGetInfo(&free_bytes, &all_bytes);
    if (plan->diagonal.nanoseconds > REC_DIAGONAL_DEPTH * plan->nanoseconds ||
        (double)((PLANES + (size_t)shown) * rotated) > (double)free_bytes)
        plan->diagonal = (rec_diagonal){0};
    return result;
}

static cudaError_t rotate(const rec_cuda_plan *plan, const rec_grid *grid, float *rotated,
                          float *cells, int into, cudaStream_t stream)
{
    const size_t rows = into ? (size_t)plan->diagonal.torus.tall : grid->height;
    const rec_band all = {cells, 0, rows, grid->height * grid->pitch};
    return rec_launch_rotate(&plan->diagonal, grid, rotated, &all, 1, into, stream);
}

cudaError_t rec_cuda_plan_rotate_back(const rec_cuda_plan *plan, rec_cuda_iterates *iterates,
                                      cudaStream_t stream)
{
    const int rotated = iterates->m_is_rotated;
    iterates->m_is_rotated = 0;
    return rotated ? rotate(plan, &iterates->grid, iterates->rotated[0], iterates->m, 0, stream)
                   : cudaSuccess;
}

/* Makes as many of the n iterations as are worth it, and sets *n to the rest. */
static cudaError_t iterate_diagonally(const rec_cuda_plan *plan, rec_cuda_iterates *iterates,
                                      uint64_t *n, uint64_t more, cudaStream_t stream)
{
    uint64_t left = *n / REC_DIAGONAL_DEPTH;
    if (!left ||
        (!iterates->m_is_rotated && (*n + more) / REC_DIAGONAL_DEPTH < plan->worth_rotating))
        return cudaSuccess;
    *n -= left * REC_DIAGONAL_DEPTH;
    const rec_grid *grid = &iterates->grid;
    cudaError_t result = cudaSuccess;
    if (!iterates->f_is_rotated)
        result = rotate(plan, grid, iterates->rotated[2], iterates->f, 1, stream);
    if (!iterates->m_is_rotated)
        REC_FIRST_FAILURE(rotate(plan, grid, iterates->rotated[0], iterates->m, 1, stream));
    iterates->m_is_rotated = iterates->f_is_rotated = 1;
    for (; left && result == cudaSuccess; left--) {
        float *const made = iterates->rotated[1];
        result = rec_launch_diagonal(&plan->diagonal, grid, made, iterates->rotated[0],
                                     iterates->rotated[2], iterates->flags, &iterates->raised,
                                     stream);
        iterates->rotated[1] = iterates->rotated[0];
        iterates->rotated[0] = made;
    }
    return result;
}

/* ---- the rule ---- */

rec_status rec_cuda_plan_make(rec_cuda_plan *plan, const rec_grid *grid, const char *boundary,
                              const char *kernel, int shown, rec_error *error)
{
    const int constant = grid->beyond_x == REC_FIXED && grid->beyond_y == REC_FIXED;
    *plan = (rec_cuda_plan){0};
    for (int i = 0; i < KERNELS; i++) {
        const int able = i == PIXEL || (constant && !grid->masked);
        if (kernel ? strcmp(kernel, rec_cuda_kernels[i]) != 0 : !able)
            continue;
        if (i != PIXEL && grid->masked)
            return rec_fail(error, REC_USAGE, "the %s kernel takes no mask; the %s kernel does",
                            kernel, rec_cuda_kernels[PIXEL]);
        if (!able)
            return rec_fail(error, REC_UNAVAILABLE,
                            "the %s kernel has no --boundary %s; the %s kernel has", kernel,
                            boundary, rec_cuda_kernels[PIXEL]);
        if (!rec_pixel_can(grid->beyond_x, grid->beyond_y))
            return rec_fail(error, REC_UNAVAILABLE,
                            "the cuda solver has no --boundary %s; the cpu solver has", boundary);
        plan->kernel = rec_cuda_kernels[i];
        cudaError_t result = i == RESIDENT   ? rec_resident_plan(grid, &plan->resident)
                             : i == DIAGONAL ? plan_diagonal(plan, grid, kernel != NULL, shown)
                             : i == STREAM   ? plan_stream(plan, grid)
                                             : cudaSuccess;
        if (result != cudaSuccess)
            return rec_cuda_status(result, "asking what the device can do", error);
        if (i == PIXEL || (i == RESIDENT && plan->resident.planes) ||
            (i == DIAGONAL && plan->diagonal.processors) ||
            (i == STREAM && plan->step[REC_CUDA_STEPS].stages))
            return REC_OK;
        if (kernel)
            return rec_fail(error, REC_UNAVAILABLE,
                            "the %s kernel cannot do %zu x %zu on this device: %s; without "
                            "--kernel the solver chooses one that can",
                            kernel, grid->width, grid->height, needs[i]);
    }
    return REC_OK; /* not reached: pixel can do every image */
}

/* ---- iterating ---- */

cudaError_t rec_cuda_plan_iterate(const rec_cuda_plan *plan, rec_cuda_iterates *iterates,
                                  uint64_t n, uint64_t more, cudaStream_t stream)
{
    const int resident = plan->kernel == rec_cuda_kernels[RESIDENT];
    cudaError_t result = plan->diagonal.processors
                             ? iterate_diagonally(plan, iterates, &n, more, stream)
                             : cudaSuccess;
    while (resident && n > FEW && result == cudaSuccess) {
        const int now = n < MANY ? (int)(n - n % 2) : MANY; /* even, as it wants them */
        result = rec_launch_resident(&plan->resident, &iterates->grid, iterates->m, iterates->other,
                                     iterates->f, now, iterates->flags, &iterates->raised, stream);
        if (rec_resident_rounds(&plan->resident, now) % 2)
            rec_cuda_swap(iterates);
        n -= (uint64_t)now;
    }
    if (n)
        REC_FIRST_FAILURE(rec_cuda_plan_rotate_back(plan, iterates, stream));
    while (n && result == cudaSuccess) {
        const size_t left = n < REC_CUDA_STEPS ? (size_t)n : REC_CUDA_STEPS;
        const int stages = plan->step[left].stages;
        const rec_stream *pass = &plan->pass[plan->step[left].index];
        result = stages ? rec_launch_stream(pass, stages, &iterates->grid, iterates->other,
                                            iterates->m, iterates->f, stream)
                        : rec_launch_pixel(&iterates->grid, iterates->other, iterates->m,
                                           iterates->f, stream);
        rec_cuda_swap(iterates);
        n -= stages ? (uint64_t)(pass->levels * stages) : 1;
    }
    return result;
}
