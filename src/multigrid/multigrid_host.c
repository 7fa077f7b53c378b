/* The host's engine: conjugate gradients for each plane, with the cycle of multigrid_cycle.c. Only
 * the box of the unknown pixels is worked on; the picture around it is kept to be shown. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/processor.h"
#include "base/team.h"
#include "multigrid/multigrid_cycle.h"

typedef struct host_plane {
    rec_multigrid_steps steps;
    double *x, *r; /* rows of two halves */
    float *p;      /* rows of the finest grid, times scale */
    double scale;  /* a power of two, by which r has a maximum of 1 to 2 at first: it falls far less
                      than float32 has range */
} host_plane;

typedef struct host {
    rec_multigrid_shape shape;
    rec_costs *costs;
    rec_image picture;
    rec_mask mask; /* `unknown` alone */
    rec_cycle cycle;
    host_plane plane[REC_MULTIGRID_PLANES];
    double *doubles; /* sums of rows, x, r */
    float *floats;   /* z, scratch, p, and a row of zeros */
    double *sums;
    float *z, *scratch, *zeros;
    double begin_seconds; /* part of the next jump */
    double magnitude;     /* of start and edges in the box */
} host;

/* ---- creation ---- */

static void drop_box(host *e)
{
    rec_cycle_destroy(&e->cycle);
    rec_free(e->doubles);
    rec_free(e->floats);
    e->doubles = NULL;
    e->floats = NULL;
}

static void host_destroy(void *state)
{
    host *e = state;
    drop_box(e);
    rec_image_destroy(&e->picture);
    rec_mask_destroy(&e->mask);
}

static rec_status allocate_box(host *e, rec_error *error)
{
    REC_TRY(rec_cycle_create(&e->cycle, &e->shape, error));
    const rec_grid *grid = &e->cycle.grid[0];
    const size_t planes = e->shape.planes, rows = grid->height, row = 2 * rec_half_width(grid);
    REC_TRY(rec_allocate_zeroed(&e->doubles, rows, (1 + 2 * planes * row) * sizeof(double),
                                "the planes", error));
    REC_TRY(rec_allocate_zeroed(&e->floats, (2 + planes) * rows + 1, grid->pitch * sizeof(float),
                                "the planes", error));
    e->sums = e->doubles;
    e->z = e->floats;
    e->scratch = e->z + rows * grid->pitch;
    for (size_t p = 0; p < planes; p++)
        e->plane[p] = (host_plane){.x = e->sums + rows * (1 + 2 * p * row),
                                   .r = e->sums + rows * (1 + (2 * p + 1) * row),
                                   .p = e->scratch + (1 + p) * rows * grid->pitch};
    e->zeros = e->scratch + (1 + planes) * rows * grid->pitch;
    return REC_OK;
}

/* ---- the residual of the picture ---- */

/* The row that row `at`, which may lie beyond the sides, is made of; -1: it is known. */
static ptrdiff_t source_of(ptrdiff_t at, size_t height, rec_beyond low, rec_beyond high)
{
    const ptrdiff_t last = (ptrdiff_t)height - 1;
    const rec_beyond rule = at < 0 ? low : high;
    if (at >= 0 && at <= last)
        return at;
    return rule == REC_FIXED ? -1 : (at < 0) == (rule == REC_WRAPPED) ? last : 0;
}

static const float *picture_row(const host *e, rec_beyond rule, size_t p, ptrdiff_t at,
                                const float *fixed)
{
    const ptrdiff_t y = source_of(at, e->shape.height, rule, rule);
    return y < 0 ? fixed : rec_image_row(&e->picture, p, (size_t)y);
}

static double larger(double a, double b) { return a > b ? a : b; } /* unlike fmax, inlined */

