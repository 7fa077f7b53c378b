/* The spectral solver on the host. It keeps one plane of doubles for the limit by
 * tridiagonal systems, and, for charges, 64 columns a thread. A limit by both transforms and
 * iterates take a second plane, and iterates for each plane of the picture the transforms of the
 * edges and of a start of its own. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "solver/spectral/host/spectral_host.h"

typedef struct host {
    rec_spectral head;
    int threads;
    rec_image edges, start; /* copies, or in place the problem's; start.data NULL: the edges */
    size_t stride, column_stride; /* doubles from row to row: of `plane`, of the modes */
    double *plane;          /* height rows of width */
    rec_transform along_x, along_y, along_limit; /* along_limit: the limit's, if it is not x */
    rec_columns columns;                         /* of the limit */
    double *modes;          /* width rows of height: the modes on their way back; or NULL */
    double *symbols;        /* two columns a thread, for a stencil's symbol; else NULL */
    double *kept[2 * REC_MOST_PLANES]; /* the same shape */
} host;

/* ---- creation ---- */

static void drop_images(host *engine)
{
    if (!engine->head.in_place) {
        rec_image_destroy(&engine->edges);
        rec_image_destroy(&engine->start);
    }
    engine->edges = engine->start = (rec_image){0};
}

static void host_destroy(void *state)
{
    host *engine = state;
    drop_images(engine);
    rec_spectral_destroy(&engine->head);
    rec_free(engine->plane);
    rec_free(engine->modes);
    rec_free(engine->symbols);
    for (int i = 0; i < 2 * REC_MOST_PLANES; i++)
        rec_free(engine->kept[i]);
    rec_transform_destroy(&engine->along_x);
    rec_transform_destroy(&engine->along_y);
    rec_transform_destroy(&engine->along_limit);
    rec_columns_destroy(&engine->columns);
}

static rec_status make_plane(double **plane, size_t rows, size_t stride, rec_error *error)
{
    return rec_allocate(plane, rows, stride * sizeof **plane, "a plane in double precision", error);
}

/* What transforms along both axes need, and the modes of `kept` planes. */
static rec_status prepare_modes(host *engine, size_t kept, rec_error *error)
{
    const rec_spectral_shape *shape = &engine->head.shape;
    const double before = rec_now();
    if (!engine->along_y.there)
        REC_TRY(rec_transform_create(&engine->along_y, &shape->y, engine->threads, error));
    if (!engine->modes)
        REC_TRY(make_plane(&engine->modes, shape->width, engine->column_stride, error));
    if (shape->symbol && !engine->symbols)
        REC_TRY(make_plane(&engine->symbols, (size_t)engine->threads, 2 * shape->height, error));
    engine->head.costs.seconds_plan += rec_now() - before;
    for (size_t i = 0; i < kept; i++)
        if (!engine->kept[i])
            REC_TRY(make_plane(&engine->kept[i], shape->width, engine->column_stride, error));
    return REC_OK;
}

/* In place the picture is written over the edges. */
static rec_status host_load(void *state, const rec_problem *problem, rec_error *error)
{
    host *engine = state;
    const rec_image *edges = problem->input;
    rec_image *picture = &engine->head.picture;
    rec_spectral_load(&engine->head, problem);
    const double before = rec_now();
    drop_images(engine);
    if (engine->head.in_place)
        *picture = (rec_image){0};
    else if (problem->in_place)
        rec_image_destroy(picture);
    engine->head.in_place = problem->in_place;
    if (problem->in_place) {
        *picture = engine->edges = *edges;
        engine->start = problem->start ? *problem->start : engine->start;
    } else {
        if (!picture->data)
            REC_TRY(rec_image_create(picture, edges->width, edges->height, edges->planes, error));
        REC_TRY(rec_image_copy(&engine->edges, edges, error));
        if (problem->start)
            REC_TRY(rec_image_copy(&engine->start, problem->start, error));
    }
    engine->head.costs.seconds_upload = rec_now() - before;
    return REC_OK;
}

