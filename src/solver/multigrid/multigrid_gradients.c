/* Conjugate gradients on the host, in double where numbers add up: x, the residual, sums. */
#include <math.h>

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
                             .mass = (grid->mass ? grid->mass + y * grid->pitch : e->zeros) +
                                     odd * grid->odd};
}

/* p = z + beta p, and beyond the first and the last cell of a row what belongs there. `now`: what x
 * takes of the new p; not a number: x stays as it is. */
REC_TASK(find_direction, const rec_host_multigrid *e; rec_host_plane * plane; double now)
{
    const rec_host_multigrid *e = job->e;
    const rec_host_plane *plane = job->plane;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++) {
        float *p = plane->p + y * grid->pitch;
        for (size_t at = y * grid->pitch, odd = 0; odd < 2; odd++, at += grid->odd) {
            const rec_half half = rec_half_at(grid, y, odd);
            e->cycle.loops->direct(&half, plane->p + at, e->z + at, (float)plane->steps.beta,
                                   isnan(job->now) ? NULL : plane->x + at, plane->owed, job->now);
        }
        const double one = p[0], other = p[rec_cell_of(grid, grid->width - 1)];
        p[grid->odd - 1] = (float)rec_ghost(grid->level.x.low, one, other, 0);
        p[rec_cell_of(grid, grid->width)] = (float)rec_ghost(grid->level.x.high, other, one, 0);
    }
}

/* p A p of each row. */
REC_TASK(find_product, const rec_host_multigrid *e; const rec_host_plane *plane)
{
    const rec_host_multigrid *e = job->e;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++) {
        double lanes[REC_LANES] = {0};
        for (size_t odd = 0; odd < 2; odd++) {
            const rec_half half = rec_half_at(grid, y, odd);
            const rec_half_around around = around_of(e, job->plane, y, odd);
            e->cycle.loops->product(&half, job->plane->p + y * grid->pitch + odd * grid->odd,
                                    &around, lanes);
        }
        e->sums[y] = 0;
        for (size_t i = 0; i < REC_LANES; i++)
            e->sums[y] += lanes[i];
    }
}

/* r -= alpha A p. */
REC_TASK(reduce_residual, const rec_host_multigrid *e; const rec_host_plane *plane)
{
    const rec_host_multigrid *e = job->e;
    const rec_host_plane *plane = job->plane;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const double alpha = plane->steps.alpha;
    for (size_t y = first; y < end; y++)
        for (size_t at = y * grid->pitch, odd = 0; odd < 2; odd++, at += grid->odd) {
            const rec_half half = rec_half_at(grid, y, odd);
            const rec_half_around around = around_of(e, plane, y, odd);
            if (plane->rounded)
                e->cycle.loops->update_rounded(&half, plane->high + at, plane->p + at, &around,
                                               (float)alpha);
            else
                e->cycle.loops->update(&half, plane->high + at, plane->low + at, plane->p + at,
                                       &around, alpha);
        }
}

/* Where all sides are fixed, p A p follows from the cycle's sums, as p is conjugate to the last p.
 * So alpha is known before p, and x takes two p at once. */
void rec_host_multigrid_step(rec_host_multigrid *e, rec_host_plane *plane)
{
    const size_t threads = e->cycle.threads, rows = e->cycle.grid[0].height;
    const double square = plane->scale * plane->scale;
    const int follows = e->shape.enclosed && !e->shape.has_mass;
    const rec_cycle_sums sums = rec_cycle_run(&e->cycle, plane->high, e->scratch, e->z);
    rec_multigrid_steps *steps = &plane->steps;
    rec_multigrid_set_rz(steps, sums.rz / square, sums.largest / plane->scale);
    if (steps->finished)
        return;
    if (follows)
        plane->pap = sums.zaz - steps->beta * steps->beta * plane->pap;
    else {
        REC_SHARE(threads, rows, find_direction, e, plane, 0);
        REC_SHARE(threads, rows, find_product, e, plane);
        plane->pap = 0;
        for (size_t y = 0; y < rows; y++)
            plane->pap += e->sums[y];
    }
    rec_multigrid_set_pap(steps, plane->pap / square, e->magnitude);
    const double share = steps->alpha / plane->scale;
    if (follows)
        REC_SHARE(threads, rows, find_direction, e, plane, plane->owed != 0 ? share : NAN);
    plane->owed = follows && plane->owed != 0 ? 0 : share;
    REC_SHARE(threads, rows, reduce_residual, e, plane);
    plane->rounded = plane->rounded ||
                     steps->d <= rec_multigrid_rounding_allowed(&e->shape, e->head.tolerance);
}
