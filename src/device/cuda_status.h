/* CUDA's errors as ours, and what is on the machine: shared by the files of the cuda solver. */
#pragma once

#include <cuda_runtime_api.h>

#include "base/status.h"

/* REC_OK for cudaSuccess; otherwise fills `error` with what was being done and CUDA's own words:
 * REC_LIMIT for memory, REC_UNAVAILABLE where the device or its driver is not there or was lost,
 * REC_FAULT for what a correct program does not get. */
rec_status rec_cuda_status(cudaError_t result, const char *doing, rec_error *error);

/* Calls that are made as long as all before succeeded; `result` is a variable of the caller. */
#define REC_FIRST_FAILURE(call)                                                                    \
    do {                                                                                           \
        if (result == cudaSuccess)                                                                 \
            result = (call);                                                                       \
    } while (0)

/* How many devices there are; 0 with `error` filled when that cannot be found out. */
int rec_cuda_count(rec_error *error);

/* 1 if there is the device of that number; else 0 with `error` filled. */
int rec_cuda_available(int device, rec_error *error);

/* Makes the device's context, which takes a tenth of a second and more, in whatever thread. */
cudaError_t rec_cuda_make_context(int device);

/* Starts the device: checks that it is there and makes its context. *seconds: how long that
 * took. */
rec_status rec_cuda_start(int device, char name[128], double *seconds, rec_error *error);

/* The bytes that a headless solve takes on the device for `planes` planes of width x height: two
 * iterates, the edge term, and the sums of the norms. */
double rec_cuda_bytes(double width, double height, double planes);

/* The largest side of a square grey image whose solve fits in `bytes`. */
size_t rec_cuda_largest_side(size_t bytes);
