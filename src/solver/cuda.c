/* The cuda solver: the data goes to the device once and comes back once; in between only snapshots and
 * norms leave it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/trace.h"
#include "kernels/kernels.h"
#include "solver/cuda_status.h"
#include "solver/norms.h"
#include "solver/slots.h"
#include "solver/type.h"

typedef struct cuda {
    rec_grid grid;
    rec_bound bound;
    int device;
    char name[128];
    float *m, *other, *f;   /* device: M_N, M_(N-1) and then the next iterate, -E/4 */
    void *scratch;          /* device: sums of rows */
    rec_device_norms *norms;/* device: planes of the change, planes of the distance */
    rec_device_norms *seen; /* the same in pinned host memory */
    size_t device_bytes;
    uint64_t iterations;
    cudaStream_t solving, copying;
    double seconds_start, seconds_upload;

    rec_slots slots;
    struct {
        uint8_t *device, *host; /* the bytes of a snapshot, host pinned */
        size_t bytes;
        unsigned *range;        /* device */
        cudaEvent_t made, arrived;
    } buffer[REC_SLOTS];
} cuda;

#define FIRST_FAILURE(call)                                                                        \
    do {                                                                                           \
        if (result == cudaSuccess)                                                                 \
            result = (call);                                                                       \
    } while (0)

static int available(rec_error *error) { return rec_cuda_count(error) > 0; }

/* ---- creation ---- */

static rec_status start_device(cuda *solver, int device, rec_error *error)
{
    const int count = rec_cuda_count(error);
    if (!count)
        return REC_UNAVAILABLE;
    if (device < 0 || device >= count)
        return rec_fail(error, REC_UNAVAILABLE,
                        "there is no device %d; this machine has %d, numbered from 0", device,
                        count);
    const double before = rec_now();
    struct cudaDeviceProp about;
    cudaError_t result = cudaSetDevice(device);
    FIRST_FAILURE(cudaFree(NULL)); /* makes the context now, so that its time is known */
    FIRST_FAILURE(cudaGetDeviceProperties(&about, device));
    if (result != cudaSuccess)
        return rec_cuda_status(result, "starting the device", error);
    solver->device = device;
    snprintf(solver->name, sizeof solver->name, "%.127s", about.name);
    solver->seconds_start = rec_now() - before;
    return REC_OK;
}

static rec_status check_memory(const cuda *solver, rec_error *error)
{
    const rec_grid *grid = &solver->grid;
    const double wanted = rec_cuda_bytes((double)grid->width, (double)grid->height,
                                         (double)grid->planes);
    size_t free_bytes = 0, all_bytes = 0;
    char needs[32], has[32];
    const cudaError_t result = cudaMemGetInfo(&free_bytes, &all_bytes);
    if (result != cudaSuccess)
        return rec_cuda_status(result, "asking for its memory", error);
    if (wanted <= (double)free_bytes)
        return REC_OK;
    const size_t side = rec_cuda_largest_side(free_bytes);
    return rec_fail(error, REC_LIMIT,
                    "a %zu x %zu image of %zu plane%s needs %s on device %d (%s), and %s is free; "
                    "the largest square grey image that fits is %zu x %zu, and --solver cpu uses "
                    "the host's memory instead",
                    grid->width, grid->height, grid->planes, grid->planes == 1 ? "" : "s",
                    rec_format_bytes(needs, wanted), solver->device, solver->name,
                    rec_format_bytes(has, (double)free_bytes), side, side);
}

