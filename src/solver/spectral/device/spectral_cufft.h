/* Complex FFTs on a device: the only door to cuFFT, which is opened when it is first used. */
#ifndef REC_SOLVER_SPECTRAL_CUFFT_H
#define REC_SOLVER_SPECTRAL_CUFFT_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "base/status.h"

typedef struct rec_cufft rec_cufft;

int rec_cufft_available(rec_error *error);

/* A forward FFT of `batch` rows of `length` complex numbers, in place, on `stream`. */
rec_status rec_cufft_create(rec_cufft **fft, size_t length, size_t batch, cudaStream_t stream,
                            rec_error *error);
void rec_cufft_destroy(rec_cufft *fft); /* NULL is fine */

/* The bytes of device memory that it works in, which the owner provides. */
size_t rec_cufft_work_bytes(const rec_cufft *fft);
rec_status rec_cufft_set_work(rec_cufft *fft, void *work, rec_error *error);

rec_status rec_cufft_execute(rec_cufft *fft, double *data, rec_error *error);

#endif
