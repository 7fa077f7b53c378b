/* The multigrid solver on a CUDA device: its memory, and the problem there. */
#include <string.h>

#include "base/clock.h"
#include "solver/multigrid/cuda_multigrid.h"

/* The numbers of its memory there. BOX: of the solve. SAMPLES: of a changed rectangle, and behind
 * them which pixels were unknown. */
enum { PICTURE, EDGES, UNKNOWN, MEANS, BOX, SAMPLES, MASS };

/* ---- the memory of the box ---- */

static void *place(rec_cuda_multigrid *e, size_t bytes)
{
    char *memory = e->room.block[BOX]; /* NULL while it is counted */
    void *at = memory ? memory + e->placed : NULL;
    e->placed += (bytes + 255) / 256 * 256;
    return at;
}

/* Cells of planes of a level, of `size` bytes each; the first one behind the pad. */
static void *place_cells(rec_cuda_multigrid *e, size_t planes, size_t level, size_t size)
{
    const rec_device_level *device_level = &e->level[level];
    char *plane = place(e, planes * device_level->step * size);
    return plane ? plane + size * REC_PAD_BEFORE * (size_t)(device_level->pitch + 1) : NULL;
}

/* Where an odd wrapped axis closes, neighbours have one colour. Where nothing is known, z A z of
 * the mean must be 0. */
static int needs_neighbours(const rec_multigrid_shape *shape, const rec_multigrid_level *level)
{
    return shape->free_mean || (level->x.low == REC_WRAPPED && level->x.cells % 2) ||
           (level->y.low == REC_WRAPPED && level->y.cells % 2);
}

/* Most on levels of middle size, where a launch costs more than its sweeps (docs/multigrid.md). */
static int sweeps_of(const rec_device_level *level, size_t l, size_t levels)
{
    if (l + 1 == levels)
        return REC_MULTIGRID_COARSEST_SWEEPS;
    return rec_multigrid_is_small(level) ? 4 : l < 3 ? 2 * (int)l + 2 : REC_MULTIGRID_MOST_SWEEPS;
}

/* Places everything, or counts its bytes; *nans, *zeros: the bytes to fill, one after another. */
static void place_all(rec_cuda_multigrid *e, size_t *nans, size_t *zeros)
{
    const rec_multigrid_shape *shape = &e->shape;
    rec_device_solve *solve = &e->solve;
    const size_t planes = shape->planes;
    e->placed = e->tiled = 0;
    for (size_t l = 0; l < shape->levels; l++) {
        const rec_multigrid_level *from = &shape->level[l];
        const size_t pads = REC_PAD_BEFORE + REC_PAD_AFTER;
        const size_t pitch = rec_cuda_pitch((size_t)from->x.cells + pads);
        rec_device_level *level = &e->level[l];
        *level = (rec_device_level){.x = from->x, .y = from->y, .weight = from->weight,
                                    .pitch = (int)pitch,
                                    .step = pitch * ((size_t)from->y.cells + pads)};
        level->sweeps = sweeps_of(level, l, shape->levels);
        level->apron = 2 * (level->sweeps + needs_neighbours(shape, from));
        e->tiled += !rec_multigrid_is_small(level);
        level->b = place_cells(e, planes, l, sizeof(float));
    }
    *nans = e->placed;
    for (size_t l = 0; l < shape->levels; l++) {
        e->level[l].v = place_cells(e, planes, l, sizeof(float));
        e->level[l].z = place_cells(e, planes, l, sizeof(float));
        if (shape->has_mass)
            e->level[l].mass = place_cells(e, 1, l, sizeof(float));
    }
    const size_t tiles = planes * rec_multigrid_tiles(&e->level[0]);
    solve->box = e->level[0];
    solve->planes = planes;
    solve->p[0] = place_cells(e, planes, 0, sizeof(float));
    solve->p[1] = place_cells(e, planes, 0, sizeof(float));
    solve->sums = place(e, tiles * sizeof *solve->sums);
    solve->tiles = place(e, tiles);
    solve->tickets = place(e, (planes + 1) * sizeof *solve->tickets);
    solve->largest = place(e, planes * sizeof *solve->largest);
    *zeros = e->placed - *nans;
    solve->run = place(e, sizeof *solve->run);
    solve->x = place_cells(e, planes, 0, sizeof *solve->x);
    solve->low = place_cells(e, planes, 0, sizeof(float));
    solve->base = place_cells(e, planes, 0, sizeof(float));
}

/* The cycle's graph is for one placement. */
static void drop_cycles(rec_cuda_multigrid *e)
{
    if (e->cycles)
        cudaGraphExecDestroy(e->cycles);
    e->cycles = NULL;
}