static rec_status allocate(cuda *solver, rec_error *error)
{
    const rec_grid *grid = &solver->grid;
    const size_t plane_bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const size_t scratch = rec_norms_scratch_bytes(grid);
    const size_t norms = 2 * grid->planes * sizeof *solver->norms;
    rec_trace_push(REC_TRACE_ALLOCATE, 3 * plane_bytes + scratch + norms);
    cudaError_t result = cudaMalloc((void **)&solver->m, plane_bytes);
    FIRST_FAILURE(cudaMalloc((void **)&solver->other, plane_bytes));
    FIRST_FAILURE(cudaMalloc((void **)&solver->f, plane_bytes));
    FIRST_FAILURE(cudaMalloc(&solver->scratch, scratch));
    FIRST_FAILURE(cudaMalloc((void **)&solver->norms, norms));
    FIRST_FAILURE(cudaMallocHost((void **)&solver->seen, norms));
    FIRST_FAILURE(cudaStreamCreateWithFlags(&solver->solving, cudaStreamNonBlocking));
    FIRST_FAILURE(cudaStreamCreateWithFlags(&solver->copying, cudaStreamNonBlocking));
    for (int i = 0; i < REC_SLOTS; i++) {
        FIRST_FAILURE(cudaMalloc((void **)&solver->buffer[i].range, 2 * sizeof(unsigned)));
        FIRST_FAILURE(cudaEventCreateWithFlags(&solver->buffer[i].made, cudaEventDisableTiming));
        FIRST_FAILURE(cudaEventCreateWithFlags(&solver->buffer[i].arrived, cudaEventDisableTiming));
    }
    rec_trace_pop();
    solver->device_bytes = 3 * plane_bytes + scratch + norms + 2 * REC_SLOTS * sizeof(unsigned);
    return rec_cuda_status(result, "taking memory on the device", error);
}

static cudaError_t upload_image(const cuda *solver, float *to, const rec_image *image)
{
    /* Planes follow each other without a gap on both sides: one copy of planes * height rows. */
    return cudaMemcpy2DAsync(to, solver->grid.pitch * sizeof(float), image->data,
                             image->stride * sizeof(float), image->width * sizeof(float),
                             image->height * image->planes, cudaMemcpyHostToDevice,
                             solver->solving);
}