REC_TASK(find_residual, host *e; const rec_problem *problem; size_t p; float *fixed;
         double *largest)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const rec_multigrid_shape *shape = &e->shape;
    const rec_boundary_row *rules = &rec_boundaries[job->problem->boundary.kind];
    const size_t half = rec_half_width(grid), p = job->p, beyond = shape->left + grid->width;
    double largest = 0, magnitude = 0;
    for (size_t y = first; y < end; y++) {
        const ptrdiff_t at = (ptrdiff_t)(shape->top + y);
        const float *all = picture_row(e, rules->y, p, at, NULL), *row = all + shape->left;
        const float *up = picture_row(e, rules->y, p, at - 1, job->fixed) + shape->left;
        const float *down = picture_row(e, rules->y, p, at + 1, job->fixed) + shape->left;
        const float *edges = rec_image_row(job->problem->edges, p, (size_t)at) + shape->left;
        const double one = all[0], other = all[shape->width - 1];
        const double left = shape->left ? row[-1] : rec_ghost(rules->x, one, other, shape->halo);
        const double right = beyond < shape->width ? all[beyond]
                                                   : rec_ghost(rules->x, other, one, shape->halo);
        for (size_t i = 0; i < grid->width; i++) {
            const size_t to = 2 * y * half + i / 2 + (i & 1) * half;
            const double edge = grid->unknown[to] ? (double)edges[i] - shape->edge_mean[p] : 0;
            const double sum = ((double)up[i] + (i ? row[i - 1] : left)) +
                               ((i + 1 < grid->width ? row[i + 1] : right) + (double)down[i]);
            e->plane[p].x[to] = row[i];
            e->plane[p].r[to] = grid->unknown[to] ? sum - 4 * (double)row[i] - edge : 0;
            largest = larger(largest, fabs(e->plane[p].r[to]));
            magnitude = larger(magnitude, larger(fabs((double)row[i]), fabs(edge)));
        }
    }
    rec_team_lock();
    *job->largest = fmax(*job->largest, largest);
    job->e->magnitude = fmax(job->e->magnitude, magnitude);
    rec_team_unlock();
}

REC_TASK(split_mask, host *e)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const size_t half = rec_half_width(grid);
    for (size_t y = first; y < end; y++) {
        const unsigned char *row = e->mask.unknown + (e->shape.top + y) * e->shape.width +
                                   e->shape.left;
        for (size_t x = 0; x < grid->width; x++)
            grid->unknown[(2 * y + (x & 1)) * half + x / 2] = row[x];
    }
}

/* Begins from the picture. */
static rec_status begin(host *e, const rec_problem *problem, rec_error *error)
{
    float *fixed = NULL;
    const rec_multigrid_level last = e->shape.level[0];
    rec_multigrid_shape_make(&e->shape, problem);
    e->magnitude = fabs(e->shape.halo);
    if (!e->shape.levels)
        return REC_OK;
    const rec_multigrid_level *level = &e->shape.level[0];
    if (!e->floats || memcmp(&last.x, &level->x, sizeof last.x) ||
        memcmp(&last.y, &level->y, sizeof last.y)) {
        drop_box(e);
        REC_TRY(allocate_box(e, error));
    }
    REC_TRY(rec_allocate(&fixed, e->shape.width, sizeof(float), "a row", error));
    for (size_t x = 0; x < e->shape.width; x++)
        fixed[x] = (float)e->shape.halo;
    const rec_grid *grid = &e->cycle.grid[0];
    REC_SHARE_ROWS(grid->width, grid->height, split_mask, e);
    rec_cycle_coarsen(&e->cycle);
    for (size_t p = 0; p < e->shape.planes; p++) {
        double largest = 0;
        memset(e->plane[p].p, 0, grid->height * grid->pitch * sizeof(float));
        e->plane[p].steps = rec_multigrid_begin();
        REC_SHARE(e->cycle.threads, grid->height, find_residual, e, problem, p, fixed, &largest);
        e->plane[p].scale = ldexp(1, largest > 0 ? -ilogb(largest) : 0);
    }
    rec_free(fixed);
    return REC_OK;
}

/* Takes the start's samples in the rectangle, but with `keep` not where the pixel was and is
 * unknown, and begins. */
static rec_status take(host *e, const rec_problem *problem, size_t x, size_t y, size_t width,
                       size_t height, int keep, rec_error *error)
{
    const double before = rec_now();
    const rec_image *start = problem->start ? problem->start : problem->edges;
    for (size_t row = y; row < y + height; row++) {
        unsigned char *was = e->mask.unknown + row * e->shape.width;
        const unsigned char *is = problem->mask ? problem->mask->unknown + row * e->shape.width
                                                : NULL;
        for (size_t p = 0; p < e->picture.planes; p++) {
            float *to = rec_image_row(&e->picture, p, row);
            const float *from = rec_image_row(start, p, row);
            for (size_t i = x; i < x + width; i++)
                to[i] = keep && was[i] && (!is || is[i]) ? to[i] : from[i];
        }
        for (size_t i = x; i < x + width; i++)
            was[i] = !is || is[i];
    }
    const double copied = rec_now();
    const rec_status status = begin(e, problem, error);
    e->costs->seconds_upload = copied - before;
    e->begin_seconds = rec_now() - copied;
    return status;
}

