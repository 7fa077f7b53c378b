#include "solver/spectral/spectral.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/team.h"

#define ENOUGH 0.5 /* grey levels RMS */

static double angle_of(const rec_spectral_axis *axis, size_t p)
{
    const double pi = 3.14159265358979323846, period = (double)axis->period;
    return (double)rec_mode_of(axis->basis, p) * pi / period;
}

/* 1 - cos, which keeps its digits near 0. */
static double versed_sine(double angle) { return 2 * sin(angle / 2) * sin(angle / 2); }

/* Wider than sine transforms diagonalise. */
static int is_wide(const rec_operator *op, const rec_boundary *boundary)
{
    return rec_boundary_has_constant(boundary->kind) &&
           (op->stencil.width > 3 || op->stencil.height > 3);
}

int rec_symbol_is_plain(const rec_operator *op, const rec_boundary *boundary)
{
    return rec_stencil_is_even(&op->stencil) && !is_wide(op, boundary);
}

rec_status rec_symbol_create(rec_symbol **symbol, const rec_operator *op,
                             const rec_boundary *boundary, const rec_spectral_axis *x,
                             const rec_spectral_axis *y, rec_error *error)
{
    const rec_stencil *stencil = &op->stencil;
    const size_t reach = stencil->height / 2, count = stencil->width * stencil->height;
    const int even = rec_stencil_is_even(stencil);
    if (!even && (x->basis != REC_HARTLEY || y->basis != REC_HARTLEY))
        return rec_fail(error, REC_BAD_INPUT,
                        "the stencil %s is not symmetric in x and y, so its inverse needs "
                        "--boundary wrap", stencil->name);
    REC_TRY(rec_allocate_zeroed(symbol, 1, sizeof **symbol + (reach + 1) * y->n * sizeof(double),
                                "a stencil's symbol", error));
    rec_symbol *made = *symbol;
    const double d = rec_stencil_middle(stencil), sum = rec_stencil_sum(stencil);
    made->stencil = *stencil;
    made->even = even;
    made->loses_mean = rec_boundary_frees_mean(boundary->kind) && rec_stencil_loses_mean(stencil);
    made->x = x;
    made->y = y;
    made->terms = (rec_mode_terms){.pace = op->omega / d, .gain = op->gain};
    made->level = stencil->offset;
    made->wide = is_wide(op, boundary);
    if (rec_boundary_has_constant(boundary->kind))
        made->level += (double)boundary->value * sum / stencil->scale;
    for (size_t i = 0; i < count; i++)
        made->terms.negligible += 1e-12 * fabs(stencil->weights[i]);
    made->terms.level = made->wide ? 0 : made->level;
    for (size_t i = 0; i <= reach; i++)
        for (size_t p = 0; p < y->n; p++)
            made->versed[i * y->n + p] = versed_sine((double)i * angle_of(y, p));
    return REC_OK;
}

/* sum w cos A cos B = sum w - sum w (1 - cos B) - sum (1 - cos A) sum w cos B */
static void even_row(const rec_symbol *symbol, size_t q, double *real)
{
    const rec_stencil *stencil = &symbol->stencil;
    const long width = (long)stencil->width, height = (long)stencil->height;
    const double angle = angle_of(symbol->x, q);
    double all = rec_stencil_sum(stencil), across[REC_STENCIL_RADIUS + 1] = {0};
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++) {
            const double weight = stencil->weights[y * width + x];
            const double versed = versed_sine((double)(x - width / 2) * angle);
            all -= weight * versed;
            across[labs(y - height / 2)] += weight * (1 - versed);
        }
    for (size_t p = 0; p < symbol->y->n; p++) {
        real[p] = all;
        for (long i = 1; i <= height / 2; i++)
            real[p] -= across[i] * symbol->versed[(size_t)i * symbol->y->n + p];
    }
}

static void general_row(const rec_symbol *symbol, size_t q, double *real, double *imaginary)
{
    const rec_stencil *stencil = &symbol->stencil;
    const long width = (long)stencil->width, height = (long)stencil->height;
    double complex across[REC_STENCIL_SIDE] = {0};
    for (long i = 0; i < width * height; i++)
        across[i / width] += stencil->weights[i] *
                             cexp(I * (double)(i % width - width / 2) * angle_of(symbol->x, q));
    for (size_t p = 0; p < symbol->y->n; p++) {
        double complex sum = 0;
        for (long y = 0; y < height; y++)
            sum += across[y] * cexp(I * (double)(y - height / 2) * angle_of(symbol->y, p));
        real[p] = creal(sum);
        imaginary[p] = cimag(sum);
    }
}

