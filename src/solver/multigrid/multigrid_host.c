/* The multigrid solver on the host: what is solved, and when. Only the box of the unknown pixels is
 * worked on; the picture around it is kept to be shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "solver/multigrid/multigrid_host.h"

enum { UNSCALED = 40 }; /* powers of two up to which r is taken as it is */

/* ---- creation ---- */

static void drop_box(rec_host_multigrid *e)
{
    rec_cycle_destroy(&e->cycle);
    rec_free(e->sums);
    rec_free(e->z);
    e->sums = NULL;
    e->z = NULL;
}

static void host_destroy(void *state)
{
    rec_host_multigrid *e = state;
    drop_box(e);
    if (!e->head.in_place)
        rec_image_destroy(&e->picture);
    rec_mask_destroy(&e->mask);
}

static rec_status allocate_box(rec_host_multigrid *e, rec_error *error)
{
    REC_TRY(rec_cycle_create(&e->cycle, &e->shape, error));
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const size_t planes = e->shape.planes, rows = grid->height, cells = rows * grid->pitch;
    REC_TRY(
        rec_allocate_zeroed(&e->sums, rows + planes * cells, sizeof(double), "the planes", error));
    REC_TRY(rec_allocate_zeroed(&e->z, (2 + 3 * planes) * cells + grid->pitch, sizeof(float),
                                "the planes", error));
    e->scratch = e->z + cells;
    for (size_t p = 0; p < planes; p++) {
        float *floats = e->scratch + (1 + 3 * p) * cells;
        e->plane[p] = (rec_host_plane){.x = e->sums + rows + p * cells, .high = floats,
                                       .low = floats + cells, .p = floats + 2 * cells};
    }
    e->zeros = e->scratch + (1 + 3 * planes) * cells;
    return REC_OK;
}

/* ---- the residual of the picture ---- */

static const float *picture_row(const rec_host_multigrid *e, rec_beyond rule, size_t p,
                                ptrdiff_t at, const float *fixed)
{
    const ptrdiff_t y = rec_source_of(at, e->shape.height, rule, rule);
    return y < 0 ? fixed : rec_image_row(&e->picture, p, (size_t)y);
}

static double larger(double a, double b) { return a > b ? a : b; } /* unlike fmax, inlined */

REC_TASK(find_residual, rec_host_multigrid *e; const rec_problem *problem; size_t p; float *fixed;
         double *largest)
{
    const rec_host_multigrid *e = job->e;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    const rec_multigrid_shape *shape = &e->shape;
    const rec_boundary_row *rules = &rec_boundaries[job->problem->boundary.kind];
    rec_host_plane *plane = &job->e->plane[job->p];
    const size_t p = job->p, beyond = shape->left + grid->width;
    double largest = 0, magnitude = 0;
    for (size_t y = first; y < end; y++) {
        const ptrdiff_t at = (ptrdiff_t)(shape->top + y);
        const float *all = picture_row(e, rules->y, p, at, NULL), *row = all + shape->left;
        const float *up = picture_row(e, rules->y, p, at - 1, job->fixed) + shape->left;
        const float *down = picture_row(e, rules->y, p, at + 1, job->fixed) + shape->left;
        const float *edges = rec_image_row(job->problem->input, p, (size_t)at) + shape->left;
        const double one = all[0], other = all[shape->width - 1];
        const double left = shape->left ? row[-1] : rec_ghost(rules->x, one, other, shape->halo);
        const double right = beyond < shape->width ? all[beyond]
                                                   : rec_ghost(rules->x, other, one, shape->halo);
        for (size_t i = 0; i < grid->width; i++) {
            const size_t to = y * grid->pitch + rec_cell_of(grid, i);
            const int unknown = rec_unknown_of(grid, y, i & 1)[i / 2];
            const double edge = unknown ? (double)edges[i] - shape->edge_mean[p] : 0;
            const double sum = ((double)up[i] + (i ? row[i - 1] : left)) +
                               ((i + 1 < grid->width ? row[i + 1] : right) + (double)down[i]);
            const double diagonal = grid->mass ? 4 + (double)grid->mass[to] : 4;
            const double r = unknown ? plane->scale * (sum - diagonal * (double)row[i] - edge) : 0;
            plane->x[to] = row[i];
            plane->high[to] = (float)r;
            plane->low[to] = (float)(r - (double)plane->high[to]);
            largest = larger(largest, fabs(r));
            magnitude = larger(magnitude, larger(fabs((double)row[i]), fabs(edge)));
        }
    }
    rec_team_lock();
    *job->largest = fmax(*job->largest, largest);
    job->e->magnitude = fmax(job->e->magnitude, magnitude);
    rec_team_unlock();
}

