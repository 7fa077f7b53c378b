/* The cuda solver: the data goes to the device once and comes back once; in between only snapshots and
 * norms leave it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/trace.h"
#include "solver/cuda/cuda_solver.h"
#include "solver/cuda/cuda_status.h"
#include "solver/norms.h"
#include "solver/type.h"

static int available(rec_error *error) { return rec_cuda_count(error) > 0; }

/* ---- creation ---- */

static rec_status start_device(rec_cuda *solver, int device, rec_error *error)
{
    const int count = rec_cuda_count(error);
    if (!count)
        return REC_UNAVAILABLE;
    if (device < 0 || device >= count)
        return rec_fail(error, REC_UNAVAILABLE,
                        "no CUDA device %d; this machine has %d, numbered from 0", device,
                        count);
    const double before = rec_now();
    struct cudaDeviceProp about;
    cudaError_t result = rec_cuda_make_context(device); /* now, so that its time is known */
    REC_FIRST_FAILURE(cudaGetDeviceProperties(&about, device));
    if (result != cudaSuccess)
        return rec_cuda_status(result, "starting the device", error);
    solver->device = device;
    snprintf(solver->name, sizeof solver->name, "%.127s", about.name);
    solver->seconds_start = rec_now() - before;
    return REC_OK;
}

