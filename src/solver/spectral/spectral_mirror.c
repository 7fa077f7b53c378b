/* The spectral engine for a mirrored border, on the host. The cosine transform (DCT-II) makes that
 * iteration diagonal, with p = 0..H-1 and q = 0..W-1 and half angles p pi / (2 H) and q pi / (2 W).
 * All modes but the mean go as those of a constant halo do; the mean is a number of its own: iterate
 * N has that of the start less N times a quarter of the edges', and the limit the one that the
 * problem asks for. It is added at the end. The limit takes both transforms too: nothing is done by
 * tridiagonal systems here. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "kernels/spectral_modes.h"
#include "solver/cpu/host.h"
#include "solver/spectral/spectral_sine.h"
#include "solver/spectral/spectral_type.h"

enum { MOST_PLANES = 3 };

/* sin^2 and cos^2 of the half angles, and the transform. */
typedef struct axis {
    size_t n;
    double *low, *high;
    rec_dct *dct;
} axis;

typedef struct mirror {
    const rec_spectral_shape *shape;
    int threads;
    rec_image edges, start;  /* start.data NULL: the edges */
    double edge_mean[MOST_PLANES], start_mean[MOST_PLANES], limit_mean[MOST_PLANES];
    axis x, y;
    size_t stride, column_stride; /* doubles from row to row: of `plane`, of the modes */
    double *plane;           /* height rows of width */
    double *modes;           /* width rows of height */
    double *edge_modes[MOST_PLANES], *start_modes[MOST_PLANES]; /* the same shape */
    int prepared;            /* these two are there for all planes */
    double seconds_upload, seconds_plan, seconds_solve;
} mirror;

static int available(int device, rec_error *error)
{
    (void)device;
    (void)error;
    return 1;
}

/* ---- creation ---- */

static rec_status make_axis(axis *made, size_t n, rec_error *error)
{
    void *tables = NULL;
    rec_status status =
        rec_allocate(&tables, 2 * n, sizeof(double), "tables of the cosine transform", error);
    if (status)
        return status;
    made->n = n;
    made->low = tables;
    made->high = made->low + n;
    for (size_t p = 0; p < n; p++) {
        /* The cosine as the sine from the other end, as exact there as here. */
        const double sine = sin(M_PI * (double)p / (2 * (double)n));
        const double cosine = sin(M_PI * (double)(n - p) / (2 * (double)n));
        made->low[p] = sine * sine;
        made->high[p] = cosine * cosine;
    }
    return rec_dct_create(&made->dct, n, error);
}

static void destroy_axis(axis *made)
{
    rec_free(made->low);
    rec_dct_destroy(made->dct);
}

static void destroy(void *state)
{
    mirror *engine = state;
    rec_image_destroy(&engine->edges);
    rec_image_destroy(&engine->start);
    rec_free(engine->plane);
    rec_free(engine->modes);
    for (int p = 0; p < MOST_PLANES; p++) {
        rec_free(engine->edge_modes[p]);
        rec_free(engine->start_modes[p]);
    }
    destroy_axis(&engine->x);
    destroy_axis(&engine->y);
    free(engine);
}

static void find_means(mirror *engine, const rec_problem *problem)
{
    const rec_image *start = problem->start ? problem->start : problem->edges;
    for (size_t p = 0; p < start->planes; p++) {
        engine->edge_mean[p] = rec_image_mean(problem->edges, p);
        engine->start_mean[p] = rec_image_mean(start, p);
        engine->limit_mean[p] = problem->means ? problem->means[p] : engine->start_mean[p];
    }
}

static rec_status create(void **state, const rec_spectral_shape *shape, const rec_problem *problem,
                         int device, rec_error *error)
{
    (void)device;
    mirror *engine = calloc(1, sizeof *engine);
    if (!engine)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    engine->shape = shape;
    engine->threads = (int)rec_team_size();
    engine->stride = rec_plane_stride(shape->width);
    engine->column_stride = rec_plane_stride(shape->height);
    double before = rec_now();
    rec_status status = rec_plane_make(&engine->plane, shape->height, engine->stride, error);
    if (!status)
        status = rec_plane_make(&engine->modes, shape->width, engine->column_stride, error);
    if (!status)
        status = rec_image_copy(&engine->edges, problem->edges, error);
    if (!status && problem->start)
        status = rec_image_copy(&engine->start, problem->start, error);
    if (!status)
        find_means(engine, problem);
    engine->seconds_upload = rec_now() - before;
    before = rec_now();
    if (!status)
        status = make_axis(&engine->x, shape->width, error);
    if (!status)
        status = make_axis(&engine->y, shape->height, error);
    engine->seconds_plan = rec_now() - before;
    if (status)
        destroy(engine);
    else
        *state = engine;
    return status;
}

/* ---- solving ---- */

typedef void transform(const rec_dct *dct, double *data);

static void transform_rows(const mirror *engine, const axis *along, transform *run, double *rows,
                           size_t count, size_t stride)
{
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (size_t y = 0; y < count; y++)
        run(along->dct, rows + y * stride);
}

