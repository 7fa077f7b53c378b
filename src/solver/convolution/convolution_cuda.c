/* Convolutions on a device. Planes have a border (kernels.h). */
#include <string.h>

#include "base/memory.h"
#include "device/cuda_room.h"
#include "solver/convolution/convolution.h"

/* The number of its own memory: row_changes, before they are copied. */
enum { CHANGES = REC_CONVOLUTION_OWN };

typedef struct cuda_convolution {
    rec_convolution shared;
    rec_device_planes planes; /* as the shared ones */
    size_t reach;             /* the most rows beyond the picture that a kernel reads */
} cuda_convolution;

static rec_status cuda_load(rec_convolution *shared, const rec_problem *problem,
                            const rec_image *start, rec_error *error)
{
    cuda_convolution *c = (cuda_convolution *)shared;
    rec_room *room = &shared->room;
    const rec_operator *op = &shared->filters->op;
    cudaError_t result = rec_launch_fill(room->block[REC_CONVOLUTION_SETS],
                                         rec_convolution_floats(shared), shared->halo,
                                         room->stream);
    if (shared->f) {
        REC_TRY(rec_cuda_room_upload(room, shared->f, problem->input, 0, error));
        REC_FIRST_FAILURE(rec_launch_terms(&c->planes, op->gain, op->level, shared->f, shared->f,
                                           room->stream));
    }
    REC_TRY(rec_cuda_room_upload(room, shared->sets[0], start, 0, error));
    REC_FIRST_FAILURE(cudaStreamSynchronize(room->stream));
    return rec_cuda_status(result, "copying the image to the device", error);
}

/* ---- iterating ---- */

static rec_status cuda_apply(rec_convolution *shared, size_t i, int from, int to, int compares,
                             rec_error *error)
{
    const cuda_convolution *c = (cuda_convolution *)shared;
    const rec_room *room = &shared->room;
    const cudaStream_t stream = room->stream;
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
                                                 room->block[CHANGES], stream));
        REC_FIRST_FAILURE(cudaMemcpyAsync(shared->row_changes, room->block[CHANGES],
                                          room->bytes[CHANGES], cudaMemcpyDeviceToHost, stream));
    }
    return rec_cuda_status(result, "applying a stencil", error);
}

static rec_status cuda_temporal(rec_convolution *shared, int to, rec_error *error)
{
    const cuda_convolution *c = (cuda_convolution *)shared;
    return rec_cuda_status(rec_launch_temporal(&c->planes, shared->beyond, shared->halo,
                                               &shared->filters->op.taps,
                                               shared->sets[shared->now], shared->f,
                                               shared->sets[to], shared->room.stream),
                           "applying a stencil", error);
}

static rec_status cuda_convolution_advance(void *state, uint64_t n, int compares, rec_error *error)
{
    cuda_convolution *c = state;
    REC_TRY(rec_cuda_status(cudaSetDevice(c->shared.room.device), "applying a stencil", error));
    return rec_convolution_advance(state, n, compares, error);
}

static rec_status cuda_convolution_create(void *state, const rec_problem *problem,
                                          const rec_slab *slab, const rec_solver_options *options,
                                          rec_error *error)
{
    static const rec_convolution_compute compute = {cuda_load, cuda_apply, cuda_temporal};
    const char *const kernel = options->kernel;
    const int separable = kernel && !strcmp(kernel, "separable");
    const int temporal = kernel && !strcmp(kernel, "temporal");
    cuda_convolution *c = state;
    rec_convolution *shared = &c->shared;
    rec_room *room = &shared->room;
    rec_planes *planes = &room->planes;
    shared->compute = &compute;
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
    c->planes = rec_cuda_planes_of(planes);
    room->device = slab->device;
    room->instead = "--solver cpu uses the host's memory instead";
    REC_TRY(rec_cuda_room_start(room, error));
    if ((!kernel || temporal) && shared->count == 1 &&
        rec_temporal_can(shared->beyond, &shared->filters->op.taps))
        shared->depth = REC_TEMPORAL_DEPTH;
    else if (temporal)
        return rec_fail(error, REC_UNAVAILABLE,
                        "the kernel temporal is for one stencil of at most 3 x 3, and not for "
                        "mirror101\vleave out --kernel");
    const size_t changes = rec_convolution_changes(shared);
    const size_t wanted[REC_BLOCKS] = {
        [REC_CONVOLUTION_SETS] = rec_convolution_floats(shared) * sizeof(float),
        [CHANGES] = changes, [REC_CONVOLUTION_CHANGES] = changes};
    REC_TRY(rec_memory_cuda.allocate(room, wanted, "convolution", error));
    return rec_convolution_load(shared, problem, c->reach * planes->pitch + REC_BORDER_LEFT, error);
}

const rec_solver_type rec_convolution_cuda = {
    .name = "cuda",
    .kernels = (const char *const[]){"direct", "separable", "temporal", NULL},
    REC_CONVOLUTION_FUNCTIONS(cuda_convolution, cuda_convolution_create,
                              cuda_convolution_advance),
};
