/* A cuda solver's device, its memory there, and what is copied to it. */
#include "base/clock.h"
#include "base/trace.h"
#include "solver/cuda/cuda_solver.h"

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
    const size_t rotated =
        solver->plan.diagonal.processors ? rec_cuda_plan_rotated(&solver->plan, grid) : 0;
    const size_t squares = 2 * grid->planes * rec_sums_of(grid);
    const size_t wanted[REC_BLOCKS] = {
        [PICTURE] = plane_bytes, [OTHER] = plane_bytes, [TERMS] = plane_bytes, [ROTATED] = rotated,
        [ROTATED + 1] = rotated, [ROTATED + 2] = rotated, [SCRATCH] = sums + flags,
        [REC_PINNED] = squares * sizeof(double) + grid->planes * sizeof *solver->norms};
    void *const *block = solver->room.block;
    REC_TRY(rec_cuda_room_take(&solver->room, wanted, "iterating", error));
    iterates->m = block[PICTURE];
    iterates->other = block[OTHER];
    iterates->f = block[TERMS];
    for (int i = 0; i < 3; i++)
        iterates->rotated[i] = block[ROTATED + i];
    iterates->scratch = block[SCRATCH];
    iterates->flags = (unsigned *)((char *)iterates->scratch + sums);
    solver->squares = block[REC_PINNED];
    solver->norms = (rec_device_norms *)(solver->squares + squares);
    return rec_cuda_status(cudaMemsetAsync(iterates->scratch, 0, sums + flags, solver->room.stream),
                           "taking memory on the device", error);
}

rec_status rec_cuda_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_cuda *solver = state;
    rec_cuda_room *room = &solver->room;
    rec_cuda_iterates *iterates = &solver->iterates;
    const rec_grid *grid = &iterates->grid;
    float *const own_rows = rec_cuda_row(solver, REC_FIELD_PICTURE, 0, grid->first);
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
    REC_FIRST_FAILURE(rec_cuda_room_upload(room, own_rows, problem->given, solver->slab.first));
    REC_FIRST_FAILURE(rec_launch_margins(grid, iterates->m, room->stream));
    REC_FIRST_FAILURE(rec_launch_margins(grid, iterates->other, room->stream));
    REC_FIRST_FAILURE(rec_launch_edge_terms(grid, iterates->f, iterates->m, room->stream));
    REC_FIRST_FAILURE(rec_launch_margins(grid, iterates->f, room->stream));
    if (problem->start)
        REC_FIRST_FAILURE(rec_cuda_room_upload(room, own_rows, problem->start, solver->slab.first));
    REC_FIRST_FAILURE(cudaStreamSynchronize(room->stream));
    iterates->m_is_rotated = iterates->f_is_rotated = 0;
    solver->other_is_older = solver->other_undefined = solver->moving_known = 0;
    solver->costs.seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "copying the image to the device", error);
}

void rec_cuda_destroy(void *state)
{
    rec_cuda *solver = state;
    rec_cuda_room_destroy(&solver->room);
    rec_cuda_borders_destroy(solver);
}

rec_status rec_cuda_create(void *state, const rec_problem *problem, const rec_slab *slab,
                           const rec_solver_options *options, rec_error *error)
{
    const rec_image *edges = problem->given;
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    rec_cuda *solver = state;
    solver->slab = *slab;
    solver->iterates.grid = (rec_grid){
        .width = edges->width, .height = rec_slab_height(slab), .first = slab->above,
        .rows = slab->rows, .planes = edges->planes, .pitch = rec_cuda_pitch(edges->width),
        .halo = problem->boundary.value, .beyond_x = boundary->x, .beyond_y = boundary->y,
        .masked = problem->mask != NULL};
    const rec_grid *grid = &solver->iterates.grid;
    solver->room = (rec_cuda_room){
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
    REC_TRY(rec_cuda_plan_make(&solver->plan, grid, boundary->name, options->kernel, error));
    REC_TRY(cuda_allocate(solver, error));
    return rec_cuda_load(solver, problem, error);
}
