/* The engine of the exact picture on a CUDA device: its memory, and the problem there. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "solver/multigrid/cuda_multigrid.h"

static size_t pitch_of(size_t width) { return (width + 31) / 32 * 32; }

static size_t plane_cells(const rec_cuda_multigrid *e) /* of the picture */
{
    return e->picture.height * e->picture.pitch;
}

/* ---- the memory of the box ---- */

static void *place(rec_cuda_multigrid *e, size_t bytes)
{
    void *at = e->memory ? e->memory + e->placed : NULL;
    e->placed += (bytes + 255) / 256 * 256;
    return at;
}

/* Cells of a level, of `size` bytes each; the first one behind the pad. */
static void *place_cells(rec_cuda_multigrid *e, size_t level, size_t size)
{
    const rec_device_level *device_level = &e->level[level];
    char *plane = place(e, e->shape.planes * device_level->step * size);
    return plane ? plane + size * REC_PAD_BEFORE * (size_t)(device_level->pitch + 1) : NULL;
}

static rec_device_cells cells_of(const rec_multigrid_axis *axis)
{
    return (rec_device_cells){(int)axis->cells, axis->low, axis->high};
}

/* Where an odd wrapped axis closes, neighbours have one colour. Where nothing is known, z A z of
 * the mean must be 0. */
static int needs_neighbours(const rec_multigrid_shape *shape, const rec_multigrid_level *level)
{
    return shape->free_mean || (level->x.low == REC_WRAPPED && level->x.cells % 2) ||
           (level->y.low == REC_WRAPPED && level->y.cells % 2);
}

/* Places everything, or counts its bytes; *nans, *zeros: the bytes to fill, one after another. */
static void place_all(rec_cuda_multigrid *e, size_t *nans, size_t *zeros)
{
    const rec_multigrid_shape *shape = &e->shape;
    rec_device_solve *solve = &e->solve;
    e->placed = e->tiled = 0;
    for (size_t l = 0; l < shape->levels; l++) {
        const rec_multigrid_level *from = &shape->level[l];
        const size_t pads = REC_PAD_BEFORE + REC_PAD_AFTER;
        const size_t pitch = pitch_of(from->x.cells + pads);
        e->level[l] = (rec_device_level){.x = cells_of(&from->x),
                                         .y = cells_of(&from->y),
                                         .weight = from->weight,
                                         .apron = REC_LEAST_APRON +
                                                  2 * needs_neighbours(shape, from),
                                         .pitch = (int)pitch,
                                         .step = pitch * (from->y.cells + pads)};
        e->tiled += rec_multigrid_tiles(&e->level[l]) > 1;
        e->level[l].b = place_cells(e, l, sizeof(float));
    }
    *nans = e->placed;
    for (size_t l = 0; l < shape->levels; l++) {
        e->level[l].v = place_cells(e, l, sizeof(float));
        e->level[l].z = place_cells(e, l, sizeof(float));
    }
    const size_t tiles = shape->planes * rec_multigrid_tiles(&e->level[0]);
    solve->box = e->level[0];
    solve->planes = shape->planes;
    solve->p[0] = place_cells(e, 0, sizeof(float));
    solve->p[1] = place_cells(e, 0, sizeof(float));
    solve->sums = place(e, tiles * sizeof *solve->sums);
    solve->tiles = place(e, tiles);
    solve->tickets = place(e, (shape->planes + 1) * sizeof *solve->tickets);
    solve->largest = place(e, shape->planes * sizeof *solve->largest);
    *zeros = e->placed - *nans;
    solve->run = place(e, sizeof *solve->run);
    solve->x = place_cells(e, 0, sizeof *solve->x);
    solve->low = place_cells(e, 0, sizeof(float));
    solve->base = place_cells(e, 0, sizeof(float));
}

static rec_status too_large(const rec_cuda_multigrid *e, double bytes, rec_error *error)
{
    char text[32];
    return rec_fail(error, REC_LIMIT,
                    "%zu x %zu unknown pixels of %zu plane%s need %s on device %d (%s), which is "
                    "not free",
                    e->shape.level[0].x.cells, e->shape.level[0].y.cells, e->shape.planes,
                    rec_plural(e->shape.planes), rec_format_bytes(text, bytes), e->device,
                    e->costs->device);
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
    const rec_device_solve solve_before = e->solve;
    rec_device_level before[REC_MULTIGRID_LEVELS];
    size_t nans, zeros;
    memcpy(before, e->level, sizeof before);
    memset(e->level, 0, sizeof e->level);
    place_all(e, &nans, &zeros);
    if (e->placed > e->bytes) {
        cudaFree(e->memory);
        e->costs->device_bytes -= e->bytes;
        e->memory = NULL;
        e->bytes = 0;
        if (cudaMalloc((void **)&e->memory, e->placed) != cudaSuccess) {
            cudaGetLastError();
            return too_large(e, (double)e->placed, error);
        }
        e->bytes = e->placed;
        e->costs->device_bytes += e->bytes;
        place_all(e, &nans, &zeros);
    }
    if (memcmp(before, e->level, sizeof before) || e->solve.x != solve_before.x)
        drop_cycles(e);
    cudaError_t result = cudaMemsetAsync(e->memory, 0xff, nans, e->stream);
    REC_FIRST_FAILURE(cudaMemsetAsync(e->memory + nans, 0, zeros, e->stream));
    return rec_cuda_status(result, "preparing the box", error);
}

