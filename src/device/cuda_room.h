/* CUDA's errors as ours, and what a room on a device has beside memory. */
#pragma once

#include <cuda_runtime_api.h>

#include "device/room.h"
#include "kernels/kernels.h"

/* ---- errors, and what is on the machine: cuda_status.c ---- */

/* REC_OK for cudaSuccess; otherwise fills `error` with `doing` and CUDA's message: REC_LIMIT for
 * memory, REC_UNAVAILABLE if device or driver is missing or was lost, REC_FAULT for an error of
 * this program. */
rec_status rec_cuda_status(cudaError_t result, const char *doing, rec_error *error);

/* Makes the call if all calls before succeeded; `result` is a variable of the caller. */
#define REC_FIRST_FAILURE(call)                                                                    \
    do {                                                                                           \
        if (result == cudaSuccess)                                                                 \
            result = (call);                                                                       \
    } while (0)

/* How many devices. With `error` filled: 0 without device or driver, -1 if the driver fails. */
int rec_cuda_count(rec_error *error);

/* Makes the device's context: a tenth of a second and more. Any thread may call it. */
cudaError_t rec_cuda_make_context(int device);

/* The floats of a row of `width` pixels there: rows begin at 128 bytes. */
static inline size_t rec_cuda_pitch(size_t width) { return (width + 31) / 32 * 32; }

static inline rec_device_planes rec_cuda_planes_of(const rec_planes *planes)
{
    return (rec_device_planes){planes->width, planes->height, planes->planes, planes->pitch,
                               planes->step};
}

/* The largest side of a square grey image whose solve fits in `bytes`: two iterates,
 * the edge term, and the sums of the norms. */
size_t rec_cuda_largest_side(size_t bytes);

/* `stream` goes on once what is queued on `user`, a stream of the same device, is done. */
cudaError_t rec_cuda_follow(cudaStream_t stream, cudaStream_t user);

/* ---- a room on a device ---- */

/* The events of a start, with their times. */
enum { REC_BEGUN, REC_ENDED };

/* Peer access where possible: what is copied then does not go through the host. */
void rec_cuda_reach(int device, int other);

/* Checks that the room's device exists, makes its context, and creates stream, events and transfer;
 * sets where the planes are. The costs get the device's name and the time of the start. */
rec_status rec_cuda_room_start(rec_room *room, rec_error *error);

/* 1: what is wanted is there, or free on the current device. */
int rec_cuda_room_fits(const rec_room *room, const size_t wanted[REC_BLOCKS]);

/* Writes the image's rows from `top` on to the planes at `to`, as many as they have. */
rec_status rec_cuda_room_upload(rec_room *room, float *to, const rec_image *image, size_t top,
                                rec_error *error);

/* Waits for the stream. *seconds: from `begun` to `ended`, which were recorded. */
cudaError_t rec_cuda_room_elapsed(rec_room *room, double *seconds);
