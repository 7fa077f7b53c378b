/* The spectral solver's engine on a CUDA device, on the plan of spectral_host.c: solving. */
#include <string.h>

#include "base/clock.h"
#include "solver/cuda/cuda_status.h"
#include "solver/spectral/spectral_cuda.h"

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
    return rec_cufft_available(error);
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

/* The last transform, along x, from the plane into the result. */
static rec_status finish(const rec_cuda_engine *e, size_t plane, double scale,
                         rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const rec_device_rows from = doubles_of(e);
    const rec_device_rows to = shape->transposed ? floats_of(e, e->turned, 0)
                                                 : floats_of(e, e->result, plane);
    const rec_status status =
        rec_device_sine_transform(&e->along_x, &to, &from, scale, shape->halo, error);
    if (status || !shape->transposed)
        return status;
    return rec_cuda_status(
        rec_launch_transpose_floats(e->result + plane * shape->width * e->result_pitch,
                                    e->result_pitch, e->turned, e->pitch, shape->width,
                                    shape->height, e->stream),
        "turning the picture", error);
}

static rec_status solve_limit(const rec_cuda_engine *e, size_t plane, rec_error *error)
{
    const rec_device_rows edges = floats_of(e, e->edges, plane), rows = doubles_of(e);
    rec_status status = rec_device_sine_transform(&e->along_x, &rows, &edges, 1, 0, error);
    if (!status)
        status = rec_cuda_status(rec_launch_columns(&e->along_x.axis, e->plane, e->double_pitch,
                                                    e->shape->height,
                                                    2 / (double)e->shape->x.period, e->scratch,
                                                    e->stream),
                                 "solving the columns", error);
    return status ? status : finish(e, plane, 1, error);
}

static rec_status transform(rec_cuda_engine *e, double **modes, float *floats, size_t plane,
                            rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    rec_status status = REC_OK;
    if (!*modes)
        status = rec_cuda_status(rec_spectral_cuda_take(e, modes, rec_spectral_cuda_modes_bytes(e)),
                                 "taking memory on the device", error);
    if (status)
        return status;
    const rec_device_rows from = floats_of(e, floats, plane), rows = doubles_of(e);
    const rec_device_rows columns = modes_of(e, *modes);
    status = rec_device_sine_transform(&e->along_x, &rows, &from, 1, 0, error);
    if (!status)
        status = rec_cuda_status(rec_launch_transpose(*modes, e->column_pitch, e->plane,
                                                      e->double_pitch, shape->width, shape->height,
                                                      e->stream),
                                 "turning the modes", error);
    if (!status)
        status = rec_device_sine_transform(&e->along_y, &columns, &columns, 1, 0, error);
    return status;
}

/* What a first iterate needs and the limit does not. */
static rec_status prepare_iterates(rec_cuda_engine *e, rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const double kept = (e->start ? 2.0 : 1.0) * (double)shape->planes;
    rec_status status = REC_OK;
    if (e->prepared)
        return REC_OK;
    if (!e->modes)
        status = rec_spectral_cuda_check(
            e, (kept + 1) * (double)rec_spectral_cuda_modes_bytes(e) +
                   (double)rec_device_sine_bytes(&shape->y, shape->width, e->chunk_bytes),
            "any iterate", error);
    if (!status && !e->along_y.fft) {
        const double before = rec_now();
        status = rec_device_sine_create(&e->along_y, &shape->y, shape->width, e->chunk_bytes,
                                        &e->space, e->stream, error);
        e->seconds_plan += rec_now() - before;
    }
    if (!status && !e->modes)
        status = rec_cuda_status(
            rec_spectral_cuda_take(e, &e->modes, rec_spectral_cuda_modes_bytes(e)),
            "taking memory on the device", error);
    for (size_t p = 0; !status && p < shape->planes; p++) {
        status = transform(e, &e->edge_modes[p], e->edges, p, error);
        if (!status && e->start)
            status = transform(e, &e->start_modes[p], e->start, p, error);
    }
    e->prepared = !status;
    return status;
}