static rec_status upload(cuda *solver, const rec_problem *problem, rec_error *error)
{
    const rec_grid *grid = &solver->grid;
    const size_t bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const double before = rec_now();
    rec_trace_push(REC_TRACE_UPLOAD, problem->start ? 2 * bytes : bytes);
    /* The cells beyond the width take part in the edge term of whole rows: let them be numbers. */
    cudaError_t result = cudaMemsetAsync(solver->m, 0, bytes, solver->solving);
    FIRST_FAILURE(cudaMemsetAsync(solver->other, 0, bytes, solver->solving));
    FIRST_FAILURE(cudaMemsetAsync(solver->f, 0, bytes, solver->solving));
    FIRST_FAILURE(cudaMemsetAsync(solver->norms, 0, 2 * grid->planes * sizeof *solver->norms,
                                  solver->solving));
    FIRST_FAILURE(upload_image(solver, solver->m, problem->edges));
    FIRST_FAILURE(rec_launch_edge_terms(grid, solver->f, solver->m, solver->solving));
    if (problem->start)
        FIRST_FAILURE(upload_image(solver, solver->m, problem->start));
    FIRST_FAILURE(cudaStreamSynchronize(solver->solving));
    rec_trace_pop();
    solver->seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

static void destroy(void *state)
{
    cuda *solver = state;
    cudaSetDevice(solver->device);
    if (solver->solving)
        cudaStreamSynchronize(solver->solving);
    if (solver->copying)
        cudaStreamSynchronize(solver->copying);
    cudaFree(solver->m);
    cudaFree(solver->other);
    cudaFree(solver->f);
    cudaFree(solver->scratch);
    cudaFree(solver->norms);
    cudaFreeHost(solver->seen);
    for (int i = 0; i < REC_SLOTS; i++) {
        cudaFree(solver->buffer[i].device);
        cudaFree(solver->buffer[i].range);
        cudaFreeHost(solver->buffer[i].host);
        if (solver->buffer[i].made)
            cudaEventDestroy(solver->buffer[i].made);
        if (solver->buffer[i].arrived)
            cudaEventDestroy(solver->buffer[i].arrived);
    }
    if (solver->solving)
        cudaStreamDestroy(solver->solving);
    if (solver->copying)
        cudaStreamDestroy(solver->copying);
    free(solver);
}

static rec_status create(void **state, const rec_problem *problem,
                         const rec_solver_options *options, rec_error *error)
{
    if (options->kernel && strcmp(options->kernel, "pixel"))
        return rec_fail(error, REC_USAGE, "the cuda solver has no kernel '%s'; it has pixel",
                        options->kernel);
    cuda *solver = calloc(1, sizeof *solver);
    if (!solver)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    const rec_image *edges = problem->edges;
    solver->grid = (rec_grid){
        .width = edges->width,
        .height = edges->height,
        .planes = edges->planes,
        .pitch = (edges->width + 31) / 32 * 32,
        .halo = problem->halo,
        .mirror = problem->mirror,
    };
    solver->bound = rec_bound_of(problem);
    rec_status status = start_device(solver, options->device, error);
    if (!status)
        status = check_memory(solver, error);
    if (!status)
        status = allocate(solver, error);
    if (!status)
        status = upload(solver, problem, error);
    if (status)
        destroy(solver);
    else
        *state = solver;
    return status;
}

static void get_info(const void *state, rec_solver_info *info)
{
    const cuda *solver = state;
    *info = (rec_solver_info){
        .solver = rec_solver_cuda.name,
        .kernel = "pixel",
        .device_bytes = solver->device_bytes,
        .seconds_start = solver->seconds_start,
        .seconds_upload = solver->seconds_upload,
    };
    memcpy(info->device, solver->name, sizeof info->device);
}

/* ---- iterating ---- */

static void swap_iterates(cuda *solver)
{
    float *m = solver->m;
    solver->m = solver->other;
    solver->other = m;
    solver->iterations++;
}

static cudaError_t iterate(cuda *solver, uint64_t n)
{
    cudaError_t result = cudaSuccess;
    for (uint64_t i = 0; i < n && result == cudaSuccess; i++) {
        result = rec_launch_pixel(&solver->grid, solver->other, solver->m, solver->f, 64, 4,
                                  solver->solving);
        swap_iterates(solver);
    }
    return result;
}

static void read_norms(const cuda *solver, unsigned looks, int changed, rec_look *look)
{
    const rec_grid *grid = &solver->grid;
    const double pixels = (double)grid->width * (double)grid->height;
    uint64_t moving = 0;
    *look = rec_look_begin(looks, changed);
    for (size_t p = 0; p < grid->planes; p++) {
        const rec_device_norms *change = &solver->seen[p], *distance = change + grid->planes;
        if (changed && (looks & REC_LOOK_CHANGE)) {
            look->change_rms = fmax(look->change_rms, sqrt(change->squares / pixels));
            look->change_max = fmax(look->change_max, change->maximum);
            look->alternating += change->alternating;
            moving += change->moving;
        }
        if (looks & REC_LOOK_DISTANCE)
            look->distance_rms = fmax(look->distance_rms,
                                      rec_bound_distance(&solver->bound, p, distance->squares));
    }
    look->standstill =
        changed && (looks & REC_LOOK_CHANGE) && moving == 0 && solver->iterations >= 2;
}

static rec_status advance(void *state, uint64_t n, unsigned looks, rec_look *look, rec_error *error)
{
    cuda *solver = state;
    const rec_grid *grid = &solver->grid;
    const int changed = n > 0 && (looks & REC_LOOK_CHANGE);
    rec_trace_push(REC_TRACE_ITERATE, n);
    cudaError_t result = cudaSetDevice(solver->device);
    FIRST_FAILURE(iterate(solver, changed ? n - 1 : n));
    if (changed) {
        FIRST_FAILURE(rec_launch_change(grid, solver->other, solver->m, solver->f, solver->scratch,
                                        solver->norms, solver->solving));
        swap_iterates(solver);
    }
    rec_trace_pop();
    if (looks) {
        rec_trace_push(REC_TRACE_NORM, solver->iterations);
        if (looks & REC_LOOK_DISTANCE)
            FIRST_FAILURE(rec_launch_distance(grid, solver->m, solver->f, solver->scratch,
                                              solver->norms + grid->planes, solver->solving));
        FIRST_FAILURE(cudaMemcpyAsync(solver->seen, solver->norms,
                                      2 * grid->planes * sizeof *solver->norms,
                                      cudaMemcpyDeviceToHost, solver->solving));
        FIRST_FAILURE(cudaStreamSynchronize(solver->solving));
        rec_trace_pop();
        if (result == cudaSuccess)
            read_norms(solver, looks, changed, look);
    }
    return rec_cuda_status(result, "iterating", error);
}

static rec_status read(void *state, size_t plane, size_t x, size_t y, size_t width, size_t height,
                       float *values, size_t stride, rec_error *error)
{
    cuda *solver = state;
    const rec_grid *grid = &solver->grid;
    const float *from = solver->m + (plane * grid->height + y) * grid->pitch + x;
    rec_trace_push(REC_TRACE_DOWNLOAD, width * height * sizeof *values);
    cudaError_t result = cudaSetDevice(solver->device);
    FIRST_FAILURE(cudaMemcpy2DAsync(values, stride * sizeof *values, from,
                                    grid->pitch * sizeof *values, width * sizeof *values, height,
                                    cudaMemcpyDeviceToHost, solver->solving));
    FIRST_FAILURE(cudaStreamSynchronize(solver->solving));
    rec_trace_pop();
    return rec_cuda_status(result, "copying the picture from the device", error);
}

/* ---- snapshots ---- */

/* Makes room in a free slot. Waits for the device, which happens when a window has grown. */
static cudaError_t grow_buffer(cuda *solver, int slot, size_t bytes)
{
    if (solver->buffer[slot].bytes >= bytes)
        return cudaSuccess;
    solver->device_bytes -= solver->buffer[slot].bytes;
    cudaFree(solver->buffer[slot].device);
    cudaFreeHost(solver->buffer[slot].host);
    solver->buffer[slot].device = solver->buffer[slot].host = NULL;
    solver->buffer[slot].bytes = 0;
    cudaError_t result = cudaMalloc((void **)&solver->buffer[slot].device, bytes);
    FIRST_FAILURE(cudaMallocHost((void **)&solver->buffer[slot].host, bytes));
    if (result == cudaSuccess) {
        solver->buffer[slot].bytes = bytes;
        solver->device_bytes += bytes;
    }
    return result;
}

/* The kernel queues behind the iterations, the copy on its own stream behind the kernel: the next
 * batch need not wait for the bytes to arrive. */
static rec_status snapshot(void *state, const rec_view *view, int *begun, rec_error *error)
{
    cuda *solver = state;
    const size_t bytes = view->out_width * view->out_height * solver->grid.planes;
    *begun = 0;
    const int slot = rec_slots_find_free(&solver->slots);
    if (slot < 0)
        return REC_OK;
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    const rec_device_view on_device = {view->x, view->y, view->width, view->height,
                                       view->out_width, view->out_height, (int)view->tone};
    cudaError_t result = cudaSetDevice(solver->device);
    FIRST_FAILURE(grow_buffer(solver, slot, bytes));
    FIRST_FAILURE(rec_launch_snapshot(&solver->grid, solver->m, &on_device,
                                      solver->buffer[slot].range, solver->buffer[slot].device,
                                      solver->solving));
    FIRST_FAILURE(cudaEventRecord(solver->buffer[slot].made, solver->solving));
    FIRST_FAILURE(cudaStreamWaitEvent(solver->copying, solver->buffer[slot].made, 0));
    FIRST_FAILURE(cudaMemcpyAsync(solver->buffer[slot].host, solver->buffer[slot].device, bytes,
                                  cudaMemcpyDeviceToHost, solver->copying));
    FIRST_FAILURE(cudaEventRecord(solver->buffer[slot].arrived, solver->copying));
    rec_trace_pop();
    if (result != cudaSuccess)
        return rec_cuda_status(result, "making a snapshot", error);
    rec_slots_begin(&solver->slots, slot, view, solver->grid.planes, view->out_width,
                    solver->buffer[slot].host, solver->iterations);
    *begun = 1;
    return REC_OK;
}

static int has_arrived(void *context, int slot)
{
    cuda *solver = context;
    return cudaEventQuery(solver->buffer[slot].arrived) == cudaSuccess;
}

static const rec_snapshot *poll(void *state)
{
    cuda *solver = state;
    cudaSetDevice(solver->device); /* this may be another thread */
    return rec_slots_poll(&solver->slots, has_arrived, solver);
}

static void release(void *state, const rec_snapshot *taken)
{
    rec_slots_release(&((cuda *)state)->slots, taken);
}

const rec_solver_type rec_solver_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA GPU",
    .available = available,
    .create = create,
    .destroy = destroy,
    .get_info = get_info,
    .advance = advance,
    .read = read,
    .snapshot = snapshot,
    .poll = poll,
    .release = release,
};
