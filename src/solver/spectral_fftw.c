#include "solver/spectral_fftw.h"

#include <fftw3.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

struct rec_fft {
    fftw_plan plan;
};

/* FFTW's planner is one for the process, and only executing plans is safe from several threads. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

rec_status rec_fft_create(rec_fft **fft, size_t length, rec_error *error)
{
    *fft = NULL;
    void *data;
    if (length > INT_MAX)
        return rec_fail(error, REC_LIMIT, "an FFT of %zu points is more than FFTW takes", length);
    const rec_status status =
        rec_allocate(&data, 2 * length, sizeof(double), "planning a sine transform", error);
    if (status)
        return status;
    rec_fft *made = calloc(1, sizeof *made);
    if (made) {
        pthread_mutex_lock(&planner);
        made->plan = fftw_plan_dft_1d((int)length, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
        pthread_mutex_unlock(&planner);
    }
    rec_free(data);
    if (!made || !made->plan) {
        free(made);
        return rec_fail(error, REC_LIMIT, "FFTW could not plan a transform of %zu points", length);
    }
    *fft = made;
    return REC_OK;
}

void rec_fft_destroy(rec_fft *fft)
{
    if (!fft)
        return;
    pthread_mutex_lock(&planner);
    fftw_destroy_plan(fft->plan);
    pthread_mutex_unlock(&planner);
    free(fft);
}

void rec_fft_execute(const rec_fft *fft, double *data)
{
    fftw_complex *numbers = (fftw_complex *)(void *)data;
    fftw_execute_dft(fft->plan, numbers, numbers);
}

const char *rec_fft_version(void) { return fftw_version; }