REC_TASK(split_mask, rec_host_multigrid *e; const rec_image *mass)
{
    const rec_host_multigrid *e = job->e;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++) {
        const unsigned char *row = e->mask.unknown + (e->shape.top + y) * e->shape.width +
                                   e->shape.left;
        for (size_t x = 0; x < grid->width; x++)
            rec_unknown_of(grid, y, x & 1)[x / 2] = row[x];
        for (size_t x = 0; grid->mass && x < grid->width; x++)
            grid->mass[y * grid->pitch + rec_cell_of(grid, x)] =
                rec_image_row(job->mass, 0, e->shape.top + y)[e->shape.left + x];
    }
}

/* Begins from the picture. */
static rec_status begin(rec_host_multigrid *e, const rec_problem *problem, rec_error *error)
{
    rec_owned float *fixed = NULL;
    const rec_multigrid_level last = e->shape.level[0];
    const int had_mass = e->shape.has_mass;
    rec_multigrid_shape_make(&e->shape, problem);
    e->head.look = rec_multigrid_unsolved;
    e->magnitude = fabs(e->shape.halo);
    if (!e->shape.levels)
        return REC_OK;
    const rec_multigrid_level *level = &e->shape.level[0];
    if (!e->z || had_mass != e->shape.has_mass || memcmp(&last.x, &level->x, sizeof last.x) ||
        memcmp(&last.y, &level->y, sizeof last.y)) {
        drop_box(e);
        REC_TRY(allocate_box(e, error));
    } else
        memset(e->z, 0, (size_t)(e->zeros - e->z) * sizeof(float));
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    REC_SHARE_ROWS(grid->width, grid->height, split_mask, e, problem->mass);
    rec_cycle_coarsen(&e->cycle);
    REC_TRY(rec_allocate(&fixed, e->shape.width, sizeof(float), "a row", error));
    for (size_t x = 0; x < e->shape.width; x++)
        fixed[x] = (float)e->shape.halo;
    for (size_t p = 0; p < e->shape.planes; p++) {
        rec_host_plane *plane = &e->plane[p];
        double largest = 0;
        plane->steps = rec_multigrid_begin();
        plane->scale = 1;
        plane->pap = plane->owed = 0;
        plane->rounded = 0;
        REC_SHARE(e->cycle.threads, grid->height, find_residual, e, problem, p, fixed, &largest);
        if (largest > 0 && abs(ilogb(largest)) > UNSCALED) { /* float32 would not hold it all */
            plane->scale = ldexp(1, -ilogb(largest));
            REC_SHARE(e->cycle.threads, grid->height, find_residual, e, problem, p, fixed,
                      &largest);
        }
    }
    return REC_OK;
}

/* Takes the start's samples in the rectangle, and begins. A pixel that was unknown and still is
 * keeps its value. */
static rec_status host_change(void *state, const rec_problem *problem, rec_area area,
                              rec_error *error)
{
    rec_host_multigrid *e = state;
    const double before = rec_now();
    rec_problem limited = *problem;
    rec_owned_image copy = {0};
    REC_TRY(rec_multigrid_limit_start(&limited, &copy, area, error));
    const rec_image *start = limited.start ? limited.start : problem->input;
    for (size_t row = area.y; row < area.y + area.height; row++) {
        unsigned char *was = e->mask.unknown + row * e->shape.width;
        const unsigned char *is = problem->mask ? problem->mask->unknown + row * e->shape.width
                                                : NULL;
        for (size_t p = 0; p < e->picture.planes; p++) {
            float *to = rec_image_row(&e->picture, p, row);
            const float *from = rec_image_row(start, p, row);
            for (size_t i = area.x; i < area.x + area.width; i++)
                if (!was[i] || (is && !is[i]))
                    to[i] = from[i];
        }
        for (size_t i = area.x; i < area.x + area.width; i++)
            was[i] = !is || is[i];
    }
    const double copied = rec_now();
    const rec_status status = begin(e, problem, error);
    e->head.costs.seconds_upload = copied - before;
    e->begin_seconds = rec_now() - copied;
    return status;
}

