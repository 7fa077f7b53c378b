/* A box that is a few pixels wide and has nothing known beside it is solved directly: the error may
 * grow with the square of its length, and what conjugate gradients estimate is then far too small.
 * Cells are numbered from both ends inwards, so that both ends of a wrapped side are neighbours,
 * too: a band matrix of half width 2 w. Its Cholesky factor in double solves for the residual, then
 * for what is left of it, and so on. Each correction is a multiple of the next one, and so it is
 * above the error that it leaves. */
#include <math.h>

#include "base/memory.h"
#include "solver/multigrid/multigrid_host.h"

enum { WIDEST = 4 };

/* Where a cell is in a plane, and the numbers of its neighbours, its own where a side is mirrored.
 * -1: known. */
typedef struct chain_cell {
    ptrdiff_t at, neighbours[4];
} chain_cell;

static int along_x(const rec_multigrid_level *level) { return level->x.cells >= level->y.cells; }

static const rec_multigrid_axis *across_of(const rec_multigrid_level *level)
{
    return along_x(level) ? &level->y : &level->x;
}

int rec_multigrid_is_chain(const rec_multigrid_level *level)
{
    const rec_multigrid_axis *across = across_of(level);
    return across->cells <= WIDEST && across->low != REC_FIXED && across->high != REC_FIXED;
}

/* Of the cell i along, j across, which may lie beyond a known side. */
static ptrdiff_t place_of(const rec_cycle_grid *grid, ptrdiff_t i, ptrdiff_t j)
{
    const size_t x = (size_t)(along_x(&grid->level) ? i : j);
    const size_t y = (size_t)(along_x(&grid->level) ? j : i);
    return i < 0 || j < 0 || !rec_unknown_of(grid, y, x & 1)[x / 2]
               ? -1 : (ptrdiff_t)(y * grid->pitch + rec_cell_of(grid, x));
}

static chain_cell cell_at(const rec_cycle_grid *grid, size_t number)
{
    const rec_multigrid_axis *across = across_of(&grid->level);
    const rec_multigrid_axis *along = along_x(&grid->level) ? &grid->level.x : &grid->level.y;
    const ptrdiff_t last = (ptrdiff_t)along->cells - 1, width = (ptrdiff_t)across->cells;
    const ptrdiff_t order = (ptrdiff_t)number / width, j = (ptrdiff_t)number % width;
    const ptrdiff_t i = order % 2 ? last - order / 2 : order / 2;
    chain_cell cell = {.at = place_of(grid, i, j)};
    for (ptrdiff_t k = 0; k < 4; k++) {
        const ptrdiff_t step = k % 2 ? 1 : -1;
        const ptrdiff_t u = rec_source_of(k < 2 ? i + step : i, along->cells, along->low,
                                          along->high);
        const ptrdiff_t v = rec_source_of(k < 2 ? j : j + step, across->cells, across->low,
                                          across->high);
        cell.neighbours[k] = place_of(grid, u, v) < 0
                                 ? -1 : (u <= last - u ? 2 * u : 2 * (last - u) + 1) * width + v;
    }
    return cell;
}

/* Row `number` of the factor, or of the matrix: columns number - 2 w..number. */
static double *row_at(const rec_host_multigrid *e, size_t number)
{
    const size_t band = 2 * across_of(&e->shape.level[0])->cells;
    return e->factor + number * (band + 1) + band - number;
}

rec_status rec_host_chain_begin(rec_host_multigrid *e, rec_error *error)
{
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const size_t cells = grid->width * grid->height, band = 2 * across_of(&grid->level)->cells;
    rec_free(e->factor);
    REC_TRY(rec_allocate_zeroed(&e->factor, cells * (band + 2), sizeof(double), "a chain", error));
    e->correction = e->factor + cells * (band + 1);
    for (size_t n = 0; n < cells; n++) {
        const chain_cell cell = cell_at(grid, n);
        double *row = row_at(e, n);
        const int kept = cell.at < 0 || (!n && e->shape.free_mean); /* one keeps its value */
        row[n] = kept ? 1 : 4 + (grid->mass ? (double)grid->mass[cell.at] : 0);
        for (size_t k = 0; !kept && k < 4; k++) {
            const ptrdiff_t other = cell.neighbours[k];
            if (other >= e->shape.free_mean && other <= (ptrdiff_t)n)
                row[other] -= 1;
        }
        const size_t first = n > band ? n - band : 0;
        for (size_t j = first; j <= n; j++) {
            const double *above = row_at(e, j);
            double sum = row[j];
            for (size_t i = first; i < j; i++)
                sum -= row[i] * above[i];
            row[j] = j < n ? sum / above[j] : sqrt(sum);
        }
    }
    return REC_OK;
}

/* The sum and what was rounded off it so far. */
static void add_exactly(double *sum, double *rest, double number)
{
    const double all = *sum + number, part = all - *sum;
    *rest += (*sum - (all - part)) + (number - part);
    *sum = all;
}

void rec_host_chain_step(rec_host_multigrid *e, rec_host_plane *plane)
{
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const size_t cells = grid->width * grid->height, band = 2 * across_of(&grid->level)->cells;
    rec_multigrid_steps *steps = &plane->steps;
    double *c = e->correction, largest = 0;
    for (size_t n = 0; n < cells; n++) {
        const ptrdiff_t at = !n && e->shape.free_mean ? -1 : cell_at(grid, n).at;
        const double *row = row_at(e, n);
        c[n] = at < 0 ? 0 : (double)plane->high[at] + (double)plane->low[at];
        for (size_t j = n > band ? n - band : 0; j < n; j++)
            c[n] -= row[j] * c[j];
        c[n] /= row[n];
    }
    for (size_t n = cells; n-- > 0;) {
        const double *row = row_at(e, n);
        c[n] /= row[n];
        for (size_t j = n > band ? n - band : 0; j < n; j++)
            c[j] -= row[j] * c[n];
    }
    plane->rounding = 0;
    for (size_t n = 0; n < cells; n++) {
        const chain_cell cell = cell_at(grid, n);
        const ptrdiff_t at = cell.at;
        if (at < 0)
            continue;
        double r = plane->high[at], rest = plane->low[at];
        plane->x[at] += c[n] / plane->scale;
        plane->rounding = fmax(plane->rounding, ldexp(fabs(plane->x[at]), -24));
        largest = fmax(largest, fabs(c[n]) / plane->scale);
        add_exactly(&r, &rest, -4 * c[n]);
        add_exactly(&r, &rest, grid->mass ? -(double)grid->mass[at] * c[n] : 0);
        for (size_t k = 0; k < 4; k++)
            add_exactly(&r, &rest, cell.neighbours[k] < 0 ? 0 : c[cell.neighbours[k]]);
        plane->high[at] = (float)(r + rest);
        plane->low[at] = (float)(r - (double)plane->high[at] + rest);
    }
    /* Corrections that do not become smaller say nothing. The first one is the start's error. */
    const int first = steps->count++ == 0, falls = first || largest <= steps->d / 2;
    steps->finished = largest == 0 || !falls;
    steps->largest = falls && (!first || largest == 0) ? largest : INFINITY;
    steps->d = largest;
}
