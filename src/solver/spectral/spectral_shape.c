/* The shape of a problem: its axes, and what else host and device share. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/spectral/spectral.h"

/* ---- an axis ---- */

enum { LEAST_ON_DEVICE = 1024 }; /* points of an FFT */

/* sin(pi j / (2 N)) for 0 <= j <= 2 N, as exact at the far end as at the near one. */
static double half_sine(size_t j, size_t period)
{
    const size_t mirrored = j <= period ? j : 2 * period - j;
    return sin(M_PI * (double)mirrored / (2 * (double)period));
}

/* Times the period. */
static const double norms[] = {[REC_SINE] = 0.5, [REC_COSINE] = 2, [REC_HARTLEY] = 1};

/* n >= 1 pixels. `points`: as in rec_spectral_shape_make. */
static rec_status create_axis(rec_spectral_axis *axis, rec_basis basis, size_t n, size_t points,
                              rec_error *error)
{
    const size_t period = basis == REC_SINE ? n + 1 : n;
    *axis = (rec_spectral_axis){
        .basis = basis, .n = n, .period = period, .norm = norms[basis] * (double)period};
    const int sines = basis == REC_SINE;
    const size_t most = sines ? 2 * points : points, least = 2 * period - (sines ? 2 : 1);
    axis->length = points ? LEAST_ON_DEVICE : period;
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

static void destroy_axis(rec_spectral_axis *axis)
{
    rec_free(axis->turn);
    memset(axis, 0, sizeof *axis);
}

/* ---- the shape ---- */

static int has_no_prime_above(size_t most, size_t length)
{
    for (size_t prime = 2; prime <= most; prime++)
        while (length % prime == 0)
            length /= prime;
    return length == 1;
}

/* FFTW takes two to four times as long for lengths with larger prime factors. */
static int is_fast(size_t length) { return has_no_prime_above(19, length); }

/* The limit's rows have a width of their own where sine transforms of that width are faster
 * (docs/spectral.md): on a device the next power of two less 1, but short rows are faster padded;
 * on the host, where the length has a large prime factor, the next one with small ones alone. */
static rec_status make_limit_axis(rec_spectral_shape *shape, size_t points, rec_error *error)
{
    size_t period = points ? LEAST_ON_DEVICE : shape->width + 1;
    if (points) {
        while (period < shape->width)
            period *= 2;
        if (period == LEAST_ON_DEVICE || period > 2 * points)
            return REC_OK;
    } else {
        if (is_fast(period))
            return REC_OK;
        while (!has_no_prime_above(7, period))
            period++;
    }
    return create_axis(&shape->limit_x, REC_SINE, period - 1, points, error);
}

/* The transform that diagonalises the Laplacian along an axis, by its rule. The rules that are for
 * filters alone, behind these, have none. */
static const rec_basis bases[] = {
    [REC_FIXED] = REC_SINE, [REC_MIRRORED] = REC_COSINE, [REC_WRAPPED] = REC_HARTLEY};

rec_status rec_spectral_shape_make(rec_spectral_shape *shape, const rec_problem *problem,
                                   size_t points, rec_error *error)
{
    const rec_image *edges = problem->input;
    const rec_operator *op = problem->operators;
    const rec_boundary *boundary = &problem->boundary;
    const rec_boundary_row *row = &rec_boundaries[boundary->kind];
    if (row->x > REC_WRAPPED || row->y > REC_WRAPPED)
        return rec_fail(error, REC_FAULT, "no transform has this boundary");
    const rec_basis basis_x = bases[row->x], basis_y = bases[row->y];
    const int tridiagonal = basis_x == REC_SINE && basis_y == REC_SINE && !op;
    /* On the host the limit transforms the axis that is faster. */
    const int transposed = tridiagonal && !points && !is_fast(edges->width + 1) &&
                           is_fast(edges->height + 1);
    *shape = (rec_spectral_shape){.width = transposed ? edges->height : edges->width,
                                  .height = transposed ? edges->width : edges->height,
                                  .planes = edges->planes, .tridiagonal = tridiagonal,
                                  .transposed = transposed,
                                  .free_mean = rec_problem_frees_mean(problem), .mean_step = -0.25};
    if (rec_boundary_has_constant(boundary->kind))
        shape->halo = boundary->value;
    REC_TRY(create_axis(&shape->x, basis_x, shape->width, points, error));
    REC_TRY(create_axis(&shape->y, basis_y, shape->height, points, error));
    if (op) { /* a stencil in place of the five-point Laplacian */
        REC_TRY(rec_symbol_create(&shape->symbol, op, boundary, &shape->x, &shape->y, error));
        REC_TRY(rec_symbol_inspect(shape->symbol, edges, op->force, shape->free_mean,
                                   shape->inverse, error));
        shape->mean_step = op->gain;
    }
    if (shape->tridiagonal)
        REC_TRY(make_limit_axis(shape, points, error));
    return REC_OK;
}

void rec_spectral_shape_destroy(rec_spectral_shape *shape)
{
    rec_free(shape->symbol);
    destroy_axis(&shape->x);
    destroy_axis(&shape->y);
    destroy_axis(&shape->limit_x);
}

double rec_spectral_count(uint64_t iteration)
{
    return iteration == REC_LIMIT_ITERATION ? INFINITY : (double)iteration;
}

/* The five-point update keeps the mean of the neighbours, and adds the mean of -E / 4. */
double rec_spectral_offset(const rec_spectral_shape *shape, size_t plane, uint64_t iteration)
{
    if (!shape->free_mean)
        return shape->halo;
    return iteration == REC_LIMIT_ITERATION
               ? shape->limit_mean[plane]
               : shape->start_mean[plane] +
                     (double)iteration * (shape->mean_step * shape->edge_mean[plane]);
}
