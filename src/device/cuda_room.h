/* CUDA's errors as ours, images to a device and back, and what a solver or a display has there. */
#pragma once

#include <cuda_runtime_api.h>

#include "problem/problem.h"

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

/* The largest side of a square grey image whose solve fits in `bytes`: two iterates,
 * the edge term, and the sums of the norms. */
size_t rec_cuda_largest_side(size_t bytes);

/* ---- images, through pinned memory ---- */

typedef struct rec_cuda_transfer {
    float *staging[2];      /* pinned */
    size_t floats;          /* of each */
    cudaEvent_t copied[2];  /* the device has read or filled it */
} rec_cuda_transfer;

/* Pitch and stride in floats. Upload and download queue behind the work on the stream. The upload
 * returns when `from` may change, but on a device that must stay until the copy has ended. */
cudaError_t rec_cuda_upload(rec_cuda_transfer *transfer, float *to, size_t pitch, const float *from,
                            size_t stride, size_t width, size_t height, cudaStream_t stream);

/* `stream` goes on once what is queued on `user`, a stream of the same device, is done. */
cudaError_t rec_cuda_follow(cudaStream_t stream, cudaStream_t user);

/* Returns when all rows are in `to`. */
cudaError_t rec_cuda_download(rec_cuda_transfer *transfer, float *to, size_t stride,
                              const float *from, size_t pitch, size_t width, size_t height,
                              cudaStream_t stream);

/* ---- a room: a stream, memory, the way of images there and back ----
 *
 * A room of zeros may be destroyed, and so may one whose start or whose memory failed. */

/* The blocks of memory have numbers: the user's own. The last ones are pinned memory of the host,
 * which the device can reach. */
enum { REC_PINNED = 16, REC_BLOCKS = 18 };

typedef struct rec_cuda_room {
    /* Set before the start: */
    int device;
    rec_costs *costs; /* kept up to date: the device's name, the bytes, the time of the start */
    rec_planes planes;        /* of the picture; the start sets where they are, the user m and f */
    const char *instead;      /* for what does not fit: what to do, or "" */

    cudaStream_t stream;
    cudaEvent_t begun, ended; /* with their times */
    rec_cuda_transfer transfer;
    void *block[REC_BLOCKS];
    size_t bytes[REC_BLOCKS]; /* of each */
} rec_cuda_room;

/* Peer access where possible: what is copied then does not go through the host. */
void rec_cuda_reach(int device, int other);

/* Checks that the device exists, makes its context, and creates stream, events and transfer. */
rec_status rec_cuda_room_start(rec_cuda_room *room, rec_error *error);
void rec_cuda_room_destroy(rec_cuda_room *room); /* waits for the stream */

/* 1: what is wanted is there, or free on the current device. */
int rec_cuda_room_fits(const rec_cuda_room *room, const size_t wanted[REC_BLOCKS]);
/* Makes every block as large as wanted, on the current device; what was in one that grows is lost.
 * REC_LIMIT says what is needed and what is free, and then nothing is lost; `what`: what for. */
rec_status rec_cuda_room_take(rec_cuda_room *room, const size_t wanted[REC_BLOCKS],
                              const char *what, rec_error *error);
void rec_cuda_room_give_back(rec_cuda_room *room, int block); /* waits for who still reads it */

/* rec_cuda_upload of the image's rows from `top` on to the planes at `to`, as many as they have. */
cudaError_t rec_cuda_room_upload(rec_cuda_room *room, float *to, const rec_image *image,
                                 size_t top);
/* Returns when the planes at `from` are in the image, which has their size. */
rec_status rec_cuda_room_fetch(rec_cuda_room *room, const float *from, rec_image *image,
                               rec_error *error);

/* Waits for the stream. *seconds: from `begun` to `ended`, which were recorded. */
cudaError_t rec_cuda_room_elapsed(rec_cuda_room *room, double *seconds);
