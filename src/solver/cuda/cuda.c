/* The cuda solver. The data goes to the device once and comes back once; in between only snapshots
 * and norms leave it. */
#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/trace.h"
#include "solver/cuda/cuda_solver.h"

static void *make_context(void *device)
{
    rec_cuda_make_context((int)(intptr_t)device);
    cudaGetLastError(); /* creating the solver meets it again */
    return NULL;
}

/* All at once, and not by the team, which reads the image meanwhile. A context that no thread made
 * is made with the solver. */
static void cuda_prepare(const rec_solver_options *options)
{
    pthread_t thread[REC_MOST_DEVICES];
    size_t count = 1;
    while (count < options->device_count &&
           !pthread_create(&thread[count], NULL, make_context,
                           (void *)(intptr_t)options->devices[count]))
        count++;
    make_context((void *)(intptr_t)options->devices[0]);
    while (--count)
        pthread_join(thread[count], NULL);
}

static void cuda_get_info(const void *state, rec_solver_info *info)
{
    const rec_cuda *solver = state;
    const rec_transport above = solver->borders[0].transport, below = solver->borders[1].transport;
    *info = (rec_solver_info){.kernel = solver->plan.kernel,
                              .transport = above > below ? above : below,
                              .costs = solver->costs};
}

/* ---- its device, its memory there, and what is copied to it ---- */

/* The numbers of its memory there: the iterates, their rotated copies, what the norms need. */
enum { PICTURE, OTHER, TERMS, ROTATED, SCRATCH = ROTATED + 3 };

static rec_status cuda_allocate(rec_cuda *solver, rec_error *error)
{
    rec_cuda_iterates *iterates = &solver->iterates;
    const rec_grid *grid = &iterates->grid;
    const size_t plane_bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const size_t sums = rec_norms_scratch_bytes(grid);
    const size_t flags = (rec_resident_flags(&solver->plan.resident) +
                          (size_t)solver->plan.diagonal.processors) * sizeof(unsigned);
    const size_t rotated = rec_diagonal_cells(&solver->plan.diagonal) * grid->planes *
                           sizeof(float);
    const size_t squares = grid->planes * rec_sums_of(grid);
    const size_t wanted[REC_BLOCKS] = {
        [PICTURE] = plane_bytes, [OTHER] = plane_bytes, [TERMS] = plane_bytes, [ROTATED] = rotated,
        [ROTATED + 1] = rotated, [ROTATED + 2] = rotated, [SCRATCH] = sums + flags,
        [REC_PINNED] = 2 * squares * sizeof(double) + grid->planes * sizeof *solver->norms};
    void *const *block = solver->room.block;
    REC_TRY(rec_memory_cuda.allocate(&solver->room, wanted, "iterating", error));
    iterates->m = block[PICTURE];
    iterates->other = block[OTHER];
    iterates->f = block[TERMS];
    for (int i = 0; i < 3; i++)
        iterates->rotated[i] = block[ROTATED + i];
    iterates->scratch = block[SCRATCH];
    iterates->flags = (unsigned *)((char *)iterates->scratch + sums);
    solver->squares = block[REC_PINNED];
    solver->distances = solver->squares + squares;
    solver->norms = (rec_device_norms *)(solver->distances + squares);
    return rec_cuda_status(cudaMemsetAsync(iterates->scratch, 0, sums + flags, solver->room.stream),
                           "taking memory on the device", error);
}

