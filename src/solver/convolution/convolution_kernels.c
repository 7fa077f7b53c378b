/* The solvers of the host that do convolutions: the reference, and the cpu solver with its
 * kernels. */
#include <math.h>
#include <string.h>

#include "base/processor.h"
#include "base/team.h"
#include "solver/convolution/convolution.h"
#include "solver/cpu/host.h"

/* ---- the reference: one pixel after the other ---- */

static void serial_rows(const rec_convolution_task *task, size_t first, size_t end)
{
    const rec_taps *taps = task->taps;
    const ptrdiff_t stride = (ptrdiff_t)task->in->stride;
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < task->width; x++) {
            const float *sample = task->in->cells + (ptrdiff_t)y * stride + (ptrdiff_t)x;
            float acc = task->f ? task->f[(ptrdiff_t)y * stride + (ptrdiff_t)x] : 0.0f;
            for (int row = 0; row < taps->height; row++)
                for (int column = 0; column < taps->width; column++) {
                    const float weight = taps->weights[row * taps->width + column];
                    if (weight != 0)
                        acc = fmaf(weight,
                                   sample[(row - taps->height / 2) * stride + column -
                                          taps->width / 2],
                                   acc);
                }
            task->out->cells[y * task->out->stride + x] =
                rec_convolution_end(acc, taps->scale, taps->offset);
        }
}

static rec_status create_reference(void *state, const rec_problem *problem, const rec_slab *slab,
                                   const rec_solver_options *options, rec_error *error)
{
    static const rec_convolution_loops serial = {.rows = 1, .direct = serial_rows};
    const rec_convolution shape = {.threads = 1, .kernel = "serial", .loops = &serial};
    return rec_convolution_create(state, problem, &shape, error);
}

#define SHARED \
    .own_bits = "separable", \
    .shows = REC_ALL_SOURCES & ~(1u << REC_SOURCE_EDGES), .size = sizeof(rec_convolution), \
    .destroy = rec_convolution_destroy, .get_info = rec_convolution_get_info, \
    .advance = rec_convolution_advance, .collect = rec_convolution_collect, \
    .planes = rec_convolution_planes

const rec_solver_type rec_convolution_reference = {
    .name = "reference",
    .summary = "convolution, one pixel after the other",
    .kernels = (const char *const[]){NULL},
    .create = create_reference,
    SHARED,
};

/* ---- the cpu solver ---- */

static const rec_convolution_loops *const loops[] = REC_OF_CPU_SETS(rec_convolution_loops);

static const char *const kernels[] = {
#if REC_X86
    "avx512", "avx2",
#endif
    "base", "separable", NULL,
};

/* The kernel separable has the loops of the best set. */
static rec_status create_cpu(void *state, const rec_problem *problem, const rec_slab *slab,
                             const rec_solver_options *options, rec_error *error)
{
    const char *const name = options->kernel;
    const int separable = name && !strcmp(name, "separable");
    const size_t team = rec_team_size(), height = problem->edges->height;
    int i = 0;
    while (name && !separable ? strcmp(name, kernels[i]) != 0 : !rec_cpu_has(i))
        i++;
    if (!rec_cpu_has(i))
        return rec_fail(error, REC_UNAVAILABLE, "this processor has no %s", name);
    const rec_convolution shape = {.threads = (int)(team < height ? team : height),
                                   .kernel = separable ? name : kernels[i],
                                   .loops = loops[i]};
    return rec_convolution_create(state, problem, &shape, error);
}

const rec_solver_type rec_convolution_cpu = {
    .name = "cpu",
    .summary = "convolution on all cores",
    .kernels = kernels,
    .create = create_cpu,
    SHARED,
};
