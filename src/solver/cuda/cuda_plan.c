/* The choice between the kernels. The rule: the first of the table that can do the image on the
 * device. What fits on the chip stays there (resident); everything else goes through memory once for
 * many iterations (stream); where a card lacks the shared memory for that, or the boundary is no
 * constant, once for each (pixel).
 * Measured in docs/performance.md, "The shipped kernels". */
#include "solver/cuda/cuda_plan.h"

#include <string.h>

#include "solver/boundary.h"
#include "solver/cuda/cuda_status.h"

/* Up to so many iterations a launch of the resident kernel takes longer than plain ones. */
enum { FEW = 3 };
/* A launch of it ends after about so many: what waits for the device waits tens of milliseconds. */
enum { MANY = 1 << 15 };

enum { RESIDENT, STREAM, PIXEL, KERNELS };
static const struct {
    const char *name;
    unsigned boundaries;
    const char *needs; /* what an image or a device may lack for it */
} kernels[KERNELS] = {
    [RESIDENT] = {"resident", REC_BOUNDARY_BIT(REC_BOUNDARY_HALO),
                  "an image must fit into the registers of the device and be 48 rows high"},
    [STREAM] = {"stream", REC_BOUNDARY_BIT(REC_BOUNDARY_HALO),
                "the device has too little shared memory"},
    [PIXEL] = {"pixel", REC_ALL_BOUNDARIES, NULL},
};

const char *rec_cuda_plan_kernel(size_t index)
{
    return index < KERNELS ? kernels[index].name : NULL;
}

rec_status rec_cuda_plan_check(const char *kernel, rec_error *error)
{
    for (int i = 0; i < KERNELS; i++)
        if (!kernel || !strcmp(kernel, kernels[i].name))
            return REC_OK;
    return rec_fail(error, REC_USAGE, "the cuda solver has no kernel '%s'; it has %s, %s and %s",
                    kernel, kernels[RESIDENT].name, kernels[STREAM].name, kernels[PIXEL].name);
}

/* ---- passes of the stream kernel ---- */

/* What a pass takes, in hundredths of a plain iteration, by its stages, on an H200: at 16384 x 16384
 * for images from LARGE pixels on, for others at 3072 x 3072. 0: there is no such pass. Their depths
 * must be even, see rec_cuda_plan_prefers_even. */
#define LARGE (25.0 * 1000 * 1000)
static const struct {
    int levels;
    double price[2][4]; /* [large][stages - 1] */
} passes[REC_CUDA_PASSES] = {
    {6, {{186, 194, 210, 230}, {183, 186, 183, 189}}},
    {8, {{0, 0, 0, 320}, {0, 0, 0, 227}}},
};

/* The cheapest way to make n iterations out of passes and plain iterations, for every n: the first
 * step of the cheapest way, the rest being a smaller n. The last n stands for all that are more: the
 * pass with the lowest price an iteration. */
