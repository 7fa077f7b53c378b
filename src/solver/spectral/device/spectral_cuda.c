/* The spectral solver's engine on a CUDA device, on the plan of spectral_host.c:
 * solving. */
#include "solver/spectral/device/spectral_cuda.h"

#include "device/devices.h"

static rec_device_rows doubles_of(const rec_cuda_engine *e)
{
    return (rec_device_rows){.cells = e->plane,
                             .pitch = e->double_pitch,
                             .count = e->shape->height,
                             .width = e->shape->width};
}

static rec_device_rows modes_of(const rec_cuda_engine *e, int modes)
{
    return (rec_device_rows){.cells = modes == REC_WORKING_MODES
                                          ? e->modes
                                          : e->room.block[REC_MEMORY_KEPT + modes],
                             .pitch = e->column_pitch,
                             .count = e->shape->width,
                             .width = e->shape->height};
}

static rec_device_rows floats_of(const rec_cuda_engine *e, int buffer, size_t plane)
{
    float *floats = buffer == REC_MEMORY_EDGES    ? e->edges
                    : buffer == REC_MEMORY_RESULT ? e->result
                                                  : e->room.block[buffer];
    return (rec_device_rows){.floats = floats + plane * e->shape->height * e->pitch,
                             .pitch = e->pitch,
                             .count = e->shape->height,
                             .width = e->shape->width};
}

/* to = scale * transforms of the rows of `from`, or `back`, + offset. */
static cudaError_t transform_rows(const rec_cuda_engine *e, int which, int back,
                                  const rec_device_rows *to, const rec_device_rows *from,
                                  double scale, double offset)
{
    const rec_device_transform *along = &e->along[which];
    return rec_launch_rows(&along->axis, back, to, from, scale, offset,
                           e->room.block[REC_MEMORY_COMPLEX], along->pairs, e->room.stream);
}

static cudaError_t turn(const rec_cuda_engine *e, const rec_device_rows *to,
                        const rec_device_rows *from)
{
    return rec_launch_transpose(to->cells, to->pitch, from->cells, from->pitch, from->width,
                                from->count, e->room.stream);
}

/* Rows of another width than the picture's end in a column with charges (spectral_columns.cu). */
static rec_status solve_limit(void *state, size_t plane, rec_error *error)
{
    rec_cuda_engine *e = state;
    const rec_spectral_shape *shape = e->shape;
    const size_t modes = e->along[REC_ALONG_LIMIT].axis.n;
    rec_device_rows edges = floats_of(e, REC_MEMORY_EDGES, plane);
    rec_device_rows limit = floats_of(e, REC_MEMORY_RESULT, plane);
    if (modes < shape->width)
        edges.width = limit.width = modes;
    REC_TRY(rec_spectral_cuda_prepare_limit(e, error));
    const rec_device_rows rows = {
        .cells = e->plane, .pitch = e->limit_pitch, .count = shape->height, .width = modes};
    cudaError_t result = transform_rows(e, REC_ALONG_LIMIT, 0, &rows, &edges, 1, 0);
    REC_FIRST_FAILURE(
        rec_launch_columns(&e->columns, &rows, &edges, &limit, shape->halo, e->room.stream));
    REC_FIRST_FAILURE(transform_rows(e, REC_ALONG_LIMIT, 1, &limit, &rows, 1, shape->halo));
    return rec_cuda_status(result, "solving for the limit", error);
}

static rec_status transform(void *state, int of_start, size_t plane, int modes, rec_error *error)
{
    const rec_cuda_engine *e = state;
    const rec_device_rows from =
        floats_of(e, of_start ? REC_MEMORY_START : REC_MEMORY_EDGES, plane);
    const rec_device_rows rows = doubles_of(e), columns = modes_of(e, modes);
    cudaError_t result = transform_rows(e, REC_ALONG_X, 0, &rows, &from, 1, 0);
    REC_FIRST_FAILURE(turn(e, &columns, &rows));
    REC_FIRST_FAILURE(transform_rows(e, REC_ALONG_Y, 0, &columns, &columns, 1, 0));
    return rec_cuda_status(result, "finding the modes", error);
}

