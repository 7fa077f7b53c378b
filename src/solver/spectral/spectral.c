#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "solver/spectral/spectral_engine.h"

#ifndef REC_HAVE_FFTW
#define REC_HAVE_FFTW 0
#endif

static const rec_spectral_engine *find_engine(int device, rec_error *error)
{
    (void)error;
    if (device == REC_SPECTRAL_HOST) {
#if REC_HAVE_FFTW
        return &rec_spectral_host;
#else
        rec_fail(error, REC_UNAVAILABLE,
                 "this program was built without FFTW, which the spectral solver needs on the CPU");
        return NULL;
#endif
    }
#if REC_HAVE_CUDA
    return &rec_spectral_cuda;
#else
    rec_fail(error, REC_UNAVAILABLE,
             "this program was built without CUDA");
    return NULL;
#endif
}

int rec_spectral_available(int device, rec_error *error)
{
    const rec_spectral_engine *engine = find_engine(device, error);
    return engine && engine->available(device, error);
}

/* Only a clear gain is worth two transpositions. */
#define WORTH_TRANSPOSING 1.5

static void transpose(rec_spectral_shape *shape)
{
    const rec_spectral_axis x = shape->x;
    shape->x = shape->y;
    shape->y = x;
    shape->width = shape->x.n;
    shape->height = shape->y.n;
    shape->transposed = 1;
}

static void find_means(rec_spectral_shape *shape, const rec_problem *problem)
{
    const rec_image *start = problem->start ? problem->start : problem->edges;
    for (size_t p = 0; p < shape->planes; p++) {
        shape->edge_mean[p] = rec_image_mean(problem->edges, p);
        shape->start_mean[p] = rec_image_mean(start, p);
        shape->limit_mean[p] =
            problem->boundary.mean_count ? problem->boundary.means[p] : shape->start_mean[p];
    }
}

/* A stencil in place of the five-point Laplacian. */
static rec_status use_stencil(rec_spectral_shape *shape, const rec_problem *problem,
                              rec_error *error)
{
    const rec_operator *of = problem->operators;
    rec_status status =
        rec_symbol_create(&shape->symbol, of, &problem->boundary, &shape->x, &shape->y, error);
    if (!status)
        status = rec_symbol_inspect(shape->symbol, problem->edges, of->force, shape->free_mean,
                                    &shape->inverse, error);
    shape->mean_step = of->gain;
    for (size_t p = 0; p < shape->planes; p++)
        shape->edge_mean[p] -= of->level;
    return status;
}

static rec_status make_shape(rec_spectral_shape *shape, const rec_problem *problem,
                             int on_device, rec_error *error)
{
    const rec_image *edges = problem->edges;
    const rec_boundary *boundary = &problem->boundary;
    static const rec_basis bases[] = {
        [REC_FIXED] = REC_SINE, [REC_MIRRORED] = REC_COSINE, [REC_WRAPPED] = REC_HARTLEY};
    const rec_basis basis_x = bases[rec_beyond_x(boundary->kind)];
    const rec_basis basis_y = bases[rec_beyond_y(boundary->kind)];
    *shape = (rec_spectral_shape){.width = edges->width,
                                  .height = edges->height,
                                  .planes = edges->planes,
                                  .tridiagonal = basis_x == REC_SINE && basis_y == REC_SINE &&
                                                 !problem->operators,
                                  .free_mean = rec_problem_frees_mean(problem),
                                  .mean_step = -0.25};
    if (boundary->kind == REC_BOUNDARY_HALO)
        shape->halo = boundary->value;
    if (shape->free_mean)
        find_means(shape, problem);
    rec_status status =
        rec_spectral_axis_create(&shape->x, basis_x, edges->width, on_device, error);
    if (!status)
        status = rec_spectral_axis_create(&shape->y, basis_y, edges->height, on_device, error);
    if (!status && problem->operators)
        status = use_stencil(shape, problem, error);
    if (!status && shape->tridiagonal && !on_device &&
        rec_spectral_axis_cost(&shape->x) >=
            WORTH_TRANSPOSING * rec_spectral_axis_cost(&shape->y))
        transpose(shape);
    return status;
}

