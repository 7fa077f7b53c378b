/* Complex FFTs on the host: the only door to FFTW. */
#ifndef REC_SOLVER_SPECTRAL_FFTW_H
#define REC_SOLVER_SPECTRAL_FFTW_H

#include <stddef.h>

#include "base/status.h"

typedef struct rec_fft rec_fft;

/* A forward FFT of `length` complex numbers, in place. Planned by FFTW's estimate: planning by
 * measurement takes longer than the transforms that it speeds up, and its choice, hence the last
 * bit of the result, would change from run to run. */
rec_status rec_fft_create(rec_fft **fft, size_t length, rec_error *error);
void rec_fft_destroy(rec_fft *fft); /* NULL is fine */

/* Any thread; `data` is aligned to REC_ALIGNMENT. */
void rec_fft_execute(const rec_fft *fft, double *data);

/* Cosine transforms of n numbers, in place: forward X_k = 2 sum_j x_j cos(pi k (j + 1/2) / n), the
 * DCT-II, backward what takes that to 2 n x, the DCT-III. Any n. */
typedef struct rec_dct rec_dct;

rec_status rec_dct_create(rec_dct **dct, size_t n, rec_error *error);
void rec_dct_destroy(rec_dct *dct); /* NULL is fine */

/* Any thread; `data` is aligned to REC_ALIGNMENT. */
void rec_dct_forward(const rec_dct *dct, double *data);
void rec_dct_backward(const rec_dct *dct, double *data);

const char *rec_fft_version(void);

#endif
