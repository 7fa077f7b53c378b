/* The host's engine: conjugate gradients for each plane, with the cycle of multigrid_cycle.c. Only
 * the box of the unknown pixels is worked on; the picture around it is kept to be shown. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/processor.h"
#include "base/team.h"
#include "multigrid/multigrid_cycle.h"

enum { WIDE = 5 }; /* rows: a ring of four, and one for what is not kept */

typedef struct host_plane {
    rec_multigrid_steps steps;
    double *x, *r; /* rows of two halves */
    float *p;      /* rows of the finest grid; in units of 1 / unit */
    double unit, largest; /* largest: |r| */
} host_plane;

typedef struct host {
    rec_multigrid_shape shape;
    rec_costs *costs;
    rec_image picture;
    rec_mask mask;         /* `unknown` alone */
    rec_cycle cycle;
    host_plane plane[REC_MULTIGRID_PLANES];
    float *z, *scratch;    /* as p */
    double *rows;          /* of a member: WIDE rows in double */
    double *sums;          /* a row each */
    double magnitude;      /* of start and edges in the box */
} host;

static size_t half_width(const host *e) { return e->cycle.grid[0].blocks * REC_BLOCK; }

/* ---- creation ---- */

static void drop_box(host *e)
{
    rec_cycle_destroy(&e->cycle);
    for (size_t p = 0; p < REC_MULTIGRID_PLANES; p++) {
        rec_free(e->plane[p].x);
        rec_free(e->plane[p].r);
        rec_free(e->plane[p].p);
        e->plane[p] = (host_plane){0};
    }
    rec_free(e->z);
    rec_free(e->scratch);
    rec_free(e->rows);
    rec_free(e->sums);
    e->z = e->scratch = NULL;
    e->rows = e->sums = NULL;
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
    const size_t doubles = grid->height * 2 * half_width(e), floats = grid->height * grid->pitch;
    for (size_t p = 0; p < e->shape.planes; p++) {
        REC_TRY(rec_allocate_zeroed(&e->plane[p].x, doubles, sizeof(double), "a plane", error));
        REC_TRY(rec_allocate_zeroed(&e->plane[p].r, doubles, sizeof(double), "a plane", error));
        REC_TRY(rec_allocate_zeroed(&e->plane[p].p, floats, sizeof(float), "a plane", error));
    }
    REC_TRY(rec_allocate_zeroed(&e->z, floats, sizeof(float), "a plane", error));
    REC_TRY(rec_allocate_zeroed(&e->scratch, floats, sizeof(float), "a plane", error));
    REC_TRY(rec_allocate_zeroed(&e->sums, grid->height, sizeof(double), "sums", error));
    return rec_allocate_zeroed(&e->rows, e->cycle.threads * WIDE * grid->pitch, sizeof(double),
                               "rows of a plane", error);
}

/* ---- the residual of the picture ---- */

/* Row y of the picture, which may lie beyond it. */
static const float *picture_row(const host *e, rec_beyond rule, size_t p, ptrdiff_t y, float *fixed)
{
    const ptrdiff_t height = (ptrdiff_t)e->shape.height;
    if (y >= 0 && y < height)
        return rec_image_row(&e->picture, p, (size_t)y);
    if (rule == REC_FIXED)
        return fixed;
    const int last = (y < 0) == (rule == REC_WRAPPED);
    return rec_image_row(&e->picture, p, last ? (size_t)height - 1 : 0);
}

REC_TASK(find_residual, host *e; const rec_problem *problem; size_t p; float *fixed)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const rec_multigrid_shape *shape = &e->shape;
    const rec_boundary_row *rules = &rec_boundaries[job->problem->boundary.kind];
    const size_t half = half_width(e), p = job->p;
    double *around = e->rows + member * WIDE * grid->pitch; /* the row, and the pixels beside it */
    for (size_t y = first; y < end; y++) {
        const ptrdiff_t at = (ptrdiff_t)(shape->top + y);
        const float *row = picture_row(e, rules->y, p, at, NULL);
        const float *up = picture_row(e, rules->y, p, at - 1, job->fixed) + shape->left;
        const float *down = picture_row(e, rules->y, p, at + 1, job->fixed) + shape->left;
        const float *edges = rec_image_row(job->problem->edges, p, (size_t)at) + shape->left;
        const size_t last = shape->width - 1, right = shape->left + grid->width;
        double *x = e->plane[p].x + 2 * y * half, *r = e->plane[p].r + 2 * y * half;
        const unsigned char *unknown = grid->unknown + 2 * y * half;
        double largest = 0, magnitude = 0;
        around[0] = shape->left ? row[shape->left - 1]
                                : rec_ghost(rules->x, row[0], row[last], shape->halo);
        for (size_t i = 0; i < grid->width; i++)
            around[i + 1] = row[shape->left + i];
        around[grid->width + 1] = right <= last
                                      ? row[right]
                                      : rec_ghost(rules->x, row[last], row[0], shape->halo);
        for (size_t i = 0; i < grid->width; i++) {
            const size_t to = i / 2 + (i & 1) * half;
            const double sum = ((double)up[i] + around[i]) + (around[i + 2] + (double)down[i]);
            const double edge = (double)edges[i] - shape->edge_mean[p];
            x[to] = around[i + 1];
            r[to] = unknown[to] ? sum - 4 * x[to] - edge : 0;
            largest = fmax(largest, fabs(r[to]));
            magnitude = fmax(magnitude, unknown[to] ? fmax(fabs(x[to]), fabs(edge)) : fabs(x[to]));
        }
        rec_team_lock();
        job->e->plane[p].largest = fmax(job->e->plane[p].largest, largest);
        job->e->magnitude = fmax(job->e->magnitude, magnitude);
        rec_team_unlock();
    }
}

