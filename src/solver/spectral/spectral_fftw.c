#include "solver/spectral/spectral_fftw.h"

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

struct rec_dct {
    fftw_plan forward, backward;
};

rec_status rec_dct_create(rec_dct **dct, size_t n, rec_error *error)
{
    *dct = NULL;
    void *data;
    if (n > INT_MAX)
        return rec_fail(error, REC_LIMIT, "a transform of %zu points is more than FFTW takes", n);
    const rec_status status =
        rec_allocate(&data, n, sizeof(double), "planning a cosine transform", error);
    if (status)
        return status;
    rec_dct *made = calloc(1, sizeof *made);
    if (made) {
        pthread_mutex_lock(&planner);
        made->forward = fftw_plan_r2r_1d((int)n, data, data, FFTW_REDFT10, FFTW_ESTIMATE);
        made->backward = fftw_plan_r2r_1d((int)n, data, data, FFTW_REDFT01, FFTW_ESTIMATE);
        pthread_mutex_unlock(&planner);
    }
    rec_free(data);
    if (!made || !made->forward || !made->backward) {
        rec_dct_destroy(made);
        return rec_fail(error, REC_LIMIT, "FFTW could not plan a transform of %zu points", n);
    }
    *dct = made;
    return REC_OK;
}

void rec_dct_destroy(rec_dct *dct)
{
    if (!dct)
        return;
    pthread_mutex_lock(&planner);
    if (dct->forward)
        fftw_destroy_plan(dct->forward);
    if (dct->backward)
        fftw_destroy_plan(dct->backward);
    pthread_mutex_unlock(&planner);
    free(dct);
}

void rec_dct_forward(const rec_dct *dct, double *data)
{
    fftw_execute_r2r(dct->forward, data, data);
}

void rec_dct_backward(const rec_dct *dct, double *data)
{
    fftw_execute_r2r(dct->backward, data, data);
}

const char *rec_fft_version(void) { return fftw_version; }