static rec_status cuda_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_cuda *solver = state;
    rec_room *room = &solver->room;
    rec_cuda_iterates *iterates = &solver->iterates;
    const rec_grid *grid = &iterates->grid;
    float *const own_rows = iterates->m + grid->first * grid->pitch;
    const rec_device_planes planes = {grid->width, grid->height, grid->planes, grid->pitch,
                                      grid->height * grid->pitch};
    const size_t bytes = grid->planes * grid->height * grid->pitch * sizeof(float);
    const double before = rec_now();
    REC_TRACE("upload", problem->start ? 2 * bytes : bytes);
    /* The standstill test of the first iterations reads `other`, and edge terms are made of ghost
     * rows, before anything is written there. */
    cudaError_t result = cudaSetDevice(room->device);
    if (problem->on_device)
        REC_FIRST_FAILURE(rec_cuda_follow(room->stream, problem->stream));
    REC_FIRST_FAILURE(cudaMemsetAsync(iterates->other, 0, bytes, room->stream));
    REC_FIRST_FAILURE(cudaMemsetAsync(iterates->m, 0, bytes, room->stream));
    REC_TRY(rec_cuda_room_upload(room, own_rows, problem->input, solver->slab.first, error));
    REC_FIRST_FAILURE(rec_launch_margins(grid, iterates->m, room->stream));
    REC_FIRST_FAILURE(rec_launch_margins(grid, iterates->other, room->stream));
    REC_FIRST_FAILURE(rec_launch_terms(&planes, -0.25, 0, iterates->f, iterates->m, room->stream));
    REC_FIRST_FAILURE(rec_launch_margins(grid, iterates->f, room->stream));
    if (problem->start)
        REC_TRY(rec_cuda_room_upload(room, own_rows, problem->start, solver->slab.first, error));
    REC_FIRST_FAILURE(cudaStreamSynchronize(room->stream));
    iterates->m_is_rotated = iterates->f_is_rotated = 0;
    solver->other_is_older = solver->other_undefined = solver->moving_known = 0;
    solver->costs.seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

static void cuda_destroy(void *state)
{
    rec_cuda *solver = state;
    rec_memory_cuda.destroy(&solver->room);
    rec_cuda_borders_destroy(solver);
}

static rec_status cuda_create(void *state, const rec_problem *problem, const rec_slab *slab,
                              const rec_solver_options *options, rec_error *error)
{
    const rec_image *edges = problem->input;
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    rec_cuda *solver = state;
    solver->slab = *slab;
    solver->iterates.grid = (rec_grid){
        .width = edges->width, .height = rec_slab_height(slab), .first = slab->above,
        .rows = slab->rows, .planes = edges->planes, .pitch = rec_cuda_pitch(edges->width),
        .halo = problem->boundary.value, .beyond_x = boundary->x, .beyond_y = boundary->y,
        .masked = problem->mask != NULL};
    const rec_grid *grid = &solver->iterates.grid;
    solver->room = (rec_room){
        .device = slab->device,
        .costs = &solver->costs,
        .planes = {.width = grid->width, .height = grid->rows, .planes = grid->planes,
                   .pitch = grid->pitch, .step = grid->height * grid->pitch},
        .instead = "several devices (--device all) share an image, and --solver cpu uses the "
                   "host's memory instead",
    };
    REC_TRY(rec_cuda_room_start(&solver->room, error));
    for (size_t i = 0; i < options->device_count; i++)
        rec_cuda_reach(slab->device, options->devices[i]);
    REC_TRY(rec_cuda_plan_make(&solver->plan, grid, boundary->name, options->kernel, options->shown,
                               error));
    REC_TRY(cuda_allocate(solver, error));
    return cuda_load(solver, problem, error);
}

/* ---- iterating ---- */

/* n iterations and a look. The plan's kernel makes most of them, and keeps no iterate between. One
 * kernel makes the last two with the norms, and keeps M_(N-2); another one, of a single iteration
 * and with a mask, the last, and keeps M_(N-1). */
static cudaError_t compare(rec_cuda *solver, uint64_t n)
{
    rec_cuda_iterates *iterates = &solver->iterates;
    const rec_grid *grid = &iterates->grid;
    const cudaStream_t stream = solver->room.stream;
    const int two = !grid->masked && n > 1;
    const uint64_t before = n - (two ? 2 : 1);
    cudaError_t result = rec_cuda_plan_iterate(&solver->plan, iterates, before, 0, stream);
    REC_FIRST_FAILURE(rec_cuda_plan_rotate_back(&solver->plan, iterates, stream));
    if (two)
        REC_FIRST_FAILURE(rec_launch_look(grid, iterates->other, iterates->m, iterates->f,
                                          iterates->scratch, solver->norms, solver->squares,
                                          stream));
    else
        REC_FIRST_FAILURE(rec_launch_change(grid, iterates->other, iterates->m, iterates->f,
                                            solver->other_is_older, iterates->scratch,
                                            solver->norms, solver->squares, stream));
    rec_cuda_swap(iterates);
    solver->moving_known = n > 1 || !solver->other_undefined;
    solver->other_undefined = 0;
    solver->other_is_older = two;
    return result;
}

