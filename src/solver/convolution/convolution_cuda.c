/* Convolutions on a device. Planes have a border (kernels.h). */
#include <string.h>

#include "base/clock.h"
#include "base/trace.h"
#include "kernels/kernels.h"
#include "solver/convolution/convolution.h"
#include "device/cuda_room.h"

typedef struct convolution {
    rec_device_planes planes; /* as those of the room */
    rec_beyond beyond; /* the rule of both axes */
    float halo;
    rec_filters filters;
    float *block;          /* all sets of planes */
    size_t floats;         /* of a set */
    float *sets[REC_SETS], *f; /* first pixels; f NULL: filters have none */
    int now;               /* the set that has M_N */
    rec_row_change *row_changed, *row_changed_on_host; /* planes * height */
    rec_cuda_room room;
    rec_costs costs;
    uint64_t iterations;
    int temporal;         /* iterations that nobody looks at are made several in a pass */
    int was_temporal;     /* some were */
} convolution;

/* ---- creation ---- */

static void cuda_convolution_destroy(void *state)
{
    convolution *c = state;
    rec_cuda_room_destroy(&c->room);
    rec_filters_destroy(&c->filters);
}

/* The most rows beyond the picture that a kernel reads. */
static size_t find_reach(const rec_filters *filters)
{
    size_t reach = 0;
    for (size_t i = 0; i < filters->count; i++)
        for (int passes = 0; passes <= !!filters->items[i].factors.terms; passes++) {
            const size_t rows = (size_t)rec_convolution_reach(&filters->items[i].op.taps, passes);
            reach = rows > reach ? rows : reach;
        }
    return reach;
}

/* The numbers of its memory there. */
enum { SETS, ROW_CHANGES };

static rec_status cuda_convolution_allocate(convolution *c, size_t reach, rec_error *error)
{
    const rec_device_planes *planes = &c->planes;
    const size_t sets = REC_SETS + (size_t)c->filters.items->op.is_inverse;
    const size_t changes = planes->planes * planes->height * sizeof *c->row_changed;
    c->floats = planes->planes * planes->step;
    const size_t wanted[REC_BLOCKS] = {
        [SETS] = sets * c->floats * sizeof(float), [ROW_CHANGES] = changes, [REC_PINNED] = changes};
    REC_TRY(rec_cuda_room_take(&c->room, wanted, "convolution", error));
    c->block = c->room.block[SETS];
    c->row_changed = c->room.block[ROW_CHANGES];
    c->row_changed_on_host = c->room.block[REC_PINNED];
    for (int i = 0; i < REC_SETS; i++)
        c->sets[i] = c->block + i * c->floats + reach * planes->pitch + REC_BORDER_LEFT;
    c->f = sets > REC_SETS ? c->sets[REC_SETS - 1] + c->floats : NULL;
    return REC_OK;
}

