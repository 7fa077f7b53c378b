/* What a solver or a display has on a device: a stream, memory, the way of images there and back.
 * A room of zeros may be destroyed, and so may one whose start or whose memory failed. */
#pragma once

#include "device/cuda_status.h"
#include "device/cuda_transfer.h"
#include "problem/planes.h"
#include "problem/problem.h"

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

/* Queues the copy of the image's rows from `top` on to the planes at `to`: as many as these have.
 * As rec_cuda_upload. */
cudaError_t rec_cuda_room_upload(rec_cuda_room *room, float *to, const rec_image *image,
                                 size_t top);
/* Returns when the planes at `from` are in the image, which has their size. */
rec_status rec_cuda_room_fetch(rec_cuda_room *room, const float *from, rec_image *image,
                               rec_error *error);

/* Waits for the stream. *seconds: from `begun` to `ended`, which were recorded. */
cudaError_t rec_cuda_room_elapsed(rec_cuda_room *room, double *seconds);
