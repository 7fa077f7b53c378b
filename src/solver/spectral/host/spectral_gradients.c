#include "solver/spectral/host/spectral_host.h"

#include <string.h>

#include "base/memory.h"

enum { MOST_STEPS = 500 };
#define ENOUGH 1e-8 /* grey levels RMS that a step would still change, by the approximation */

/* Sums of rows, then over the rows: the same for any number of threads. */
static double dot(const rec_gradients *of, const double *a, const double *b, double *rows)
{
    double sum = 0;
#pragma omp parallel for schedule(static) num_threads(of->threads)
    for (size_t y = 0; y < of->height; y++) {
        rows[y] = 0;
        for (size_t x = 0; x < of->width; x++)
            rows[y] += a[y * of->stride + x] * b[y * of->stride + x];
    }
    for (size_t y = 0; y < of->height; y++)
        sum += rows[y];
    return sum;
}

/* to = a + factor * b */
static void add(const rec_gradients *of, double *to, const double *a, double factor,
                const double *b)
{
#pragma omp parallel for schedule(static) num_threads(of->threads)
    for (size_t y = 0; y < of->height; y++)
        for (size_t x = 0; x < of->width; x++) {
            const size_t at = y * of->stride + x;
            to[at] = a[at] + factor * b[at];
        }
}

/* out = K * in, zeros around it. */
static void apply(const rec_gradients *of, double *out, const double *in)
{
    const long width = (long)of->width, height = (long)of->height, stride = (long)of->stride;
    const long across = (long)of->stencil->width, down = (long)of->stencil->height;
#pragma omp parallel for schedule(static) num_threads(of->threads)
    for (long y = 0; y < height; y++) {
        double *row = out + y * stride;
        memset(row, 0, of->width * sizeof *row);
        for (long i = 0; i < across * down; i++) {
            const double weight = of->stencil->weights[i];
            const long from = y + i / across - down / 2, shift = i % across - across / 2;
            if (weight == 0 || from < 0 || from >= height)
                continue;
            const long first = shift < 0 ? -shift : 0, end = shift > 0 ? width - shift : width;
            for (long x = first; x < end; x++)
                row[x] += weight * in[from * stride + x + shift];
        }
    }
}

static rec_status descend(const rec_gradients *of, double *m, double *r, double *p, double *q,
                          double *rows, rec_error *error)
{
    const size_t bytes = of->height * of->stride * sizeof *r;
    const double scale = ENOUGH * of->stencil->scale;
    const double wanted = scale * scale * (double)of->width * (double)of->height;
    memcpy(r, of->work, bytes);
    of->approximate(of->of);
    memcpy(p, of->work, bytes);
    double product = dot(of, r, p, rows), left = dot(of, p, p, rows);
    for (int step = 0; step < MOST_STEPS && left > wanted; step++) {
        apply(of, q, p);
        const double curvature = dot(of, p, q, rows), pace = product / curvature;
        if (!(pace > 0))
            break;
        add(of, m, m, pace, p);
        add(of, r, r, -pace, q);
        memcpy(of->work, r, bytes);
        of->approximate(of->of);
        const double next = dot(of, r, of->work, rows);
        add(of, p, of->work, next / product, p);
        product = next;
        left = dot(of, of->work, of->work, rows);
    }
    if (!(left <= wanted))
        return rec_fail(
            error, REC_BAD_INPUT,
            "the picture of the stencil %s was not found: its symbol changes sign or is "
            "nearly 0; --boundary mirror or wrap needs no iteration",
            of->stencil->name);
    memcpy(of->work, m, bytes);
    return REC_OK;
}

rec_status rec_gradients_solve(const rec_gradients *of, rec_error *error)
{
    const size_t plane = of->height * of->stride;
    double *m;
    REC_TRY(rec_allocate(&m, 4 * plane + of->height, sizeof(double), "conjugate gradients", error));
    memset(m, 0, 4 * plane * sizeof *m);
    rec_status status = descend(of, m, m + plane, m + 2 * plane, m + 3 * plane, m + 4 * plane,
                                error);
    rec_free(m);
    return status;
}