static rec_status host_change(void *state, const rec_problem *problem, size_t x, size_t y,
                              size_t width, size_t height, rec_error *error)
{
    return take(state, problem, x, y, width, height, 1, error);
}

static rec_status host_load(void *state, const rec_problem *problem, rec_error *error)
{
    const rec_image *edges = problem->edges;
    return take(state, problem, 0, 0, edges->width, edges->height, 0, error);
}

static rec_status host_create(void *state, const rec_problem *problem, int device, rec_costs *costs,
                              rec_error *error)
{
    host *e = state;
    const rec_image *edges = problem->edges;
    e->costs = costs;
    e->shape.width = edges->width;
    rec_processor_name(costs->device, sizeof costs->device,
                       (int)rec_team_for(edges->width * edges->height));
    REC_TRY(rec_image_create(&e->picture, edges->width, edges->height, edges->planes, error));
    REC_TRY(rec_mask_create(&e->mask, edges->width, edges->height, error));
    return host_load(e, problem, error);
}

/* ---- a step ---- */

static const float *row_of_p(const host *e, const host_plane *plane, ptrdiff_t at)
{
    const rec_grid *grid = &e->cycle.grid[0];
    const ptrdiff_t y = source_of(at, grid->height, grid->level.y.low, grid->level.y.high);
    return y < 0 ? e->zeros : plane->p + (size_t)y * grid->pitch;
}

static rec_half_around around_of(const host *e, const host_plane *plane, size_t y, size_t odd)
{
    const rec_grid *grid = &e->cycle.grid[0];
    const float *row = row_of_p(e, plane, (ptrdiff_t)y);
    return (rec_half_around){.up = row_of_p(e, plane, (ptrdiff_t)y - 1) + odd * grid->odd,
                             .down = row_of_p(e, plane, (ptrdiff_t)y + 1) + odd * grid->odd,
                             .left = odd ? row : row + grid->odd - 1,
                             .right = odd ? row + 1 : row + grid->odd};
}

REC_TASK(find_direction, const host *e; host_plane * plane; float beta)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++)
        for (size_t at = y * grid->pitch, odd = 0; odd < 2; odd++, at += grid->odd)
            e->cycle.loops->direct(rec_half_at(grid, y, odd), job->plane->p + at, e->z + at,
                                   job->beta);
}

/* The loops take cells beyond the sides for 0: what the first and the last cell of a row have there
 * otherwise. */
static void find_sides(const host *e, const float *p, double sides[2])
{
    const rec_grid *grid = &e->cycle.grid[0];
    const double one = p[0], other = p[rec_cell_of(grid, grid->width - 1)];
    sides[0] = rec_ghost(grid->level.x.low, one, other, 0);
    sides[1] = rec_ghost(grid->level.x.high, other, one, 0);
}

/* p A p of each row. */
REC_TASK(find_product, const host *e; const host_plane *plane)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    for (size_t y = first; y < end; y++) {
        const float *p = job->plane->p + y * grid->pitch;
        double lanes[REC_LANES] = {0}, sides[2];
        for (size_t odd = 0; odd < 2; odd++)
            e->cycle.loops->product(rec_half_at(grid, y, odd), p + odd * grid->odd,
                                    around_of(e, job->plane, y, odd), lanes);
        find_sides(e, p, sides);
        e->sums[y] = -(sides[0] * p[0] + sides[1] * p[rec_cell_of(grid, grid->width - 1)]);
        for (size_t i = 0; i < REC_LANES; i++)
            e->sums[y] += lanes[i];
    }
}

