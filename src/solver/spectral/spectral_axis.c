#include "solver/spectral/spectral_axis.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

static size_t find_largest_prime(size_t n)
{
    size_t largest = 1;
    for (size_t p = 2; p * p <= n; p++)
        while (n % p == 0) {
            largest = p;
            n /= p;
        }
    return n > 1 ? n : largest;
}

/* FFTW is faster with N as it is than padded when its prime factors are at most this
 * (docs/spectral.md). */
enum { LARGEST_PRIME = 31 };

enum { LEAST_ON_DEVICE = 1024 };

static void choose_length(rec_spectral_axis *axis, int on_device)
{
    const size_t least = 2 * axis->period - (axis->basis == REC_SINE ? 2 : 1);
    axis->length = axis->period;
    axis->padded = on_device || (axis->basis == REC_SINE &&
                                 find_largest_prime(axis->period) > LARGEST_PRIME);
    if (on_device)
        for (axis->length = LEAST_ON_DEVICE; axis->length < least; axis->length *= 2)
            ;
    else if (axis->padded)
        for (axis->length = least; find_largest_prime(axis->length) > 7; axis->length++)
            ;
}

/* sin(pi j / (2 N)) for 0 <= j <= 2 N, as exact at the far end as at the near one. */
static double half_sine(size_t j, size_t period)
{
    const size_t mirrored = j <= period ? j : 2 * period - j;
    return sin(M_PI * (double)mirrored / (2 * (double)period));
}

static void fill_modes(rec_spectral_axis *axis)
{
    const rec_basis basis = axis->basis;
    const size_t period = axis->period;
    for (size_t i = 0; i < axis->n; i++) {
        const size_t p = basis == REC_SINE ? i + 1 : basis == REC_COSINE ? i : 2 * i;
        /* The cosine is the sine from the other end. */
        const double sine = half_sine(p, period);
        const double cosine = half_sine(p < period ? period - p : p - period, period);
        axis->low[i] = sine * sine;
        axis->high[i] = cosine * cosine;
        axis->ones[i] = basis == REC_SINE ? (p % 2 ? cosine / sine : 0) : i ? 0 : axis->norm;
    }
}

static void fill_turns(rec_spectral_axis *axis)
{
    const size_t period = axis->period;
    for (size_t j = 0; axis->basis == REC_SINE && j < period; j++)
        axis->turn[j] = half_sine(2 * j, period);
    for (size_t k = 0; axis->basis == REC_COSINE && k < period; k++) {
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
}

rec_status rec_spectral_axis_create(rec_spectral_axis *axis, rec_basis basis, size_t n,
                                    int on_device, rec_error *error)
{
    const size_t period = basis == REC_SINE ? n + 1 : n;
    const double norms[] = {[REC_SINE] = 0.5, [REC_COSINE] = 2, [REC_HARTLEY] = 1};
    *axis = (rec_spectral_axis){.basis = basis,
                                .n = n,
                                .period = period,
                                .norm = norms[basis] * (double)period};
    choose_length(axis, on_device);
    axis->doubles = period * (axis->padded ? 7 : 5);
    const rec_status status = rec_allocate(&axis->block, axis->doubles, sizeof(double),
                                           "tables of the transforms", error);
    if (status)
        return status;
    /* Complex numbers first: a device reads them whole, by 16 bytes. */
    axis->turn = axis->block;
    axis->chirp = axis->padded ? axis->turn + 2 * period : NULL;
    axis->low = axis->turn + (axis->padded ? 4 : 2) * period;
    axis->high = axis->low + period;
    axis->ones = axis->high + period;
    fill_modes(axis);
    fill_turns(axis);
    return REC_OK;
}

void rec_spectral_axis_destroy(rec_spectral_axis *axis)
{
    rec_free(axis->block);
    memset(axis, 0, sizeof *axis);
}

double rec_spectral_axis_cost(const rec_spectral_axis *axis)
{
    return (axis->padded ? 2.0 : 1.0) * (double)axis->length / (double)axis->period;
}

void rec_spectral_axis_fill_response(const rec_spectral_axis *axis, double *response)
{
    const double scale = 1 / (double)axis->length;
    memset(response, 0, 2 * axis->length * sizeof *response);
    for (size_t d = 0; d < axis->period; d++) {
        const double real = scale * axis->chirp[2 * d], imaginary = -scale * axis->chirp[2 * d + 1];
        /* Forward offsets end at N - 2, so that the two ends meet but do not overlap. */
        const size_t at[2] = {d, d ? axis->length - d : 0};
        for (int i = d + 1 < axis->period ? 0 : 1; i < 2; i++) {
            response[2 * at[i]] = real;
            response[2 * at[i] + 1] = imaginary;
        }
    }
}
