#include "device/cuda_room.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "base/text.h"
#include "base/trace.h"
#include "device/devices.h"

/* ---- images, through pinned memory ----
 *
 * The driver would copy an image in ordinary memory through its own small buffer, by one thread.
 * Here all threads fill or empty one of two buffers of pinned memory while the other is copied. */

/* Floats of a buffer: larger ones are filled faster, but pinning them takes 0.4 ms a MiB. */
enum { LEAST = 1 << 18, MOST = 1 << 22 };
enum { PAGE = 1 << 10 }; /* floats */
_Static_assert(MOST >= REC_MAX_SIDE, "a row fits");

static cudaError_t create_transfer(rec_cuda_transfer *transfer, size_t width, size_t height)
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

static void destroy_transfer(rec_cuda_transfer *transfer)
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

static rec_status cuda_write(const rec_planes *planes, float *to, size_t to_stride,
                             const float *from, size_t from_stride, size_t width, size_t height,
                             rec_error *error)
{
    rec_cuda_transfer *transfer = planes->transfer;
    const int there = rec_device_of(from) >= 0;
    cudaError_t result = cudaSetDevice(planes->device);
    if (there)
        REC_FIRST_FAILURE(cudaMemcpy2DAsync(to, to_stride * sizeof(float), from,
                                        from_stride * sizeof(float), width * sizeof(float), height,
                                        cudaMemcpyDefault, planes->stream));
    for (size_t y = 0, i = 0; !there && y < height && result == cudaSuccess; i ^= 1) {
        const size_t rows = rows_at_once(transfer, width, height - y);
        float *staging = transfer->staging[i];
        result = cudaEventSynchronize(transfer->copied[i]);
        if (result == cudaSuccess)
            rec_copy_rows(staging, width, from + y * from_stride, from_stride, width, rows);
        REC_FIRST_FAILURE(cudaMemcpy2DAsync(to + y * to_stride, to_stride * sizeof(float), staging,
                                        width * sizeof(float), width * sizeof(float), rows,
                                        cudaMemcpyHostToDevice, planes->stream));
        REC_FIRST_FAILURE(cudaEventRecord(transfer->copied[i], planes->stream));
        y += rows;
    }
    return rec_cuda_status(result, "copying the image to the device", error);
}

/* The system provides new memory a page at a time, when it is first written: all threads write. */
REC_TASK(touch_rows, float *to; size_t stride, width)
{
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < job->width; x += PAGE)
            job->to[y * job->stride + x] = 0.0f;
}

static rec_status cuda_read(const rec_planes *planes, float *to, size_t to_stride,
                            const float *from, size_t from_stride, size_t width, size_t height,
                            rec_error *error)
{
    rec_cuda_transfer *transfer = planes->transfer;
    size_t asked = 0, there = 0, rows[2] = {0, 0}; /* of the image; in each buffer */
    cudaError_t result = cudaSetDevice(planes->device);
    for (int i = 0; there < height && result == cudaSuccess; i = !i) {
        rows[i] = rows_at_once(transfer, width, height - asked);
        if (rows[i]) {
            result = cudaMemcpy2DAsync(transfer->staging[i], width * sizeof(float),
                                       from + asked * from_stride, from_stride * sizeof(float),
                                       width * sizeof(float), rows[i], cudaMemcpyDeviceToHost,
                                       planes->stream);
            REC_FIRST_FAILURE(cudaEventRecord(transfer->copied[i], planes->stream));
            asked += rows[i];
        }
        if (there == 0 && i == 0)
            REC_SHARE_ROWS(width, height, touch_rows, to, to_stride, width);
        REC_FIRST_FAILURE(cudaEventSynchronize(transfer->copied[!i]));
        if (result == cudaSuccess)
            rec_copy_rows(to + there * to_stride, to_stride, transfer->staging[!i], width, width,
                          rows[!i]);
        there += rows[!i];
    }
    return rec_cuda_status(result, "copying the picture from the device", error);
}

/* ---- a room ---- */

void rec_cuda_reach(int device, int other)
{
    int reaches = 0;
    if (other != device && cudaDeviceCanAccessPeer(&reaches, device, other) == cudaSuccess &&
        reaches && cudaSetDevice(device) == cudaSuccess)
        cudaDeviceEnablePeerAccess(other, 0);
    cudaGetLastError(); /* it may have been so already */
}

rec_status rec_cuda_room_start(rec_room *room, rec_error *error)
{
    rec_planes *planes = &room->planes;
    if (!rec_device_available(room->device, error))
        return REC_UNAVAILABLE;
    const double before = rec_now();
    struct cudaDeviceProp about;
    cudaError_t result = rec_cuda_make_context(room->device); /* now, so that its time is known */
    REC_FIRST_FAILURE(cudaGetDeviceProperties(&about, room->device));
    if (result != cudaSuccess)
        return rec_cuda_status(result, "starting the device", error);
    snprintf(room->costs->device, sizeof room->costs->device, "%.127s", about.name);
    room->costs->seconds_start = rec_now() - before;
    planes->on_device = 1;
    planes->device = room->device;
    result = cudaStreamCreateWithFlags(&room->stream, cudaStreamNonBlocking);
    REC_FIRST_FAILURE(cudaEventCreate(&room->event[REC_BEGUN]));
    REC_FIRST_FAILURE(cudaEventCreate(&room->event[REC_ENDED]));
    REC_FIRST_FAILURE(
        create_transfer(&room->transfer, planes->width, planes->height * planes->planes));
    planes->stream = room->stream;
    planes->transfer = &room->transfer;
    return rec_cuda_status(result, "starting the device", error);
}

