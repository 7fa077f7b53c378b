/* Images to the device and back, through pinned memory: for the files of src/solver/ alone. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

typedef struct rec_cuda_transfer {
    float *staging[2];      /* pinned */
    size_t floats;          /* of each */
    cudaEvent_t copied[2];  /* the device is done with it */
} rec_cuda_transfer;

/* For the current device, and for transfers up to that size. Zeros may be destroyed; the device
 * must be done. */
cudaError_t rec_cuda_transfer_create(rec_cuda_transfer *transfer, size_t width, size_t height);
void rec_cuda_transfer_destroy(rec_cuda_transfer *transfer);

/* Pitch and stride in floats. Both queue behind what is on the stream. */

/* Returns when `from` may change, before the last copies have ended. */
cudaError_t rec_cuda_upload(rec_cuda_transfer *transfer, float *to, size_t pitch, const float *from,
                            size_t stride, size_t width, size_t height, cudaStream_t stream);

/* Returns when everything is there. */
cudaError_t rec_cuda_download(rec_cuda_transfer *transfer, float *to, size_t stride,
                              const float *from, size_t pitch, size_t width, size_t height,
                              cudaStream_t stream);