/* Where the picture is the start itself, only the box of the mask takes time. */
static rec_status host_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_host_multigrid *e = state;
    const rec_image *edges = problem->input, *start = problem->start ? problem->start : edges;
    if (!e->head.in_place)
        rec_image_destroy(&e->picture);
    rec_mask_destroy(&e->mask); /* no value is kept */
    e->head.in_place = problem->in_place && problem->mask && problem->start;
    e->picture = *start;
    if (!e->head.in_place)
        REC_TRY(rec_image_copy(&e->picture, start, error));
    REC_TRY(rec_mask_create(&e->mask, edges->width, edges->height, error));
    e->shape.width = edges->width;
    const rec_area all = {0, 0, edges->width, edges->height};
    return host_change(e, problem, problem->mask ? problem->mask->box : all, error);
}

static rec_status host_create(void *state, const rec_problem *problem, const rec_slab *slab,
                              const rec_solver_options *options, rec_error *error)
{
    rec_host_multigrid *e = state;
    rec_costs *costs = &e->head.costs;
    const rec_image *edges = problem->input;
    e->head.tolerance = rec_multigrid_tolerance(options);
    rec_processor_name(costs->device, sizeof costs->device,
                       (int)rec_team_for(edges->width * edges->height));
    return host_load(e, problem, error);
}

/* ---- solving ---- */

/* Writes x to the picture, with the step that it lacks, plus what its mean lacks where edges leave
 * it free. x stays: what it comes to must not depend on when somebody looks. */
REC_TASK(show_rows, rec_host_multigrid *e; size_t p; double shift)
{
    const rec_host_multigrid *e = job->e;
    const rec_cycle_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++) {
        float *row = rec_image_row(&e->picture, job->p, e->shape.top + y) + e->shape.left;
        const float *p = e->plane[job->p].p + y * grid->pitch;
        const double *x = e->plane[job->p].x + y * grid->pitch, owed = e->plane[job->p].owed;
        for (size_t i = 0; i < grid->width; i++)
            if (rec_unknown_of(grid, y, i & 1)[i / 2]) {
                const size_t at = rec_cell_of(grid, i);
                row[i] = (float)(x[at] + owed * (double)p[at] + job->shift);
            }
    }
}

static rec_status host_jump(void *state, uint64_t iteration, double seconds, int *reached,
                            rec_error *error)
{
    rec_host_multigrid *e = state;
    const double begun = rec_now(), stop = e->head.tolerance;
    rec_multigrid_steps all[REC_MULTIGRID_PLANES];
    for (int went_on = 1; went_on;) {
        went_on = 0;
        for (size_t p = 0; e->shape.levels && p < e->shape.planes; p++) {
            rec_host_plane *plane = &e->plane[p];
            if (rec_multigrid_is_done(&plane->steps, stop / e->shape.safety))
                continue;
            rec_host_multigrid_step(e, plane);
            went_on = 1;
        }
        if (rec_now() - begun >= seconds)
            break;
    }
    for (size_t p = 0; p < e->shape.planes; p++) {
        const size_t rows = e->cycle.grid[0].height;
        all[p] = e->plane[p].steps;
        if (e->shape.levels)
            REC_SHARE(e->cycle.threads, rows, show_rows, e, p, 0);
        if (e->shape.levels && e->shape.free_mean)
            REC_SHARE(e->cycle.threads, rows, show_rows, e, p,
                      e->shape.mean[p] - rec_image_mean(&e->picture, p));
    }
    *reached = rec_multigrid_conclude(&e->head, &e->shape, all);
    e->head.costs.seconds_jump = e->begin_seconds + rec_now() - begun;
    e->begin_seconds = 0;
    return REC_OK;
}

static rec_status host_planes(void *state, rec_planes *planes, rec_error *error)
{
    *planes = rec_planes_of(&((rec_host_multigrid *)state)->picture);
    return REC_OK;
}

/* Of the mask's box: x in double and three numbers in float for each plane; what the planes share,
 * and the coarser levels. */
static size_t bytes_of(const rec_problem *problem, const rec_solver_options *options)
{
    const rec_mask *mask = problem->mask;
    const size_t cells = mask ? mask->box.width * mask->box.height : 0; /* not known yet */
    return cells * (20 * problem->input->planes + (problem->mass ? 30 : 14));
}

const rec_solver_type rec_multigrid_host = {
    .kernels = (const char *const[]){"host", NULL},
    .takes = REC_MASKS | REC_PARTS,
    .memory = &(const rec_solver_memory){
        .size = sizeof(rec_host_multigrid), .bytes = bytes_of, .create = host_create,
        .load = host_load, .destroy = host_destroy, .get_info = rec_multigrid_get_info,
        .planes = host_planes},
    .jump = &(const rec_solver_jumper){
        .look = rec_multigrid_look, .to = host_jump, .change = host_change},
    REC_MULTIGRID_SHARED,
};
