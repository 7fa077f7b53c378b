/* Images to the device and back, through pinned memory. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

typedef struct rec_cuda_transfer {
    float *staging[2];      /* pinned */
    size_t floats;          /* of each */
    cudaEvent_t copied[2];  /* the device has read or filled it */
} rec_cuda_transfer;

/* For the current device, and for images up to width x height. A transfer of zeros may be
 * destroyed; before, the device must be done. */
cudaError_t rec_cuda_transfer_create(rec_cuda_transfer *transfer, size_t width, size_t height);
void rec_cuda_transfer_destroy(rec_cuda_transfer *transfer);

/* Pitch and stride in floats. Upload and download queue behind the work on the stream. The upload
 * returns when `from` may change, but on a device that must stay until the copy has ended. */
cudaError_t rec_cuda_upload(rec_cuda_transfer *transfer, float *to, size_t pitch, const float *from,
                            size_t stride, size_t width, size_t height, cudaStream_t stream);

/* What is queued on `stream` from now on waits for what is queued on `user`, a stream of the same
 * device. */
cudaError_t rec_cuda_follow(cudaStream_t stream, cudaStream_t user);

/* Returns when all rows are in `to`. */
cudaError_t rec_cuda_download(rec_cuda_transfer *transfer, float *to, size_t stride,
                              const float *from, size_t pitch, size_t width, size_t height,
                              cudaStream_t stream);
