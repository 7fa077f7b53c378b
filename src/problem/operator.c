/* Operators from stencils: their weights, their properties, and how fast they converge. */
#include "problem/operator.h"

#include <math.h>
#include <string.h>

#include "base/team.h"

_Static_assert((int)REC_TAPS_SIDE == (int)REC_STENCIL_SIDE, "a stencil fits");

static void set_stencil(rec_operator *made, const rec_stencil *stencil)
{
    made->stencil = *stencil;
    for (size_t i = 0; i < stencil->width * stencil->height; i++)
        made->stencil.weights[i] = (double)(float)stencil->weights[i];
    made->taps.width = (int)stencil->width;
    made->taps.height = (int)stencil->height;
    made->taps.scale = 1;
    made->taps.offset = 0;
    made->is_inverse = 0;
    made->gain = made->level = 0;
}

void rec_operator_filter(rec_operator *made, const rec_stencil *stencil)
{
    set_stencil(made, stencil);
    made->taps.scale = (float)stencil->scale;
    made->taps.offset = (float)stencil->offset + 0.0f; /* never -0 */
    for (size_t i = 0; i < stencil->width * stencil->height; i++)
        made->taps.weights[i] = (float)stencil->weights[i];
}

void rec_operator_iteration(rec_operator *made, const rec_stencil *stencil, double omega)
{
    const size_t count = stencil->width * stencil->height, middle = count / 2;
    const double d = rec_stencil_middle(stencil);
    set_stencil(made, stencil);
    made->is_inverse = 1;
    made->omega = omega;
    made->gain = omega * stencil->scale / d;
    made->level = stencil->offset;
    for (size_t i = 0; i < count; i++)
        made->taps.weights[i] = (float)((i == middle) - omega * stencil->weights[i] / d);
}

double rec_stencil_middle(const rec_stencil *stencil)
{
    const double weight = stencil->weights[stencil->width * stencil->height / 2];
    return weight == 0 ? 1 : weight;
}

int rec_stencil_is_even(const rec_stencil *stencil)
{
    const size_t width = stencil->width, height = stencil->height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const double weight = stencil->weights[y * width + x];
            if (weight != stencil->weights[y * width + (width - 1 - x)] ||
                weight != stencil->weights[(height - 1 - y) * width + x])
                return 0;
        }
    return 1;
}

/* Samples the symbol over d at many angles: its real part and, if it is not even, its magnitude. */
rec_status rec_operator_choose_omega(const rec_stencil *stencil, double *omega, rec_error *error)
{
    enum { STEPS = 32 };
    const long width = (long)stencil->width, height = (long)stencil->height;
    const double d = stencil->weights[width * height / 2], step = 3.14159265358979323846 / STEPS;
    const int even = rec_stencil_is_even(stencil);
    double least = INFINITY, most = -INFINITY, turning = INFINITY;
    for (int a = -STEPS; d != 0 && a <= STEPS; a++)
        for (int b = 0; b <= STEPS; b++) {
            double real = 0, imaginary = 0;
            for (long i = 0; i < width * height; i++) {
                const double angle = step * (a * (double)(i % width - width / 2) +
                                             b * (double)(i / width - height / 2));
                real += stencil->weights[i] / d * cos(angle);
                imaginary += stencil->weights[i] / d * sin(angle);
            }
            const double square = real * real + imaginary * imaginary;
            least = fmin(least, real);
            most = fmax(most, real);
            turning = square > 1e-12 ? fmin(turning, real / square) : turning;
        }
    if (d == 0 || least < -1e-7 * most || (!even && turning <= 0))
        return rec_fail(error, REC_USAGE,
                        "the iteration with the stencil %s does not converge: %s\v--solver "
                        "spectral without -n finds the picture at once", stencil->name,
                        d == 0 ? "it has no weight in its middle" : "its symbol changes sign");
    *omega = even ? 2 / (most + fmax(least, 0)) : turning;
    return REC_OK;
}

/* ---- two factors ---- */

static int is_integer(double value) { return fabs(value) <= 0x1p24 && value == floor(value); }

/* The largest integer that divides all values; 0 if one of them is no integer. */
static double common_divisor(const double *values, int count)
{
    double divisor = 0;
    for (int i = 0; i < count; i++) {
        double a = fabs(values[i]);
        if (!is_integer(a))
            return 0;
        while (a > 0) {
            const double rest = fmod(divisor, a);
            divisor = a;
            a = rest;
        }
    }
    return divisor;
}

/* Cross approximation: each term removes the row and the column of the largest weight left. */
void rec_operator_factors(const rec_operator *op, rec_factors *factors)
{
    const rec_taps *taps = &op->taps;
    const int width = taps->width, count = width * taps->height;
    double rest[REC_TAPS_SIDE * REC_TAPS_SIDE], down[REC_TAPS_SIDE], tolerance = 0;
    for (int i = 0; i < count; i++)
        rest[i] = (double)taps->weights[i];
    for (int term = 0; !op->is_inverse; term++) {
        int pivot = 0;
        for (int i = 1; i < count; i++)
            if (fabs(rest[i]) > fabs(rest[pivot]))
                pivot = i;
        factors->terms = term;
        if (fabs(rest[pivot]) <= tolerance)
            return;
        if (term == REC_TERMS)
            break;
        double across[REC_TAPS_SIDE], unit = rest[pivot];
        memcpy(across, rest + pivot / width * width, (size_t)width * sizeof *across);
        if (!term) {
            const double divisor = common_divisor(across, width);
            tolerance = 0x1p-22 * fabs(unit);
            unit = divisor > 0 ? divisor : unit;
        }
        for (int y = 0; y < taps->height; y++) {
            down[y] = rest[y * width + pivot % width] / (across[pivot % width] / unit);
            factors->down[term][y] = (float)down[y];
        }
        for (int x = 0; x < width; x++)
            factors->across[term][x] = (float)(across[x] /= unit);
        for (int i = 0; i < count; i++)
            rest[i] -= down[i / width] * across[i % width];
    }
    factors->terms = 0;
}

REC_TASK(find_fractions, size_t *whole; const rec_image *picture)
{
    for (size_t y = first; y < end; y++) {
        const float *row = job->picture->data + y * job->picture->stride;
        int whole = 1;
        for (size_t x = 0; x < job->picture->width; x++)
            whole &= row[x] == rintf(row[x]);
        if (!whole)
            rec_team_lower(job->whole, y);
    }
}

int rec_operator_is_exact(const rec_operator *op, const rec_image *picture, float halo)
{
    const rec_taps *taps = &op->taps;
    const double most = fmax(rec_image_largest(picture), fabs((double)halo));
    double weights = 0;
    int whole = halo == rintf(halo) && !op->is_inverse;
    for (int i = 0; i < taps->width * taps->height; i++) {
        weights += fabs((double)taps->weights[i]);
        whole &= is_integer((double)taps->weights[i]);
    }
    if (!whole || weights * most > 0x1p24)
        return 0;
    const size_t rows = picture->planes * picture->height;
    size_t good = rows;
    REC_SHARE_ROWS(picture->width, rows, find_fractions, &good, picture);
    return good == rows;
}