/* ---- solving ---- */

enum { TILE = 32 }; /* a side: its lines stay in the cache when a transposed image is read */

REC_TASK(copy_tiles, const host *engine; const rec_image *image; size_t plane; int back;
         double offset)
{
    const host *engine = job->engine;
    const rec_spectral_shape *shape = &engine->head.shape;
    const size_t across = shape->transposed ? job->image->stride : 1;
    const size_t down = shape->transposed ? 1 : job->image->stride;
    for (size_t top = first * TILE; top < end * TILE; top += TILE)
        for (size_t left = 0; left < shape->width; left += TILE)
            for (size_t y = top; y < top + TILE && y < shape->height; y++) {
                double *cells = engine->plane + y * engine->stride;
                float *pixels = rec_image_row(job->image, job->plane, 0) + y * down;
                for (size_t x = left; x < left + TILE && x < shape->width; x++)
                    if (job->back)
                        pixels[x * across] = (float)(cells[x] + job->offset);
                    else
                        cells[x] = pixels[x * across];
            }
}

/* A plane of an image to engine->plane, or `back`, plus `offset`. */
static void copy_plane(const host *engine, const rec_image *image, size_t plane, int back,
                       double offset)
{
    REC_SHARE(engine->threads, (engine->head.shape.height + TILE - 1) / TILE, copy_tiles, engine,
              image, plane, back, offset);
}

/* modes = the modes of engine->plane. */
static void transform_plane(const host *engine, double *modes)
{
    const rec_spectral_shape *shape = &engine->head.shape;
    rec_transform_rows(&engine->along_x, 0, engine->plane, shape->height, engine->stride, 1);
    rec_plane_transpose(modes, engine->column_stride, engine->plane, engine->stride, shape->width,
                        shape->height);
    rec_transform_rows(&engine->along_y, 0, modes, shape->width, engine->column_stride, 1);
}

/* The modes of all planes of the edges, and of a start of its own: iterates are made of them. */
static rec_status keep_modes(host *engine, rec_error *error)
{
    const size_t planes = engine->head.shape.planes;
    const size_t kept = (engine->head.own_start ? 2 : 1) * planes;
    if (engine->head.prepared)
        return REC_OK;
    REC_TRY(prepare_modes(engine, kept, error));
    for (size_t i = 0; i < kept; i++) {
        copy_plane(engine, i < planes ? &engine->edges : &engine->start, i % planes, 0, 0);
        transform_plane(engine, engine->kept[i]);
    }
    engine->head.prepared = 1;
    return REC_OK;
}

REC_TASK(solve_columns, const host *engine; const double *start, *edges; uint64_t iteration)
{
    const host *engine = job->engine;
    const rec_spectral_shape *shape = &engine->head.shape;
    const rec_spectral_axis *x = &shape->x, *y = &shape->y;
    const double n = rec_spectral_count(job->iteration);
    const int odd = job->iteration & 1;
    for (size_t q = first; q < end; q++) {
        if (shape->symbol) {
            rec_symbol_solve(shape->symbol, q, n, shape->halo, engine->modes, job->start,
                             job->edges, engine->column_stride,
                             engine->symbols + 2 * shape->height * member);
            continue;
        }
        for (size_t p = 0; p < shape->height; p++) {
            const size_t at = q * engine->column_stride + p;
            const rec_mode mode =
                rec_mode_after(x->low[q] + y->low[p], x->high[q] + y->high[p], n, odd);
            engine->modes[at] =
                mode.keep * (job->start[at] - shape->halo * x->ones[q] * y->ones[p]) +
                mode.take * job->edges[at];
        }
    }
}

