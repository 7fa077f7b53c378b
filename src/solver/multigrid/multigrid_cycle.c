/* The host's V-cycle: two red-black sweeps of Gauss and Seidel down, two up in the opposite order,
 * so that it is symmetric. On the way through a level every row is read and written once: the half
 * sweeps follow each other a row apart, on rows that are still in the cache.
 *
 *     row   y      load
 *     row   y - 1  black
 *     row   y - 2  red
 *     row   y - 3  black
 *     row   y - 4  the residual and its sum (down), or red, and then the row is done (up)
 *
 * A band of rows begins four rows early and ends four late, and writes its own rows alone: bands
 * need not wait for each other, and no result depends on how they are cut. */
#include "solver/multigrid/multigrid_cycle.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

enum { AHEAD = 4 }; /* rows */

/* ---- a band of rows ---- */

/* What a pass through a level works on. */
typedef struct way {
    const rec_cycle *cycle;
    const rec_cycle_grid *grid, *coarse;
    const float *b;  /* the right side */
    float *out;      /* z: written */
    const float *in; /* up: z after the way down; NULL: the way down */
    double *sums;    /* up, on the finest level: b z, then the largest |z|, by rows */
} way;

typedef struct band {
    const way *pass;
    float *z[REC_RING], *factor[REC_RING];
    const float *b[REC_RING];
    float *old[AHEAD + 1]; /* copies of the last row before half sweep n, for row 0's upper
                              neighbours where an odd axis is wrapped */
    int kept[AHEAD + 1];
    float *sum, *zeros;
} band;

static size_t slot(ptrdiff_t y) { return (size_t)y % REC_RING; }

static const float *diagonals(const rec_cycle_grid *grid, const float *rows, size_t y)
{
    return rows + (grid->mass ? y : rec_missing(&grid->level.y, y)) * grid->pitch;
}

static void load_row(band *t, ptrdiff_t at)
{
    const way *pass = t->pass;
    const rec_cycle_grid *grid = pass->grid;
    const ptrdiff_t row = rec_row_of(grid, at);
    const size_t s = slot(at), y = (size_t)row;
    float *z = t->z[s], *factor = t->factor[s];
    if (row < 0) {
        memset(z, 0, grid->pitch * sizeof *z);
        memset(factor, 0, grid->pitch * sizeof *z);
        t->b[s] = t->zeros;
        return;
    }
    t->b[s] = pass->b + y * grid->pitch;
    const float *inverse = diagonals(grid, grid->inverse, y);
    for (size_t odd = 0; odd < 2; odd++) {
        const size_t o = odd * grid->odd;
        const rec_half part = rec_half_at(grid, y, odd);
        if (pass->in) {
            const float *c = pass->coarse->corrected + y / 2 * pass->coarse->pitch;
            pass->cycle->loops->correct(part, factor + o, z + o, pass->in + y * grid->pitch + o, c,
                                        c + pass->coarse->odd, inverse + o, grid->level.weight);
        } else /* red from 0 */
            pass->cycle->loops->begin(part, factor + o, z + o, t->b[s] + o, inverse + o,
                                      odd == (y & 1) ? 1 : 0);
    }
}

/* On a wrapped axis: sets the cells beyond the ends of the row, for a half sweep of its even or its
 * `odd` cells. `rest` clears them. */
static void wrap_row(const rec_cycle_grid *grid, float *z, size_t odd, int rest)
{
    const size_t last = grid->width - 1;
    if (grid->level.x.low != REC_WRAPPED)
        return;
    if (!odd)
        z[grid->odd - 1] = rest ? 0 : z[rec_cell_of(grid, last)];
    if (odd == (last & 1))
        z[rec_cell_of(grid, last + 1)] = rest ? 0 : z[0];
}

static rec_half_around around(const band *t, ptrdiff_t at, size_t odd)
{
    const rec_cycle_grid *grid = t->pass->grid;
    const size_t o = odd * grid->odd;
    const float *z = t->z[slot(at)];
    return (rec_half_around){.up = t->z[slot(at - 1)] + o,
                             .down = t->z[slot(at + 1)] + o,
                             .left = odd ? z : z + grid->odd - 1,
                             .right = odd ? z + 1 : z + grid->odd};
}

/* Half sweep number `n` on a row. Where an odd wrapped axis closes, neighbours have one colour:
 * they get each other's value from before the half sweep. */