REC_TASK(split_mask, host *e)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const size_t half = half_width(e);
    for (size_t y = first; y < end; y++) {
        const unsigned char *row =
            e->mask.unknown + (e->shape.top + y) * e->shape.width + e->shape.left;
        for (size_t x = 0; x < grid->width; x++)
            grid->unknown[(2 * y + (x & 1)) * half + x / 2] = row[x];
    }
}

/* Begins from the picture. */
static rec_status begin(host *e, const rec_problem *problem, rec_error *error)
{
    float *fixed = NULL;
    drop_box(e);
    rec_multigrid_shape_make(&e->shape, problem);
    e->magnitude = fabs(e->shape.halo);
    if (!e->shape.levels)
        return REC_OK;
    REC_TRY(allocate_box(e, error));
    REC_TRY(rec_allocate(&fixed, e->shape.width, sizeof(float), "a row", error));
    for (size_t x = 0; x < e->shape.width; x++)
        fixed[x] = (float)e->shape.halo;
    const rec_grid *grid = &e->cycle.grid[0];
    REC_SHARE_ROWS(grid->width, grid->height, split_mask, e);
    rec_cycle_coarsen(&e->cycle);
    for (size_t p = 0; p < e->shape.planes; p++) {
        host_plane *plane = &e->plane[p];
        plane->steps = rec_multigrid_begin();
        REC_SHARE(e->cycle.threads, grid->height, find_residual, e, problem, p, fixed);
        plane->unit = plane->largest > 0 ? ldexp(1, -ilogb(plane->largest)) : 1;
    }
    rec_free(fixed);
    return REC_OK;
}

/* Takes the start's samples in the rectangle; with `keep` not where the pixel was and is unknown. */
static void take_start(host *e, const rec_problem *problem, size_t x, size_t y, size_t width,
                       size_t height, int keep)
{
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
}

static rec_status host_change(void *state, const rec_problem *problem, size_t x, size_t y,
                              size_t width, size_t height, rec_error *error)
{
    host *e = state;
    const double before = rec_now();
    take_start(e, problem, x, y, width, height, 1);
    const rec_status status = begin(e, problem, error);
    e->costs->seconds_upload = rec_now() - before;
    return status;
}

static rec_status host_load(void *state, const rec_problem *problem, rec_error *error)
{
    host *e = state;
    const double before = rec_now();
    take_start(e, problem, 0, 0, e->picture.width, e->picture.height, 0);
    const rec_status status = begin(e, problem, error);
    e->costs->seconds_upload = rec_now() - before;
    return status;
}

static rec_status host_create(void *state, const rec_problem *problem, int device,
                              rec_costs *costs, rec_error *error)
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

static rec_half half_at(const rec_grid *grid, size_t y, size_t odd)
{
    return (rec_half){grid->active + y / REC_GROUP * grid->blocks,
                      grid->unknown + (2 * y + odd) * grid->blocks * REC_BLOCK, grid->blocks};
}

/* What is done with the rows of p. */
typedef struct row_work {
    host *e;
    host_plane *plane;
    float *next;        /* p is made: next = factor z + beta p; NULL: p is there */
    float factor, beta;
    double alpha;       /* then x += alpha p, r -= alpha A p */
} row_work;

static double *wide_row(const row_work *job, size_t member, ptrdiff_t y)
{
    return job->e->rows +
           (member * WIDE + (size_t)(y + 4) % 4) * job->e->cycle.grid[0].pitch;
}

/* Makes row `at` of p, or reads it, in double. The row beyond a side that is not known follows from
 * a row inside. */
static void widen_row(const row_work *job, size_t member, ptrdiff_t at, int own)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const int above = at < 0, beyond = above || at >= (ptrdiff_t)grid->height;
    const rec_beyond rule = above ? grid->level.y.low : grid->level.y.high;
    double *wide = wide_row(job, member, at);
    if (beyond && rule == REC_FIXED) {
        memset(wide, 0, grid->pitch * sizeof *wide);
        return;
    }
    const size_t y = !beyond ? (size_t)at : above == (rule == REC_WRAPPED) ? grid->height - 1 : 0;
    float *unused = (float *)(e->rows + (member * WIDE + 4) * grid->pitch);
    for (size_t odd = 0; odd < 2; odd++) {
        const size_t o = odd * grid->odd, from = y * grid->pitch + o;
        const rec_half half = half_at(grid, y, odd);
        if (job->next)
            e->cycle.loops->direct(half, own ? job->next + from : unused, wide + o, e->z + from,
                                   job->plane->p + from, job->factor, job->beta);
        else
            e->cycle.loops->widen(half, wide + o, job->plane->p + from);
    }
}

