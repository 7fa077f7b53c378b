/* The spectral solver's engine on the host. It keeps one plane of doubles for the limit by
 * tridiagonal systems; a limit by both transforms and iterates take a second one, and iterates for
 * each plane of the picture the transforms of the edges and of a start of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/processor.h"
#include "base/team.h"
#include "kernels/spectral_modes.h"
#include "solver/spectral/host/spectral_fftw.h"
#include "solver/spectral/host/spectral_gradients.h"
#include "solver/spectral/host/spectral_rows.h"
#include "solver/spectral/spectral_engine.h"

typedef struct host {
    const rec_spectral_shape *shape;
    int threads;
    rec_image edges, start; /* start.data NULL: the edges */
    size_t stride, column_stride; /* doubles from row to row: of `plane`, of the modes */
    double *plane;          /* height rows of width */
    rec_transform along_x, along_y;
    double *modes;          /* width rows of height: the modes on their way back; or NULL */
    double *symbols;        /* two columns a thread, for a stencil's symbol; else NULL */
    double *edge_modes[REC_MOST_PLANES], *start_modes[REC_MOST_PLANES]; /* the same shape */
    int prepared;           /* the modes of all planes are there */
    rec_spectral_info *info;
} host;

static int available(int device, rec_error *error)
{
    (void)device;
    (void)error;
    return 1;
}

/* ---- creation ---- */

static void destroy(void *state)
{
    host *engine = state;
    rec_image_destroy(&engine->edges);
    rec_image_destroy(&engine->start);
    rec_free(engine->plane);
    rec_free(engine->modes);
    rec_free(engine->symbols);
    for (int p = 0; p < REC_MOST_PLANES; p++) {
        rec_free(engine->edge_modes[p]);
        rec_free(engine->start_modes[p]);
    }
    rec_transform_destroy(&engine->along_x);
    rec_transform_destroy(&engine->along_y);
    free(engine);
}

/* What transforms along the columns take. */
static rec_status prepare_columns(host *engine, rec_error *error)
{
    const rec_spectral_shape *shape = engine->shape;
    const double before = rec_now();
    rec_status status = REC_OK;
    if (!engine->along_y.fft)
        status = rec_transform_create(&engine->along_y, &shape->y, engine->threads, error);
    if (!status && !engine->modes)
        status = rec_plane_make(&engine->modes, shape->width, engine->column_stride, error);
    if (!status && shape->symbol && !engine->symbols)
        status = rec_plane_make(&engine->symbols, (size_t)engine->threads, 2 * shape->height,
                                error);
    engine->info->seconds_plan += rec_now() - before;
    return status;
}

static rec_status load_problem(void *state, const rec_problem *problem, rec_error *error)
{
    host *engine = state;
    const double before = rec_now();
    rec_image_destroy(&engine->edges);
    rec_image_destroy(&engine->start);
    rec_status status = rec_image_copy(&engine->edges, problem->edges, error);
    if (!status && problem->start)
        status = rec_image_copy(&engine->start, problem->start, error);
    engine->prepared = 0;
    engine->info->seconds_upload = rec_now() - before;
    return status;
}

static rec_status create(void **state, const rec_spectral_shape *shape, const rec_problem *problem,
                         int device, rec_spectral_info *info, rec_error *error)
{
    (void)device;
    host *engine = calloc(1, sizeof *engine);
    if (!engine)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    engine->shape = shape;
    engine->info = info;
    engine->threads = (int)rec_team_for(shape->width * shape->height);
    engine->stride = rec_plane_stride(shape->width);
    engine->column_stride = rec_plane_stride(shape->height);
    rec_processor_name(info->device, sizeof info->device, engine->threads);
    rec_status status = rec_plane_make(&engine->plane, shape->height, engine->stride, error);
    if (!status)
        status = load_problem(engine, problem, error);
    const double before = rec_now();
    if (!status)
        status = rec_transform_create(&engine->along_x, &shape->x, engine->threads, error);
    engine->info->seconds_plan = rec_now() - before;
    if (!status && !shape->tridiagonal)
        status = prepare_columns(engine, error);
    if (status)
        destroy(engine);
    else
        *state = engine;
    return status;
}

