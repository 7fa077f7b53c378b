/* Transforms of rows, and the only file that calls FFTW. */
#include "solver/spectral/host/spectral_host.h"

#include <fftw3.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"

/* FFTW's planner is one for the process, and only executing plans is safe from several threads. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

/* A child of fork() finds the planner as no thread uses it. */
static void hold(void) { pthread_mutex_lock(&planner); }
static void let_go(void) { pthread_mutex_unlock(&planner); }
static __attribute__((constructor)) void prepare_forks(void)
{
    pthread_atfork(hold, let_go, let_go);
}

/* Without memory FFTW calls abort, in planning and in transforms that need some. It is left by a
 * jump then, and never used again. An abort of anybody else goes to the handler from before. */
static _Thread_local sigjmp_buf *out_of_memory;
static int broken;
static struct sigaction before;

static void leave(int number)
{
    if (out_of_memory)
        siglongjmp(*out_of_memory, 1);
    sigaction(number, &before, NULL);
    raise(number);
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
    const rec_spectral_axis *axis;
    double *data; /* aligned to REC_ALIGNMENT */
    int back;     /* to be planned: cosine modes become rows */
    fftw_plan plan;
} order;

static void plan(void *work)
{
    order *fft = work;
    const int length = (int)fft->axis->length;
    fftw_complex *numbers = (fftw_complex *)(void *)fft->data;
    const fftw_r2r_kind kind = fft->axis->basis == REC_HARTLEY ? FFTW_DHT
                               : fft->back                     ? FFTW_REDFT01
                                                               : FFTW_REDFT10;
    if (fft->axis->basis == REC_SINE)
        fft->plan = fftw_plan_dft_1d(length, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE);
    else
        fft->plan = fftw_plan_r2r_1d(length, fft->data, fft->data, kind, FFTW_ESTIMATE);
}

/* By FFTW's estimate: planning by measurement takes longer than the transforms that it speeds up,
 * and the last bit of the result would change from run to run. */
static rec_status make_plan(fftw_plan *plan_of, const rec_spectral_axis *axis, int back,
                            rec_error *error)
{
    const struct sigaction catch = {.sa_handler = leave, .sa_flags = SA_NODEFER};
    struct sigaction last;
    order made = {.axis = axis, .back = back};
    if (axis->length > INT_MAX)
        return rec_fail(error, REC_LIMIT, "an FFT of %zu points is more than FFTW takes",
                        axis->length);
    REC_TRY(
        rec_allocate(&made.data, 2 * axis->length, sizeof(double), "planning a transform", error));
    pthread_mutex_lock(&planner);
    sigaction(SIGABRT, &catch, &last);
    before = last.sa_handler == leave ? before : last;
    trapped(plan, &made);
    pthread_mutex_unlock(&planner);
    rec_free(made.data);
    *plan_of = made.plan;
    return made.plan ? REC_OK
                     : rec_fail(error, REC_LIMIT, "FFTW could not plan a transform of %zu points",
                                axis->length);
}

static void execute(void *work)
{
    const order *fft = work;
    fftw_complex *numbers = (fftw_complex *)(void *)fft->data;
    if (fft->axis->basis == REC_SINE)
        fftw_execute_dft(fft->plan, numbers, numbers);
    else
        fftw_execute_r2r(fft->plan, fft->data, fft->data);
}

static void transform_row(const rec_transform *transform, int back, double *data)
{
    fftw_plan plan_of = back && transform->back ? transform->back : transform->there;
    trapped(execute, &(order){.axis = transform->axis, .data = data, .plan = plan_of});
}

/* Threads must not share cache lines at the seams of their work. */
static size_t work_size(const rec_spectral_axis *axis) { return (2 * axis->length + 15) / 8 * 8; }

