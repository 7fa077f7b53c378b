/* A cuda solver's device, its memory there, and what is copied to it. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/trace.h"
#include "solver/cuda/cuda_solver.h"

/* Enables peer access between the devices where possible: rows then do not go through the host. */
static void reach_others(int device, const rec_solver_options *options)
{
    for (size_t i = 0; i < options->device_count; i++) {
        int reaches = 0;
        if (options->devices[i] != device &&
            cudaDeviceCanAccessPeer(&reaches, device, options->devices[i]) == cudaSuccess &&
            reaches)
            cudaDeviceEnablePeerAccess(options->devices[i], 0);
    }
    cudaGetLastError(); /* it may have been so already */
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
    const int part = solver->slab.above || solver->slab.below;
    return rec_fail(
        error, REC_LIMIT,
        "%s %zu x %zu %s of %zu plane%s needs %s on device %d (%s), and %s is free; "
        "the largest square grey image that fits is %zu x %zu; several devices "
        "(--device all) share an image, and --solver cpu uses the host's memory instead",
        part ? "the" : "a", grid->width, grid->height, part ? "slab" : "image", grid->planes,
        rec_plural(grid->planes), rec_format_bytes(needs, wanted), solver->device, solver->name,
        rec_format_bytes(has, (double)free_bytes), side, side);
}

static rec_status cuda_allocate(rec_cuda *solver, rec_error *error)
{
    const rec_grid *grid = &solver->iterates.grid;
    const size_t plane_bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const size_t sums = rec_norms_scratch_bytes(grid);
    const size_t flags = (rec_resident_flags(&solver->plan.resident) +
                          (size_t)solver->plan.diagonal.processors) * sizeof(unsigned);
    rec_cuda_iterates *iterates = &solver->iterates;
    rec_trace_push(REC_TRACE_ALLOCATE, 3 * plane_bytes + sums + flags);
    cudaError_t result = cudaMalloc((void **)&iterates->m, plane_bytes);
    REC_FIRST_FAILURE(cudaMalloc((void **)&iterates->other, plane_bytes));
    REC_FIRST_FAILURE(cudaMalloc((void **)&iterates->f, plane_bytes));
    const size_t rotated =
        solver->plan.diagonal.processors ? rec_cuda_plan_rotated(&solver->plan, grid) : 0;
    for (int i = 0; i < 3 && rotated; i++)
        REC_FIRST_FAILURE(cudaMalloc((void **)&iterates->rotated[i], rotated));
    REC_FIRST_FAILURE(cudaMalloc(&iterates->scratch, sums + flags));
    REC_FIRST_FAILURE(
        cudaMallocHost((void **)&solver->norms, grid->planes * sizeof *solver->norms));
    REC_FIRST_FAILURE(cudaMallocHost((void **)&solver->squares,
                                     2 * grid->planes * rec_sums_of(grid) * sizeof(double)));
    REC_FIRST_FAILURE(rec_cuda_transfer_create(&solver->transfer, grid->width,
                                               grid->planes * grid->height));
    REC_FIRST_FAILURE(cudaStreamCreateWithFlags(&solver->solving, cudaStreamNonBlocking));
    REC_FIRST_FAILURE(cudaMemsetAsync(iterates->scratch, 0, sums + flags, solver->solving));
    iterates->flags = (unsigned *)((char *)iterates->scratch + sums);
    solver->device_bytes = 3 * (plane_bytes + rotated) + sums + flags;
    rec_trace_pop();
    return rec_cuda_status(result, "taking memory on the device", error);
}

/* The own rows of m. */
static cudaError_t upload_image(rec_cuda *solver, const rec_image *image)
{
    const rec_grid *grid = &solver->iterates.grid;
    cudaError_t result = cudaSuccess;
    for (size_t p = 0; p < grid->planes; p++)
        REC_FIRST_FAILURE(rec_cuda_upload(
            &solver->transfer, rec_cuda_row(solver, REC_FIELD_PICTURE, p, grid->first), grid->pitch,
            rec_image_row(image, p, solver->slab.first), image->stride, grid->width, grid->rows,
            solver->solving));
    return result;
}

rec_status rec_cuda_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_grid *grid = &solver->iterates.grid;
    const size_t bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const double before = rec_now();
    rec_trace_push(REC_TRACE_UPLOAD, problem->start ? 2 * bytes : bytes);
    /* The standstill test of the first iterations reads `other`, and edge terms are made of ghost
     * rows, before anything is written there. */
    cudaError_t result = cudaSetDevice(solver->device);
    if (problem->on_device)
        REC_FIRST_FAILURE(rec_cuda_follow(solver->solving, problem->stream));
    REC_FIRST_FAILURE(cudaMemsetAsync(solver->iterates.other, 0, bytes, solver->solving));
    REC_FIRST_FAILURE(cudaMemsetAsync(solver->iterates.m, 0, bytes, solver->solving));
    REC_FIRST_FAILURE(upload_image(solver, problem->edges));
    REC_FIRST_FAILURE(rec_launch_margins(grid, solver->iterates.m, solver->solving));
    REC_FIRST_FAILURE(rec_launch_margins(grid, solver->iterates.other, solver->solving));
    REC_FIRST_FAILURE(
        rec_launch_edge_terms(grid, solver->iterates.f, solver->iterates.m, solver->solving));
    REC_FIRST_FAILURE(rec_launch_margins(grid, solver->iterates.f, solver->solving));
    if (problem->start)
        REC_FIRST_FAILURE(upload_image(solver, problem->start));
    REC_FIRST_FAILURE(cudaStreamSynchronize(solver->solving));
    rec_trace_pop();
    solver->iterates.m_is_rotated = solver->iterates.f_is_rotated = 0;
    solver->other_is_older = solver->other_undefined = solver->moving_known = 0;
    solver->seconds_start = 0; /* the device is ready when this begins */
    solver->seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

void rec_cuda_destroy(void *state)
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
    cudaFreeHost(solver->squares);
    rec_cuda_borders_destroy(solver);
    rec_cuda_transfer_destroy(&solver->transfer);
    if (solver->solving)
        cudaStreamDestroy(solver->solving);
}

rec_status rec_cuda_create(void *state, const rec_problem *problem, const rec_slab *slab,
                           const rec_solver_options *options, rec_error *error)
{
    const rec_image *edges = problem->edges;
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    rec_cuda *solver = state;
    solver->slab = *slab;
    solver->device = slab->device;
    solver->iterates.grid = (rec_grid){
        .width = edges->width,
        .height = rec_slab_height(slab),
        .first = slab->above,
        .rows = slab->rows,
        .planes = edges->planes,
        .pitch = (edges->width + 31) / 32 * 32,
        .halo = problem->boundary.value,
        .beyond_x = boundary->x,
        .beyond_y = boundary->y,
        .masked = problem->mask != NULL,
    };
    double seconds_start = 0;
    REC_TRY(rec_cuda_start(solver->device, solver->name, &seconds_start, error));
    reach_others(solver->device, options);
    REC_TRY(rec_cuda_plan_make(&solver->plan, &solver->iterates.grid, boundary->name,
                               options->kernel, error));
    REC_TRY(check_memory(solver, error));
    REC_TRY(cuda_allocate(solver, error));
    REC_TRY(rec_cuda_load(solver, problem, error));
    solver->seconds_start = seconds_start;
    return REC_OK;
}
