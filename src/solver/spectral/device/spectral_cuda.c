/* The spectral solver's engine on a CUDA device, on the plan of spectral_host.c:
 * solving. */
#include <string.h>

#include "base/clock.h"
#include "solver/cuda/cuda_status.h"
#include "solver/spectral/device/spectral_cuda.h"

static int available(int device, rec_error *error)
{
    const int count = rec_cuda_count(error);
    if (!count)
        return 0;
    if (device < 0 || device >= count) {
        rec_fail(error, REC_UNAVAILABLE,
                 "there is no device %d; this machine has %d, numbered from 0", device, count);
        return 0;
    }
    return 1;
}

static rec_device_rows doubles_of(const rec_cuda_engine *e)
{
    return (rec_device_rows){
        .cells = e->plane, .pitch = e->double_pitch, .count = e->shape->height};
}

static rec_device_rows modes_of(const rec_cuda_engine *e, double *modes)
{
    return (rec_device_rows){.cells = modes, .pitch = e->column_pitch, .count = e->shape->width};
}

static rec_device_rows floats_of(const rec_cuda_engine *e, float *floats, size_t plane)
{
    return (rec_device_rows){.floats = floats + plane * e->shape->height * e->pitch,
                             .pitch = e->pitch,
                             .count = e->shape->height};
}

/* to = scale * transforms of the rows of `from`, or `back`, + offset. */
static rec_status transform_rows(const rec_cuda_engine *e, const rec_device_transform *along,
                                 int back, const rec_device_rows *to, const rec_device_rows *from,
                                 double scale, double offset, rec_error *error)
{
    return rec_cuda_status(rec_launch_rows(&along->axis, back, to, from, scale, offset, e->space.z,
                                           along->pairs, e->stream),
                           "a transform of the rows", error);
}

/* The last transform, along x, from the plane into the result. */
static rec_status finish(const rec_cuda_engine *e, size_t plane, double scale, double offset,
                         rec_error *error)
{
    const rec_device_rows from = doubles_of(e), to = floats_of(e, e->result, plane);
    return transform_rows(e, &e->along_x, 1, &to, &from, scale, offset, error);
}

static rec_status turn(const rec_cuda_engine *e, double *to, size_t to_pitch, const double *from,
                       size_t pitch, size_t width, size_t rows, rec_error *error)
{
    return rec_cuda_status(
        rec_launch_transpose(to, to_pitch, from, pitch, width, rows, e->stream),
        "turning the modes", error);
}

static rec_status solve_columns(const rec_cuda_engine *e, size_t plane, rec_error *error)
{
    const rec_device_rows edges = floats_of(e, e->edges, plane), rows = doubles_of(e);
    rec_status status = transform_rows(e, &e->along_x, 0, &rows, &edges, 1, 0, error);
    if (!status)
        status = rec_cuda_status(rec_launch_columns(&e->along_x.axis, e->plane, e->double_pitch,
                                                    e->shape->height, 1 / e->shape->x.norm,
                                                    e->scratch, e->stream),
                                 "solving the columns", error);
    return status ? status : finish(e, plane, 1, e->shape->halo, error);
}

static rec_status transform(const rec_cuda_engine *e, double *modes, float *floats, size_t plane,
                            rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const rec_device_rows from = floats_of(e, floats, plane), rows = doubles_of(e);
    const rec_device_rows columns = modes_of(e, modes);
    rec_status status = transform_rows(e, &e->along_x, 0, &rows, &from, 1, 0, error);
    if (!status)
        status = turn(e, modes, e->column_pitch, e->plane, e->double_pitch, shape->width,
                      shape->height, error);
    return status ? status
                  : transform_rows(e, &e->along_y, 0, &columns, &columns, 1, 0, error);
}

static rec_status keep_modes(rec_cuda_engine *e, double **modes, float *floats, size_t plane,
                             rec_error *error)
{
    rec_status status = REC_OK;
    if (!*modes)
        status = rec_cuda_status(
            rec_spectral_cuda_take(e, (void **)modes, rec_spectral_cuda_modes_bytes(e)),
            "taking memory on the device", error);
    return status ? status : transform(e, *modes, floats, plane, error);
}

/* What a first iterate needs and the limit does not. */
static rec_status prepare_iterates(rec_cuda_engine *e, rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const size_t kept = (e->start ? 2 : 1) * shape->planes;
    rec_status status = REC_OK;
    if (e->prepared)
        return REC_OK;
    if (!e->edge_modes[0])
        status = rec_spectral_cuda_prepare_columns(
            e, (double)kept * (double)rec_spectral_cuda_modes_bytes(e), "any iterate", error);
    for (size_t p = 0; !status && p < shape->planes; p++) {
        status = keep_modes(e, &e->edge_modes[p], e->edges, p, error);
        if (!status && e->start)
            status = keep_modes(e, &e->start_modes[p], e->start, p, error);
    }
    e->prepared = !status;
    return status;
}

