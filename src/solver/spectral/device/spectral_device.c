#include "solver/spectral/device/spectral_device.h"

#include <string.h>

#include "base/memory.h"
#include "solver/cuda/cuda_status.h"

enum { MOST_PAIRS = 32768 }; /* of a launch: a grid's second dimension ends at 65535 */

static size_t choose_pairs(const rec_spectral_axis *axis, size_t rows, size_t chunk_bytes)
{
    const size_t pairs = (rows + 1) / 2, row_bytes = 2 * axis->length * sizeof(double);
    size_t most = chunk_bytes / row_bytes;
    if (most > MOST_PAIRS)
        most = MOST_PAIRS;
    if (most < 1)
        most = 1;
    const size_t chunks = (pairs + most - 1) / most;
    return (pairs + chunks - 1) / chunks; /* all of about the same size */
}

size_t rec_device_transform_bytes(const rec_spectral_axis *axis, size_t rows, size_t chunk_bytes)
{
    const size_t z = choose_pairs(axis, rows, chunk_bytes) * 2 * axis->length;
    return (axis->doubles + 2 * z + (axis->padded ? 2 * axis->length : 0)) * sizeof(double);
}

void rec_device_workspace_destroy(rec_device_workspace *space)
{
    cudaFree(space->z);
    cudaFree(space->work);
    memset(space, 0, sizeof *space);
}

/* Grows one part of the workspace; what it held is lost. */
static cudaError_t reserve(void **memory, size_t *has, size_t bytes, cudaStream_t stream)
{
    if (bytes <= *has)
        return cudaSuccess;
    cudaFree(*memory);
    *memory = NULL;
    *has = 0;
    cudaError_t result = cudaMalloc(memory, bytes);
    /* The rows of a last chunk that is not full go through the FFT as they are. */
    if (result == cudaSuccess)
        result = cudaMemsetAsync(*memory, 0, bytes, stream);
    if (result == cudaSuccess)
        *has = bytes;
    return result;
}

static rec_status allocate(rec_device_transform *made, const rec_spectral_axis *axis,
                           rec_error *error)
{
    rec_device_workspace *space = made->space;
    const size_t tables = axis->doubles * sizeof(double);
    const size_t response = axis->padded ? 2 * axis->length * sizeof(double) : 0;
    void *z = space->z;
    cudaError_t result = cudaMalloc((void **)&made->tables, tables);
    if (result == cudaSuccess && response)
        result = cudaMalloc((void **)&made->response, response);
    if (result == cudaSuccess)
        result = reserve(&z, &space->z_bytes, made->pairs * 2 * axis->length * sizeof(double),
                         made->stream);
    space->z = z;
    if (result == cudaSuccess)
        result = reserve(&space->work, &space->work_bytes, rec_cufft_work_bytes(made->fft),
                         made->stream);
    if (result == cudaSuccess)
        result = cudaMemcpyAsync(made->tables, axis->block, tables, cudaMemcpyHostToDevice,
                                 made->stream);
    made->bytes = tables + response;
    return rec_cuda_status(result, "taking memory on the device", error);
}

/* The response's FFT goes through the first row of z. */
static rec_status make_response(rec_device_transform *made, const rec_spectral_axis *axis,
                                rec_error *error)
{
    const size_t bytes = 2 * axis->length * sizeof(double);
    double *z = made->space->z;
    void *response = NULL;
    rec_status status = rec_allocate(&response, 2 * axis->length, sizeof(double),
                                     "sine transforms", error);
    if (status)
        return status;
    rec_spectral_axis_fill_response(axis, response);
    status = rec_cuda_status(cudaMemcpyAsync(z, response, bytes, cudaMemcpyHostToDevice,
                                             made->stream),
                             "preparing the sine transform", error);
    if (!status)
        status = rec_cufft_set_work(made->fft, made->space->work, error);
    if (!status)
        status = rec_cufft_execute(made->fft, z, error);
    if (!status) {
        cudaError_t result = cudaMemcpyAsync(made->response, z, bytes, cudaMemcpyDeviceToDevice,
                                             made->stream);
        if (result == cudaSuccess)
            result = cudaStreamSynchronize(made->stream);
        status = rec_cuda_status(result, "preparing the sine transform", error);
    }
    rec_free(response);
    return status;
}

rec_status rec_device_transform_create(rec_device_transform *made, const rec_spectral_axis *axis,
                                       size_t rows, size_t chunk_bytes,
                                       rec_device_workspace *space, cudaStream_t stream,
                                       rec_error *error)
{
    *made = (rec_device_transform){
        .stream = stream,
        .space = space,
        .pairs = choose_pairs(axis, rows, chunk_bytes),
    };
    rec_status status = rec_cufft_create(&made->fft, axis->length, made->pairs, stream, error);
    if (!status)
        status = allocate(made, axis, error);
    if (!status && axis->padded)
        status = make_response(made, axis, error);
    if (status) {
        rec_device_transform_destroy(made);
        return status;
    }
    made->axis = (rec_device_axis){
        .basis = axis->basis,
        .n = axis->n,
        .period = axis->period,
        .length = axis->length,
        .turn = made->tables,
        .low = made->tables + (axis->low - axis->turn),
        .high = made->tables + (axis->high - axis->turn),
        .ones = made->tables + (axis->ones - axis->turn),
        .chirp = axis->padded ? made->tables + (axis->chirp - axis->turn) : NULL,
        .response = made->response,
    };
    return REC_OK;
}

void rec_device_transform_destroy(rec_device_transform *transform)
{
    rec_cufft_destroy(transform->fft);
    cudaFree(transform->tables);
    cudaFree(transform->response);
    memset(transform, 0, sizeof *transform);
}

static rec_device_rows part_of(const rec_device_rows *rows, size_t first, size_t count)
{
    rec_device_rows part = *rows;
    part.count = count;
    if (rows->floats)
        part.floats += first * rows->pitch;
    else
        part.cells += first * rows->pitch;
    return part;
}

rec_status rec_device_transform_rows(const rec_device_transform *transform, int back,
                                     const rec_device_rows *to, const rec_device_rows *from,
                                     double scale, double offset, rec_error *error)
{
    const rec_device_axis *axis = &transform->axis;
    double *z = transform->space->z;
    rec_status status = rec_cufft_set_work(transform->fft, transform->space->work, error);
    for (size_t first = 0; !status && first < from->count; first += 2 * transform->pairs) {
        const size_t left = from->count - first;
        const size_t count = left < 2 * transform->pairs ? left : 2 * transform->pairs;
        const rec_device_rows in = part_of(from, first, count), out = part_of(to, first, count);
        cudaError_t result = rec_launch_pack(axis, back, z, &in, transform->stream);
        status = rec_cufft_execute(transform->fft, z, error);
        if (!status && axis->chirp) {
            if (result == cudaSuccess)
                result = rec_launch_convolve(axis, z, transform->pairs, transform->stream);
            status = rec_cufft_execute(transform->fft, z, error);
        }
        if (result == cudaSuccess)
            result = rec_launch_unpack(axis, back, z, &out, scale, offset, transform->stream);
        if (!status)
            status = rec_cuda_status(result, "a transform of the rows", error);
    }
    return status;
}