void rec_symbol_row(const rec_symbol *symbol, size_t q, double *real, double *imaginary)
{
    if (symbol->even)
        even_row(symbol, q, real);
    else
        general_row(symbol, q, real, imaginary);
    if (symbol->loses_mean && q == 0)
        real[0] = 0; /* where rounded weights leave a small sum; the imaginary part is 0 there */
}

/* ---- what the edges determine ---- */

/* Of a row of edges, or of the modes of a column. */
typedef struct findings {
    double squares, smallest, largest;
    size_t lost;
    int whole, exact, flat;
} findings;

REC_TASK(inspect_edges, findings *found; const rec_image *edges; double scale)
{
    for (size_t y = first; y < end; y++) {
        const float *row = job->edges->data + y * job->edges->stride;
        findings own = {.whole = 1, .exact = 1, .flat = 1};
        for (size_t x = 0; x < job->edges->width; x++) {
            const double edge = (double)row[x], sum = edge * job->scale;
            own.squares += edge * edge;
            own.whole &= edge == rint(edge);
            own.exact &= sum == rint(sum);
            own.flat &= row[x] == job->edges->data[0];
        }
        job->found[y] = own;
    }
}

/* `work` has two columns for each thread. */
REC_TASK(inspect_modes, findings *found; const rec_symbol *symbol; double *work)
{
    const rec_symbol *symbol = job->symbol;
    const size_t n = symbol->y->n;
    double *real = job->work + 2 * n * member, *imaginary = real + n;
    for (size_t q = first; q < end; q++) {
        findings own = {.smallest = INFINITY};
        rec_symbol_row(symbol, q, real, imaginary);
        for (size_t p = 0; p < n; p++) {
            const double size = symbol->even ? fabs(real[p]) : hypot(real[p], imaginary[p]);
            own.largest = fmax(own.largest, size);
            if (size <= symbol->terms.negligible)
                own.lost++;
            else {
                own.squares += 1 / (size * size);
                own.smallest = fmin(own.smallest, size);
            }
        }
        job->found[q] = own;
    }
}

/* Row by row: sums do not depend on the number of threads. */
static findings merge(const findings *found, size_t count)
{
    findings all = {.smallest = INFINITY, .whole = 1, .exact = 1, .flat = 1};
    for (const findings *one = found; one < found + count; one++)
        all = (findings){all.squares + one->squares, fmin(all.smallest, one->smallest),
                         fmax(all.largest, one->largest), all.lost + one->lost,
                         all.whole & one->whole, all.exact & one->exact, all.flat & one->flat};
    return all;
}

/* The RMS of the rounding of edges: to whole numbers, if they are such and the stencil makes
 * others; none, if times scale they are such; else to float32. */
static double rounding_of(const rec_stencil *stencil, const findings *edges, double rms)
{
    int whole = 1; /* whole samples give whole edges */
    for (size_t i = 0; i < stencil->width * stencil->height; i++)
        whole &= fmod(stencil->weights[i], stencil->scale) == 0;
    return edges->whole && !edges->flat && !whole ? sqrt(1 / 12.0)
           : edges->exact                         ? 0
                                                  : rms * 0x1p-24 / sqrt(3);
}

rec_status rec_symbol_inspect(const rec_symbol *symbol, const rec_image *edges, int force,
                              int free_mean, char inverse[160], rec_error *error)
{
    const size_t n = symbol->y->n, columns = symbol->x->n, rows = edges->planes * edges->height;
    const size_t most = columns > rows ? columns : rows, team = rec_team_size();
    const double scale = fabs(symbol->stencil.scale);
    rec_owned double *work = NULL;
    REC_TRY(rec_allocate(&work, 2 * n * team * sizeof(double) + most * sizeof(findings), 1,
                         "a stencil's symbol", error));
    findings *const found = (findings *)(void *)(work + 2 * n * team);
    REC_SHARE(team, rows, inspect_edges, found, edges, symbol->stencil.scale);
    const findings of_edges = merge(found, rows);
    REC_SHARE(team, columns, inspect_modes, found, symbol, work);
    const findings of_modes = merge(found, columns);
    const double rms = sqrt(of_edges.squares / ((double)rows * (double)edges->width));
    const double rounding = rounding_of(&symbol->stencil, &of_edges, rms);
    const size_t lost = of_modes.lost - (free_mean ? 1 : 0);
    const double modes = (double)columns * (double)n;
    /* Of an error's RMS, edges to picture. */
    const double gain = scale * sqrt(of_modes.squares / modes);
    const double expected = gain * rounding + scale / of_modes.smallest * rms * 0x1p-52;
    snprintf(inverse, 160,
             "smallest eigenvalue %.3g of the largest, %zu lost modes, noise gain %.3g, expected "
             "error %.3g grey levels RMS",
             of_modes.squares > 0 ? of_modes.smallest / of_modes.largest : 0, lost, gain, expected);
    if (force)
        return REC_OK;
    if (lost)
        return rec_fail(error, REC_BAD_INPUT,
                        "the stencil %s loses %zu of the %.0f modes of a picture of this size; "
                        "edges do not have them\v--force sets them to 0",
                        symbol->stencil.name, lost, modes);
    if (expected > ENOUGH)
        return rec_fail(error, REC_BAD_INPUT,
                        "the stencil %s amplifies the rounding of these edges %.3g times; the "
                        "expected error is %.3g grey levels RMS\v--force goes on",
                        symbol->stencil.name, gain, expected);
    return REC_OK;
}