/* ---- the problem ---- */

cudaError_t rec_cuda_multigrid_seconds(rec_cuda_multigrid *e, double *seconds)
{
    float milliseconds = 0;
    cudaError_t result = cudaEventRecord(e->ended, e->stream);
    REC_FIRST_FAILURE(cudaStreamSynchronize(e->stream));
    REC_FIRST_FAILURE(cudaEventElapsedTime(&milliseconds, e->begun, e->ended));
    *seconds = 1e-3 * (double)milliseconds;
    return result;
}

/* Everything that follows from the picture, edges and mask, which are on their way to the device
 * since the time `before`. */
static rec_status begin(rec_cuda_multigrid *e, const rec_problem *problem, cudaError_t result,
                        double before, rec_error *error)
{
    rec_multigrid_shape_make(&e->shape, problem);
    REC_TRY(rec_cuda_status(result, "copying the image to the device", error));
    if (e->shape.levels)
        REC_TRY(prepare_box(e, error));
    e->picture.left = e->shape.left;
    e->picture.top = e->shape.top;
    e->picture.edge_means = e->shape.free_mean ? e->means : NULL;
    REC_FIRST_FAILURE(cudaMemcpyAsync(e->means, e->shape.edge_mean, sizeof e->shape.edge_mean,
                                      cudaMemcpyHostToDevice, e->stream));
    for (size_t p = 0; p < REC_MULTIGRID_PLANES; p++)
        e->run->next[p] = (rec_device_steps){.steps = rec_multigrid_begin()};
    REC_FIRST_FAILURE(cudaEventRecord(e->begun, e->stream));
    if (e->shape.levels)
        REC_FIRST_FAILURE(rec_launch_multigrid_begin(&e->solve, &e->picture, e->stream));
    REC_FIRST_FAILURE(rec_cuda_multigrid_seconds(e, &e->begin_seconds));
    e->costs->seconds_upload = rec_now() - before;
    return rec_cuda_status(result, "finding the residual", error);
}

static cudaError_t upload_image(rec_cuda_multigrid *e, float *to, const rec_image *image)
{
    return rec_cuda_upload(&e->transfer, to, e->picture.pitch, image->data, image->stride,
                           image->width, image->height * image->planes, e->stream);
}

rec_status rec_cuda_multigrid_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_cuda_multigrid *e = state;
    const double before = rec_now();
    const rec_image *edges = problem->edges;
    const size_t pixels = edges->width * edges->height;
    unsigned char *mask = (unsigned char *)e->picture.unknown;
    cudaError_t result = cudaSetDevice(e->device);
    REC_FIRST_FAILURE(upload_image(e, (float *)e->picture.edges, edges));
    REC_FIRST_FAILURE(upload_image(e, e->picture.m, problem->start ? problem->start : edges));
    REC_FIRST_FAILURE(problem->mask ? cudaMemcpyAsync(mask, problem->mask->unknown, pixels,
                                                      cudaMemcpyHostToDevice, e->stream)
                                    : cudaMemsetAsync(mask, 1, pixels, e->stream));
    return begin(e, problem, result, before, error);
}

