/* The other axis of the limit: a tridiagonal system for every mode of the rows, with coefficients
 * that do not change along the column. The matrix times r is the product of two bidiagonal ones
 * but for its first row, so a column is a recursion down, a recursion up, and a decaying
 * correction of the start. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "spectral/host/spectral_host.h"

enum { BLOCK = 64 }; /* modes side by side: their columns stay in the cache between the passes */

#define NEGLIGIBLE 60.0 /* exp(-60) of a number of doubles is nothing */

typedef struct block {
    double rate[BLOCK], r[BLOCK], carry[BLOCK];
    double sine[BLOCK]; /* at the column with the charges */
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

static size_t fill_block(block *modes, const rec_columns *columns, size_t first)
{
    const rec_spectral_axis *x = columns->x;
    const size_t count = x->n - first < BLOCK ? x->n - first : BLOCK;
    *modes = (block){.rate = {0}};
    for (size_t i = 0; i < count; i++) {
        const size_t turn = (first + i + 1) * columns->column % (2 * x->period);
        modes->rate[i] = 2 * asinh(sqrt(x->low[first + i]));
        modes->r[i] = exp(-modes->rate[i]);
        modes->sine[i] = turn < x->period ? x->turn[turn] : -x->turn[turn - x->period];
    }
    return count;
}

static void solve_block(block *modes, const rec_columns *columns, double *cells, size_t stride,
                        size_t count)
{
    sweep_down(modes, cells, columns->rows, stride, count, 1 / columns->x->norm);
    sweep_up(modes, cells, columns->rows, stride, count);
    correct(modes, cells, columns->rows, stride, count);
}

static size_t blocks_of(const rec_columns *columns) { return (columns->x->n + BLOCK - 1) / BLOCK; }

REC_TASK(solve_blocks, const rec_columns *columns)
{
    const rec_columns *columns = job->columns;
    for (size_t b = first; b < end; b++) {
        double *cells = columns->plane + b * BLOCK;
        block modes;
        const size_t count = fill_block(&modes, columns, b * BLOCK);
        for (size_t y = 0; columns->column && y < columns->rows; y++)
            for (size_t i = 0; i < count; i++)
                cells[y * columns->stride + i] += modes.sine[i] * columns->charges[y];
        solve_block(&modes, columns, cells, columns->stride, count);
    }
}

void rec_columns_solve(const rec_columns *columns)
{
    REC_SHARE(columns->threads, blocks_of(columns), solve_blocks, columns);
}

/* A copy of a block for each thread, and the sums of each block over its modes. */
size_t rec_columns_work(const rec_columns *columns)
{
    return columns->rows * (BLOCK * (size_t)columns->threads + blocks_of(columns));
}

/* Four sums side by side are faster than one. */
static double sum_row(const block *modes, const double *row)
{
    double sums[4] = {0};
    for (size_t i = 0; i < BLOCK; i += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] += modes->sine[i + k] * row[i + k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static double *sums_of(const rec_columns *columns, size_t b)
{
    return columns->work + columns->rows * (BLOCK * (size_t)columns->threads + b);
}

REC_TASK(sum_blocks, const rec_columns *columns)
{
    const rec_columns *columns = job->columns;
    double *cells = columns->work + columns->rows * BLOCK * member;
    for (size_t b = first; b < end; b++) {
        block modes;
        const size_t count = fill_block(&modes, columns, b * BLOCK);
        for (size_t y = 0; y < columns->rows; y++) {
            double *row = cells + y * BLOCK;
            memcpy(row, columns->plane + y * columns->stride + b * BLOCK, count * sizeof *row);
            memset(row + count, 0, (BLOCK - count) * sizeof *row);
        }
        solve_block(&modes, columns, cells, BLOCK, count);
        for (size_t y = 0; y < columns->rows; y++)
            sums_of(columns, b)[y] = sum_row(&modes, cells + y * BLOCK);
    }
}

void rec_columns_sum(const rec_columns *columns)
{
    REC_SHARE(columns->threads, blocks_of(columns), sum_blocks, columns);
    /* One after another: the same for any number of threads. */
    memset(columns->charges, 0, columns->rows * sizeof *columns->charges);
    for (size_t b = 0; b < blocks_of(columns); b++)
        for (size_t y = 0; y < columns->rows; y++)
            columns->charges[y] += sums_of(columns, b)[y];
}

/* Rows of a power of two would fall on the same few cache lines when the plane is transposed. */
size_t rec_plane_stride(size_t width) { return (width + 7) / 8 * 8 + 8; }

rec_status rec_plane_make(double **plane, size_t rows, size_t stride, rec_error *error)
{
    return rec_allocate(plane, rows, stride * sizeof **plane, "a plane in double precision",
                        error);
}

enum { TILE = 32 };

REC_TASK(transpose_tiles, double *out; const double *in; size_t out_stride, in_stride, width, rows)
{
    for (size_t left = first * TILE; left < end * TILE; left += TILE)
        for (size_t top = 0; top < job->rows; top += TILE)
            for (size_t x = left; x < left + TILE && x < job->width; x++)
                for (size_t y = top; y < top + TILE && y < job->rows; y++)
                    job->out[x * job->out_stride + y] = job->in[y * job->in_stride + x];
}

void rec_plane_transpose(double *out, size_t out_stride, const double *in, size_t in_stride,
                         size_t width, size_t rows)
{
    REC_SHARE(rec_team_for(width * rows), (width + TILE - 1) / TILE, transpose_tiles, out, in,
              out_stride, in_stride, width, rows);
}