static void find_steps(rec_cuda_plan *plan, const rec_grid *grid)
{
    const int large = (double)grid->width * (double)grid->height >= LARGE;
    double price[REC_CUDA_STEPS] = {0};
    for (int n = 1; n <= REC_CUDA_STEPS; n++) {
        const int last = n == REC_CUDA_STEPS;
        double best = last ? 100 : price[n - 1] + 100; /* a plain iteration */
        for (int i = 0; i < REC_CUDA_PASSES; i++)
            for (int stages = 1; stages <= plan->pass[i].stages; stages++) {
                const double own = passes[i].price[large][stages - 1];
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
        if (!last)
            price[n] = best;
    }
}

static cudaError_t plan_stream(rec_cuda_plan *plan, const rec_grid *grid)
{
    for (int i = 0; i < REC_CUDA_PASSES; i++) {
        const cudaError_t result = rec_stream_plan(grid, passes[i].levels, &plan->pass[i]);
        if (result != cudaSuccess)
            return result;
    }
    find_steps(plan, grid);
    return cudaSuccess;
}

/* ---- the rule ---- */

rec_status rec_cuda_plan_make(rec_cuda_plan *plan, const rec_grid *grid, const char *kernel,
                              rec_error *error)
{
    *plan = (rec_cuda_plan){0};
    for (int i = 0; i < KERNELS; i++) {
        if (kernel && strcmp(kernel, kernels[i].name))
            continue;
        if (!(kernels[i].boundaries & REC_BOUNDARY_BIT(grid->boundary))) {
            if (kernel)
                return rec_fail(error, REC_UNAVAILABLE,
                                "the %s kernel has no --boundary %s; the %s kernel has", kernel,
                                rec_boundary_names[grid->boundary], kernels[PIXEL].name);
            continue;
        }
        plan->kernel = kernels[i].name;
        const cudaError_t result = i == RESIDENT ? rec_resident_plan(grid, &plan->resident)
                                 : i == STREAM   ? plan_stream(plan, grid)
                                                 : cudaSuccess;
        if (result != cudaSuccess)
            return rec_cuda_status(result, "asking what the device can do", error);
        if (i == PIXEL || (i == RESIDENT && plan->resident.planes) ||
            (i == STREAM && plan->step[REC_CUDA_STEPS].stages))
            return REC_OK;
        if (kernel)
            return rec_fail(error, REC_UNAVAILABLE,
                            "the %s kernel cannot do %zu x %zu on this device: %s; without "
                            "--kernel the best that can is taken",
                            kernel, grid->width, grid->height, kernels[i].needs);
    }
    return REC_OK;
}

size_t rec_cuda_plan_bytes(const rec_cuda_plan *plan)
{
    return rec_resident_flags(&plan->resident) * sizeof(unsigned);
}

int rec_cuda_plan_prefers_even(const rec_cuda_plan *plan)
{
    return plan->kernel != kernels[PIXEL].name;
}

/* ---- iterating ---- */

static cudaError_t iterate_plainly(rec_cuda_iterates *of, uint64_t n, cudaStream_t stream)
{
    cudaError_t result = cudaSuccess;
    for (uint64_t i = 0; i < n && result == cudaSuccess; i++) {
        result = rec_launch_pixel(&of->grid, of->other, of->m, of->f, stream);
        rec_cuda_swap(of);
    }
    return result;
}

static cudaError_t iterate_resident(const rec_cuda_plan *plan, rec_cuda_iterates *of, uint64_t n,
                                    cudaStream_t stream)
{
    cudaError_t result = cudaSuccess;
    while (n > FEW && result == cudaSuccess) {
        const int now = n < MANY ? (int)(n - n % 2) : MANY; /* even, as it wants them */
        result = rec_launch_resident(&plan->resident, &of->grid, of->m, of->other, of->f, now,
                                     of->flags, &of->raised, stream);
        if (rec_resident_rounds(&plan->resident, now) % 2)
            rec_cuda_swap(of);
        n -= (uint64_t)now;
    }
    return result == cudaSuccess ? iterate_plainly(of, n, stream) : result;
}

cudaError_t rec_cuda_plan_iterate(const rec_cuda_plan *plan, rec_cuda_iterates *of, uint64_t n,
                                  cudaStream_t stream)
{
    if (plan->kernel == kernels[RESIDENT].name)
        return iterate_resident(plan, of, n, stream);
    cudaError_t result = cudaSuccess;
    while (n && result == cudaSuccess) {
        const size_t left = n < REC_CUDA_STEPS ? (size_t)n : REC_CUDA_STEPS;
        const int stages = plan->step[left].stages;
        if (!stages) {
            result = iterate_plainly(of, 1, stream);
            n--;
            continue;
        }
        const rec_stream *pass = &plan->pass[plan->step[left].index];
        result = rec_launch_stream(pass, stages, &of->grid, of->other, of->m, of->f, stream);
        rec_cuda_swap(of);
        n -= (uint64_t)(pass->levels * stages);
    }
    return result;
}
