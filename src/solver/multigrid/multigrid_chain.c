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

typedef struct chain_cell {
    size_t at;               /* in a plane */
    int unknown;
    double mass;
    ptrdiff_t neighbours[4]; /* their numbers, its own where a side is mirrored; -1: known */
} chain_cell;

static int along_x(const rec_multigrid_level *level) { return level->x.cells >= level->y.cells; }

static size_t width_of(const rec_multigrid_level *level)
{
    return along_x(level) ? level->y.cells : level->x.cells;
}

int rec_multigrid_is_chain(const rec_multigrid_level *level)
{
    const rec_multigrid_axis *across = along_x(level) ? &level->y : &level->x;
    return across->cells <= WIDEST && across->low != REC_FIXED && across->high != REC_FIXED;
}

static size_t cells_of(const rec_multigrid_level *level) { return level->x.cells * level->y.cells; }

static chain_cell cell_at(const rec_host_multigrid *e, size_t number)
{
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const rec_multigrid_level *level = &grid->level;
    const rec_multigrid_axis *along = along_x(level) ? &level->x : &level->y;
    const rec_multigrid_axis *across = along_x(level) ? &level->y : &level->x;
    const size_t width = across->cells, last = along->cells - 1, pair = number / width / 2;
    const size_t i = number / width % 2 ? last - pair : pair, j = number % width;
    const size_t x = along_x(level) ? i : j, y = along_x(level) ? j : i;
    chain_cell cell = {.at = y * grid->pitch + rec_cell_of(grid, x),
                       .unknown = rec_unknown_of(grid, y, x & 1)[x / 2]};
    cell.mass = grid->mass ? (double)grid->mass[cell.at] : 0;
    for (size_t k = 0; k < 4; k++) {
        const ptrdiff_t step = k % 2 ? 1 : -1;
        const ptrdiff_t to_i = rec_source_of((ptrdiff_t)i + (k < 2 ? step : 0), along->cells,
                                             along->low, along->high);
        const ptrdiff_t to_j = rec_source_of((ptrdiff_t)j + (k < 2 ? 0 : step), width, across->low,
                                             across->high);
        const size_t u = (size_t)to_i, v = (size_t)to_j;
        cell.neighbours[k] = -1;
        if (to_i < 0 || to_j < 0 ||
            !(along_x(level) ? rec_unknown_of(grid, v, u & 1)[u / 2]
                             : rec_unknown_of(grid, u, v & 1)[v / 2]))
            continue;
        cell.neighbours[k] = (ptrdiff_t)((u <= last - u ? 2 * u : 2 * (last - u) + 1) * width + v);
    }
    return cell;
}

/* Row `number` of the factor, or of the matrix: columns number - 2 w..number. */
static double *row_at(const rec_host_multigrid *e, size_t number)
{
    const size_t band = 2 * width_of(&e->shape.level[0]);
    return e->factor + number * (band + 1) + band - number;
}

rec_status rec_host_chain_begin(rec_host_multigrid *e, rec_error *error)
{
    const size_t cells = cells_of(&e->shape.level[0]), band = 2 * width_of(&e->shape.level[0]);
    rec_free(e->factor);
    REC_TRY(rec_allocate_zeroed(&e->factor, cells * (band + 2), sizeof(double), "a chain", error));
    e->correction = e->factor + cells * (band + 1);
    for (size_t n = 0; n < cells; n++) {
        const chain_cell cell = cell_at(e, n);
        double *row = row_at(e, n);
        const int kept = !cell.unknown || (!n && e->shape.free_mean); /* one keeps its value */
        row[n] = kept ? 1 : 4 + cell.mass;
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
    const size_t cells = cells_of(&e->shape.level[0]), band = 2 * width_of(&e->shape.level[0]);
    rec_multigrid_steps *steps = &plane->steps;
    double *c = e->correction, largest = 0;
    for (size_t n = 0; n < cells; n++) {
        const chain_cell cell = cell_at(e, n);
        const double *row = row_at(e, n);
        c[n] = !n && e->shape.free_mean
                   ? 0
                   : (double)plane->high[cell.at] + (double)plane->low[cell.at];
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
        const chain_cell cell = cell_at(e, n);
        double r = plane->high[cell.at], rest = plane->low[cell.at];
        plane->x[cell.at] += c[n] / plane->scale;
        plane->rounding = fmax(plane->rounding, ldexp(fabs(plane->x[cell.at]), -24));
        largest = fmax(largest, fabs(c[n]) / plane->scale);
        add_exactly(&r, &rest, cell.unknown ? -4 * c[n] : 0);
        add_exactly(&r, &rest, cell.unknown ? -cell.mass * c[n] : 0);
        for (size_t k = 0; cell.unknown && k < 4; k++)
            if (cell.neighbours[k] >= 0)
                add_exactly(&r, &rest, c[cell.neighbours[k]]);
        plane->high[cell.at] = (float)(r + rest);
        plane->low[cell.at] = (float)(r - (double)plane->high[cell.at] + rest);
    }
    /* Corrections that do not become smaller say nothing. The first one is the start's error. */
    const int falls = steps->count++ == 0 || largest <= steps->d / 2;
    const double none = steps->count == 1 ? largest : 0;
    steps->finished = largest == 0 || !falls;
    steps->largest = falls && !(none > 0) ? largest : INFINITY;
    steps->d = largest;
}