double rec_spectral_count(uint64_t iteration)
{
    return iteration == REC_LIMIT_ITERATION ? INFINITY : (double)iteration;
}

/* The five-point update adds -E / 4 to the mean, which the neighbours keep. */
double rec_spectral_offset(const rec_spectral_shape *shape, size_t plane, uint64_t iteration)
{
    if (!shape->free_mean)
        return shape->halo;
    return iteration == REC_LIMIT_ITERATION
               ? shape->limit_mean[plane]
               : shape->start_mean[plane] +
                     (double)iteration * (shape->mean_step * shape->edge_mean[plane]);
}

static void describe(const rec_spectral_shape *shape, rec_spectral_info *info)
{
    static const char *const names[] = {
        [REC_SINE] = "sine", [REC_COSINE] = "cosine", [REC_HARTLEY] = "Hartley"};
    const rec_spectral_axis *x = &shape->x, *y = &shape->y;
    info->inverse = shape->symbol ? &shape->inverse : NULL;
    if (shape->tridiagonal)
        snprintf(info->method, sizeof info->method, "%s by FFT of %zu%s, %s tridiagonal",
                 shape->transposed ? "columns" : "rows", x->length, x->padded ? " (padded)" : "",
                 shape->transposed ? "rows" : "columns");
    else
        snprintf(info->method, sizeof info->method, "%s transforms of %zu rows, %s of %zu columns",
                 names[x->basis], shape->height, names[y->basis], shape->width);
}

rec_status rec_spectral_create(rec_spectral **spectral, const rec_problem *problem, int device,
                               rec_error *error)
{
    *spectral = NULL;
    const rec_spectral_engine *engine = find_engine(device, error);
    if (!engine || !engine->available(device, error))
        return REC_UNAVAILABLE;
    rec_spectral *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    made->engine = engine;
    made->width = problem->edges->width;
    made->height = problem->edges->height;
    rec_status status = make_shape(&made->shape, problem, engine->fetch != NULL, error);
    if (!status)
        status = engine->create(&made->state, &made->shape, problem, device, &made->info, error);
    describe(&made->shape, &made->info);
    if (status)
        rec_spectral_destroy(made);
    else
        *spectral = made;
    return status;
}

rec_status rec_spectral_load(rec_spectral *spectral, const rec_problem *problem, rec_error *error)
{
    if (spectral->shape.free_mean)
        find_means(&spectral->shape, problem);
    spectral->info.seconds_start = spectral->info.seconds_plan = 0;
    return spectral->engine->load(spectral->state, problem, error);
}

void rec_spectral_destroy(rec_spectral *spectral)
{
    if (!spectral)
        return;
    if (spectral->state)
        spectral->engine->destroy(spectral->state);
    rec_symbol_destroy(spectral->shape.symbol);
    rec_spectral_axis_destroy(&spectral->shape.x);
    rec_spectral_axis_destroy(&spectral->shape.y);
    free(spectral);
}

rec_status rec_spectral_solve(rec_spectral *spectral, uint64_t iteration, rec_image *image,
                              rec_error *error)
{
    if (iteration > REC_MOST_ITERATIONS && iteration != REC_LIMIT_ITERATION)
        return rec_fail(error, REC_USAGE,
                        "the spectral solver takes at most 2^53 = %llu iterations; "
                        "without -n it gives the limit", (unsigned long long)REC_MOST_ITERATIONS);
    if (image && (image->width != spectral->width || image->height != spectral->height ||
                  image->planes != spectral->shape.planes))
        return rec_fail(error, REC_FAULT, "the image is not of the problem's size");
    return spectral->engine->solve(spectral->state, iteration, image, error);
}

const rec_spectral_info *rec_spectral_get_info(const rec_spectral *spectral)
{
    return &spectral->info;
}