static rec_status prepare_box(rec_cuda_multigrid *e, rec_error *error)
{
    const double *const x_before = e->solve.x;
    rec_device_level before[REC_MULTIGRID_LEVELS];
    size_t nans, zeros;
    memcpy(before, e->level, sizeof before);
    memset(e->level, 0, sizeof e->level);
    place_all(e, &nans, &zeros);
    if (e->placed > e->room.bytes[BOX]) {
        drop_cycles(e);
        REC_TRY(rec_memory_cuda.allocate(&e->room, (const size_t[REC_BLOCKS]){[BOX] = e->placed},
                                   "the exact picture", error));
        place_all(e, &nans, &zeros);
    }
    if (memcmp(before, e->level, sizeof before) || e->solve.x != x_before)
        drop_cycles(e);
    char *const memory = e->room.block[BOX];
    cudaError_t result = cudaMemsetAsync(memory, 0xff, nans, e->room.stream);
    REC_FIRST_FAILURE(cudaMemsetAsync(memory + nans, 0, zeros, e->room.stream));
    return rec_cuda_status(result, "preparing the box", error);
}

/* ---- the problem ---- */

/* Everything that follows from the picture, edges and mask, which are on their way to the device
 * since the time `before`. */
static rec_status begin(rec_cuda_multigrid *e, const rec_problem *problem, cudaError_t result,
                        double before, rec_error *error)
{
    rec_multigrid_shape_make(&e->shape, problem);
    e->head.look = rec_multigrid_unsolved;
    REC_TRY(rec_cuda_status(result, "copying the image to the device", error));
    if (e->shape.levels)
        REC_TRY(prepare_box(e, error));
    e->picture.halo = problem->boundary.value;
    e->picture.left = e->shape.left;
    e->picture.top = e->shape.top;
    e->picture.edge_means = e->shape.free_mean ? e->means : NULL;
    REC_FIRST_FAILURE(cudaMemcpyAsync(e->means, e->shape.edge_mean, sizeof e->shape.edge_mean,
                                      cudaMemcpyHostToDevice, e->room.stream));
    for (size_t p = 0; p < REC_MULTIGRID_PLANES; p++)
        e->run->next[p] = (rec_device_steps){.steps = rec_multigrid_begin()};
    REC_FIRST_FAILURE(cudaEventRecord(e->room.event[REC_BEGUN], e->room.stream));
    if (e->shape.levels)
        REC_FIRST_FAILURE(rec_launch_multigrid_begin(&e->solve, &e->picture, e->room.stream));
    for (size_t l = 1; e->shape.has_mass && l < e->shape.levels; l++)
        REC_FIRST_FAILURE(
            rec_launch_multigrid_mass(&e->level[l - 1], &e->level[l], e->room.stream));
    REC_FIRST_FAILURE(cudaEventRecord(e->room.event[REC_ENDED], e->room.stream));
    REC_FIRST_FAILURE(rec_cuda_room_elapsed(&e->room, &e->begin_seconds));
    e->room.costs->seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "finding the residual", error);
}

/* Of the rectangle; outside it stays what it was. */
static rec_status upload_mass(rec_cuda_multigrid *e, const rec_problem *problem, rec_area area,
                              rec_error *error)
{
    const rec_image *mass = problem->mass;
    const size_t pitch = e->picture.pitch, bytes = e->picture.height * pitch * sizeof(float);
    if (!mass)
        return REC_OK;
    REC_TRY(rec_memory_cuda.allocate(&e->room, (const size_t[REC_BLOCKS]){[MASS] = bytes},
                               "the mass of the pixels", error));
    float *there = e->room.block[MASS];
    e->picture.mass = there;
    return rec_memory_cuda.write(&e->room.planes, there + area.y * pitch + area.x, pitch,
                                 rec_image_row(mass, 0, area.y) + area.x, mass->stride, area.width,
                                 area.height, error);
}

rec_status rec_cuda_multigrid_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_cuda_multigrid *e = state;
    const double before = rec_now();
    const rec_image *edges = problem->input;
    const size_t pixels = edges->width * edges->height;
    unsigned char *mask = e->room.block[UNKNOWN];
    rec_problem limited = *problem;
    rec_owned_image copy = {0};
    cudaError_t result = cudaSetDevice(e->room.device);
    e->picture.mass = NULL;
    const rec_area all = {0, 0, edges->width, edges->height};
    REC_TRY(upload_mass(e, problem, all, error));
    REC_TRY(rec_multigrid_limit_start(&limited, &copy, all, error));
    REC_TRY(rec_cuda_room_upload(&e->room, e->room.block[EDGES], edges, 0, error));
    REC_TRY(rec_cuda_room_upload(&e->room, e->picture.m, limited.start ? limited.start : edges, 0,
                                 error));
    REC_FIRST_FAILURE(problem->mask ? cudaMemcpyAsync(mask, problem->mask->unknown, pixels,
                                                      cudaMemcpyHostToDevice, e->room.stream)
                                    : cudaMemsetAsync(mask, 1, pixels, e->room.stream));
    return begin(e, &limited, result, before, error); /* waits for the copies */
}