static void make_modes(const mirror *engine, const rec_image *image, size_t plane, double *modes)
{
    const size_t width = engine->x.n, height = engine->y.n;
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (size_t y = 0; y < height; y++) {
        const float *row = rec_image_row(image, plane, y);
        for (size_t x = 0; x < width; x++)
            engine->plane[y * engine->stride + x] = row[x];
    }
    transform_rows(engine, &engine->x, rec_dct_forward, engine->plane, height, engine->stride);
    rec_plane_transpose(modes, engine->column_stride, engine->plane, engine->stride, width, height,
                        engine->threads);
    transform_rows(engine, &engine->y, rec_dct_forward, modes, width, engine->column_stride);
}

/* engine->modes becomes the picture in `image`. */
static void store_picture(const mirror *engine, rec_image *image, size_t plane, double mean)
{
    const size_t width = engine->x.n, height = engine->y.n;
    const double scale = 1 / (4 * (double)width * (double)height);
    transform_rows(engine, &engine->y, rec_dct_backward, engine->modes, width,
                   engine->column_stride);
    rec_plane_transpose(engine->plane, engine->stride, engine->modes, engine->column_stride, height,
                        width, engine->threads);
    transform_rows(engine, &engine->x, rec_dct_backward, engine->plane, height, engine->stride);
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (size_t y = 0; y < height; y++) {
        float *row = rec_image_row(image, plane, y);
        for (size_t x = 0; x < width; x++)
            row[x] = (float)(scale * engine->plane[y * engine->stride + x] + mean);
    }
}

/* engine->modes = those of iterate N, or of the limit, from the start's and the edges'. */
static void combine(const mirror *engine, const double *start, const double *edges,
                    uint64_t iteration)
{
    const axis *x = &engine->x, *y = &engine->y;
    const int limit = iteration == REC_LIMIT_ITERATION, odd = iteration & 1;
    const double n = (double)iteration;
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (size_t q = 0; q < x->n; q++)
        for (size_t p = q ? 0 : 1; p < y->n; p++) {
            const size_t at = q * engine->column_stride + p;
            const double a = x->low[q] + y->low[p];
            const rec_mode mode = limit ? (rec_mode){0, -1 / (4 * a)}
                                        : rec_mode_after(a, x->high[q] + y->high[p], n, odd);
            engine->modes[at] = mode.keep * start[at] + mode.take * edges[at];
        }
    engine->modes[0] = 0; /* the mean */
}

static rec_status prepare_iterates(mirror *engine, rec_error *error)
{
    const rec_spectral_shape *shape = engine->shape;
    rec_status status = REC_OK;
    for (size_t p = 0; !status && !engine->prepared && p < shape->planes; p++) {
        if (!engine->edge_modes[p])
            status = rec_plane_make(&engine->edge_modes[p], shape->width, engine->column_stride,
                                    error);
        if (!status && engine->start.data && !engine->start_modes[p])
            status = rec_plane_make(&engine->start_modes[p], shape->width, engine->column_stride,
                                    error);
        if (!status)
            make_modes(engine, &engine->edges, p, engine->edge_modes[p]);
        if (!status && engine->start.data)
            make_modes(engine, &engine->start, p, engine->start_modes[p]);
    }
    engine->prepared = !status;
    return status;
}

static void copy_start(const mirror *engine, rec_image *image, size_t plane)
{
    const rec_image *start = engine->start.data ? &engine->start : &engine->edges;
    for (size_t y = 0; y < image->height; y++)
        for (size_t x = 0; x < image->width; x++)
            rec_image_row(image, plane, y)[x] = rec_image_row(start, plane, y)[x];
}

static rec_status solve(void *state, uint64_t iteration, rec_image *image, rec_error *error)
{
    mirror *engine = state;
    const int limit = iteration == REC_LIMIT_ITERATION;
    if (!image)
        return rec_fail(error, REC_FAULT, "the host's engine has nowhere to put the picture");
    const rec_status status = iteration && !limit ? prepare_iterates(engine, error) : REC_OK;
    if (status)
        return status;
    const double before = rec_now();
    for (size_t p = 0; p < engine->shape->planes; p++) {
        const double *edges = engine->edge_modes[p];
        const double mean =
            limit ? engine->limit_mean[p]
                  : engine->start_mean[p] - (double)iteration * (engine->edge_mean[p] / 4);
        if (!iteration) {
            copy_start(engine, image, p);
            continue;
        }
        if (limit) {
            make_modes(engine, &engine->edges, p, engine->modes);
            edges = engine->modes;
        }
        combine(engine, limit || !engine->start.data ? edges : engine->start_modes[p], edges,
                iteration);
        store_picture(engine, image, p, mean);
    }
    engine->seconds_solve = rec_now() - before;
    return REC_OK;
}

static void get_info(const void *state, rec_spectral_info *info)
{
    const mirror *engine = state;
    rec_host_name_processor(info->device, sizeof info->device, engine->threads);
    info->seconds_upload = engine->seconds_upload;
    info->seconds_plan = engine->seconds_plan;
    info->seconds_solve = engine->seconds_solve;
}

const rec_spectral_engine rec_spectral_mirror = {
    .available = available,
    .create = create,
    .destroy = destroy,
    .solve = solve,
    .get_info = get_info,
};