/* ---- solving ---- */

enum { TILE = 32 }; /* a side: its lines stay in the cache when a transposed image is read */

/* A plane of an image to engine->plane, or `back`, plus `offset`. */
static void exchange(const host *engine, const rec_image *image, size_t plane, int back,
                     double offset)
{
    const rec_spectral_shape *shape = engine->shape;
    const size_t step = shape->transposed ? image->stride : 1;
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (size_t top = 0; top < shape->height; top += TILE)
        for (size_t left = 0; left < shape->width; left += TILE) {
            const size_t count = shape->width - left < TILE ? shape->width - left : TILE;
            for (size_t y = top; y < top + TILE && y < shape->height; y++) {
                double *cells = engine->plane + y * engine->stride + left;
                float *pixels = shape->transposed ? rec_image_row(image, plane, left) + y
                                                  : rec_image_row(image, plane, y) + left;
                for (size_t x = 0; x < count; x++)
                    if (back)
                        pixels[x * step] = (float)(cells[x] + offset);
                    else
                        cells[x] = pixels[x * step];
            }
        }
}

static void load(const host *engine, const rec_image *image, size_t plane)
{
    exchange(engine, image, plane, 0, 0);
}

static void copy_plane(rec_image *image, const rec_image *from, size_t plane)
{
    for (size_t y = 0; y < image->height; y++)
        memcpy(rec_image_row(image, plane, y), rec_image_row(from, plane, y),
               image->width * sizeof *image->data);
}

static void solve_columns(const host *engine, size_t plane)
{
    const rec_spectral_shape *shape = engine->shape;
    const rec_transform *along_x = &engine->along_x;
    load(engine, &engine->edges, plane);
    rec_transform_rows(along_x, 0, engine->plane, shape->height, engine->stride, 1);
    rec_columns_solve(&shape->x, engine->plane, shape->height, engine->stride, 1 / shape->x.norm,
                      engine->threads);
    rec_transform_rows(along_x, 1, engine->plane, shape->height, engine->stride, 1);
}

/* modes = those of engine->plane. */
static void transform(const host *engine, double *modes)
{
    const rec_spectral_shape *shape = engine->shape;
    rec_transform_rows(&engine->along_x, 0, engine->plane, shape->height, engine->stride, 1);
    rec_plane_transpose(modes, engine->column_stride, engine->plane, engine->stride, shape->width,
                        shape->height, engine->threads);
    rec_transform_rows(&engine->along_y, 0, modes, shape->width, engine->column_stride, 1);
}

static rec_status keep_modes(const host *engine, double **modes, const rec_image *image,
                             size_t plane, rec_error *error)
{
    rec_status status = REC_OK;
    if (!*modes)
        status = rec_plane_make(modes, engine->shape->width, engine->column_stride, error);
    if (!status) {
        load(engine, image, plane);
        transform(engine, *modes);
    }
    return status;
}

/* What a first iterate needs and the limit does not. */
static rec_status prepare_iterates(host *engine, rec_error *error)
{
    if (engine->prepared)
        return REC_OK;
    rec_status status = prepare_columns(engine, error);
    for (size_t p = 0; !status && p < engine->shape->planes; p++) {
        status = keep_modes(engine, &engine->edge_modes[p], &engine->edges, p, error);
        if (!status && engine->start.data)
            status = keep_modes(engine, &engine->start_modes[p], &engine->start, p, error);
    }
    engine->prepared = !status;
    return status;
}

