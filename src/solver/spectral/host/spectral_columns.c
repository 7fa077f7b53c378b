/* The other axis of the limit: a tridiagonal system for every mode of the rows, with coefficients
 * that do not change along the column. The matrix times r is the product of two bidiagonal ones
 * but for its first row, so a column is a recursion down, a recursion up, and a decaying
 * correction of the start. */
#include <math.h>

#include "base/memory.h"
#include "solver/spectral/host/spectral_rows.h"

enum { BLOCK = 64 }; /* modes side by side: their columns stay in the cache between the passes */

#define NEGLIGIBLE 60.0 /* exp(-60) of a number of doubles is nothing */

typedef struct block {
    double rate[BLOCK], r[BLOCK], carry[BLOCK];
} block;

/* a_y = r (a_(y-1) - scale e_y) */
static void sweep_down(block *modes, double *cells, size_t rows, size_t stride, size_t count,
                       double scale)
{
    for (size_t i = 0; i < count; i++)
        modes->carry[i] = 0;
    for (size_t y = 0; y < rows; y++) {
        double *row = cells + y * stride;
        for (size_t i = 0; i < count; i++)
            row[i] = modes->carry[i] = modes->r[i] * (modes->carry[i] - scale * row[i]);
    }
}

/* m_y = a_y + r m_(y+1), m = 0 below the last row */
static void sweep_up(block *modes, double *cells, size_t rows, size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++)
        modes->carry[i] = 0;
    for (size_t y = rows; y-- > 0;) {
        double *row = cells + y * stride;
        for (size_t i = 0; i < count; i++)
            row[i] = modes->carry[i] = row[i] + modes->r[i] * modes->carry[i];
    }
}

/* Above the first row is r m_0 now (carry holds m_0), and it must be 0. The rates rise with the
 * mode, so a block is done where its first mode has decayed. What is left at row t - 1 of a unit at
 * t = 0 is sinh((end - t) rate) / sinh(end rate) when there is a 0 at t = end. */
static void correct(const block *modes, double *cells, size_t rows, size_t stride, size_t count)
{
    const double end = (double)(rows + 1);
    for (double t = 1; t < end && modes->rate[0] * t < NEGLIGIBLE; t++)
        for (size_t i = 0; i < count; i++)
            cells[((size_t)t - 1) * stride + i] -=
                modes->r[i] * modes->carry[i] * exp(-modes->rate[i] * t) *
                expm1(-2 * modes->rate[i] * (end - t)) / expm1(-2 * modes->rate[i] * end);
}

void rec_columns_solve(const rec_spectral_axis *x, double *plane, size_t rows, size_t stride,
                       double scale, int threads)
{
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (size_t first = 0; first < x->n; first += BLOCK) {
        const size_t count = x->n - first < BLOCK ? x->n - first : BLOCK;
        block modes = {.rate = {0}};
        for (size_t i = 0; i < count; i++) {
            modes.rate[i] = 2 * asinh(sqrt(x->low[first + i]));
            modes.r[i] = exp(-modes.rate[i]);
        }
        sweep_down(&modes, plane + first, rows, stride, count, scale);
        sweep_up(&modes, plane + first, rows, stride, count);
        correct(&modes, plane + first, rows, stride, count);
    }
}

/* Rows of a power of two would fall on the same few cache lines when the plane is transposed. */
size_t rec_plane_stride(size_t width) { return (width + 7) / 8 * 8 + 8; }

rec_status rec_plane_make(double **plane, size_t rows, size_t stride, rec_error *error)
{
    void *memory;
    const rec_status status = rec_allocate(&memory, rows, stride * sizeof **plane,
                                           "a plane in double precision", error);
    *plane = memory;
    return status;
}

enum { TILE = 32 };

void rec_plane_transpose(double *out, size_t out_stride, const double *in, size_t in_stride,
                         size_t width, size_t rows, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t left = 0; left < width; left += TILE)
        for (size_t top = 0; top < rows; top += TILE)
            for (size_t x = left; x < left + TILE && x < width; x++)
                for (size_t y = top; y < top + TILE && y < rows; y++)
                    out[x * out_stride + y] = in[y * in_stride + x];
}
