#include "solver/spectral/host/spectral_host.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

enum { MOST_STEPS = 500 };
#define ENOUGH 1e-8 /* grey levels RMS that a step would still change, by the approximation */

REC_TASK(multiply_rows, const rec_gradients *system; double *to; const double *a, *b)
{
    for (size_t y = first; y < end; y++) {
        const size_t at = y * job->system->stride;
        job->to[y] = 0;
        for (size_t x = 0; x < job->system->width; x++)
            job->to[y] += job->a[at + x] * job->b[at + x];
    }
}

/* Sums of rows, then over the rows: the same for any number of threads. */
static double dot(const rec_gradients *system, const double *a, const double *b, double *rows)
{
    double sum = 0;
    REC_SHARE_ROWS(system->width, system->height, multiply_rows, system, rows, a, b);
    for (size_t y = 0; y < system->height; y++)
        sum += rows[y];
    return sum;
}

REC_TASK(add_rows, const rec_gradients *system; double *to; const double *a, *b; double factor)
{
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < job->system->width; x++) {
            const size_t at = y * job->system->stride + x;
            job->to[at] = job->a[at] + job->factor * job->b[at];
        }
}

/* to = a + factor * b */
static void add(const rec_gradients *system, double *to, const double *a, double factor,
                const double *b)
{
    REC_SHARE_ROWS(system->width, system->height, add_rows, system, to, a, b, factor);
}

/* to = K * a, zeros around it. */
REC_TASK(apply_rows, const rec_gradients *system; double *to; const double *a)
{
    const rec_gradients *system = job->system;
    const long width = (long)system->width, height = (long)system->height;
    const long stride = (long)system->stride;
    const long across = (long)system->stencil->width, down = (long)system->stencil->height;
    for (long y = (long)first; y < (long)end; y++) {
        double *row = job->to + y * stride;
        memset(row, 0, system->width * sizeof *row);
        for (long i = 0; i < across * down; i++) {
            const double weight = system->stencil->weights[i];
            const long from = y + i / across - down / 2, shift = i % across - across / 2;
            if (weight == 0 || from < 0 || from >= height)
                continue;
            const long left = shift < 0 ? -shift : 0, right = shift > 0 ? width - shift : width;
            for (long x = left; x < right; x++)
                row[x] += weight * job->a[from * stride + x + shift];
        }
    }
}

rec_status rec_gradients_solve(const rec_gradients *system, rec_error *error)
{
    const size_t plane = system->height * system->stride, bytes = plane * sizeof(double);
    const double scale = ENOUGH * system->stencil->scale;
    const double wanted = scale * scale * (double)system->width * (double)system->height;
    rec_owned double *m = NULL;
    REC_TRY(
        rec_allocate(&m, 4 * plane + system->height, sizeof(double), "conjugate gradients", error));
    memset(m, 0, 4 * bytes);
    double *const r = m + plane, *const p = r + plane, *const q = p + plane;
    double *const rows = q + plane;
    memcpy(r, system->work, bytes);
    system->approximate(system->engine);
    memcpy(p, system->work, bytes);
    double product = dot(system, r, p, rows), left = dot(system, p, p, rows);
    for (int step = 0; step < MOST_STEPS && left > wanted; step++) {
        REC_SHARE_ROWS(system->width, system->height, apply_rows, system, q, p);
        const double curvature = dot(system, p, q, rows), pace = product / curvature;
        if (!(pace > 0))
            break;
        add(system, m, m, pace, p);
        add(system, r, r, -pace, q);
        memcpy(system->work, r, bytes);
        system->approximate(system->engine);
        const double next = dot(system, r, system->work, rows);
        add(system, p, system->work, next / product, p);
        product = next;
        left = dot(system, system->work, system->work, rows);
    }
    memcpy(system->work, m, bytes);
    if (left <= wanted)
        return REC_OK;
    return rec_fail(error, REC_BAD_INPUT,
                    "the picture of the stencil %s was not found: its symbol changes sign or is "
                    "nearly 0\v--boundary mirror or wrap needs no iteration",
                    system->stencil->name);
}
