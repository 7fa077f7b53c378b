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
