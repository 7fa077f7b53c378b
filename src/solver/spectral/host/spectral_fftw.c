#include "solver/spectral/host/spectral_host.h"

#include <fftw3.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"

struct rec_fft {
    fftw_plan plan;
    int is_complex;
};

/* FFTW's planner is one for the process, and only executing plans is safe from several threads. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

/* Without memory FFTW calls abort, in planning and in transforms that need some. It is left by a
 * jump then, and never used again. An abort of anybody else ends the process as ever. */
static _Thread_local sigjmp_buf *out_of_memory;
static int broken;

static void leave(int number)
{
    if (out_of_memory)
        siglongjmp(*out_of_memory, 1);
    signal(number, SIG_DFL);
}

int rec_fft_is_broken(void) { return __atomic_load_n(&broken, __ATOMIC_RELAXED); }

/* body(work), unless FFTW is broken, by this call or before. */
static void trapped(void (*body)(void *), void *work)
{
    sigjmp_buf trap;
    if (rec_fft_is_broken())
        return;
    if (sigsetjmp(trap, 0)) {
        __atomic_store_n(&broken, 1, __ATOMIC_RELAXED);
    } else {
        out_of_memory = &trap;
        body(work);
    }
    out_of_memory = NULL;
}

typedef struct order {
    rec_fft *fft;
    double *data;
    int length; /* to be planned */
    fftw_r2r_kind kind;
} order;

static void plan(void *work)
{
    const order *of = work;
    fftw_complex *numbers = (fftw_complex *)(void *)of->data;
    of->fft->plan =
        of->fft->is_complex
            ? fftw_plan_dft_1d(of->length, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE)
            : fftw_plan_r2r_1d(of->length, of->data, of->data, of->kind, FFTW_ESTIMATE);
}

rec_status rec_fft_create(rec_fft **fft, rec_basis basis, int back, size_t length,
                          rec_error *error)
{
    const fftw_r2r_kind kind = basis == REC_HARTLEY ? FFTW_DHT : back ? FFTW_REDFT01 : FFTW_REDFT10;
    *fft = NULL;
    double *data;
    if (length > INT_MAX)
        return rec_fail(error, REC_LIMIT, "an FFT of %zu points is more than FFTW takes", length);
    const rec_status status =
        rec_allocate(&data, 2 * length, sizeof(double), "planning a transform", error);
    if (status)
        return status;
    const struct sigaction catch = {.sa_handler = leave, .sa_flags = SA_NODEFER};
    rec_fft *made = calloc(1, sizeof *made);
    if (made) {
        made->is_complex = basis == REC_SINE;
        pthread_mutex_lock(&planner);
        sigaction(SIGABRT, &catch, NULL);
        trapped(plan, &(order){made, data, (int)length, kind});
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
    if (!rec_fft_is_broken())
        fftw_destroy_plan(fft->plan);
    pthread_mutex_unlock(&planner);
    free(fft);
}

static void execute(void *work)
{
    const order *of = work;
    fftw_complex *numbers = (fftw_complex *)(void *)of->data;
    if (of->fft->is_complex)
        fftw_execute_dft(of->fft->plan, numbers, numbers);
    else
        fftw_execute_r2r(of->fft->plan, of->data, of->data);
}

void rec_fft_execute(rec_fft *fft, double *data)
{
    trapped(execute, &(order){.fft = fft, .data = data});
}