/* Sets the cells beyond the row that `odd` or even cells have beside them; `rest` clears them. */
static void set_sides(const rec_grid *grid, double *wide, size_t odd, int rest)
{
    const rec_multigrid_axis *x = &grid->level.x;
    const size_t last = grid->width - 1;
    const double left = wide[0], right = wide[rec_cell_of(grid, last)];
    if (!odd)
        wide[grid->odd - 1] = rest ? 0 : rec_ghost(x->low, left, right, 0);
    if (odd == (last & 1))
        wide[rec_cell_of(grid, last + 1)] = rest ? 0 : rec_ghost(x->high, right, left, 0);
}

/* p A p, or the largest |r|, of a row. */
static double do_row(const row_work *job, size_t member, size_t y)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const ptrdiff_t at = (ptrdiff_t)y;
    double *wide = wide_row(job, member, at), lanes[8] = {0}, all = 0;
    const double *up = wide_row(job, member, at - 1), *down = wide_row(job, member, at + 1);
    for (size_t odd = 0; odd < 2; odd++) {
        const size_t o = odd * grid->odd, to = (2 * y + odd) * half_width(e);
        const rec_half_around_double p = {wide + o, up + o, down + o,
                                          odd ? wide : wide + grid->odd - 1,
                                          odd ? wide + 1 : wide + grid->odd};
        set_sides(grid, wide, odd, 0);
        if (job->next)
            e->cycle.loops->product(half_at(grid, y, odd), p, lanes);
        else
            e->cycle.loops->update(half_at(grid, y, odd), job->plane->x + to, job->plane->r + to, p,
                                   job->alpha, lanes);
        set_sides(grid, wide, odd, 1);
    }
    for (size_t i = 0; i < 8; i++)
        all = job->next ? all + lanes[i] : fmax(all, lanes[i]);
    return all;
}

REC_TASK(do_rows, row_work rows)
{
    const row_work *rows = &job->rows;
    const host *e = rows->e;
    const size_t pitch = e->cycle.grid[0].pitch;
    memset(e->rows + member * WIDE * pitch, 0, WIDE * pitch * sizeof *e->rows);
    widen_row(rows, member, (ptrdiff_t)first - 1, 0);
    widen_row(rows, member, (ptrdiff_t)first, 1);
    for (size_t y = first; y < end; y++) {
        widen_row(rows, member, (ptrdiff_t)y + 1, y + 1 < end);
        e->sums[y] = do_row(rows, member, y);
    }
}

static void step(host *e, host_plane *plane)
{
    const rec_grid *grid = &e->cycle.grid[0];
    const double scale = plane->largest > 0 ? ldexp(1, -ilogb(plane->largest)) : 1;
    const double rz = rec_cycle_run(&e->cycle, plane->r, scale, e->scratch, e->z) / (scale * scale);
    double pap = 0;
    rec_multigrid_set_rz(&plane->steps, plane->largest > 0 ? rz : 0);
    if (plane->steps.finished)
        return;
    row_work rows = {.e = e, .plane = plane, .next = e->scratch, .factor = (float)(plane->unit / scale),
                 .beta = (float)plane->steps.beta};
    REC_SHARE(e->cycle.threads, grid->height, do_rows, rows);
    for (size_t y = 0; y < grid->height; y++)
        pap += e->sums[y];
    rec_multigrid_set_pap(&plane->steps, pap / (plane->unit * plane->unit), e->magnitude);
    e->scratch = plane->p;
    plane->p = rows.next;
    rows.next = NULL;
    rows.alpha = plane->steps.alpha / plane->unit;
    REC_SHARE(e->cycle.threads, grid->height, do_rows, rows);
    plane->largest = 0;
    for (size_t y = 0; y < grid->height; y++)
        plane->largest = fmax(plane->largest, e->sums[y]);
}

/* ---- solving ---- */

REC_TASK(sum_rows, const host *e; const double *x)
{
    const size_t half = half_width(job->e);
    for (size_t y = first; y < end; y++) {
        double sum = 0;
        for (size_t i = 0; i < 2 * half; i++)
            sum += job->x[2 * y * half + i];
        job->e->sums[y] = sum;
    }
}

REC_TASK(show_rows, host *e; size_t p; double shift)
{
    const host *e = job->e;
    const rec_grid *grid = &e->cycle.grid[0];
    const size_t half = half_width(e);
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

static void show(host *e, size_t p)
{
    const rec_grid *grid = &e->cycle.grid[0];
    double shift = 0;
    if (e->shape.free_mean) {
        REC_SHARE(e->cycle.threads, grid->height, sum_rows, e, e->plane[p].x);
        for (size_t y = 0; y < grid->height; y++)
            shift -= e->sums[y];
        shift = e->shape.mean[p] + shift / (double)e->shape.unknown;
    }
    REC_SHARE(e->cycle.threads, grid->height, show_rows, e, p, shift);
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
    e->costs->seconds_jump = rec_now() - begun;
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