static rec_status check_memory(const rec_cuda *solver, rec_error *error)
{
    const rec_grid *grid = &solver->iterates.grid;
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

static rec_status allocate(rec_cuda *solver, rec_error *error)
{
    const rec_grid *grid = &solver->iterates.grid;
    const size_t plane_bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const size_t sums = rec_norms_scratch_bytes(grid), flags = rec_cuda_plan_bytes(&solver->plan);
    rec_cuda_iterates *of = &solver->iterates;
    rec_trace_push(REC_TRACE_ALLOCATE, 3 * plane_bytes + sums + flags);
    cudaError_t result = cudaMalloc((void **)&of->m, plane_bytes);
    REC_FIRST_FAILURE(cudaMalloc((void **)&of->other, plane_bytes));
    REC_FIRST_FAILURE(cudaMalloc((void **)&of->f, plane_bytes));
    const size_t rotated =
        solver->plan.diagonal.processors ? rec_cuda_plan_rotated(&solver->plan, grid) : 0;
    for (int i = 0; i < 3 && rotated; i++)
        REC_FIRST_FAILURE(cudaMalloc((void **)&of->rotated[i], rotated));
    REC_FIRST_FAILURE(cudaMalloc(&of->scratch, sums + flags));
    REC_FIRST_FAILURE(
        cudaMallocHost((void **)&solver->norms, 2 * grid->planes * sizeof *solver->norms));
    REC_FIRST_FAILURE(rec_cuda_transfer_create(&solver->transfer, grid->width,
                                               grid->planes * grid->height));
    REC_FIRST_FAILURE(cudaStreamCreateWithFlags(&solver->solving, cudaStreamNonBlocking));
    REC_FIRST_FAILURE(cudaMemsetAsync(of->scratch, 0, sums + flags, solver->solving));
    of->flags = (unsigned *)((char *)of->scratch + sums);
    solver->device_bytes = 3 * (plane_bytes + rotated) + sums + flags;
    rec_trace_pop();
    return rec_cuda_status(result, "taking memory on the device", error);
}

static cudaError_t upload_image(rec_cuda *solver, float *to, const rec_image *image)
{
    /* Planes follow each other without a gap on both sides: planes * height rows. */
    return rec_cuda_upload(&solver->transfer, to, solver->iterates.grid.pitch, image->data,
                           image->stride, image->width, image->height * image->planes,
                           solver->solving);
}

static rec_status upload(rec_cuda *solver, const rec_problem *problem, rec_error *error)
{
    const rec_grid *grid = &solver->iterates.grid;
    const size_t bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const double before = rec_now();
    rec_trace_push(REC_TRACE_UPLOAD, problem->start ? 2 * bytes : bytes);
    /* The standstill test of the first iterations reads `other` before anything was made there. */
    cudaError_t result = cudaMemsetAsync(solver->iterates.other, 0, bytes, solver->solving);
    REC_FIRST_FAILURE(upload_image(solver, solver->iterates.m, problem->edges));
    REC_FIRST_FAILURE(rec_launch_margins(grid, solver->iterates.m, solver->solving));
    REC_FIRST_FAILURE(rec_launch_margins(grid, solver->iterates.other, solver->solving));
    REC_FIRST_FAILURE(
        rec_launch_edge_terms(grid, solver->iterates.f, solver->iterates.m, solver->solving));
    REC_FIRST_FAILURE(rec_launch_margins(grid, solver->iterates.f, solver->solving));
    if (solver->plan.diagonal.processors)
        REC_FIRST_FAILURE(rec_launch_rotate(&solver->plan.diagonal, grid, solver->iterates.rotated[2],
                                            solver->iterates.f, solver->solving));
    if (problem->start)
        REC_FIRST_FAILURE(upload_image(solver, solver->iterates.m, problem->start));
    REC_FIRST_FAILURE(cudaStreamSynchronize(solver->solving));
    rec_trace_pop();
    solver->seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

static void destroy(void *state)
{
    rec_cuda *solver = state;
    cudaSetDevice(solver->device);
    if (solver->solving)
        cudaStreamSynchronize(solver->solving);
    cudaFree(solver->iterates.m);
    cudaFree(solver->iterates.other);
    cudaFree(solver->iterates.f);
    for (int i = 0; i < 3; i++)
        cudaFree(solver->iterates.rotated[i]);
    cudaFree(solver->iterates.scratch);
    cudaFreeHost(solver->norms);
    rec_cuda_transfer_destroy(&solver->transfer);
    if (solver->solving)
        cudaStreamDestroy(solver->solving);
    free(solver);
}

static void prepare(const rec_solver_options *options)
{
    rec_cuda_make_context(options->device);
    cudaGetLastError(); /* creating the solver meets it again */
}

static rec_status create(void **state, const rec_problem *problem,
                         const rec_solver_options *options, rec_error *error)
{
    if (rec_cuda_plan_check(options->kernel, error))
        return REC_USAGE;
    rec_cuda *solver = calloc(1, sizeof *solver);
    if (!solver)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    const rec_image *edges = problem->edges;
    solver->iterates.grid = (rec_grid){
        .width = edges->width,
        .height = edges->height,
        .planes = edges->planes,
        .pitch = (edges->width + 31) / 32 * 32,
        .halo = problem->boundary.value,
        .boundary = problem->boundary.kind,
    };
    solver->bound = rec_bound_of(problem);
    rec_status status = start_device(solver, options->device, error);
    if (!status)
        status = rec_cuda_plan_make(&solver->plan, &solver->iterates.grid, options->kernel, error);
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
    const rec_cuda *solver = state;
    *info = (rec_solver_info){
        .solver = rec_solver_cuda.name,
        .kernel = solver->plan.kernel,
        .device_bytes = solver->device_bytes,
        .seconds_start = solver->seconds_start,
        .seconds_upload = solver->seconds_upload,
    };
    memcpy(info->device, solver->name, sizeof info->device);
}

/* ---- iterating ---- */

static void read_norms(const rec_cuda *solver, unsigned looks, int changed, rec_look *look)
{
    const rec_grid *grid = &solver->iterates.grid;
    const double pixels = (double)grid->width * (double)grid->height;
    uint64_t moving = 0;
    *look = rec_look_begin(looks, changed);
    for (size_t p = 0; p < grid->planes; p++) {
        const rec_device_norms *change = &solver->norms[p], *distance = change + grid->planes;
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
    look->standstill = changed && (looks & REC_LOOK_CHANGE) && solver->tells && moving == 0 &&
                       solver->iterations >= 2;
}

/* The bulk goes by the plan's kernel, which leaves nothing of the iterates on its way. The last two
 * are made together by a look's kernel, which leaves M_(N-2); without a look the last is a plain one,
 * which leaves M_(N-1). By either, a look one iteration later can tell standstill. The look's kernel
 * makes the last two, its norms unread, also where that spares the bulk a plain iteration. */
static cudaError_t iterate(rec_cuda *solver, uint64_t n, int look)
{
    rec_cuda_iterates *of = &solver->iterates;
    const rec_grid *grid = &of->grid;
    cudaError_t result = cudaSuccess;
    const int two = look || (n % 2 == 0 && rec_cuda_plan_prefers_even(&solver->plan));
    const uint64_t last = two && n > 1 ? 2 : 1;
    REC_FIRST_FAILURE(rec_cuda_plan_iterate(&solver->plan, of, n - last, solver->solving));
    if (last == 2) {
        REC_FIRST_FAILURE(rec_launch_look(grid, of->other, of->m, of->f, of->scratch,
                                          solver->norms, solver->solving));
    } else if (!look) {
        REC_FIRST_FAILURE(rec_launch_pixel(grid, of->other, of->m, of->f, solver->solving));
    } else {
        REC_FIRST_FAILURE(rec_launch_change(grid, of->other, of->m, of->f, solver->behind,
                                            of->scratch, solver->norms, solver->solving));
    }
    rec_cuda_swap(of);
    solver->tells = n > 1 || !solver->passed;
    solver->passed = 0;
    solver->behind = last == 2;
    solver->iterations += n;
    return result;
}

/* All of it by the plan's kernel. */
static rec_status pass(void *state, uint64_t n, rec_error *error)
{
    rec_cuda *solver = state;
    rec_trace_push(REC_TRACE_ITERATE, n);
    cudaError_t result = cudaSetDevice(solver->device);
    REC_FIRST_FAILURE(rec_cuda_plan_iterate(&solver->plan, &solver->iterates, n, solver->solving));
    REC_FIRST_FAILURE(cudaStreamSynchronize(solver->solving));
    rec_trace_pop();
    solver->iterations += n;
    solver->passed = 1;
    return rec_cuda_status(result, "iterating", error);
}

static rec_status advance(void *state, uint64_t n, unsigned looks, rec_look *look, rec_error *error)
{
    rec_cuda *solver = state;
    rec_cuda_iterates *of = &solver->iterates;
    const rec_grid *grid = &of->grid;
    const int changed = n > 0 && (looks & REC_LOOK_CHANGE);
    rec_trace_push(REC_TRACE_ITERATE, n);
    cudaError_t result = cudaSetDevice(solver->device);
    if (n)
        REC_FIRST_FAILURE(iterate(solver, n, changed));
    rec_trace_pop();
    if (looks) {
        rec_trace_push(REC_TRACE_NORM, solver->iterations);
        if (looks & REC_LOOK_DISTANCE)
            REC_FIRST_FAILURE(rec_launch_distance(grid, of->m, of->f, of->scratch,
                                                  solver->norms + grid->planes, solver->solving));
        REC_FIRST_FAILURE(cudaStreamSynchronize(solver->solving));
        rec_trace_pop();
        if (result == cudaSuccess)
            read_norms(solver, looks, changed, look);
    }
    return rec_cuda_status(result, "iterating", error);
}

static rec_status read(void *state, size_t plane, size_t x, size_t y, size_t width, size_t height,
                       float *values, size_t stride, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_grid *grid = &solver->iterates.grid;
    const float *from = solver->iterates.m + (plane * grid->height + y) * grid->pitch + x;
    rec_trace_push(REC_TRACE_DOWNLOAD, width * height * sizeof *values);
    cudaError_t result = cudaSetDevice(solver->device);
    REC_FIRST_FAILURE(rec_cuda_download(&solver->transfer, values, stride, from, grid->pitch, width,
                                        height, solver->solving));
    rec_trace_pop();
    return rec_cuda_status(result, "copying the picture from the device", error);
}

static void planes(const void *state, rec_planes *shown)
{
    const rec_cuda *solver = state;
    const rec_grid *grid = &solver->iterates.grid;
    *shown = (rec_planes){
        .width = grid->width,
        .height = grid->height,
        .planes = grid->planes,
        .pitch = grid->pitch,
        .step = grid->height * grid->pitch,
        .m = solver->iterates.m,
        .f = solver->iterates.f,
        .iteration = solver->iterations,
        .on_device = 1,
        .device = solver->device,
        .stream = solver->solving,
    };
}

const rec_solver_type rec_solver_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA GPU",
    .layers = REC_ALL_LAYERS,
    .kernel = rec_cuda_plan_kernel,
    .available = available,
    .prepare = prepare,
    .create = create,
    .destroy = destroy,
    .get_info = get_info,
    .advance = advance,
    .pass = pass,
    .read = read,
    .planes = planes,
};
