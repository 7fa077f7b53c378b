/* The exact picture where a mask says that pixels are unknown: four ways to solve the same linear
 * system, all with the known solution, so that each stops at an error of 0.01. Conjugate gradients
 * need as many steps as the mask is wide; a preconditioner that knows the picture's smooth part
 * makes the number small, and multigrid knows it on any mask. The plain ways are written down here,
 * as simply as possible; the last one is the shipped solver, by its own stop. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "bench/rung.h"
#include "solver/multigrid/multigrid_cycle.h"
#include "problem/guidance.h"
#include "solver/type.h"

enum { MOST_STEPS = 100000, HOLES = 12 };
#define ERROR 0.01
#define DAMPING 0.7 /* of cycles alone: undamped they diverge where nothing is known inside */

typedef struct masked {
    rec_image picture, edges, start;
    rec_mask mask;
    rec_problem problem;
    rec_solver *solver; /* the shipped one, or the spectral one */
    size_t width, height;
    double *x, *r, *p, *q, *z; /* width * height each, allocated at x */
    double *sums;              /* of rows, behind them */
    rec_cycle cycle;
    float *floats; /* of the cycle: three rows of the finest grid for each of the picture */
    const struct masked_way *way;
} masked;

typedef struct masked_way {
    rec_status (*precondition)(masked *m, rec_error *error); /* z from r; NULL: z is r */
    int alone;          /* x += DAMPING z, without conjugate gradients */
    const char *kernel; /* of the shipped solver; else NULL */
} masked_way;

/* ---- the problem: noise with round holes, within a halo ---- */

static rec_status make_masked(masked *m, const bench_case *problem, rec_error *error)
{
    const double side = (double)rec_smaller(m->width, m->height);
    REC_TRY(rec_image_copy(&m->picture, &problem->edges, error));
    REC_TRY(rec_image_copy(&m->start, &problem->edges, error));
    REC_TRY(rec_laplacian(&m->picture, REC_BOUNDARY_HALO, problem->halo, &m->edges, error));
    REC_TRY(rec_mask_create(&m->mask, m->width, m->height, error));
    for (size_t y = 0; y < m->height; y++)
        for (size_t x = 0; x < m->width; x++) {
            unsigned char *unknown = &m->mask.unknown[y * m->width + x];
            *unknown = 1;
            for (int i = 0; i < HOLES; i++) { /* at multiples of the golden ratio */
                const double dx = (double)x - fmod(i * 0.618034, 1) * (double)m->width;
                const double dy = (double)y - (i + 0.5) / HOLES * (double)m->height;
                *unknown = *unknown && hypot(dx, dy) > 0.05 * side;
            }
            if (*unknown)
                rec_image_row(&m->start, 0, y)[x] = 0;
        }
    rec_mask_measure(&m->mask);
    m->problem = (rec_problem){
        .edges = &m->edges, .start = &m->start, .mask = &m->mask, .boundary.value = problem->halo};
    return REC_OK;
}

/* ---- conjugate gradients ---- */

/* 4 v - the neighbours, which are 0 beyond the picture and where pixels are known. */
static double apply(const masked *m, const double *v, size_t y, size_t x)
{
    const double *at = v + y * m->width + x;
    return 4 * at[0] - (((y ? at[-(ptrdiff_t)m->width] : 0) + (x ? at[-1] : 0)) +
                        ((x + 1 < m->width ? at[1] : 0) + (y + 1 < m->height ? at[m->width] : 0)));
}

enum { DIRECTION, PRODUCT, STEP, RESIDUAL };

REC_TASK(do_rows, const masked *m; int what; double factor)
{
    const masked *m = job->m;
    for (size_t y = first; y < end; y++) {
        double sum = 0;
        for (size_t x = 0, i = y * m->width; x < m->width; x++, i++)
            if (job->what == DIRECTION)
                m->p[i] = m->z[i] + job->factor * m->p[i];
            else if (job->what == PRODUCT) {
                m->q[i] = m->mask.unknown[i] ? apply(m, m->p, y, x) : 0;
                sum += m->p[i] * m->q[i];
            } else if (job->what == STEP) {
                m->x[i] += job->factor * m->p[i];
                m->r[i] -= job->factor * m->q[i];
                sum = fmax(sum, fabs(m->x[i] - (double)rec_image_row(&m->picture, 0, y)[x]));
            } else
                sum += m->r[i] * m->z[i];
        m->sums[y] = sum;
    }
}