/* engine->plane = the iterate, or the limit, of these modes, which may be engine->modes. */
static void solve_modes(const host *engine, const double *start, const double *edges,
                        uint64_t iteration)
{
    const rec_spectral_shape *shape = engine->shape;
    const rec_spectral_axis *x = &shape->x, *y = &shape->y;
    const double n = rec_spectral_count(iteration);
    const int odd = iteration & 1;
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (size_t q = 0; q < shape->width; q++) {
        if (shape->symbol) {
            rec_symbol_solve(shape->symbol, q, n, shape->halo, engine->modes, start, edges,
                             engine->column_stride,
                             engine->symbols + 2 * shape->height * rec_team_member());
            continue;
        }
        for (size_t p = 0; p < shape->height; p++) {
            const size_t at = q * engine->column_stride + p;
            const rec_mode mode =
                rec_mode_after(x->low[q] + y->low[p], x->high[q] + y->high[p], n, odd);
            engine->modes[at] = mode.keep * (start[at] - shape->halo * x->ones[q] * y->ones[p]) +
                                mode.take * edges[at];
        }
    }
    if (shape->free_mean)
        engine->modes[0] = 0;
    rec_transform_rows(&engine->along_y, 1, engine->modes, shape->width, engine->column_stride,
                       1 / y->norm);
    rec_plane_transpose(engine->plane, engine->stride, engine->modes, engine->column_stride,
                        shape->height, shape->width, engine->threads);
    rec_transform_rows(&engine->along_x, 1, engine->plane, shape->height, engine->stride,
                       1 / x->norm);
}

static void approximate(void *of)
{
    const host *engine = of;
    transform(engine, engine->modes);
    solve_modes(engine, engine->modes, engine->modes, REC_LIMIT_ITERATION);
}

static rec_status solve_wide(host *engine, size_t plane, rec_error *error)
{
    const rec_spectral_shape *shape = engine->shape;
    const rec_symbol *symbol = shape->symbol;
    const rec_gradients gradients = {.stencil = &symbol->stencil,
                                     .width = shape->width,
                                     .height = shape->height,
                                     .stride = engine->stride,
                                     .threads = engine->threads,
                                     .work = engine->plane,
                                     .approximate = approximate,
                                     .of = engine};
    load(engine, &engine->edges, plane);
    for (size_t i = 0; i < shape->height * engine->stride; i++)
        engine->plane[i] = i % engine->stride < shape->width
                               ? symbol->stencil.scale * (engine->plane[i] - symbol->level)
                               : 0;
    return rec_gradients_solve(&gradients, error);
}

static void solve_plane(const host *engine, size_t plane, uint64_t iteration)
{
    const double *edges = engine->edge_modes[plane], *start = engine->start_modes[plane];
    if (iteration == REC_LIMIT_ITERATION && engine->shape->tridiagonal) {
        solve_columns(engine, plane);
        return;
    }
    if (iteration == REC_LIMIT_ITERATION) {
        load(engine, &engine->edges, plane);
        transform(engine, engine->modes);
        edges = start = engine->modes;
    }
    solve_modes(engine, start ? start : edges, edges, iteration);
}

static rec_status solve(void *state, uint64_t iteration, rec_image *image, rec_error *error)
{
    host *engine = state;
    const rec_spectral_shape *shape = engine->shape;
    rec_status status = REC_OK;
    if (!image)
        return rec_fail(error, REC_FAULT, "the host's engine has nowhere to put the picture");
    const int wide = shape->symbol && shape->symbol->wide;
    if (wide && iteration && iteration != REC_LIMIT_ITERATION)
        return rec_fail(
            error, REC_UNAVAILABLE,
            "iterates of a stencil wider than 3 x 3 with a constant halo have no closed "
            "form; -s cpu iterates");
    if (iteration && iteration != REC_LIMIT_ITERATION)
        status = prepare_iterates(engine, error);
    if (status)
        return status;
    const double before = rec_now();
    for (size_t p = 0; !status && p < shape->planes; p++) {
        if (!iteration) {
            copy_plane(image, engine->start.data ? &engine->start : &engine->edges, p);
            continue;
        }
        if (wide)
            status = solve_wide(engine, p, error);
        else
            solve_plane(engine, p, iteration);
        exchange(engine, image, p, 1, rec_spectral_offset(shape, p, iteration));
    }
    engine->info->seconds_solve = rec_now() - before;
    if (!status && rec_fft_is_broken())
        status = rec_fail(error, REC_LIMIT, "out of memory for the transforms");
    return status;
}

const rec_spectral_engine rec_spectral_host = {
    .available = available,
    .create = create,
    .load = load_problem,
    .destroy = destroy,
    .solve = solve,
};
