#include "solver/spectral/spectral_sine.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

/* Threads must not share cache lines at the seams of their work. */
static size_t work_size(const rec_axis *axis) { return (2 * axis->length + 15) / 8 * 8; }

rec_status rec_sine_create(rec_sine *sine, const rec_axis *axis, int threads, rec_error *error)
{
    *sine = (rec_sine){.axis = axis, .threads = threads};
    void *work = NULL, *response = NULL;
    rec_status status = rec_fft_create(&sine->fft, axis->length, error);
    if (!status)
        status = rec_allocate(&work, (size_t)threads * work_size(axis), sizeof(double),
                              "sine transforms", error);
    sine->work = work;
    if (!status && axis->padded) {
        status = rec_allocate(&response, 2 * axis->length, sizeof(double), "sine transforms",
                              error);
        sine->response = response;
        if (!status) {
            rec_axis_fill_response(axis, sine->response);
            rec_fft_execute(sine->fft, sine->response);
        }
    }
    if (status)
        rec_sine_destroy(sine);
    return status;
}

void rec_sine_destroy(rec_sine *sine)
{
    rec_fft_destroy(sine->fft);
    rec_free(sine->work);
    rec_free(sine->response);
    memset(sine, 0, sizeof *sine);
}

/* ---- two rows ---- */

static void pack(const rec_axis *axis, const double *first, const double *second, double *z)
{
    const size_t period = axis->period;
    z[0] = z[1] = 0;
    for (size_t j = 1; 2 * j <= period; j++) {
        const size_t k = period - j;
        const double f = first[j - 1], g = first[k - 1], u = second[j - 1], v = second[k - 1];
        const double even = axis->sine[j] * (f + g), odd = 0.5 * (f - g);
        const double other_even = axis->sine[j] * (u + v), other_odd = 0.5 * (u - v);
        z[2 * j] = even + odd;
        z[2 * j + 1] = other_even + other_odd;
        z[2 * k] = even - odd;
        z[2 * k + 1] = other_even - other_odd;
    }
}

/* F_1 is half of the real part at 0; then F_(2k) and F_(2k+1) by steps. */
static void unpack(const rec_axis *axis, const double *z, double *first, double *second,
                   double scale)
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

/* z * w, and conj(z) * w: plain arithmetic, without the care for infinities of C's complex type. */
static void multiply(double *z, const double *w, size_t count)
{
    for (size_t i = 0; i < 2 * count; i += 2) {
        const double real = z[i] * w[i] - z[i + 1] * w[i + 1];
        z[i + 1] = z[i] * w[i + 1] + z[i + 1] * w[i];
        z[i] = real;
    }
}

static void multiply_conjugate(double *z, const double *w, size_t count)
{
    for (size_t i = 0; i < 2 * count; i += 2) {
        const double real = z[i] * w[i] + z[i + 1] * w[i + 1];
        z[i + 1] = z[i] * w[i + 1] - z[i + 1] * w[i];
        z[i] = real;
    }
}

static void conjugate(double *z, size_t count)
{
    for (size_t i = 1; i < 2 * count; i += 2)
        z[i] = -z[i];
}

static void transform_pair(const rec_sine *sine, double *z, double *first, double *second,
                           double scale)
{
    const rec_axis *axis = sine->axis;
    pack(axis, first, second, z);
    if (!axis->padded)
        rec_fft_execute(sine->fft, z);
    else { /* the inverse FFT is the forward one between two conjugations */
        memset(z + 2 * axis->period, 0, 2 * (axis->length - axis->period) * sizeof *z);
        multiply(z, axis->chirp, axis->period);
        rec_fft_execute(sine->fft, z);
        multiply(z, sine->response, axis->length);
        conjugate(z, axis->length);
        rec_fft_execute(sine->fft, z);
        multiply_conjugate(z, axis->chirp, axis->period);
    }
    unpack(axis, z, first, second, scale);
}

void rec_sine_transform(const rec_sine *sine, double *plane, size_t rows, size_t stride,
                        double scale)
{
    /* The last row of an odd number goes with itself. */
#pragma omp parallel for schedule(static) num_threads(sine->threads)
    for (size_t y = 0; y < rows; y += 2) {
        double *z = sine->work + rec_team_member() * work_size(sine->axis);
        double *first = plane + y * stride;
        transform_pair(sine, z, first, y + 1 < rows ? first + stride : first, scale);
    }
}