/* DIRECTION: p = z + factor p. PRODUCT: q = A p; returns p q. STEP: x += factor p, r -= factor q;
 * returns the largest error. RESIDUAL: returns r z. */
static double rows(const masked *m, int what, double factor)
{
    double all = 0;
    REC_SHARE_ROWS(m->width, m->height, do_rows, m, what, factor);
    for (size_t y = 0; y < m->height; y++)
        all = what == STEP ? fmax(all, m->sums[y]) : all + m->sums[y];
    return all;
}

/* x = the start, r = the residual: the picture has none. */
static void begin(masked *m)
{
    const size_t pixels = m->width * m->height;
    memset(m->p, 0, pixels * sizeof *m->p);
    for (size_t i = 0; i < pixels; i++) {
        m->x[i] = rec_image_row(&m->start, 0, i / m->width)[i % m->width];
        m->q[i] = (double)rec_image_row(&m->picture, 0, i / m->width)[i % m->width] - m->x[i];
    }
    for (size_t i = 0; i < pixels; i++)
        m->r[i] = m->mask.unknown[i] ? apply(m, m->q, i / m->width, i % m->width) : 0;
}

static rec_status solve(masked *m, rec_error *error)
{
    const masked_way *way = m->way;
    double before = 0, left = INFINITY;
    begin(m);
    for (int n = 0; n < MOST_STEPS && left > ERROR; n++) {
        if (way->precondition)
            REC_TRY(way->precondition(m, error));
        const double rz = rows(m, RESIDUAL, 0);
        if (rz == 0)
            break;
        rows(m, DIRECTION, n && !way->alone ? rz / before : 0);
        const double pap = rows(m, PRODUCT, 0);
        left = rows(m, STEP, way->alone ? DAMPING : rz / pap);
        before = rz;
    }
    return REC_OK;
}

/* ---- preconditioners ---- */

/* One V-cycle, on rows by halves. */
static rec_status cycle(masked *m, rec_error *error)
{
    const rec_cycle_grid *grid = &m->cycle.grid[0];
    float *b = m->floats, *z = b + m->height * grid->pitch, *scratch = z + m->height * grid->pitch;
    for (size_t i = 0; i < m->width * m->height; i++)
        b[i / m->width * grid->pitch + rec_cell_of(grid, i % m->width)] = (float)m->r[i];
    rec_cycle_run(&m->cycle, b, scratch, z, &(double){0});
    for (size_t i = 0; i < m->width * m->height; i++)
        m->z[i] = z[i / m->width * grid->pitch + rec_cell_of(grid, i % m->width)];
    return REC_OK;
}

/* The exact picture with nothing known inside. */
static rec_status transform(masked *m, rec_error *error)
{
    const rec_solver_type *type;
    rec_image found = {0};
    const rec_problem all = {.edges = &m->edges};
    for (size_t i = 0; i < m->width * m->height; i++)
        rec_image_row(&m->edges, 0, i / m->width)[i % m->width] = (float)-m->r[i];
    REC_TRY(rec_solver_find("spectral", &type, error));
    REC_TRY(rec_solver_renew(&m->solver, type, &all, NULL, error));
    REC_TRY(rec_solver_jump(m->solver, REC_LIMIT_ITERATION, error));
    REC_TRY(rec_solver_read_image(m->solver, &found, error));
    for (size_t i = 0; i < m->width * m->height; i++)
        m->z[i] = m->mask.unknown[i] ? rec_image_row(&found, 0, i / m->width)[i % m->width] : 0;
    rec_image_destroy(&found);
    return REC_OK;
}

/* ---- the rungs ---- */

static void masked_destroy(void *state)
{
    masked *m = state;
    rec_image_destroy(&m->picture);
    rec_image_destroy(&m->edges);
    rec_image_destroy(&m->start);
    rec_mask_destroy(&m->mask);
    rec_solver_destroy(m->solver);
    rec_cycle_destroy(&m->cycle);
    rec_free(m->x);
    rec_free(m->floats);
    free(m);
}

