/* Conjugate gradients on the host, in double where numbers add up: x, the residual, sums. */
#include "base/team.h"
#include "solver/multigrid/multigrid_host.h"

static const float *row_of_p(const rec_host_multigrid *e, const rec_host_plane *plane, ptrdiff_t at)
{
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const ptrdiff_t y = rec_source_of(at, grid->height, grid->level.y.low, grid->level.y.high);
    return y < 0 ? e->zeros : plane->p + (size_t)y * grid->pitch;
}

static rec_half_around around_of(const rec_host_multigrid *e, const rec_host_plane *plane, size_t y,
                                 size_t odd)
{
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const float *row = row_of_p(e, plane, (ptrdiff_t)y);
    return (rec_half_around){.up = row_of_p(e, plane, (ptrdiff_t)y - 1) + odd * grid->odd,
                             .down = row_of_p(e, plane, (ptrdiff_t)y + 1) + odd * grid->odd,
                             .left = odd ? row : row + grid->odd - 1,
                             .right = odd ? row + 1 : row + grid->odd,
                             .mass = grid->mass ? grid->mass + y * grid->pitch + odd * grid->odd
                                                : NULL};
}

REC_TASK(find_direction, const rec_host_multigrid *e; rec_host_plane * plane; float beta)
{
    const rec_host_multigrid *e = job->e;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++)
        for (size_t at = y * grid->pitch, odd = 0; odd < 2; odd++, at += grid->odd) {
            const rec_half half = rec_half_at(grid, y, odd);
            e->cycle.loops->direct(&half, job->plane->p + at, e->z + at, job->beta);
        }
}

/* sides: the cells beyond the first and the last cell of a row, which the loops take for 0. */
static void find_sides(const rec_host_multigrid *e, const float *p, double sides[2])
{
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const double one = p[0], other = p[rec_cell_of(grid, grid->width - 1)];
    sides[0] = rec_ghost(grid->level.x.low, one, other, 0);
    sides[1] = rec_ghost(grid->level.x.high, other, one, 0);
}

/* p A p of each row. */
REC_TASK(find_product, const rec_host_multigrid *e; const rec_host_plane *plane)
{
    const rec_host_multigrid *e = job->e;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++) {
        const float *p = job->plane->p + y * grid->pitch;
        double lanes[REC_LANES] = {0}, sides[2];
        for (size_t odd = 0; odd < 2; odd++) {
            const rec_half half = rec_half_at(grid, y, odd);
            const rec_half_around around = around_of(e, job->plane, y, odd);
            e->cycle.loops->product(&half, p + odd * grid->odd, &around, lanes);
        }
        find_sides(e, p, sides);
        e->sums[y] = -(sides[0] * p[0] + sides[1] * p[rec_cell_of(grid, grid->width - 1)]);
        for (size_t i = 0; i < REC_LANES; i++)
            e->sums[y] += lanes[i];
    }
}

static void add(const rec_host_plane *plane, size_t at, double number)
{
    const double r = (double)plane->high[at] + (double)plane->low[at] + number;
    plane->high[at] = (float)r;
    plane->low[at] = (float)(r - (double)plane->high[at]);
}

/* x += alpha p, r -= alpha A p. */
REC_TASK(take_step, const rec_host_multigrid *e; const rec_host_plane *plane)
{
    const rec_host_multigrid *e = job->e;
    const rec_host_plane *plane = job->plane;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const double alpha = plane->steps.alpha;
    for (size_t y = first; y < end; y++) {
        const size_t row = y * grid->pitch;
        double sides[2];
        for (size_t at = row, odd = 0; odd < 2; odd++, at += grid->odd) {
            const rec_half half = rec_half_at(grid, y, odd);
            const rec_half_around around = around_of(e, plane, y, odd);
            e->cycle.loops->update(&half, plane->x + at, plane->high + at, plane->low + at,
                                   plane->p + at, &around, alpha / plane->scale, alpha);
        }
        find_sides(e, plane->p + row, sides);
        add(plane, row, alpha * sides[0]);
        add(plane, row + rec_cell_of(grid, grid->width - 1), alpha * sides[1]);
    }
}

void rec_host_multigrid_step(rec_host_multigrid *e, rec_host_plane *plane)
{
    const size_t threads = e->cycle.threads, rows = e->cycle.grid[0].height;
    const double square = plane->scale * plane->scale;
    double pap = 0, largest;
    const double rz = rec_cycle_run(&e->cycle, plane->high, e->scratch, e->z, &largest);
    rec_multigrid_set_rz(&plane->steps, rz / square, largest / plane->scale);
    if (plane->steps.finished)
        return;
    REC_SHARE(threads, rows, find_direction, e, plane, (float)plane->steps.beta);
    REC_SHARE(threads, rows, find_product, e, plane);
    for (size_t y = 0; y < rows; y++)
        pap += e->sums[y];
    rec_multigrid_set_pap(&plane->steps, pap / square, e->magnitude);
    REC_SHARE(threads, rows, take_step, e, plane);
}
