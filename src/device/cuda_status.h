/* CUDA's errors as ours, and what is on the machine: shared by the files of the cuda solver. */
#pragma once

#include <cuda_runtime_api.h>

#include "base/status.h"

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

/* The number of devices. With `error` filled: 0 without a device or a driver, -1 if the driver
 * fails. */
int rec_cuda_count(rec_error *error);

/* Makes the device's context: a tenth of a second and more. Any thread may call it. */
cudaError_t rec_cuda_make_context(int device);

/* The floats of a row of `width` pixels there: rows begin at 128 bytes. */
static inline size_t rec_cuda_pitch(size_t width) { return (width + 31) / 32 * 32; }

/* The largest side of a square grey image whose solve fits in `bytes`: two iterates,
 * the edge term, and the sums of the norms. */
size_t rec_cuda_largest_side(size_t bytes);