static void expect(void *state, uint64_t n) { ((rec_cuda *)state)->expected = n; }

static rec_status cuda_advance(void *state, uint64_t n, int compares, rec_error *error)
{
    rec_cuda *solver = state;
    cudaError_t result = cudaSetDevice(solver->room.device);
    if (compares) {
        REC_FIRST_FAILURE(compare(solver, n));
    } else { /* all iterations by the plan's kernel */
        solver->other_undefined = 1;
        solver->expected -= n < solver->expected ? n : solver->expected;
        REC_FIRST_FAILURE(rec_cuda_plan_iterate(&solver->plan, &solver->iterates, n,
                                                solver->expected, solver->room.stream));
    }
    return rec_cuda_status(result, "iterating", error);
}

static rec_status begin_distance(void *state, rec_error *error)
{
    rec_cuda *solver = state;
    rec_cuda_iterates *iterates = &solver->iterates;
    cudaError_t result = cudaSetDevice(solver->room.device);
    REC_FIRST_FAILURE(rec_cuda_plan_rotate_back(&solver->plan, iterates, solver->room.stream));
    REC_FIRST_FAILURE(rec_launch_distance(&iterates->grid, iterates->m, iterates->f,
                                          iterates->scratch, solver->distances,
                                          solver->room.stream));
    return rec_cuda_status(result, "iterating", error);
}

static void cuda_collect(const void *state, int change, int distance, rec_sums *sums)
{
    const rec_cuda *solver = state;
    const rec_grid *grid = &solver->iterates.grid;
    const size_t count = rec_sums_of(grid);
    for (size_t p = 0; p < grid->planes; p++) {
        for (size_t i = p * count; change && i < (p + 1) * count; i++)
            sums->change[p] += solver->squares[i];
        for (size_t i = p * count; distance && i < (p + 1) * count; i++)
            sums->distance[p] += solver->distances[i];
        if (!change)
            continue;
        const rec_device_norms *norms = &solver->norms[p];
        sums->maximum = fmax(sums->maximum, norms->maximum);
        sums->alternating += norms->alternating;
        sums->moving += norms->moving;
    }
    sums->moving_known &= solver->moving_known;
}

static rec_status cuda_planes(void *state, rec_planes *shown, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_grid *grid = &solver->iterates.grid;
    cudaError_t result = cudaSetDevice(solver->room.device);
    REC_FIRST_FAILURE(
        rec_cuda_plan_rotate_back(&solver->plan, &solver->iterates, solver->room.stream));
    *shown = solver->room.planes;
    shown->m = solver->iterates.m + grid->first * grid->pitch;
    shown->f = solver->iterates.f + grid->first * grid->pitch;
    return rec_cuda_status(result, "iterating", error);
}

const rec_solver_type rec_solver_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA GPU",
    .kernels = rec_cuda_kernels,
    .shows = REC_ALL_SOURCES,
    .takes = REC_MASKS,
    .available = rec_cuda_count,
    .prepare = cuda_prepare,
    .convolution = &rec_convolution_cuda,
    .memory = &(const rec_solver_memory){
        .size = sizeof(rec_cuda), .create = cuda_create, .load = cuda_load,
        .destroy = cuda_destroy, .get_info = cuda_get_info, .planes = cuda_planes},
    .iterate = &(const rec_solver_iterator){
        .expect = expect, .advance = cuda_advance, .distance = begin_distance,
        .collect = cuda_collect, .exchange = rec_cuda_exchange, .exchange_cells = 1 << 19,
        .exchange_rows = 64},
};