/* x += alpha p, r -= alpha A p. */
REC_TASK(take_step, const host *e; const host_plane *plane; double alpha)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const size_t half = rec_half_width(grid), last = grid->width - 1;
    for (size_t y = first; y < end; y++) {
        const float *p = job->plane->p + y * grid->pitch;
        double *x = job->plane->x + 2 * y * half, *r = job->plane->r + 2 * y * half, sides[2];
        for (size_t odd = 0; odd < 2; odd++)
            e->cycle.loops->update(rec_half_at(grid, y, odd), x + odd * half, r + odd * half,
                                   p + odd * grid->odd, around_of(e, job->plane, y, odd),
                                   job->alpha);
        find_sides(e, p, sides);
        r[0] += job->alpha * sides[0];
        r[last / 2 + (last & 1) * half] += job->alpha * sides[1];
    }
}

static void step(host *e, host_plane *plane)
{
    const size_t threads = e->cycle.threads, rows = e->cycle.grid[0].height;
    const double rz = rec_cycle_run(&e->cycle, plane->r, plane->scale, e->scratch, e->z);
    double pap = 0;
    rec_multigrid_set_rz(&plane->steps, rz / (plane->scale * plane->scale));
    if (plane->steps.finished)
        return;
    REC_SHARE(threads, rows, find_direction, e, plane, (float)plane->steps.beta);
    REC_SHARE(threads, rows, find_product, e, plane);
    for (size_t y = 0; y < rows; y++)
        pap += e->sums[y];
    rec_multigrid_set_pap(&plane->steps, pap / (plane->scale * plane->scale), e->magnitude);
    REC_SHARE(threads, rows, take_step, e, plane, plane->steps.alpha / plane->scale);
}

/* ---- solving ---- */

REC_TASK(show_rows, host *e; size_t p; double shift)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const size_t half = rec_half_width(grid);
    for (size_t y = first; y < end; y++) {
        float *row = rec_image_row(&e->picture, job->p, e->shape.top + y) + e->shape.left;
        const double *x = e->plane[job->p].x + 2 * y * half;
        const unsigned char *unknown = grid->unknown + 2 * y * half;
        for (size_t i = 0; i < grid->width; i++) {
            const size_t from = i / 2 + (i & 1) * half;
            row[i] = unknown[from] ? (float)(x[from] + job->shift) : row[i];
        }
    }
}

/* Writes x to the picture, with the mean that it shall have where edges leave it free. */
static void show(host *e, size_t p)
{
    const size_t rows = e->cycle.grid[0].height;
    REC_SHARE(e->cycle.threads, rows, show_rows, e, p, 0);
    if (e->shape.free_mean)
        REC_SHARE(e->cycle.threads, rows, show_rows, e, p,
                  e->shape.mean[p] - rec_image_mean(&e->picture, p));
}

static rec_status host_solve(void *state, double stop, double seconds,
                             rec_multigrid_distance *distance, rec_error *error)
{
    host *e = state;
    const double begun = rec_now();
    rec_multigrid_steps all[REC_MULTIGRID_PLANES];
    for (int went_on = 1; went_on;) {
        went_on = 0;
        for (size_t p = 0; e->shape.levels && p < e->shape.planes; p++) {
            host_plane *plane = &e->plane[p];
            if (rec_multigrid_is_done(&e->shape, &plane->steps, stop) ||
                plane->steps.count >= REC_MULTIGRID_MOST_STEPS)
                continue;
            step(e, plane);
            went_on = 1;
        }
        if (rec_now() - begun >= seconds)
            break;
    }
    for (size_t p = 0; p < e->shape.planes; p++) {
        all[p] = e->plane[p].steps;
        if (e->shape.levels)
            show(e, p);
    }
    *distance = rec_multigrid_distance_of(&e->shape, all, stop);
    e->costs->seconds_jump = e->begin_seconds + rec_now() - begun;
    e->begin_seconds = 0;
    return REC_OK;
}

static void host_planes(void *state, rec_planes *planes)
{
    const rec_image *picture = &((host *)state)->picture;
    *planes = (rec_planes){.width = picture->width,
                           .height = picture->height,
                           .planes = picture->planes,
                           .pitch = picture->stride,
                           .step = picture->height * picture->stride,
                           .m = picture->data};
}

const rec_multigrid_engine rec_multigrid_host = {
    .kernel = "host",
    .size = sizeof(host),
    .create = host_create,
    .load = host_load,
    .change = host_change,
    .destroy = host_destroy,
    .solve = host_solve,
    .planes = host_planes,
};
