/* The host's V-cycle: red-black sweeps of Gauss and Seidel down, and as many up in the opposite
 * order, so that it is symmetric. On the way through a level every row is read and written once:
 * the half sweeps follow each other a row apart, on rows that are still in the cache. With two
 * sweeps:
 *
 *     row   y      load
 *     row   y - 1  black
 *     row   y - 2  red
 *     row   y - 3  black
 *     row   y - 4  the residual and its sum (down), or red, and then the row is done (up)
 *
 * A band of rows begins a row early for each half sweep and ends as late. It relaxes its own rows
 * where they belong, the others in a ring: bands need not wait for each other, and no result
 * depends on how they are cut. */
#include "solver/multigrid/multigrid_host.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

enum { MOST_AHEAD = 2 * REC_MULTIGRID_MOST_SWEEPS }; /* rows */

/* ---- a band of rows ---- */

/* What a pass through a level works on. */
typedef struct way {
    const rec_cycle *cycle;
    const rec_cycle_grid *grid, *coarse;
    size_t ahead;    /* rows: the half sweeps */
    const float *b;  /* the right side */
    float *out;      /* z: written; 0 where it is never active */
    const float *in; /* up: z after the way down; NULL: the way down */
    rec_cycle_sums *sums; /* up, on the finest level: of rows */
} way;

typedef struct band {
    const way *pass;
    ptrdiff_t begin, end;                              /* its own rows */
    float *z[2 * MOST_AHEAD], *factor[2 * MOST_AHEAD]; /* the last rows that were loaded */
    const float *b[2 * MOST_AHEAD];
    float *old; /* rows: copies of the last row before half sweep n, for row 0's upper neighbours
                   where an odd axis is wrapped */
    int kept[MOST_AHEAD + 1];
    float *rows, *sum, *zeros; /* rows: for z of other bands' rows, then for the factors */
} band;

/* Where row y is among the last 2 ahead rows, which is a power of two. */
static size_t slot(const band *t, ptrdiff_t y) { return (size_t)y & (2 * t->pass->ahead - 1); }

static const float *diagonals(const rec_cycle_grid *grid, const float *rows, size_t y)
{
    return rows + (grid->mass ? y : (size_t)rec_missing(&grid->level.y, (int)y)) * grid->pitch;
}

