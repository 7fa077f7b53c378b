#include "solver/spectral/host/spectral_fftw.h"

#include <fftw3.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"

struct rec_fft {
    fftw_plan plan;
    int complex;
};

/* FFTW's planner is one for the process, and only executing plans is safe from several threads. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

/* Without memory the planner calls abort. It is left by a jump then, and never used again. */
static sigjmp_buf out_of_memory;
static int broken;

static void leave(int number)
{
    (void)number;
    siglongjmp(out_of_memory, 1);
}

static fftw_plan make_plan(rec_fft_kind kind, int length, void *data)
{
    static const fftw_r2r_kind real[] = {[REC_FFT_COSINE] = FFTW_REDFT10,
                                         [REC_FFT_COSINE_BACK] = FFTW_REDFT01,
                                         [REC_FFT_HARTLEY] = FFTW_DHT};
    fftw_plan volatile plan = NULL;
    struct sigaction old, catch = {.sa_handler = leave};
    pthread_mutex_lock(&planner);
    sigaction(SIGABRT, &catch, &old);
    if (broken || sigsetjmp(out_of_memory, 1))
        broken = 1;
    else
        plan = kind == REC_FFT_COMPLEX
                   ? fftw_plan_dft_1d(length, data, data, FFTW_FORWARD, FFTW_ESTIMATE)
                   : fftw_plan_r2r_1d(length, data, data, real[kind], FFTW_ESTIMATE);
    sigaction(SIGABRT, &old, NULL);
    pthread_mutex_unlock(&planner);
    return plan;
}

rec_status rec_fft_create(rec_fft **fft, rec_fft_kind kind, size_t length, rec_error *error)
{
    *fft = NULL;
    void *data;
    if (length > INT_MAX)
        return rec_fail(error, REC_LIMIT, "an FFT of %zu points is more than FFTW takes", length);
    const rec_status status =
        rec_allocate(&data, 2 * length, sizeof(double), "planning a transform", error);
    if (status)
        return status;
    rec_fft *made = calloc(1, sizeof *made);
    if (made)
        *made = (rec_fft){make_plan(kind, (int)length, data), kind == REC_FFT_COMPLEX};
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
    if (!broken)
        fftw_destroy_plan(fft->plan);
    pthread_mutex_unlock(&planner);
    free(fft);
}

void rec_fft_execute(const rec_fft *fft, double *data)
{
    fftw_complex *numbers = (fftw_complex *)(void *)data;
    if (fft->complex)
        fftw_execute_dft(fft->plan, numbers, numbers);
    else
        fftw_execute_r2r(fft->plan, data, data);
}