static void relax_row(band *t, ptrdiff_t at, size_t n)
{
    const rec_cycle_grid *grid = t->pass->grid;
    const ptrdiff_t row = rec_row_of(grid, at);
    if (row < 0)
        return;
    const size_t odd = ((size_t)row + n) & 1, s = slot(at), o = odd * grid->odd;
    const int closes = grid->level.y.low == REC_WRAPPED && grid->height % 2;
    wrap_row(grid, t->z[s], odd, 0);
    rec_half_around neighbours = around(t, at, odd);
    if (closes && row == 0 && t->kept[n])
        neighbours.up = t->old[n];
    if (closes && (size_t)row == grid->height - 1) {
        memcpy(t->old[n], t->z[s] + o, rec_half_width(grid) * sizeof(float));
        t->kept[n] = 1;
    }
    t->pass->cycle->loops->relax(rec_half_at(grid, (size_t)row, odd), t->z[s] + o, neighbours,
                                 t->b[s] + o, t->factor[s] + o);
    wrap_row(grid, t->z[s], odd, 1);
}

static void store_row(const band *t, ptrdiff_t y)
{
    const rec_cycle_grid *grid = t->pass->grid;
    const unsigned char *active = grid->active + (size_t)y / REC_GROUP * grid->blocks;
    float *out = t->pass->out + (size_t)y * grid->pitch;
    for (size_t odd = 0; odd < 2; odd++)
        for (size_t k = 0; k < grid->blocks; k++)
            if (active[k])
                memcpy(out + odd * grid->odd + k * REC_BLOCK,
                       t->z[slot(y)] + odd * grid->odd + k * REC_BLOCK, REC_BLOCK * sizeof(float));
}

/* Adds the residual of a row to the coarse cells. The last half sweep left none at black cells,
 * unless neighbours have one colour. */
static void restrict_row(band *t, ptrdiff_t at)
{
    const rec_cycle_grid *grid = t->pass->grid, *coarse = t->pass->coarse;
    const size_t y = (size_t)at, s = slot(at), red = y & 1;
    const float *diagonal = diagonals(grid, grid->diagonal, y);
    const int closes = (grid->level.y.low == REC_WRAPPED && grid->height % 2) ||
                       (grid->level.x.low == REC_WRAPPED && grid->width % 2);
    for (size_t i = 0; i < (closes ? 2 : 1); i++) {
        const size_t odd = red ^ i, o = odd * grid->odd;
        wrap_row(grid, t->z[s], odd, 0);
        t->pass->cycle->loops->residual(rec_half_at(grid, y, odd), t->sum, t->z[s] + o,
                                        around(t, at, odd), t->b[s] + o, t->factor[s] + o,
                                        diagonal + o, y & 1 || i ? 1 : 0);
    }
    if (!(y & 1) && y + 1 < grid->height)
        return;
    float *to = coarse->b + y / 2 * coarse->pitch;
    t->pass->cycle->loops->halve(rec_half_at(grid, y, 0), to, to + coarse->odd, t->sum);
}

static void dot_row(const band *t, ptrdiff_t at)
{
    const rec_cycle_grid *grid = t->pass->grid;
    double sums[REC_LANES] = {0}, sum = 0;
    float largest[REC_BLOCK] = {0}, most = 0;
    for (size_t odd = 0; odd < 2; odd++)
        t->pass->cycle->loops->dot(rec_half_at(grid, (size_t)at, odd),
                                   t->z[slot(at)] + odd * grid->odd,
                                   t->b[slot(at)] + odd * grid->odd, sums, largest);
    for (size_t i = 0; i < REC_LANES; i++)
        sum += sums[i];
    for (size_t i = 0; i < REC_BLOCK; i++)
        most = largest[i] > most ? largest[i] : most;
    t->pass->sums[at] = sum;
    t->pass->sums[grid->height + (size_t)at] = (double)most;
}

REC_TASK(run_bands, way pass; size_t rows)
{
    const way *pass = &job->pass;
    const ptrdiff_t height = (ptrdiff_t)pass->grid->height;
    const ptrdiff_t begin = (ptrdiff_t)(first * job->rows);
    const ptrdiff_t own_end = (ptrdiff_t)(end * job->rows) < height ? (ptrdiff_t)(end * job->rows)
                                                                    : height;
    const ptrdiff_t low = begin - AHEAD, high = own_end + AHEAD; /* of the loaded rows */
    const size_t sweeps = pass->in ? AHEAD : AHEAD - 1;
    const size_t pitch = pass->grid->pitch;
    band t = {.pass = pass};
    float *next = pass->cycle->ring + member * pass->cycle->ring_floats;
    memset(next, 0, (2 * REC_RING + 8) * pitch * sizeof *next);
    for (size_t i = 0; i < REC_RING; i++, next += 2 * pitch) {
        t.z[i] = next;
        t.factor[i] = next + pitch;
    }
    for (size_t n = 0; n <= AHEAD; n++, next += pitch)
        t.old[n] = next;
    t.sum = next;
    t.zeros = next + pitch;
    for (ptrdiff_t y = low; y < high; y++) {
        load_row(&t, y);
        for (size_t n = 1; n <= sweeps; n++)
            if (y - 2 * (ptrdiff_t)n >= low)
                relax_row(&t, y - (ptrdiff_t)n, n);
        if (y - AHEAD < begin)
            continue;
        store_row(&t, y - AHEAD);
        if (!pass->in)
            restrict_row(&t, y - AHEAD);
        else if (pass->sums)
            dot_row(&t, y - AHEAD);
    }
}

