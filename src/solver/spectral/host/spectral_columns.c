/* The other axis of the limit: a tridiagonal system for every mode of the rows, with coefficients
 * that do not change along the column. The matrix times r is the product of two bidiagonal ones
 * but for its first row, so a column is a recursion down, a recursion up, and a decaying
 * correction of the start. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "solver/spectral/host/spectral_host.h"

enum { BLOCK = 64 }; /* modes side by side: their columns stay in the cache between the passes */

#define NEGLIGIBLE 60.0 /* exp(-60) of a number of doubles is nothing */

/* Only of sizes that lists have: the tables take up to 9 bytes a pixel where images are small. */
#define KEPT_PIXELS ((size_t)1 << 22)

typedef struct rec_block {
    double rate[BLOCK], r[BLOCK];
    double sine[BLOCK];  /* at the column with the charges */
    double whole[BLOCK]; /* the denominator in `correct`: expm1(-2 rate (rows + 1)) */
    size_t count;        /* modes; fewer in the last block */
    size_t steps;        /* rows until the correction is negligible */
    double *kept;        /* fill_step of each of them; NULL: computed each time */
} rec_block;

/* The factors of row t - 1 in the correction. */
static void fill_step(const rec_block *block, size_t t, size_t end, double factors[2 * BLOCK])
{
    for (size_t i = 0; i < block->count; i++) {
        factors[i] = exp(-block->rate[i] * (double)t);
        factors[BLOCK + i] = expm1(-2 * block->rate[i] * (double)(end - t));
    }
}

/* Above the first row is r m_0 now, m_0 the carry, and it must be 0. The rates rise with the mode,
 * so a block is done where its first mode has decayed. What is left at row t - 1 of a unit at t = 0
 * is sinh((end - t) rate) / sinh(end rate) when there is a 0 at t = end. */
static void correct(const rec_block *block, double *cells, size_t rows, size_t stride,
                    const double carry[BLOCK])
{
    double own[2 * BLOCK];
    for (size_t t = 1; t <= block->steps; t++) {
        const double *factors = block->kept ? block->kept + (t - 1) * 2 * BLOCK : own;
        double *row = cells + (t - 1) * stride;
        if (!block->kept)
            fill_step(block, t, rows + 1, own);
        for (size_t i = 0; i < block->count; i++)
            row[i] -= block->r[i] * carry[i] * factors[i] * factors[BLOCK + i] / block->whole[i];
    }
}

static void solve_block(const rec_block *block, const rec_columns *columns, double *cells,
                        size_t stride)
{
    const double scale = 1 / columns->x->norm;
    double down[BLOCK] = {0}, up[BLOCK] = {0};
    for (size_t y = 0; y < columns->rows; y++) { /* a_y = r (a_(y-1) - scale e_y) */
        double *row = cells + y * stride;
        for (size_t i = 0; i < block->count; i++)
            row[i] = down[i] = block->r[i] * (down[i] - scale * row[i]);
    }
    for (size_t y = columns->rows; y-- > 0;) { /* m_y = a_y + r m_(y+1), m = 0 below the last */
        double *row = cells + y * stride;
        for (size_t i = 0; i < block->count; i++)
            row[i] = up[i] = row[i] + block->r[i] * up[i];
    }
    correct(block, cells, columns->rows, stride, up);
}

/* ---- what depends on the size alone ---- */

static size_t blocks_of(const rec_columns *columns) { return (columns->x->n + BLOCK - 1) / BLOCK; }

REC_TASK(keep_steps, const rec_columns *columns)
{
    for (size_t b = first; b < end; b++) {
        const rec_block *block = &job->columns->blocks[b];
        for (size_t t = 1; t <= block->steps; t++)
            fill_step(block, t, job->columns->rows + 1, block->kept + (t - 1) * 2 * BLOCK);
    }
}

