/* The driver would copy an image in ordinary memory through its own small buffer, by one thread.
 * Here all threads fill or empty one of two buffers of pinned memory while the other is copied. */
#include "device/cuda_room.h"

#include "base/memory.h"
#include "base/team.h"
#include "image/image.h"
#include "device/devices.h"

/* Floats of a buffer: larger ones are filled faster, but pinning them takes 0.4 ms a MiB. */
enum { LEAST = 1 << 18, MOST = 1 << 22 };
enum { PAGE = 1 << 10 }; /* floats */
_Static_assert(MOST >= REC_MAX_SIDE, "a row fits");

cudaError_t rec_cuda_transfer_create(rec_cuda_transfer *transfer, size_t width, size_t height)
{
    cudaError_t result = cudaSuccess;
    const size_t all = width * height, pieces = rec_larger(all / 8, rec_larger(width, LEAST));
    transfer->floats = rec_smaller(all, rec_smaller(pieces, MOST));
    for (int i = 0; i < 2; i++) {
        REC_FIRST_FAILURE(cudaMallocHost((void **)&transfer->staging[i],
                                     transfer->floats * sizeof(float)));
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(&transfer->copied[i], cudaEventDisableTiming));
    }
    return result;
}

void rec_cuda_transfer_destroy(rec_cuda_transfer *transfer)
{
    for (int i = 0; i < 2; i++) {
        cudaFreeHost(transfer->staging[i]);
        if (transfer->copied[i])
            cudaEventDestroy(transfer->copied[i]);
    }
}

/* The number of rows that fill a buffer. */
static size_t rows_at_once(const rec_cuda_transfer *transfer, size_t width, size_t left)
{
    return rec_smaller(transfer->floats / width, left);
}

cudaError_t rec_cuda_upload(rec_cuda_transfer *transfer, float *to, size_t pitch, const float *from,
                            size_t stride, size_t width, size_t height, cudaStream_t stream)
{
    cudaError_t result = cudaSuccess;
    if (rec_device_of(from) >= 0)
        return cudaMemcpy2DAsync(to, pitch * sizeof(float), from, stride * sizeof(float),
                                 width * sizeof(float), height, cudaMemcpyDefault, stream);
    for (size_t y = 0, i = 0; y < height && result == cudaSuccess; i ^= 1) {
        const size_t rows = rows_at_once(transfer, width, height - y);
        float *staging = transfer->staging[i];
        result = cudaEventSynchronize(transfer->copied[i]);
        if (result == cudaSuccess)
            rec_copy_rows(staging, width, from + y * stride, stride, width, rows);
        REC_FIRST_FAILURE(cudaMemcpy2DAsync(to + y * pitch, pitch * sizeof(float), staging,
                                        width * sizeof(float), width * sizeof(float), rows,
                                        cudaMemcpyHostToDevice, stream));
        REC_FIRST_FAILURE(cudaEventRecord(transfer->copied[i], stream));
        y += rows;
    }
    return result;
}

/* The system provides new memory a page at a time, when it is first written: all threads write. */
REC_TASK(touch_rows, float *to; size_t stride, width)
{
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < job->width; x += PAGE)
            job->to[y * job->stride + x] = 0.0f;
}

cudaError_t rec_cuda_download(rec_cuda_transfer *transfer, float *to, size_t stride,
                              const float *from, size_t pitch, size_t width, size_t height,
                              cudaStream_t stream)
{
    cudaError_t result = cudaSuccess;
    size_t asked = 0, there = 0, rows[2] = {0, 0}; /* of the image; in each buffer */
    for (int i = 0; there < height && result == cudaSuccess; i = !i) {
        rows[i] = rows_at_once(transfer, width, height - asked);
        if (rows[i]) {
            result = cudaMemcpy2DAsync(transfer->staging[i], width * sizeof(float),
                                       from + asked * pitch, pitch * sizeof(float),
                                       width * sizeof(float), rows[i], cudaMemcpyDeviceToHost,
                                       stream);
            REC_FIRST_FAILURE(cudaEventRecord(transfer->copied[i], stream));
            asked += rows[i];
        }
        if (there == 0 && i == 0)
            REC_SHARE_ROWS(width, height, touch_rows, to, stride, width);
        REC_FIRST_FAILURE(cudaEventSynchronize(transfer->copied[!i]));
        if (result == cudaSuccess)
            rec_copy_rows(to + there * stride, stride, transfer->staging[!i], width, width,
                          rows[!i]);
        there += rows[!i];
    }
    return result;
}

/* ---- memory of callers ---- */

int rec_device_of(const void *memory)
{
    struct cudaPointerAttributes about;
    if (cudaPointerGetAttributes(&about, memory) != cudaSuccess)
        return cudaGetLastError(), -1; /* there is no driver */
    return about.type == cudaMemoryTypeDevice ? about.device : -1;
}

int rec_device_current(void)
{
    int device;
    if (cudaGetDevice(&device) != cudaSuccess)
        return cudaGetLastError(), -1;
    return device;
}

void rec_device_choose(int device)
{
    if (device >= 0)
        cudaSetDevice(device);
}

cudaError_t rec_cuda_follow(cudaStream_t stream, cudaStream_t user)
{
    cudaEvent_t queued;
    cudaError_t result = cudaEventCreateWithFlags(&queued, cudaEventDisableTiming);
    if (result != cudaSuccess)
        return result;
    REC_FIRST_FAILURE(cudaEventRecord(queued, user));
    REC_FIRST_FAILURE(cudaStreamWaitEvent(stream, queued, 0));
    cudaEventDestroy(queued); /* once the stream has waited */
    return result;
}

rec_status rec_device_copy(float *to, size_t to_stride, const float *from, size_t from_stride,
                           size_t width, size_t height, void *stream, void *user, rec_error *error)
{
    cudaError_t result = cudaSuccess;
    rec_device_choose(rec_device_of(from));
    if (stream != user)
        REC_FIRST_FAILURE(rec_cuda_follow(stream, user));
    if (to != from)
        REC_FIRST_FAILURE(cudaMemcpy2DAsync(to, to_stride * sizeof(float), from,
                                            from_stride * sizeof(float), width * sizeof(float),
                                            height, cudaMemcpyDefault, stream));
    if (stream != user)
        REC_FIRST_FAILURE(rec_cuda_follow(user, stream));
    return rec_cuda_status(result, "copying between arrays", error);
}