/* The iterate, or the limit, of these modes, which may be e->modes. */
static rec_status solve_modes(const rec_cuda_engine *e, size_t plane, const double *start,
                              const double *edges, uint64_t iteration, rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const rec_device_rows columns = modes_of(e, e->modes);
    cudaError_t result =
        rec_launch_modes(&e->along_x.axis, &e->along_y.axis, e->symbols,
                         shape->symbol ? &shape->symbol->terms : NULL, e->modes, edges, start,
                         e->column_pitch, shape->halo, rec_spectral_count(iteration),
                         (int)(iteration & 1), e->stream);
    if (shape->free_mean)
        REC_FIRST_FAILURE(cudaMemsetAsync(e->modes, 0, sizeof *e->modes, e->stream));
    rec_status status = rec_cuda_status(result, "making the modes", error);
    if (!status)
        status = transform_rows(e, &e->along_y, 1, &columns, &columns, 1 / shape->y.norm,
                                           0, error);
    if (!status)
        status = turn(e, e->plane, e->double_pitch, e->modes, e->column_pitch, shape->height,
                      shape->width, error);
    return status ? status
                  : finish(e, plane, 1 / shape->x.norm,
                           rec_spectral_offset(shape, plane, iteration), error);
}

static rec_status solve_plane(const rec_cuda_engine *e, size_t plane, uint64_t iteration,
                              rec_error *error)
{
    const double *edges = e->edge_modes[plane], *start = e->start_modes[plane];
    if (iteration == REC_LIMIT_ITERATION && e->shape->tridiagonal)
        return solve_columns(e, plane, error);
    if (iteration == REC_LIMIT_ITERATION) {
        const rec_status status = transform(e, e->modes, e->edges, plane, error);
        if (status)
            return status;
        edges = start = e->modes;
    }
    return solve_modes(e, plane, start ? start : edges, edges, iteration, error);
}

/* M_0 is the start as it came. */
static cudaError_t copy_start(const rec_cuda_engine *e, size_t plane)
{
    const rec_spectral_shape *shape = e->shape;
    const float *from =
        (e->start ? e->start : e->edges) + plane * shape->height * e->pitch;
    return cudaMemcpy2DAsync(e->result + plane * shape->height * e->pitch, e->pitch * sizeof *from,
                             from, e->pitch * sizeof *from, shape->width * sizeof *from,
                             shape->height, cudaMemcpyDeviceToDevice, e->stream);
}

/* Planes follow each other without a gap on both sides: planes * height rows. */
static cudaError_t download(rec_cuda_engine *e, rec_image *image)
{
    return rec_cuda_download(&e->transfer, image->data, image->stride, e->result, e->pitch,
                             image->width, image->height * image->planes, e->stream);
}

static rec_status fetch(void *state, rec_image *image, rec_error *error)
{
    rec_cuda_engine *e = state;
    cudaError_t result = cudaSetDevice(e->device);
    REC_FIRST_FAILURE(download(e, image));
    return rec_cuda_status(result, "copying the picture from the device", error);
}

static rec_status solve(void *state, uint64_t iteration, rec_image *image, rec_error *error)
{
    rec_cuda_engine *e = state;
    cudaError_t result = cudaSetDevice(e->device);
    rec_status status = rec_cuda_status(result, "choosing the device", error);
    if (!status && iteration && iteration != REC_LIMIT_ITERATION)
        status = prepare_iterates(e, error);
    REC_FIRST_FAILURE(cudaEventRecord(e->begun, e->stream));
    for (size_t p = 0; !status && p < e->shape->planes; p++)
        status = iteration ? solve_plane(e, p, iteration, error)
                           : rec_cuda_status(copy_start(e, p), "copying the start", error);
    if (status)
        return status;
    float milliseconds = 0;
    REC_FIRST_FAILURE(cudaEventRecord(e->ended, e->stream));
    if (image)
        REC_FIRST_FAILURE(download(e, image));
    REC_FIRST_FAILURE(cudaStreamSynchronize(e->stream));
    REC_FIRST_FAILURE(cudaEventElapsedTime(&milliseconds, e->begun, e->ended));
    e->info->seconds_solve = 1e-3 * (double)milliseconds;
    return rec_cuda_status(result, "solving", error);
}

static void planes(void *state, rec_planes *shown)
{
    rec_cuda_engine *e = state;
    const rec_spectral_shape *shape = e->shape;
    *shown = (rec_planes){
        .width = shape->width,
        .height = shape->height,
        .planes = shape->planes,
        .pitch = e->pitch,
        .step = shape->height * e->pitch,
        .m = e->result,
        .on_device = 1,
        .device = e->device,
        .stream = e->stream,
        .transfer = &e->transfer,
    };
}

const rec_spectral_engine rec_spectral_cuda = {
    .available = available,
    .create = rec_spectral_cuda_create,
    .load = rec_spectral_cuda_load,
    .destroy = rec_spectral_cuda_destroy,
    .solve = solve,
    .fetch = fetch,
    .planes = planes,
};
