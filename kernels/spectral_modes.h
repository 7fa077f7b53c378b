/* The formulas of a single mode, read by the C compiler and by nvcc. */
#pragma once

#include "kernels/stencil.h"

/* The transform along an axis (src/solver/spectral/spectral_axis.h). */
typedef enum rec_basis { REC_SINE, REC_COSINE, REC_HARTLEY } rec_basis;

/* M_N^ = keep (M_0 - c)^ + take E^. With a the sum of sin^2 and b of cos^2 of both axes' half
 * angles the iteration multiplies a mode by mu = 1 - a = b - 1:
 *
 *   keep = mu^N = exp(N log1p(-a)) for a < 1, else (-1)^N exp(N log1p(-b))
 *   take = -(1 - mu^N) / (4 a)
 *
 * (b is 1 + 2^-52 for some modes with a = 1.) An infinite n is the limit. expm1 instead of exp: 1 -
 * mu^N keeps its digits where mu^N is near 1. */
typedef struct rec_mode {
    double keep, take;
} rec_mode;

static inline REC_HD rec_mode rec_mode_after(double a, double b, double n, int odd)
{
    rec_mode mode = {0, -1 / (4 * a)};
    if (isinf(n))
        return mode;
    const double change = expm1(n * log1p(-(a < 1 ? a : b < 1 ? b : 1)));
    const int negative = a >= 1 && odd;
    mode.keep = negative ? -1 - change : 1 + change;
    mode.take = (negative ? -2 - change : change) / (4 * a);
    return mode;
}

/* A stencil's constants beside its symbol (src/solver/spectral/spectral.h). */
typedef struct rec_mode_terms {
    double pace, gain; /* omega / d and omega scale / d: an iteration adds gain (E - level) */
    double level;      /* of edges where the picture is that of the sine transforms, 0 */
    double negligible; /* a symbol of smaller magnitude counts as 0: its mode is lost */
} rec_mode_terms;

static inline REC_HD rec_mode rec_mode_of_symbol(const rec_mode_terms *terms, double symbol,
                                                 double n, int odd)
{
    const double a = terms->pace * symbol;
    rec_mode mode = rec_mode_after(a, 2 - a, n, odd);
    mode.take *= -4 * terms->gain; /* rec_mode_after has the five-point update's */
    if (fabs(symbol) <= terms->negligible) {
        mode.keep = isinf(n) ? 0 : 1;
        mode.take = isinf(n) ? 0 : n * terms->gain;
    }
    return mode;
}