static void load_row(band *t, ptrdiff_t at)
{
    const way *pass = t->pass;
    const rec_cycle_grid *grid = pass->grid;
    const ptrdiff_t row = rec_row_of(grid, at);
    const size_t s = slot(t, at), y = (size_t)row;
    t->z[s] = row < 0 ? t->zeros : t->rows + s * grid->pitch;
    if (row < 0)
        return;
    if (at >= t->begin && at < t->end)
        t->z[s] = pass->out + y * grid->pitch;
    else
        memset(t->z[s], 0, grid->pitch * sizeof(float));
    float *z = t->z[s], *factor = t->factor[s];
    t->b[s] = pass->b + y * grid->pitch;
    const float *inverse = diagonals(grid, grid->inverse, y);
    for (size_t odd = 0; odd < 2; odd++) {
        const size_t o = odd * grid->odd;
        const rec_half part = rec_half_at(grid, y, odd);
        if (pass->in) {
            const float *c = pass->coarse->corrected + y / 2 * pass->coarse->pitch;
            pass->cycle->loops->correct(&part, factor + o, z + o, pass->in + y * grid->pitch + o, c,
                                        c + pass->coarse->odd, inverse + o, grid->level.weight);
        } else /* red from 0 */
            pass->cycle->loops->begin(&part, factor + o, z + o, t->b[s] + o, inverse + o,
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
    const float *z = t->z[slot(t, at)];
    return (rec_half_around){.up = t->z[slot(t, at - 1)] + o,
                             .down = t->z[slot(t, at + 1)] + o,
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
    const size_t odd = ((size_t)row + n) & 1, s = slot(t, at), o = odd * grid->odd;
    const rec_half part = rec_half_at(grid, (size_t)row, odd);
    float *old = t->old + n * grid->pitch;
    const int closes = grid->level.y.low == REC_WRAPPED && grid->height % 2;
    wrap_row(grid, t->z[s], odd, 0);
    rec_half_around neighbours = around(t, at, odd);
    if (closes && row == 0 && t->kept[n])
        neighbours.up = old;
    if (closes && (size_t)row == grid->height - 1) {
        memcpy(old, t->z[s] + o, rec_half_width(grid) * sizeof(float));
        t->kept[n] = 1;
    }
    t->pass->cycle->loops->relax(&part, t->z[s] + o, &neighbours, t->b[s] + o, t->factor[s] + o);
    wrap_row(grid, t->z[s], odd, 1);
}

/* Adds the residual of a row to the coarse cells. The last half sweep left none at black cells,
 * unless neighbours have one colour. */
static void restrict_row(band *t, ptrdiff_t at)
{
    const rec_cycle_grid *grid = t->pass->grid, *coarse = t->pass->coarse;
    const size_t y = (size_t)at, s = slot(t, at), red = y & 1;
    const rec_half whole = rec_half_at(grid, y, 0);
    const float *diagonal = diagonals(grid, grid->diagonal, y);
    const int closes = (grid->level.y.low == REC_WRAPPED && grid->height % 2) ||
                       (grid->level.x.low == REC_WRAPPED && grid->width % 2);
    for (size_t i = 0; i < (closes ? 2 : 1); i++) {
        const size_t odd = red ^ i, o = odd * grid->odd;
        const rec_half part = rec_half_at(grid, y, odd);
        const rec_half_around neighbours = around(t, at, odd);
        wrap_row(grid, t->z[s], odd, 0);
        t->pass->cycle->loops->residual(&part, t->sum, t->z[s] + o, &neighbours, t->b[s] + o,
                                        t->factor[s] + o, diagonal + o, y & 1 || i ? 1 : 0);
    }
    if (!(y & 1) && y + 1 < grid->height)
        return;
    float *to = coarse->b + y / 2 * coarse->pitch;
    t->pass->cycle->loops->halve(&whole, to, to + coarse->odd, t->sum);
}

/* Red cells were relaxed last: there A z is b. And at black cells z A z is 4 z z less z times the
 * red neighbours, which all together are what red cells have. */
static void dot_row(const band *t, ptrdiff_t at)
{
    const rec_cycle_grid *grid = t->pass->grid;
    rec_cycle_sums *sums = &t->pass->sums[at];
    float largest[REC_BLOCK] = {0};
    *sums = (rec_cycle_sums){0};
    for (size_t odd = 0, s = slot(t, at); odd < 2; odd++) {
        const rec_half part = rec_half_at(grid, (size_t)at, odd);
        double lanes[2 * REC_LANES] = {0}, rz = 0, squares = 0;
        t->pass->cycle->loops->dot(&part, t->z[s] + odd * grid->odd, t->b[s] + odd * grid->odd,
                                   lanes, largest);
        for (size_t i = 0; i < REC_LANES; i++) {
            rz += lanes[i];
            squares += lanes[REC_LANES + i];
        }
        sums->rz += rz;
        sums->zaz += odd == ((size_t)at & 1) ? 2 * rz - 4 * squares : 4 * squares;
    }
    for (size_t i = 0; i < REC_BLOCK; i++)
        sums->largest = (double)largest[i] > sums->largest ? (double)largest[i] : sums->largest;
}

REC_TASK(run_bands, way pass; size_t rows)
{
    const way *pass = &job->pass;
    const size_t pitch = pass->grid->pitch, slots = 2 * pass->ahead;
    const size_t relaxes = pass->in ? pass->ahead : pass->ahead - 1;
    const ptrdiff_t ahead = (ptrdiff_t)pass->ahead;
    band t = {.pass = pass,
              .begin = (ptrdiff_t)(first * job->rows),
              .end = (ptrdiff_t)rec_smaller(end * job->rows, pass->grid->height),
              .rows = pass->cycle->ring + member * pass->cycle->ring_floats};
    for (size_t i = 0; i < slots; i++)
        t.factor[i] = t.rows + (slots + i) * pitch;
    t.sum = t.rows + 2 * slots * pitch;
    t.zeros = t.sum + pitch;
    t.old = t.zeros + pitch;
    memset(t.sum, 0, 2 * pitch * sizeof(float));
    for (ptrdiff_t low = t.begin - ahead, y = low; y < t.end + ahead; y++) {
        load_row(&t, y);
        for (size_t n = 1; n <= relaxes; n++)
            if (y - 2 * (ptrdiff_t)n >= low)
                relax_row(&t, y - (ptrdiff_t)n, n);
        if (y - ahead < t.begin)
            continue;
        if (!pass->in)
            restrict_row(&t, y - ahead);
        else if (pass->sums)
            dot_row(&t, y - ahead);
    }
}

/* Bands so that each thread has several, of an even number of rows. Where rows wrap there are fewer
 * half sweeps if most rows would be relaxed twice. */
static void run(way *pass)
{
    const size_t height = pass->grid->height;
    pass->ahead = 2 * rec_multigrid_sweeps((size_t)(pass->grid - pass->cycle->grid));
    while (pass->grid->level.y.low == REC_WRAPPED && pass->ahead > 4 && 4 * pass->ahead > height)
        pass->ahead /= 2;
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

rec_cycle_sums rec_cycle_run(const rec_cycle *cycle, const float *b, float *scratch, float *z)
{
    const rec_cycle_grid *grid = cycle->grid;
    const size_t last = cycle->levels - 1;
    rec_cycle_sums sums = {0};
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
    for (size_t y = 0; y < grid->height; y++) {
        const rec_cycle_sums row = cycle->sums[y];
        sums = (rec_cycle_sums){sums.rz + row.rz, sums.zaz + row.zaz,
                                row.largest > sums.largest ? row.largest : sums.largest};
    }
    return sums;
}