/* engine->plane = the iterate, or the limit, of these modes, which may be engine->modes. */
static void solve_plane(const host *engine, const double *start, const double *edges,
                        uint64_t iteration)
{
    const rec_spectral_shape *shape = &engine->head.shape;
    const rec_spectral_axis *x = &shape->x, *y = &shape->y;
    REC_SHARE(engine->threads, shape->width, solve_columns, engine, start, edges, iteration);
    if (shape->free_mean)
        engine->modes[0] = 0;
    rec_transform_rows(&engine->along_y, 1, engine->modes, shape->width, engine->column_stride,
                       1 / y->norm);
    rec_plane_transpose(engine->plane, engine->stride, engine->modes, engine->column_stride,
                        shape->height, shape->width);
    rec_transform_rows(&engine->along_x, 1, engine->plane, shape->height, engine->stride,
                       1 / x->norm);
}

static void approximate(void *state) /* exact but for a wide stencil */
{
    const host *engine = state;
    transform_plane(engine, engine->modes);
    solve_plane(engine, engine->modes, engine->modes, REC_LIMIT_ITERATION);
}

/* engine->plane, which holds the edges, becomes the picture. */
static rec_status solve_wide(host *engine, rec_error *error)
{
    const rec_spectral_shape *shape = &engine->head.shape;
    const rec_symbol *symbol = shape->symbol;
    const rec_gradients gradients = {.stencil = &symbol->stencil, .width = shape->width,
                                     .height = shape->height, .stride = engine->stride,
                                     .work = engine->plane, .approximate = approximate,
                                     .engine = engine};
    for (size_t i = 0; i < shape->height * engine->stride; i++)
        engine->plane[i] = i % engine->stride < shape->width
                               ? symbol->stencil.scale * (engine->plane[i] - symbol->level)
                               : 0;
    return rec_gradients_solve(&gradients, error);
}

/* The sine transform along the column diagonalises the charges' system (docs/spectral.md). */
static void find_charges(const host *engine)
{
    const rec_columns *columns = &engine->columns;
    const rec_spectral_axis *y = &engine->head.shape.y;
    const double period = (double)columns->x->period, column = (double)columns->column;
    rec_columns_sum(columns);
    rec_transform_rows(&engine->along_y, 0, columns->charges, 1, 0, 1 / y->norm);
    for (size_t p = 0; p < y->n; p++) {
        const double rate = 2 * asinh(sqrt(y->low[p]));
        columns->charges[p] *= exp(rate) * expm1(-2 * rate) * expm1(-2 * rate * period) /
                               (expm1(-2 * rate * column) * expm1(-2 * rate * (period - column)));
    }
    rec_transform_rows(&engine->along_y, 0, columns->charges, 1, 0, 1);
}

static void solve_rows(const host *engine)
{
    const rec_spectral_shape *shape = &engine->head.shape;
    const rec_transform *along = shape->limit_x.n ? &engine->along_limit : &engine->along_x;
    const rec_columns *columns = &engine->columns;
    for (size_t y = 0; y < shape->height; y++)
        memset(engine->plane + y * engine->stride + shape->width, 0,
               (columns->x->n - shape->width) * sizeof *engine->plane);
    rec_transform_rows(along, 0, engine->plane, shape->height, engine->stride, 1);
    if (columns->column)
        find_charges(engine);
    rec_columns_solve(columns);
    rec_transform_rows(along, 1, engine->plane, shape->height, engine->stride, 1);
}

