#include "solver/spectral/spectral_axis.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* sin(pi j / (2 N)) for 0 <= j <= 2 N, as exact at the far end as at the near one. */
static double half_sine(size_t j, size_t period)
{
    const size_t mirrored = j <= period ? j : 2 * period - j;
    return sin(M_PI * (double)mirrored / (2 * (double)period));
}

/* By bases: mode i is p = each * i + first; the norm is that many times the period. */
static const struct {
    size_t each, first;
    double norm;
} bases[] = {[REC_SINE] = {1, 1, 0.5}, [REC_COSINE] = {1, 0, 2}, [REC_HARTLEY] = {2, 0, 1}};

size_t rec_mode_of(rec_basis basis, size_t i) { return bases[basis].each * i + bases[basis].first; }

rec_status rec_spectral_axis_create(rec_spectral_axis *axis, rec_basis basis, size_t n,
                                    size_t points, rec_error *error)
{
    const size_t period = basis == REC_SINE ? n + 1 : n;
    *axis = (rec_spectral_axis){
        .basis = basis, .n = n, .period = period, .norm = bases[basis].norm * (double)period};
    const int sines = basis == REC_SINE;
    const size_t most = sines ? 2 * points : points, least = 2 * period - (sines ? 2 : 1);
    axis->length = points ? REC_LEAST_ON_DEVICE : period;
    while (axis->length < period)
        axis->length *= 2;
    axis->padded = points && (axis->length != period || axis->length > most);
    while (axis->padded && axis->length < least)
        axis->length *= 2;
    axis->doubles = period * (axis->padded ? 7 : 5);
    REC_TRY(rec_allocate(&axis->turn, axis->doubles, sizeof(double), "tables of the transforms",
                         error));
    /* Complex numbers first: a device reads them whole, by 16 bytes. */
    axis->chirp = axis->padded ? axis->turn + 2 * period : NULL;
    axis->low = axis->turn + (axis->padded ? 4 : 2) * period;
    axis->high = axis->low + period;
    axis->ones = axis->high + period;
    for (size_t i = 0; i < n; i++) {
        const size_t p = rec_mode_of(basis, i);
        /* The cosine is the sine from the other end. */
        const double sine = half_sine(p, period);
        const double cosine = half_sine(p < period ? period - p : p - period, period);
        axis->low[i] = sine * sine;
        axis->high[i] = cosine * cosine;
        axis->ones[i] = sines ? (p % 2 ? cosine / sine : 0) : i ? 0 : axis->norm;
    }
    for (size_t j = 0; sines && j < period; j++)
        axis->turn[j] = half_sine(2 * j, period);
    for (size_t k = 0; basis == REC_COSINE && k < period; k++) {
        axis->turn[2 * k] = half_sine(period - k, period);
        axis->turn[2 * k + 1] = -half_sine(k, period);
    }
    for (size_t j = 0; axis->padded && j < period; j++) {
        const uint64_t turn = (uint64_t)j * j % (2 * period);
        const double angle = M_PI * ((double)turn - (turn > period ? 2 * (double)period : 0)) /
                             (double)period;
        axis->chirp[2 * j] = cos(angle);
        axis->chirp[2 * j + 1] = -sin(angle);
    }
    return REC_OK;
}

void rec_spectral_axis_destroy(rec_spectral_axis *axis)
{
    rec_free(axis->turn);
    memset(axis, 0, sizeof *axis);
}