/* Uploads the rectangle of mask and edges, and the start where a pixel was or is known. */
rec_status rec_cuda_multigrid_change(void *state, const rec_problem *problem, rec_area area,
                                     rec_error *error)
{
    rec_cuda_multigrid *e = state;
    const size_t x = area.x, y = area.y, width = area.width, height = area.height;
    rec_room *room = &e->room;
    const double begun = rec_now();
    const rec_image *edges = problem->input;
    rec_problem limited = *problem;
    rec_owned_image copy = {0};
    const size_t row = e->picture.width, cells = width * height;
    const size_t bytes = cells * (e->shape.planes * sizeof(float) + 1);
    cudaError_t result = cudaSetDevice(room->device);
    REC_TRY(rec_memory_cuda.allocate(room, (const size_t[REC_BLOCKS]){[SAMPLES] = bytes},
                               "a change of the mask", error));
    REC_TRY(upload_mass(e, problem, area, error));
    REC_TRY(rec_multigrid_limit_start(&limited, &copy, area, error));
    const rec_image *start = limited.start ? limited.start : edges;
    unsigned char *mask = (unsigned char *)room->block[UNKNOWN] + y * row + x;
    float *samples = room->block[SAMPLES];
    unsigned char *before = (unsigned char *)(samples + e->shape.planes * cells);
    REC_FIRST_FAILURE(cudaMemcpy2DAsync(before, width, mask, row, width, height,
                                        cudaMemcpyDeviceToDevice, room->stream));
    REC_FIRST_FAILURE(problem->mask
                          ? cudaMemcpy2DAsync(mask, row, problem->mask->unknown + y * row + x, row,
                                              width, height, cudaMemcpyHostToDevice, room->stream)
                          : cudaMemset2DAsync(mask, row, 1, width, height, room->stream));
    for (size_t p = 0; p < e->shape.planes; p++) {
        float *to = (float *)room->block[EDGES] + p * room->planes.step + y * e->picture.pitch + x;
        REC_TRY(rec_memory_cuda.write(&room->planes, to, e->picture.pitch,
                                      rec_image_row(edges, p, y) + x, edges->stride, width, height,
                                      error));
        REC_TRY(rec_memory_cuda.write(&room->planes, samples + p * cells, width,
                                      rec_image_row(start, p, y) + x, start->stride, width, height,
                                      error));
    }
    REC_FIRST_FAILURE(rec_launch_multigrid_known(&e->picture, x, y, width, height, samples, before,
                                                 e->shape.planes, room->stream));
    return begin(e, &limited, result, begun, error); /* waits for the copies */
}

/* ---- creation ---- */

void rec_cuda_multigrid_destroy(void *state)
{
    rec_cuda_multigrid *e = state;
    rec_memory_cuda.destroy(&e->room);
    drop_cycles(e);
}

rec_status rec_cuda_multigrid_create(void *state, const rec_problem *problem, const rec_slab *slab,
                                     const rec_solver_options *options, rec_error *error)
{
    rec_cuda_multigrid *e = state;
    const rec_image *edges = problem->input;
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    e->head.tolerance = rec_multigrid_tolerance(options);
    rec_multigrid_shape_make(&e->shape, problem);
    e->picture = (rec_device_picture){.width = edges->width, .height = edges->height,
                                      .pitch = rec_cuda_pitch(edges->width), .x = boundary->x,
                                      .y = boundary->y};
    const size_t step = edges->height * e->picture.pitch;
    const size_t wanted[REC_BLOCKS] = {[PICTURE] = edges->planes * step * sizeof(float),
                                       [EDGES] = edges->planes * step * sizeof(float),
                                       [UNKNOWN] = edges->width * edges->height,
                                       [MEANS] = 2 * sizeof e->shape.mean,
                                       [REC_PINNED] = sizeof *e->run};
    e->room = (rec_room){
        .device = slab->device,
        .costs = &e->head.costs,
        .planes = {.width = edges->width, .height = edges->height, .planes = edges->planes,
                   .pitch = e->picture.pitch, .step = step},
        .instead = "-s multigrid --kernel host uses the host's memory instead",
    };
    REC_TRY(rec_cuda_room_start(&e->room, error));
    REC_TRY(rec_memory_cuda.allocate(&e->room, wanted, "the exact picture", error));
    e->room.planes.m = e->picture.m = e->room.block[PICTURE];
    e->picture.edges = e->room.block[EDGES];
    e->picture.unknown = e->room.block[UNKNOWN];
    e->means = e->room.block[MEANS];
    e->run = e->room.block[REC_PINNED];
    return rec_cuda_multigrid_load(e, problem, error);
}
