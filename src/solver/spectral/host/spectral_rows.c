#include "solver/spectral/host/spectral_host.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

/* Threads must not share cache lines at the seams of their work. */
static size_t work_size(const rec_spectral_axis *axis) { return (2 * axis->length + 15) / 8 * 8; }

rec_status rec_transform_create(rec_transform *made, const rec_spectral_axis *axis, int threads,
                                rec_error *error)
{
    *made = (rec_transform){.axis = axis, .threads = threads};
    rec_status status = rec_fft_create(&made->fft, axis->basis, 0, axis->length, error);
    if (!status && axis->basis == REC_COSINE)
        status = rec_fft_create(&made->back, axis->basis, 1, axis->length, error);
    if (!status && axis->basis == REC_SINE)
        status = rec_allocate(&made->work, (size_t)threads * work_size(axis), sizeof(double),
                              "sine transforms", error);
    if (status)
        rec_transform_destroy(made);
    return status;
}

void rec_transform_destroy(rec_transform *transform)
{
    rec_fft_destroy(transform->fft);
    rec_fft_destroy(transform->back);
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
static void unpack(const rec_spectral_axis *axis, const double *z, double *first, double *second,
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

static void transform_sines(const rec_transform *sine, double *plane, size_t rows, size_t stride,
                            double scale)
{
    /* The last row of an odd number goes with itself. */
#pragma omp parallel for schedule(static) num_threads(sine->threads)
    for (size_t y = 0; y < rows; y += 2) {
        double *z = sine->work + rec_team_member() * work_size(sine->axis);
        double *first = plane + y * stride;
        double *second = y + 1 < rows ? first + stride : first;
        pack(sine->axis, first, second, z);
        rec_fft_execute(sine->fft, z);
        unpack(sine->axis, z, first, second, scale);
    }
}

void rec_transform_rows(const rec_transform *transform, int back, double *plane, size_t rows,
                        size_t stride, double scale)
{
    const size_t n = transform->axis->n;
    rec_fft *fft = back && transform->back ? transform->back : transform->fft;
    if (transform->axis->basis == REC_SINE) {
        transform_sines(transform, plane, rows, stride, scale);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(transform->threads)
    for (size_t y = 0; y < rows; y++) {
        double *row = plane + y * stride;
        rec_fft_execute(fft, row);
        for (size_t i = 0; i < n; i++)
            row[i] *= scale;
    }
}