/* ---- memory ---- */

static void cuda_give_back(rec_room *room, int block)
{
    if (!room->block[block])
        return;
    if (block < REC_PINNED) {
        cudaFree(room->block[block]);
        room->costs->device_bytes -= room->bytes[block];
    } else {
        cudaFreeHost(room->block[block]);
    }
    room->block[block] = NULL;
    room->bytes[block] = 0;
}

static void cuda_destroy(rec_room *room)
{
    if (!room->costs) /* no device was chosen yet */
        return;
    cudaSetDevice(room->device);
    if (room->stream)
        cudaStreamSynchronize(room->stream);
    destroy_transfer(&room->transfer);
    for (int i = 0; i < REC_BLOCKS; i++)
        cuda_give_back(room, i);
    for (int i = 0; i < REC_EVENTS; i++)
        if (room->event[i])
            cudaEventDestroy(room->event[i]);
    if (room->stream)
        cudaStreamDestroy(room->stream);
}

static rec_status refuse(const rec_room *room, size_t needed, size_t available,
                         const char *what, rec_error *error)
{
    const rec_planes *planes = &room->planes;
    const size_t side = rec_cuda_largest_side(available);
    char needs[32], has[32];
#define NEEDS "%s needs %s on device %d for %zu x %zu pixels in %zu plane%s, and %s is free, " \
              "enough to iterate on a square grey image of %zu x %zu"
    return rec_fail(error, REC_LIMIT, *room->instead ? NEEDS "\v%s" : NEEDS "%s", what,
                    rec_format_bytes(needs, (double)needed), room->device, planes->width,
                    planes->height, planes->planes, rec_plural(planes->planes),
                    rec_format_bytes(has, (double)available), side, side, room->instead);
}

/* Bytes that the device would have to give, and those that it has. */
static cudaError_t measure(const rec_room *room, const size_t wanted[REC_BLOCKS], size_t *more,
                           size_t *available)
{
    size_t all = 0;
    *more = *available = 0;
    for (int i = 0; i < REC_PINNED; i++)
        *more += wanted[i] > room->bytes[i] ? wanted[i] - room->bytes[i] : 0;
    return *more ? cudaMemGetInfo(available, &all) : cudaSuccess;
}

int rec_cuda_room_fits(const rec_room *room, const size_t wanted[REC_BLOCKS])
{
    size_t more, available;
    return measure(room, wanted, &more, &available) == cudaSuccess && more <= available;
}

static rec_status cuda_allocate(rec_room *room, const size_t wanted[REC_BLOCKS], const char *what,
                                rec_error *error)
{
    size_t more = 0, available = 0;
    cudaError_t result = cudaSetDevice(room->device);
    REC_FIRST_FAILURE(measure(room, wanted, &more, &available));
    if (result == cudaSuccess && more > available)
        return refuse(room, more, available, what, error);
    REC_TRACE("allocate", more);
    for (int i = 0; i < REC_BLOCKS && result == cudaSuccess; i++) {
        if (wanted[i] <= room->bytes[i])
            continue;
        cuda_give_back(room, i);
        result = i < REC_PINNED ? cudaMalloc(&room->block[i], wanted[i])
                                : cudaMallocHost(&room->block[i], wanted[i]);
        if (result != cudaSuccess) {
            room->block[i] = NULL;
            break;
        }
        room->bytes[i] = wanted[i];
        room->costs->device_bytes += i < REC_PINNED ? wanted[i] : 0;
    }
    return rec_cuda_status(result, "taking memory on the device", error);
}

static rec_status cuda_wait(const rec_planes *planes, rec_error *error)
{
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    return rec_cuda_status(result, "iterating", error);
}

const rec_memory rec_memory_cuda = {.allocate = cuda_allocate, .give_back = cuda_give_back,
                                    .destroy = cuda_destroy, .wait = cuda_wait,
                                    .read = cuda_read, .write = cuda_write};

/* ---- images ---- */

rec_status rec_cuda_room_upload(rec_room *room, float *to, const rec_image *image, size_t top,
                                rec_error *error)
{
    const rec_planes *planes = &room->planes;
    /* Planes that follow each other on both sides are copied as one. */
    const int one = planes->height == image->height &&
                    planes->step == planes->height * planes->pitch;
    const size_t count = one ? 1 : planes->planes;
    for (size_t p = 0; p < count; p++)
        REC_TRY(cuda_write(planes, to + p * planes->step, planes->pitch,
                           rec_image_row(image, p, top), image->stride, planes->width,
                           planes->height * planes->planes / count, error));
    return REC_OK;
}

cudaError_t rec_cuda_room_elapsed(rec_room *room, double *seconds)
{
    float milliseconds = 0;
    cudaError_t result = cudaStreamSynchronize(room->stream);
    REC_FIRST_FAILURE(cudaEventElapsedTime(&milliseconds, room->event[REC_BEGUN],
                                           room->event[REC_ENDED]));
    *seconds = 1e-3 * (double)milliseconds;
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