/* Uploads the rectangle of mask and edges, and the start where a pixel was or is known. */
static cudaError_t upload_change(rec_cuda_multigrid *e, const rec_problem *problem, size_t x,
                                 size_t y, size_t width, size_t height)
{
    const rec_image *edges = problem->edges, *start = problem->start ? problem->start : edges;
    const size_t row = e->picture.width, cells = width * height;
    unsigned char *mask = (unsigned char *)e->picture.unknown + y * row + x;
    unsigned char *before = (unsigned char *)(e->samples + e->shape.planes * cells);
    cudaError_t result = cudaMemcpy2DAsync(before, width, mask, row, width, height,
                                           cudaMemcpyDeviceToDevice, e->stream);
    REC_FIRST_FAILURE(problem->mask
                          ? cudaMemcpy2DAsync(mask, row, problem->mask->unknown + y * row + x, row,
                                              width, height, cudaMemcpyHostToDevice, e->stream)
                          : cudaMemset2DAsync(mask, row, 1, width, height, e->stream));
    for (size_t p = 0; p < e->shape.planes; p++) {
        float *to = (float *)e->picture.edges + p * plane_cells(e) + y * e->picture.pitch + x;
        REC_FIRST_FAILURE(rec_cuda_upload(&e->transfer, to, e->picture.pitch,
                                          rec_image_row(edges, p, y) + x, edges->stride, width,
                                          height, e->stream));
        REC_FIRST_FAILURE(rec_cuda_upload(&e->transfer, e->samples + p * cells, width,
                                          rec_image_row(start, p, y) + x, start->stride, width,
                                          height, e->stream));
    }
    REC_FIRST_FAILURE(rec_launch_multigrid_known(&e->picture, x, y, width, height, e->samples,
                                                 before, e->shape.planes, e->stream));
    return result;
}

rec_status rec_cuda_multigrid_change(void *state, const rec_problem *problem, size_t x, size_t y,
                                     size_t width, size_t height, rec_error *error)
{
    rec_cuda_multigrid *e = state;
    const double before = rec_now();
    const size_t bytes = width * height * (e->shape.planes * sizeof(float) + 1);
    cudaError_t result = cudaSetDevice(e->device);
    if (bytes > e->sample_bytes) {
        cudaFree(e->samples);
        e->samples = NULL;
        REC_FIRST_FAILURE(cudaMalloc((void **)&e->samples, bytes));
        e->sample_bytes = result == cudaSuccess ? bytes : 0;
    }
    REC_FIRST_FAILURE(upload_change(e, problem, x, y, width, height));
    return begin(e, problem, result, before, error);
}

/* ---- creation ---- */

void rec_cuda_multigrid_destroy(void *state)
{
    rec_cuda_multigrid *e = state;
    cudaSetDevice(e->device);
    if (e->stream)
        cudaStreamSynchronize(e->stream);
    drop_cycles(e);
    rec_cuda_transfer_destroy(&e->transfer);
    cudaFree(e->memory);
    cudaFree(e->samples);
    cudaFree(e->picture.m);
    cudaFree((void *)e->picture.edges);
    cudaFree((void *)e->picture.unknown);
    cudaFree(e->means);
    cudaFreeHost(e->run);
    if (e->begun)
        cudaEventDestroy(e->begun);
    if (e->ended)
        cudaEventDestroy(e->ended);
    if (e->stream)
        cudaStreamDestroy(e->stream);
}

rec_status rec_cuda_multigrid_create(void *state, const rec_problem *problem, int device,
                                     rec_costs *costs, rec_error *error)
{
    rec_cuda_multigrid *e = state;
    const rec_image *edges = problem->edges;
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    e->device = device;
    e->costs = costs;
    rec_multigrid_shape_make(&e->shape, problem);
    e->picture = (rec_device_picture){.width = edges->width,
                                      .height = edges->height,
                                      .pitch = pitch_of(edges->width),
                                      .x = boundary->x,
                                      .y = boundary->y,
                                      .halo = problem->boundary.value};
    const size_t bytes = edges->planes * plane_cells(e) * sizeof(float);
    const size_t pixels = edges->width * edges->height;
    REC_TRY(rec_cuda_start(device, costs->device, &costs->seconds_start, error));
    cudaError_t result = cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking);
    REC_FIRST_FAILURE(cudaEventCreate(&e->begun));
    REC_FIRST_FAILURE(cudaEventCreate(&e->ended));
    REC_FIRST_FAILURE(cudaMalloc((void **)&e->means, 2 * sizeof e->shape.mean));
    REC_FIRST_FAILURE(cudaMallocHost((void **)&e->run, sizeof *e->run));
    REC_TRY(rec_cuda_status(result, "starting the device", error));
    REC_FIRST_FAILURE(cudaMalloc((void **)&e->picture.m, bytes));
    REC_FIRST_FAILURE(cudaMalloc((void **)&e->picture.edges, bytes));
    REC_FIRST_FAILURE(cudaMalloc((void **)&e->picture.unknown, pixels));
    costs->device_bytes = 2 * bytes + pixels;
    if (result == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return too_large(e, (double)costs->device_bytes, error);
    }
    REC_FIRST_FAILURE(
        rec_cuda_transfer_create(&e->transfer, edges->width, edges->height * edges->planes));
    REC_TRY(rec_cuda_status(result, "taking memory on the device", error));
    return rec_cuda_multigrid_load(e, problem, error);
}