/* Bands so that each thread has several, of an even number of rows. */
static void run(const way *pass)
{
    const size_t height = pass->grid->height;
    const size_t threads = rec_smaller(rec_team_for(pass->grid->width * height),
                                       pass->cycle->threads);
    const size_t rows = threads > 1 ? rec_larger(height / (4 * threads), 16) & ~(size_t)1 : height;
    const size_t even = (rows + 1) & ~(size_t)1;
    REC_SHARE(threads, (height + even - 1) / even, run_bands, *pass, even);
}

/* ---- the coarsest level, cell by cell ---- */

/* The sum over the neighbours. */
static float around_cell(const rec_cycle_grid *grid, const float *z, size_t x, size_t y)
{
    const size_t w = grid->width, h = grid->height;
    const int wraps_x = grid->level.x.low == REC_WRAPPED;
    const int wraps_y = grid->level.y.low == REC_WRAPPED;
    const float *row = z + y * w;
    const float up = y ? (row - w)[x] : wraps_y ? z[(h - 1) * w + x] : 0;
    const float down = y + 1 < h ? row[x + w] : wraps_y ? z[x] : 0;
    const float left = x ? row[x - 1] : wraps_x ? row[w - 1] : 0;
    const float right = x + 1 < w ? row[x + 1] : wraps_x ? row[0] : 0;
    return (up + left) + (right + down);
}

static void solve_coarsest(const rec_cycle_grid *grid)
{
    enum { SIDE = REC_MULTIGRID_COARSEST, SWEEPS = REC_MULTIGRID_COARSEST_SWEEPS };
    float z[SIDE * SIDE] = {0}, next[SIDE * SIDE];
    const size_t w = grid->width;
    for (size_t n = 0; n < 4 * SWEEPS; n++) {
        const size_t colour = n < 2 * SWEEPS ? n & 1 : ~n & 1;
        memcpy(next, z, sizeof z);
        for (size_t y = 0; y < grid->height; y++)
            for (size_t x = (y + colour) & 1; x < w; x += 2)
                next[y * w + x] = (float)rec_unknown_of(grid, y, x & 1)[x / 2] *
                                  diagonals(grid, grid->inverse, y)[rec_cell_of(grid, x)] *
                                  (grid->b[y * grid->pitch + rec_cell_of(grid, x)] +
                                   around_cell(grid, z, x, y));
        memcpy(z, next, sizeof z);
    }
    for (size_t y = 0; y < grid->height; y++)
        for (size_t x = 0; x < w; x++)
            grid->corrected[y * grid->pitch + rec_cell_of(grid, x)] = z[y * w + x];
}

double rec_cycle_run(const rec_cycle *cycle, const float *b, float *scratch, float *z,
                     double *largest)
{
    const rec_cycle_grid *grid = cycle->grid;
    const size_t last = cycle->levels - 1;
    double sum = 0;
    way pass = {.cycle = cycle};
    for (size_t l = 0; l < last; l++) {
        pass.grid = &grid[l];
        pass.coarse = &grid[l + 1];
        pass.b = l ? grid[l].b : b;
        pass.out = l ? grid[l].z : scratch;
        run(&pass);
    }
    solve_coarsest(&grid[last]);
    for (size_t l = last; l-- > 0;) {
        pass.grid = &grid[l];
        pass.coarse = &grid[l + 1];
        pass.b = l ? grid[l].b : b;
        pass.in = l ? grid[l].z : scratch;
        pass.out = l ? grid[l].corrected : z;
        pass.sums = l ? NULL : cycle->sums;
        run(&pass);
    }
    *largest = 0;
    for (size_t y = 0; y < grid->height; y++) {
        const double most = cycle->sums[grid->height + y];
        sum += cycle->sums[y];
        *largest = most > *largest ? most : *largest;
    }
    return sum;
}
