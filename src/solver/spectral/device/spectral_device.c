#include "solver/spectral/device/spectral_device.h"

#include "solver/cuda/cuda_status.h"

enum { MOST_PAIRS = 32768 }; /* of a launch: a grid's second dimension ends at 65535 */

rec_status rec_device_transform_plan(rec_device_transform *made, const rec_spectral_axis *axis,
                                     size_t rows, size_t chunk_bytes, rec_error *error)
{
    const size_t pairs = (rows + 1) / 2, row_bytes = 2 * axis->length * sizeof(double);
    *made = (rec_device_transform){.axis = {.basis = axis->basis,
                                            .n = axis->n,
                                            .period = axis->period,
                                            .length = axis->length},
                                   .pairs = pairs,
                                   .table_bytes = axis->doubles * sizeof(double) + 2 * row_bytes};
    const rec_status status = rec_cuda_status(rec_spectral_choose_inner(&made->axis),
                                              "preparing the transforms", error);
    if (status || made->axis.log == made->axis.inner)
        return status;
    size_t most = chunk_bytes / row_bytes;
    if (most > MOST_PAIRS)
        most = MOST_PAIRS;
    if (most < 1)
        most = 1;
    const size_t chunks = (pairs + most - 1) / most;
    made->pairs = (pairs + chunks - 1) / chunks; /* all of about the same size */
    made->z_bytes = made->pairs * row_bytes;
    return REC_OK;
}

/* What the workspace held is lost. */
static cudaError_t reserve(rec_device_workspace *space, size_t bytes)
{
    if (bytes <= space->bytes)
        return cudaSuccess;
    cudaFree(space->z);
    *space = (rec_device_workspace){0};
    const cudaError_t result = cudaMalloc((void **)&space->z, bytes);
    if (result == cudaSuccess)
        space->bytes = bytes;
    return result;
}

rec_status rec_device_transform_create(rec_device_transform *planned, const rec_spectral_axis *axis,
                                       rec_device_workspace *space, cudaStream_t stream,
                                       rec_error *error)
{
    rec_device_axis *on_device = &planned->axis;
    cudaError_t result = cudaMalloc((void **)&planned->tables, planned->table_bytes);
    planned->space = space;
    planned->stream = stream;
    on_device->roots = planned->tables;
    on_device->response = on_device->roots + 2 * axis->length;
    double *const block = on_device->response + 2 * axis->length;
    on_device->turn = block;
    on_device->chirp = block + (axis->chirp - axis->turn);
    on_device->low = block + (axis->low - axis->turn);
    on_device->high = block + (axis->high - axis->turn);
    on_device->ones = block + (axis->ones - axis->turn);
    REC_FIRST_FAILURE(reserve(space, planned->z_bytes));
    REC_FIRST_FAILURE(cudaMemcpyAsync(block, axis->block, axis->doubles * sizeof(double),
                                      cudaMemcpyHostToDevice, stream));
    REC_FIRST_FAILURE(rec_launch_response(on_device, space->z, stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(stream));
    return rec_cuda_status(result, "preparing the transforms", error);
}

rec_status rec_device_transform_rows(const rec_device_transform *transform, int back,
                                     const rec_device_rows *to, const rec_device_rows *from,
                                     double scale, double offset, rec_error *error)
{
    return rec_cuda_status(rec_launch_rows(&transform->axis, back, to, from, scale, offset,
                                           transform->space->z, transform->pairs,
                                           transform->stream),
                           "a transform of the rows", error);
}