static rec_status solve_iterate(const rec_cuda_engine *e, size_t plane, uint64_t iteration,
                                rec_error *error)
{
    const rec_spectral_shape *shape = e->shape;
    const double *edges = e->edge_modes[plane];
    const rec_device_rows columns = modes_of(e, e->modes);
    rec_status status = rec_cuda_status(
        rec_launch_modes(&e->along_x.axis, &e->along_y.axis, e->modes, edges,
                         e->start ? e->start_modes[plane] : edges, e->column_pitch, shape->halo,
                         iteration, e->stream),
        "making the modes", error);
    if (!status)
        status = rec_device_sine_transform(&e->along_y, &columns, &columns,
                                           2 / (double)shape->y.period, 0, error);
    if (!status)
        status = rec_cuda_status(rec_launch_transpose(e->plane, e->double_pitch, e->modes,
                                                      e->column_pitch, shape->height, shape->width,
                                                      e->stream),
                                 "turning the modes", error);
    return status ? status : finish(e, plane, 2 / (double)shape->x.period, error);
}

/* M_0 is the start as it came. */
static cudaError_t copy_start(const rec_cuda_engine *e, size_t plane)
{
    const rec_spectral_shape *shape = e->shape;
    const float *from =
        (e->start ? e->start : e->edges) + plane * shape->height * e->pitch;
    if (shape->transposed)
        return rec_launch_transpose_floats(e->result + plane * shape->width * e->result_pitch,
                                           e->result_pitch, from, e->pitch, shape->width,
                                           shape->height, e->stream);
    return cudaMemcpy2DAsync(e->result + plane * shape->height * e->pitch, e->pitch * sizeof *from,
                             from, e->pitch * sizeof *from, shape->width * sizeof *from,
                             shape->height, cudaMemcpyDeviceToDevice, e->stream);
}

/* Planes follow each other without a gap on both sides: planes * height rows. */
static cudaError_t download(rec_cuda_engine *e, rec_image *image)
{
    return rec_cuda_download(&e->transfer, image->data, image->stride, e->result, e->result_pitch,
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
    const int limit = iteration == REC_LIMIT_ITERATION;
    cudaError_t result = cudaSetDevice(e->device);
    rec_status status = rec_cuda_status(result, "choosing the device", error);
    if (!status && iteration && !limit)
        status = prepare_iterates(e, error);
    REC_FIRST_FAILURE(cudaEventRecord(e->begun, e->stream));
    for (size_t p = 0; !status && p < e->shape->planes; p++)
        status = limit ? solve_limit(e, p, error)
                 : iteration ? solve_iterate(e, p, iteration, error)
                             : rec_cuda_status(copy_start(e, p), "copying the start", error);
    if (status)
        return status;
    float milliseconds = 0;
    REC_FIRST_FAILURE(cudaEventRecord(e->ended, e->stream));
    if (image)
        REC_FIRST_FAILURE(download(e, image));
    REC_FIRST_FAILURE(cudaStreamSynchronize(e->stream));
    REC_FIRST_FAILURE(cudaEventElapsedTime(&milliseconds, e->begun, e->ended));
    e->seconds_solve = 1e-3 * (double)milliseconds;
    return rec_cuda_status(result, "solving", error);
}

static void get_info(const void *state, rec_spectral_info *info)
{
    const rec_cuda_engine *e = state;
    memcpy(info->device, e->name, sizeof info->device);
    info->device_bytes = e->bytes + e->layers.bytes + e->along_x.bytes + e->along_y.bytes +
                         e->space.z_bytes + e->space.work_bytes;
    info->seconds_start = e->seconds_start;
    info->seconds_upload = e->seconds_upload;
    info->seconds_plan = e->seconds_plan;
    info->seconds_solve = e->seconds_solve;
}

const rec_spectral_engine rec_spectral_cuda = {
    .largest_prime = 127,
    .available = available,
    .create = rec_spectral_cuda_create,
    .destroy = rec_spectral_cuda_destroy,
    .solve = solve,
    .get_info = get_info,
    .fetch = fetch,
    .set_reference = rec_spectral_cuda_set_reference,
    .compare = rec_spectral_cuda_compare,
    .probe = rec_spectral_cuda_probe,
    .snapshot = rec_spectral_cuda_snapshot,
    .poll = rec_spectral_cuda_poll,
    .release = rec_spectral_cuda_release,
};