/* ---- solving ---- */

typedef struct complex_mode {
    double complex keep, take;
} complex_mode;

static complex_mode find_mode(const rec_symbol *symbol, double complex lambda, double n)
{
    if (cabs(lambda) <= symbol->terms.negligible)
        return isinf(n) ? (complex_mode){0, 0} : (complex_mode){1, n * symbol->terms.gain};
    const double complex a = symbol->terms.pace * lambda, mu = 1 - a;
    const double complex keep = isinf(n) || mu == 0
                                    ? 0
                                    : exp(n * log(cabs(mu))) *
                                          cexp(I * fmod(n * carg(mu), 2 * 3.14159265358979323846));
    return (complex_mode){keep, symbol->terms.gain * (1 - keep) / a};
}

/* Hartley's modes (p, q), (-p, q), (p, -q) and (-p, -q) are made of two of the Fourier transform, F
 * of (p, q) and of (-p, q), which the stencil multiplies. */
static void solve_four(const rec_symbol *symbol, size_t q, double n, double *modes,
                       const double *start, const double *edges, size_t stride,
                       const double *real, const double *imaginary)
{
    const size_t count = symbol->y->n, other_q = q ? symbol->x->n - q : 0;
    for (size_t p = 0; 2 * p <= count && p < count; p++) {
        const size_t other_p = p ? count - p : 0;
        const size_t a = q * stride + p, b = q * stride + other_p;
        const size_t c = other_q * stride + p, d = other_q * stride + other_p;
        const size_t at[2] = {p, other_p};
        double complex made[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            const complex_mode mode = find_mode(symbol, real[at[k]] + I * imaginary[at[k]], n);
            for (int i = 0; i < 2; i++) {
                const double *from = i ? edges : start;
                const double complex f =
                    k ? (from[a] + from[d]) / 2 - I * (from[b] - from[c]) / 2
                      : (from[c] + from[b]) / 2 - I * (from[a] - from[d]) / 2;
                const double level = i && !p && !q
                                         ? symbol->level * symbol->x->ones[0] * symbol->y->ones[0]
                                         : 0;
                made[k] += (i ? mode.take : mode.keep) * (f - level);
            }
        }
        modes[a] = creal(made[1]) - cimag(made[0]);
        modes[d] = creal(made[1]) + cimag(made[0]);
        modes[b] = creal(made[0]) - cimag(made[1]);
        modes[c] = creal(made[0]) + cimag(made[1]);
    }
}

void rec_symbol_solve(const rec_symbol *symbol, size_t q, double n, double halo, double *modes,
                      const double *start, const double *edges, size_t stride, double *work)
{
    double *real = work, *imaginary = work + symbol->y->n;
    if (!symbol->even && 2 * q > symbol->x->n)
        return; /* made together with -q */
    rec_symbol_row(symbol, q, real, imaginary);
    if (!symbol->even)
        solve_four(symbol, q, n, modes, start, edges, stride, real, imaginary);
    for (size_t p = 0; symbol->even && p < symbol->y->n; p++) {
        const size_t at = q * stride + p;
        const double ones = symbol->x->ones[q] * symbol->y->ones[p];
        const rec_mode mode = rec_mode_of_symbol(&symbol->terms, real[p], n, fmod(n, 2) == 1);
        modes[at] = mode.keep * (start[at] - halo * ones) +
                    mode.take * (edges[at] - symbol->terms.level * ones);
    }
}
