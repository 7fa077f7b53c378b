/* FFTs on the host: the only door to FFTW. */
#ifndef REC_SOLVER_SPECTRAL_FFTW_H
#define REC_SOLVER_SPECTRAL_FFTW_H

#include <stddef.h>

#include "base/status.h"

typedef struct rec_fft rec_fft;

/* All work in place: on `length` complex numbers forward, or on `length` real ones. */
typedef enum rec_fft_kind {
    REC_FFT_COMPLEX,
    REC_FFT_COSINE,      /* X_k = 2 sum_j x_j cos(pi k (j + 1/2) / n): DCT-II, */
    REC_FFT_COSINE_BACK, /* what takes that to 2 n x: DCT-III */
    REC_FFT_HARTLEY      /* X_k = sum_j x_j (cos + sin)(2 pi j k / n) */
} rec_fft_kind;

/* Planned by FFTW's estimate: planning by measurement takes longer than the transforms that it
 * speeds up, and its choice, hence the last bit of the result, would change from run to run. */
rec_status rec_fft_create(rec_fft **fft, rec_fft_kind kind, size_t length, rec_error *error);
void rec_fft_destroy(rec_fft *fft); /* NULL is fine */

/* Any thread; `data` is aligned to REC_ALIGNMENT. */
void rec_fft_execute(rec_fft *fft, double *data);

/* 1 after FFTW has run out of memory: what was transformed since is of no use. */
int rec_fft_is_broken(void);

#endif