rec_status rec_transform_create(rec_transform *made, const rec_spectral_axis *axis, int threads,
                                rec_error *error)
{
    *made = (rec_transform){.axis = axis, .threads = threads};
    rec_status status = make_plan(&made->there, axis, 0, error);
    if (!status && axis->basis == REC_COSINE)
        status = make_plan(&made->back, axis, 1, error);
    if (!status && axis->basis == REC_SINE)
        status = rec_allocate(&made->work, (size_t)threads * work_size(axis), sizeof(double),
                              "sine transforms", error);
    if (status)
        rec_transform_destroy(made);
    return status;
}

void rec_transform_destroy(rec_transform *transform)
{
    pthread_mutex_lock(&planner);
    if (!rec_fft_is_broken()) {
        fftw_destroy_plan(transform->there); /* NULL is fine */
        fftw_destroy_plan(transform->back);
    }
    pthread_mutex_unlock(&planner);
    rec_free(transform->work);
    memset(transform, 0, sizeof *transform);
}

/* ---- two rows ---- */

static void pack(const rec_spectral_axis *axis, const double *first, const double *second,
                 double *z)
{
    const size_t period = axis->period;
    z[0] = z[1] = 0;
    for (size_t j = 1; 2 * j <= period; j++) {
        const size_t k = period - j;
        const double f = first[j - 1], g = first[k - 1], u = second[j - 1], v = second[k - 1];
        const double even = axis->turn[j] * (f + g), odd = 0.5 * (f - g);
        const double other_even = axis->turn[j] * (u + v), other_odd = 0.5 * (u - v);
        z[2 * j] = even + odd;
        z[2 * j + 1] = other_even + other_odd;
        z[2 * k] = even - odd;
        z[2 * k + 1] = other_even - other_odd;
    }
}

/* F_1 is half of the real part at 0; then F_(2k) and F_(2k+1) by steps. */
static void unpack_pair(const rec_spectral_axis *axis, const double *z, double *first,
                        double *second, double scale)
{
    const size_t n = axis->n, period = axis->period;
    const double half = 0.5 * scale;
    double odd = half * z[0], other_odd = half * z[1];
    first[0] = odd;
    second[0] = other_odd;
    for (size_t k = 1; 2 * k <= n; k++) {
        const double *at = z + 2 * k, *mirrored = z + 2 * (period - k);
        first[2 * k - 1] = half * (mirrored[1] - at[1]);
        second[2 * k - 1] = half * (at[0] - mirrored[0]);
        odd += half * (at[0] + mirrored[0]);
        other_odd += half * (at[1] + mirrored[1]);
        if (2 * k < n) {
            first[2 * k] = odd;
            second[2 * k] = other_odd;
        }
    }
}

/* The last row of an odd number goes with itself. */
REC_TASK(transform_pairs, const rec_transform *sine; double *plane; size_t rows, stride;
         double scale)
{
    const rec_transform *sine = job->sine;
    double *z = sine->work + member * work_size(sine->axis);
    for (size_t y = 2 * first; y < 2 * end; y += 2) {
        double *one = job->plane + y * job->stride;
        double *other = y + 1 < job->rows ? one + job->stride : one;
        pack(sine->axis, one, other, z);
        transform_row(sine, 0, z);
        unpack_pair(sine->axis, z, one, other, job->scale);
    }
}

REC_TASK(transform_each, const rec_transform *transform; int back; double *plane; size_t stride;
         double scale)
{
    for (size_t y = first; y < end; y++) {
        double *row = job->plane + y * job->stride;
        transform_row(job->transform, job->back, row);
        for (size_t i = 0; i < job->transform->axis->n; i++)
            row[i] *= job->scale;
    }
}

void rec_transform_rows(const rec_transform *transform, int back, double *plane, size_t rows,
                        size_t stride, double scale)
{
    if (transform->axis->basis == REC_SINE)
        REC_SHARE(transform->threads, (rows + 1) / 2, transform_pairs, transform, plane, rows,
                  stride, scale);
    else
        REC_SHARE(transform->threads, rows, transform_each, transform, back, plane, stride, scale);
}