static rec_status cuda_convolution_upload(convolution *c, const rec_problem *problem,
                                          rec_error *error)
{
    const rec_operator *op = &c->filters.items->op;
    const size_t sets = REC_SETS + (size_t)op->is_inverse;
    const double before = rec_now();
    rec_trace_push(REC_TRACE_UPLOAD, c->floats * sizeof *c->block);
    cudaError_t result = rec_launch_fill(c->block, sets * c->floats, c->halo, c->room.stream);
    if (c->f) {
        REC_FIRST_FAILURE(rec_cuda_room_upload(&c->room, c->f, problem->edges, 0));
        REC_FIRST_FAILURE(
            rec_launch_terms(&c->planes, op->gain, op->level, c->f, c->room.stream));
    }
    REC_FIRST_FAILURE(rec_cuda_room_upload(&c->room, c->sets[0],
                                           problem->start ? problem->start : problem->edges, 0));
    REC_FIRST_FAILURE(cudaStreamSynchronize(c->room.stream));
    rec_trace_pop();
    c->costs.seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

static rec_status cuda_convolution_create(void *state, const rec_problem *problem,
                                          const rec_slab *slab, const rec_solver_options *options,
                                          rec_error *error)
{
    const char *const kernel = options->kernel;
    const int separable = kernel && !strcmp(kernel, "separable");
    const int temporal = kernel && !strcmp(kernel, "temporal");
    convolution *c = state;
    const rec_image *edges = problem->edges;
    const size_t pitch = rec_cuda_pitch(REC_BORDER_LEFT + edges->width + REC_BORDER_RIGHT);
    c->beyond = rec_boundaries[problem->boundary.kind].x;
    c->halo = problem->boundary.value;
    c->room = (rec_cuda_room){
        .device = slab->device,
        .costs = &c->costs,
        .planes = {edges->width, edges->height, edges->planes, pitch, 0},
        .instead = "; --solver cpu uses the host's memory instead",
    };
    REC_TRY(rec_cuda_room_start(&c->room, error));
    REC_TRY(rec_filters_create(&c->filters, problem,
                               separable ? REC_TWO_PASSES
                               : kernel  ? REC_ONE_PASS
                                         : REC_ANY_PASSES,
                               error));
    c->temporal = (!kernel || temporal) && c->filters.count == 1 &&
                  rec_temporal_can(c->beyond, &c->filters.items->op.taps);
    if (temporal && !c->temporal)
        return rec_fail(error, REC_UNAVAILABLE,
                        "the kernel temporal is for one stencil of at most 3 x 3, and not for "
                        "mirror101; leave out --kernel");
    const size_t reach = find_reach(&c->filters);
    c->room.planes.step = (edges->height + 2 * reach + REC_BORDER_BELOW) * pitch;
    c->planes = (rec_device_planes){edges->width, edges->height, edges->planes, pitch,
                                    c->room.planes.step};
    REC_TRY(cuda_convolution_allocate(c, reach, error));
    return cuda_convolution_upload(c, problem, error);
}

static void cuda_convolution_get_info(const void *state, rec_solver_info *info)
{
    const convolution *c = state;
    const int one = c->filters.exact && c->iterations < 2; /* which takes two passes */
    *info = (rec_solver_info){
        .kernel = c->was_temporal                      ? "temporal"
                  : c->filters.always_separable || one ? "separable"
                                                       : "direct",
        .costs = c->costs,
    };
}

/* ---- iterating ---- */

/* Applies stencil i, from m to out. */
static cudaError_t cuda_convolution_apply(const convolution *c, size_t i, float *m, float *out)
{
    const rec_filter *filter = &c->filters.items[i];
    const rec_operator *op = &filter->op;
    const int passes = rec_filters_separate(&c->filters, i, c->iterations);
    cudaError_t result = rec_launch_border(&c->planes, c->beyond,
                                           rec_convolution_reach(&op->taps, passes), m,
                                           c->room.stream);
    if (passes)
        REC_FIRST_FAILURE(rec_launch_separable(&c->planes, &op->taps, &filter->factors, m, out,
                                               c->room.stream));
    else
        REC_FIRST_FAILURE(
            rec_launch_convolution(&c->planes, &op->taps, m, c->f, out, c->room.stream));
    return result;
}

static cudaError_t iterate_deep(convolution *c)
{
    const int to = rec_set_behind(c->now, c->now, 1);
    const cudaError_t result = rec_launch_temporal(&c->planes, c->beyond, c->halo,
                                                   &c->filters.items->op.taps, c->sets[c->now],
                                                   c->f, c->sets[to], c->room.stream);
    c->now = to;
    c->was_temporal = 1;
    c->iterations += REC_TEMPORAL_DEPTH;
    return result;
}

static cudaError_t cuda_convolution_iterate(convolution *c, int look)
{
    const size_t rows = c->planes.planes * c->planes.height;
    const float *const last = c->sets[c->now], *const before = c->sets[(c->now + 1) % REC_SETS];
    int from = c->now;
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < c->filters.count; i++) {
        const int to = rec_set_behind(c->now, from, i == 0);
        REC_FIRST_FAILURE(cuda_convolution_apply(c, i, c->sets[from], c->sets[to]));
        from = to;
    }
    c->now = from;
    c->iterations++;
    if (!look)
        return result;
    REC_FIRST_FAILURE(rec_launch_row_changes(&c->planes, c->sets[c->now], last, before,
                                             c->row_changed, c->room.stream));
    REC_FIRST_FAILURE(cudaMemcpyAsync(c->row_changed_on_host, c->row_changed,
                                      rows * sizeof *c->row_changed, cudaMemcpyDeviceToHost,
                                      c->room.stream));
    return result;
}

static void cuda_convolution_collect(const void *state, int change, int distance, rec_sums *sums)
{
    const convolution *c = state;
    sums->moving_known &= c->filters.count == 1; /* several stencils leave no M_(N-2) */
    for (size_t p = 0; change && p < c->planes.planes; p++)
        rec_sums_add_rows(sums, p, c->row_changed_on_host + p * c->planes.height,
                          c->planes.height, 1, 0);
}

static rec_status cuda_convolution_advance(void *state, uint64_t n, rec_ending ending,
                                           rec_error *error)
{
    convolution *c = state;
    cudaError_t result = cudaSetDevice(c->room.device);
    /* The last two one by one: a look compares M_N with M_(N-1) and M_(N-2). */
    for (; c->temporal && n >= REC_TEMPORAL_DEPTH + 2; n -= REC_TEMPORAL_DEPTH)
        REC_FIRST_FAILURE(iterate_deep(c));
    for (; n; n--)
        REC_FIRST_FAILURE(cuda_convolution_iterate(c, ending == REC_END_COMPARING && n == 1));
    return rec_cuda_status(result, "applying a stencil", error);
}

static rec_status cuda_convolution_planes(void *state, rec_planes *shown, rec_error *error)
{
    convolution *c = state;
    *shown = c->room.planes;
    shown->m = c->sets[c->now];
    return REC_OK;
}

const rec_solver_type rec_convolution_cuda = {
    .name = "cuda",
    .summary = "convolution on an NVIDIA GPU",
    .kernels = (const char *const[]){"direct", "separable", "temporal", NULL},
    .own_bits = "separable",
    .shows = REC_ALL_SOURCES & ~(1u << REC_SOURCE_EDGES),
    .size = sizeof(convolution),
    .create = cuda_convolution_create,
    .destroy = cuda_convolution_destroy,
    .get_info = cuda_convolution_get_info,
    .advance = cuda_convolution_advance,
    .collect = cuda_convolution_collect,
    .planes = cuda_convolution_planes,
};