static rec_status solve_modes(void *state, size_t plane, int start, int edges, uint64_t iteration,
                              rec_error *error)
{
    const rec_cuda_engine *e = state;
    const rec_spectral_shape *shape = e->shape;
    const rec_device_rows rows = doubles_of(e), columns = modes_of(e, REC_WORKING_MODES);
    const rec_device_rows picture = floats_of(e, REC_MEMORY_RESULT, plane);
    cudaError_t result = rec_launch_modes(
        &e->along[REC_ALONG_X].axis, &e->along[REC_ALONG_Y].axis, e->room.block[REC_MEMORY_SYMBOLS],
        shape->symbol ? &shape->symbol->terms : NULL, e->modes, modes_of(e, edges).cells,
        modes_of(e, start).cells, e->column_pitch, shape->halo, rec_spectral_count(iteration),
        (int)(iteration & 1), e->room.stream);
    if (shape->free_mean)
        REC_FIRST_FAILURE(cudaMemsetAsync(e->modes, 0, sizeof *e->modes, e->room.stream));
    REC_FIRST_FAILURE(
        transform_rows(e, REC_ALONG_Y, 1, &columns, &columns, 1 / shape->y.norm, 0));
    REC_FIRST_FAILURE(turn(e, &rows, &columns));
    REC_FIRST_FAILURE(transform_rows(e, REC_ALONG_X, 1, &picture, &rows, 1 / shape->x.norm,
                                     rec_spectral_offset(shape, plane, iteration)));
    return rec_cuda_status(result, "solving from the modes", error);
}

/* The pixels alone: the floats behind each row were never written. */
static rec_status cuda_engine_copy_start(void *state, size_t plane, rec_error *error)
{
    const rec_cuda_engine *e = state;
    const rec_device_rows to = floats_of(e, REC_MEMORY_RESULT, plane);
    const int own_start = e->room.block[REC_MEMORY_START] != NULL;
    const rec_device_rows from =
        floats_of(e, own_start ? REC_MEMORY_START : REC_MEMORY_EDGES, plane);
    const size_t pitch_bytes = to.pitch * sizeof(float);
    return rec_cuda_status(cudaMemcpy2DAsync(to.floats, pitch_bytes, from.floats, pitch_bytes,
                                             to.width * sizeof(float), to.count,
                                             cudaMemcpyDeviceToDevice, e->room.stream),
                           "copying the start", error);
}

static rec_status fetch(void *state, rec_image *image, rec_error *error)
{
    rec_cuda_engine *e = state;
    return rec_cuda_room_fetch(&e->room, e->result, image, error);
}

static rec_status cuda_engine_begin(void *state, rec_image *image, rec_error *error)
{
    rec_cuda_engine *e = state;
    e->image = image;
    cudaError_t result = cudaSetDevice(e->room.device);
    REC_FIRST_FAILURE(cudaEventRecord(e->room.begun, e->room.stream));
    return rec_cuda_status(result, "choosing the device", error);
}

static rec_status cuda_engine_end(void *state, rec_error *error)
{
    rec_cuda_engine *e = state;
    double seconds = 0;
    cudaError_t result = cudaEventRecord(e->room.ended, e->room.stream);
    if (result == cudaSuccess && e->image)
        REC_TRY(fetch(e, e->image, error));
    if (!e->hurries)
        REC_FIRST_FAILURE(rec_cuda_room_elapsed(&e->room, &seconds));
    e->room.costs->seconds_jump = seconds;
    return rec_cuda_status(result, "solving", error);
}

static void cuda_engine_planes(void *state, rec_planes *shown)
{
    rec_cuda_engine *e = state;
    *shown = e->room.planes;
    shown->m = e->result;
}

const rec_spectral_engine rec_spectral_cuda = {
    .kernel = "cuda",
    .available = rec_device_available,
    .points = rec_spectral_points,
    .size = sizeof(rec_cuda_engine),
    .create = rec_spectral_cuda_create,
    .load = rec_spectral_cuda_load,
    .destroy = rec_spectral_cuda_destroy,
    .prepare = rec_spectral_cuda_prepare,
    .transform = transform,
    .begin = cuda_engine_begin,
    .copy_start = cuda_engine_copy_start,
    .solve_limit = solve_limit,
    .solve_modes = solve_modes,
    .end = cuda_engine_end,
    .fetch = fetch,
    .planes = cuda_engine_planes,
};