static rec_status make_cycle(masked *m, rec_error *error)
{
    rec_multigrid_shape shape;
    rec_multigrid_shape_make(&shape, &(rec_problem){.edges = &m->edges});
    REC_TRY(rec_cycle_create(&m->cycle, &shape, error));
    const rec_cycle_grid *grid = &m->cycle.grid[0];
    for (size_t i = 0; i < m->width * m->height; i++)
        rec_unknown_of(grid, i / m->width, i % m->width & 1)[i % m->width / 2] = m->mask.unknown[i];
    rec_cycle_coarsen(&m->cycle);
    return rec_allocate_zeroed(&m->floats, 3 * m->height * grid->pitch, sizeof(float), "a rung",
                               error);
}

static rec_status masked_create(void **state, const bench_rung *rung, const bench_case *problem,
                                rec_ladder_block block, const rec_solver_options *place,
                                rec_error *error)
{
    masked *m = *state = calloc(1, sizeof *m);
    if (!m)
        return rec_fail(error, REC_LIMIT, "out of memory for a rung");
    m->way = rung->way;
    m->width = problem->width;
    m->height = problem->height;
    const size_t pixels = m->width * m->height;
    rec_solver_options options = *place;
    options.kernel = m->way->kernel;
    const rec_solver_type *spectral;
    if (m->way->precondition == transform)
        REC_TRY(rec_solver_find("spectral", &spectral, error));
    REC_TRY(make_masked(m, problem, error));
    if (m->way->kernel)
        return rec_solver_create(&m->solver, &rec_solver_multigrid, &m->problem, &options, error);
    REC_TRY(rec_allocate(&m->x, 5 * pixels + m->height, sizeof *m->x, "a rung", error));
    m->r = m->x + pixels;
    m->p = m->r + pixels;
    m->q = m->p + pixels;
    m->z = m->way->precondition ? m->q + pixels : m->r;
    m->sums = m->q + 2 * pixels;
    return m->way->precondition == cycle ? make_cycle(m, error) : REC_OK;
}

/* One solution stands for n. */
static rec_status masked_solve(void *state, uint64_t n, double *seconds, rec_error *error)
{
    masked *m = state;
    rec_solver_info info;
    const double before = rec_now();
    if (m->way->kernel) {
        REC_TRY(rec_solver_renew(&m->solver, &rec_solver_multigrid, &m->problem, NULL, error));
        REC_TRY(rec_solver_jump(m->solver, REC_LIMIT_ITERATION, error));
        rec_solver_get_info(m->solver, &info);
    } else
        REC_TRY(solve(m, error));
    *seconds = (double)n * (m->way->kernel ? info.costs.seconds_jump : rec_now() - before);
    return REC_OK;
}

/* The picture was of integers, and no zero was negative. */
static rec_status read_rounded(void *state, void *words, rec_error *error)
{
    masked *m = state;
    rec_image found = {0};
    if (m->way->kernel)
        REC_TRY(rec_solver_read_image(m->solver, &found, error));
    for (size_t i = 0; i < m->width * m->height; i++)
        ((float *)words)[i] = (m->way->kernel
                                   ? rintf(rec_image_row(&found, 0, i / m->width)[i % m->width])
                                   : (float)rint(m->x[i])) +
                              0.0F;
    rec_image_destroy(&found);
    return REC_OK;
}

static const bench_type type = {"masked", masked_create, masked_solve,  read_rounded,
                                NULL,     NULL,          masked_destroy};

#define RUNG(...) \
    .check = BENCH_COPY, .batch = 1, .asked = 1, .type = &type, .way = &(const masked_way) \
    { \
        __VA_ARGS__ \
    }

const bench_rung bench_masked_rungs[] = {
    {72, 0, "masked/gradients", "a mask: conjugate gradients", RUNG(.alone = 0)},
    {73, 72, "masked/spectral", "preconditioned by the picture with nothing known inside",
     RUNG(.precondition = transform)},
    {74, 72, "masked/cycles", "multigrid alone: damped V-cycles",
     RUNG(.precondition = cycle, .alone = 1)},
    {75, 72, "masked/both", "a V-cycle as preconditioner", RUNG(.precondition = cycle)},
    {76, 75, "masked/host", "the shipped solver, to its own stop", RUNG(.kernel = "host")},
#if REC_HAVE_CUDA
    {77, 76, "masked/cuda", "the same on the device, by its own clock", .device = 1,
     RUNG(.kernel = "cuda")},
#endif
    {0},
};
