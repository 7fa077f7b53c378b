/* The CUDA devices of this machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct rec_device {
    int number;
    uint64_t id;               /* equal in all processes of the host */
    char name[128];
    int major, minor;          /* compute capability */
    int multiprocessors;
    size_t memory, available;  /* bytes */
    size_t largest_side;       /* of a square grey image that fits in `available`, headless */
} rec_device;

/* Fills at most `capacity` devices and sets *count to the number of devices. Without CUDA *count is
 * 0, `error` has the reason, and the status is REC_OK. The memory of a device is known only with
 * `start`. */
rec_status rec_devices(rec_device *devices, size_t capacity, int start, size_t *count,
                       rec_error *error);

/* 1 if the device exists; else 0 with `error` filled. */
int rec_device_available(int device, rec_error *error);
/* Makes the device's context: REC_UNAVAILABLE where CUDA cannot work, as in a child of fork(). */
rec_status rec_device_begin(int device, rec_error *error);
/* The device that holds this memory, and the one that this thread's calls go to; below 0: none. */
int rec_device_of(const void *memory);
int rec_device_current(void);
void rec_device_choose(int device);

/* Queues the copy of rows of floats from or to a device on `stream`, one of its own, behind what is
 * queued on `user`, whose later work waits for it. Strides in floats. Copies to the host wait. */
rec_status rec_device_copy(float *to, size_t to_stride, const float *from, size_t from_stride,
                           size_t width, size_t height, void *stream, void *user, rec_error *error);