/* For the charges a copy of a block for each thread, and the sums of each block over its modes. */
rec_status rec_columns_create(rec_columns *columns, rec_error *error)
{
    const rec_spectral_axis *x = columns->x;
    const size_t count = blocks_of(columns), rows = columns->rows;
    size_t steps = 0;
    REC_TRY(rec_allocate(&columns->blocks, count, sizeof *columns->blocks, "tables", error));
    for (size_t b = 0; b < count; b++) {
        rec_block *block = &columns->blocks[b];
        *block = (rec_block){.count = rec_smaller(x->n - b * BLOCK, BLOCK)};
        for (size_t i = 0; i < block->count; i++) {
            const size_t turn = (b * BLOCK + i + 1) * columns->column % (2 * x->period);
            block->rate[i] = 2 * asinh(sqrt(x->low[b * BLOCK + i]));
            block->r[i] = exp(-block->rate[i]);
            block->sine[i] = turn < x->period ? x->turn[turn] : -x->turn[turn - x->period];
            block->whole[i] = expm1(-2 * block->rate[i] * (double)(rows + 1));
        }
        while (block->steps < rows && block->rate[0] * (double)(block->steps + 1) < NEGLIGIBLE)
            block->steps++;
        steps += block->steps;
    }
    if (columns->column)
        REC_TRY(rec_allocate(&columns->charges, rows * (1 + BLOCK * columns->threads + count),
                             sizeof(double), "charges", error));
    if (rows * columns->x->n > KEPT_PIXELS)
        return REC_OK;
    REC_TRY(rec_allocate(&columns->kept, steps * 2 * BLOCK, sizeof(double), "tables", error));
    double *kept = columns->kept;
    for (size_t b = 0; b < count; kept += 2 * BLOCK * columns->blocks[b++].steps)
        columns->blocks[b].kept = kept;
    REC_SHARE(columns->threads, count, keep_steps, columns);
    return REC_OK;
}

void rec_columns_destroy(rec_columns *columns)
{
    rec_free(columns->blocks);
    rec_free(columns->kept);
    rec_free(columns->charges);
}

/* ---- solving ---- */

REC_TASK(solve_blocks, const rec_columns *columns)
{
    const rec_columns *columns = job->columns;
    for (size_t b = first; b < end; b++) {
        const rec_block *block = &columns->blocks[b];
        double *cells = columns->plane + b * BLOCK;
        for (size_t y = 0; columns->column && y < columns->rows; y++)
            for (size_t i = 0; i < block->count; i++)
                cells[y * columns->stride + i] += block->sine[i] * columns->charges[y];
        solve_block(block, columns, cells, columns->stride);
    }
}

void rec_columns_solve(const rec_columns *columns)
{
    REC_SHARE(columns->threads, blocks_of(columns), solve_blocks, columns);
}

static double *sums_of(const rec_columns *columns, size_t b)
{
    return columns->charges + columns->rows * (1 + BLOCK * columns->threads + b);
}

REC_TASK(sum_blocks, const rec_columns *columns)
{
    const rec_columns *columns = job->columns;
    double *cells = columns->charges + columns->rows * (1 + BLOCK * member);
    for (size_t b = first; b < end; b++) {
        const rec_block *block = &columns->blocks[b];
        for (size_t y = 0; y < columns->rows; y++) {
            double *row = cells + y * BLOCK;
            memcpy(row, columns->plane + y * columns->stride + b * BLOCK,
                   block->count * sizeof *row);
            memset(row + block->count, 0, (BLOCK - block->count) * sizeof *row);
        }
        solve_block(block, columns, cells, BLOCK);
        for (size_t y = 0; y < columns->rows; y++) {
            double sums[4] = {0}; /* side by side they are faster than one */
            const double *row = cells + y * BLOCK;
            for (size_t i = 0; i < BLOCK; i += 4)
                for (size_t k = 0; k < 4; k++)
                    sums[k] += block->sine[i + k] * row[i + k];
            sums_of(columns, b)[y] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
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
