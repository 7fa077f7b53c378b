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

const char *rec_fft_version(void);

#endif
