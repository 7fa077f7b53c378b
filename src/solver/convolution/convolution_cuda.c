/* Convolutions on a device. Planes have a border (kernels.h). */
#include <string.h>

#include "base/memory.h"
#include "device/cuda_room.h"
#include "kernels/kernels.h"
#include "solver/convolution/convolution.h"

typedef struct cuda_convolution {
    rec_convolution shared;
    rec_room room;
    rec_device_planes planes; /* as the shared ones */
    size_t reach;             /* the most rows beyond the picture that a kernel reads */
} cuda_convolution;

/* ---- creation ---- */

static void cuda_convolution_destroy(void *state)
{
    cuda_convolution *c = state;
    rec_memory_cuda.destroy(&c->room);
    rec_free(c->shared.filters);
}

/* The numbers of its memory there. */
enum { SETS, ROW_CHANGES };

static rec_status cuda_take(rec_convolution *shared, size_t sets, float **first, rec_error *error)
{
    cuda_convolution *c = (cuda_convolution *)shared;
    const size_t changes = c->planes.planes * c->planes.height * sizeof *shared->row_changes;
    const size_t wanted[REC_BLOCKS] = {
        [SETS] = sets * c->planes.planes * c->planes.step * sizeof **first, [ROW_CHANGES] = changes,
        [REC_PINNED] = changes};
    REC_TRY(rec_memory_cuda.take(&c->room, wanted, "convolution", error));
    *first = (float *)c->room.block[SETS] + c->reach * c->planes.pitch + REC_BORDER_LEFT;
    shared->row_changes = c->room.block[REC_PINNED];
    return REC_OK;
}

static rec_status cuda_load(rec_convolution *shared, const rec_problem *problem,
                            const rec_image *start, rec_error *error)
{
    cuda_convolution *c = (cuda_convolution *)shared;
    const rec_operator *op = &shared->filters->op;
    cudaError_t result = rec_launch_fill(c->room.block[SETS], c->room.bytes[SETS] / sizeof(float),
                                         shared->halo, c->room.stream);
    if (shared->f) {
        REC_TRY(rec_cuda_room_upload(&c->room, shared->f, problem->given, 0, error));
        REC_FIRST_FAILURE(
            rec_launch_terms(&c->planes, op->gain, op->level, shared->f, shared->f,
                             c->room.stream));
    }
    REC_TRY(rec_cuda_room_upload(&c->room, shared->sets[0], start, 0, error));
    REC_FIRST_FAILURE(cudaStreamSynchronize(c->room.stream));
    return rec_cuda_status(result, "copying the image to the device", error);
}

/* ---- iterating ---- */

static rec_status cuda_apply(rec_convolution *shared, size_t i, int from, int to, int compares,
                             rec_error *error)
{
    const cuda_convolution *c = (cuda_convolution *)shared;
    const cudaStream_t stream = c->room.stream;
    const rec_filter *filter = &shared->filters[i];
    const rec_taps *taps = &filter->op.taps;
    float *const m = shared->sets[from], *const out = shared->sets[to];
    const int passes = rec_convolution_separates(shared, i);
    cudaError_t result = rec_launch_border(&c->planes, shared->beyond,
                                           rec_convolution_reach(taps, passes), m, stream);
    if (passes)
        REC_FIRST_FAILURE(rec_launch_separable(&c->planes, taps, &filter->factors, m, out, stream));
    else
        REC_FIRST_FAILURE(rec_launch_convolution(&c->planes, taps, m, shared->f, out, stream));
    if (compares) {
        REC_FIRST_FAILURE(rec_launch_row_changes(&c->planes, out, shared->sets[shared->now],
                                                 shared->sets[(shared->now + 1) % REC_SETS],
                                                 c->room.block[ROW_CHANGES], stream));
        REC_FIRST_FAILURE(cudaMemcpyAsync(shared->row_changes, c->room.block[ROW_CHANGES],
                                          c->room.bytes[ROW_CHANGES], cudaMemcpyDeviceToHost,
                                          stream));
    }
    return rec_cuda_status(result, "applying a stencil", error);
}

static rec_status cuda_temporal(rec_convolution *shared, int to, rec_error *error)
{
    const cuda_convolution *c = (cuda_convolution *)shared;
    return rec_cuda_status(rec_launch_temporal(&c->planes, shared->beyond, shared->halo,
                                               &shared->filters->op.taps,
                                               shared->sets[shared->now], shared->f,
                                               shared->sets[to], c->room.stream),
                           "applying a stencil", error);
}

static rec_status cuda_convolution_advance(void *state, uint64_t n, int compares, rec_error *error)
{
    cuda_convolution *c = state;
    REC_TRY(rec_cuda_status(cudaSetDevice(c->room.device), "applying a stencil", error));
    return rec_convolution_advance(state, n, compares, error);
}

static rec_status cuda_convolution_create(void *state, const rec_problem *problem,
                                          const rec_slab *slab, const rec_solver_options *options,
                                          rec_error *error)
{
    static const rec_convolution_memory memory = {cuda_take, cuda_load, cuda_apply, cuda_temporal};
    const char *const kernel = options->kernel;
    const int separable = kernel && !strcmp(kernel, "separable");
    const int temporal = kernel && !strcmp(kernel, "temporal");
    cuda_convolution *c = state;
    rec_convolution *shared = &c->shared;
    rec_planes *planes = &shared->planes;
    shared->memory = &memory;
    shared->kernel = separable ? kernel : "direct";
    REC_TRY(rec_convolution_begin(shared, problem,
                                  separable ? REC_TWO_PASSES
                                  : kernel  ? REC_ONE_PASS
                                            : REC_ANY_PASSES, error));
    for (size_t i = 0; i < shared->count; i++) {
        const rec_filter *filter = &shared->filters[i];
        for (int passes = 0; passes <= !!filter->factors.terms; passes++)
            c->reach = rec_larger(c->reach,
                                  (size_t)rec_convolution_reach(&filter->op.taps, passes));
    }
    planes->pitch = rec_cuda_pitch(REC_BORDER_LEFT + planes->width + REC_BORDER_RIGHT);
    planes->step = (planes->height + 2 * c->reach + REC_BORDER_BELOW) * planes->pitch;
    c->planes = (rec_device_planes){planes->width, planes->height, planes->planes, planes->pitch,
                                    planes->step};
    c->room = (rec_room){.device = slab->device, .costs = &shared->costs, .planes = *planes,
                              .instead = "--solver cpu uses the host's memory instead"};
    REC_TRY(rec_cuda_room_start(&c->room, error));
    *planes = c->room.planes;
    if ((!kernel || temporal) && shared->count == 1 &&
        rec_temporal_can(shared->beyond, &shared->filters->op.taps))
        shared->depth = REC_TEMPORAL_DEPTH;
    else if (temporal)
        return rec_fail(error, REC_UNAVAILABLE,
                        "the kernel temporal is for one stencil of at most 3 x 3, and not for "
                        "mirror101\vleave out --kernel");
    return rec_convolution_load(shared, problem, error);
}

const rec_solver_type rec_convolution_cuda = {
    .name = "cuda",
    .kernels = (const char *const[]){"direct", "separable", "temporal", NULL},
    REC_CONVOLUTION_FUNCTIONS(cuda_convolution, cuda_convolution_create, cuda_convolution_destroy,
                              cuda_convolution_advance),
};