static rec_status host_solve(void *state, uint64_t iteration, rec_image *image, rec_error *error)
{
    host *engine = state;
    const rec_spectral_shape *shape = &engine->head.shape;
    const size_t planes = shape->planes;
    const int limit = iteration == REC_LIMIT_ITERATION;
    const rec_image *start = engine->start.data ? &engine->start : &engine->edges;
    image = image ? image : &engine->head.picture;
    if (iteration && !limit)
        REC_TRY(keep_modes(engine, error));
    const double begun = rec_now();
    for (size_t p = 0; p < planes; p++) {
        for (size_t y = 0; !iteration && y < start->height; y++)
            memcpy(rec_image_row(image, p, y), rec_image_row(start, p, y),
                   start->width * sizeof *start->data);
        if (!iteration)
            continue;
        if (limit)
            copy_plane(engine, &engine->edges, p, 0, 0);
        if (limit && shape->symbol && shape->symbol->wide)
            REC_TRY(solve_wide(engine, error));
        else if (limit && shape->tridiagonal)
            solve_rows(engine);
        else if (limit)
            approximate(engine);
        else
            solve_plane(engine, engine->kept[engine->head.own_start ? planes + p : p],
                        engine->kept[p], iteration);
        copy_plane(engine, image, p, 1, rec_spectral_offset(shape, p, iteration));
    }
    engine->head.costs.seconds_jump = rec_now() - begun;
    return rec_fft_is_broken() ? rec_fail(error, REC_LIMIT, "out of memory for the transforms")
                               : REC_OK;
}

/* ---- the type ---- */

static rec_status host_create(void *state, const rec_problem *problem, const rec_slab *slab,
                              const rec_solver_options *options, rec_error *error)
{
    host *engine = state;
    const rec_spectral_shape *shape = &engine->head.shape;
    rec_costs *costs = &engine->head.costs;
    engine->head.solve = host_solve;
    engine->head.own_start = problem->start != NULL;
    REC_TRY(rec_spectral_shape_make(&engine->head.shape, problem, 0, error));
    engine->threads = (int)rec_team_for(shape->width * shape->height);
    engine->stride = rec_plane_stride(rec_spectral_limit_x(shape)->n);
    engine->column_stride = rec_plane_stride(shape->height);
    rec_processor_name(costs->device, sizeof costs->device, engine->threads);
    REC_TRY(make_plane(&engine->plane, shape->height, engine->stride, error));
    REC_TRY(host_load(engine, problem, error));
    const double before = rec_now();
    REC_TRY(rec_transform_create(&engine->along_x, &shape->x, engine->threads, error));
    if (shape->limit_x.n) {
        REC_TRY(
            rec_transform_create(&engine->along_limit, &shape->limit_x, engine->threads, error));
        REC_TRY(rec_transform_create(&engine->along_y, &shape->y, engine->threads, error));
    }
    /* Longer rows end in a column with charges, which make the picture 0 there. */
    engine->columns = (rec_columns){.x = rec_spectral_limit_x(shape), .plane = engine->plane,
                                    .rows = shape->height, .stride = engine->stride,
                                    .threads = (size_t)engine->threads,
                                    .column = shape->limit_x.n ? shape->width + 1 : 0};
    if (shape->tridiagonal)
        REC_TRY(rec_columns_create(&engine->columns, error));
    costs->seconds_plan = rec_now() - before;
    return shape->tridiagonal ? REC_OK : prepare_modes(engine, 0, error);
}

static rec_status host_planes(void *state, rec_planes *shown, rec_error *error)
{
    REC_TRY(rec_spectral_solve(state, error));
    *shown = rec_planes_of(&((host *)state)->head.picture);
    return REC_OK;
}

/* A plane of doubles, and copies of the images. */
static size_t bytes_of(const rec_problem *problem, const rec_solver_options *options)
{
    const rec_image *edges = problem->input;
    const size_t pixels = edges->width * edges->height;
    return pixels * sizeof(double) +
           (problem->in_place ? 0 : 2 * pixels * edges->planes * sizeof(float));
}

const rec_solver_type rec_spectral_host = {
    .kernels = (const char *const[]){"fftw", NULL},
    .memory = &(const rec_solver_memory){
        .size = sizeof(host), .bytes = bytes_of, .create = host_create, .load = host_load,
        .destroy = host_destroy, .get_info = rec_spectral_get_info, .planes = host_planes},
    REC_SPECTRAL_SHARED,
};
