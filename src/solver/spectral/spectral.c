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
    return engine && (!engine->available || engine->available(device, error));
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

static int has_no_prime_above(size_t most, size_t length)
{
    for (size_t prime = 2; prime <= most; prime++)
        while (length % prime == 0)
            length /= prime;
    return length == 1;
}

/* FFTW takes two to four times as long for lengths with larger prime factors. */
static int is_fast(size_t length) { return has_no_prime_above(19, length); }

/* The limit's rows have a width of their own where sine transforms of that width are faster
 * (docs/spectral.md): on a device the next power of two less 1, but short rows are faster padded;
 * on the host, where the length has a large prime factor, the next one with small ones alone. */
static rec_status make_limit_axis(rec_spectral_shape *shape, size_t points, rec_error *error)
{
    size_t period = points ? REC_LEAST_ON_DEVICE : shape->width + 1;
    if (points) {
        while (period < shape->width)
            period *= 2;
        if (period == REC_LEAST_ON_DEVICE || period > 2 * points)
            return REC_OK;
    } else {
        if (is_fast(period))
            return REC_OK;
        while (!has_no_prime_above(7, period))
            period++;
    }
    return rec_spectral_axis_create(&shape->limit_x, REC_SINE, period - 1, points, error);
}

static rec_status make_shape(rec_spectral_shape *shape, const rec_problem *problem,
                             size_t points, rec_error *error)
{
    const rec_image *edges = problem->edges;
    const rec_boundary *boundary = &problem->boundary;
    static const rec_basis bases[] = {
        [REC_FIXED] = REC_SINE, [REC_MIRRORED] = REC_COSINE, [REC_WRAPPED] = REC_HARTLEY};
    const rec_basis basis_x = bases[rec_beyond_x(boundary->kind)];
    const rec_basis basis_y = bases[rec_beyond_y(boundary->kind)];
    const int tridiagonal = basis_x == REC_SINE && basis_y == REC_SINE && !problem->operators;
    /* On the host the limit transforms the axis that is faster. */
    const int transposed = tridiagonal && !points && !is_fast(edges->width + 1) &&
                           is_fast(edges->height + 1);
    *shape = (rec_spectral_shape){.width = transposed ? edges->height : edges->width,
                                  .height = transposed ? edges->width : edges->height,
                                  .planes = edges->planes,
                                  .tridiagonal = tridiagonal,
                                  .transposed = transposed,
                                  .free_mean = rec_problem_frees_mean(problem),
                                  .mean_step = -0.25};
    if (boundary->kind == REC_BOUNDARY_HALO)
        shape->halo = boundary->value;
    if (shape->free_mean)
        find_means(shape, problem);
    rec_status status =
        rec_spectral_axis_create(&shape->x, basis_x, shape->width, points, error);
    if (!status)
        status = rec_spectral_axis_create(&shape->y, basis_y, shape->height, points, error);
    if (!status && problem->operators)
        status = use_stencil(shape, problem, error);
    if (!status && shape->tridiagonal)
        status = make_limit_axis(shape, points, error);
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

rec_status rec_spectral_create(rec_spectral **spectral, const rec_problem *problem, int device,
                               rec_error *error)
{
    *spectral = NULL;
    if (!rec_spectral_available(device, error))
        return REC_UNAVAILABLE;
    const rec_spectral_engine *engine = find_engine(device, error);
    rec_spectral *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    made->engine = engine;
    made->own_start = problem->start != NULL;
    rec_status status = make_shape(&made->shape, problem,
                                   engine->points ? engine->points(device) : 0, error);
    if (!status)
        status = engine->create(&made->state, &made->shape, problem, device, &made->info, error);
    made->info.inverse = made->shape.symbol ? &made->shape.inverse : NULL;
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
    spectral->prepared = 0;
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
    rec_spectral_axis_destroy(&spectral->shape.limit_x);
    free(spectral);
}

/* What iterates need and the limit does not: the modes of edges and start. */
static rec_status prepare_iterates(rec_spectral *spectral, rec_error *error)
{
    const size_t planes = spectral->shape.planes, kept = (spectral->own_start ? 2 : 1) * planes;
    if (spectral->prepared)
        return REC_OK;
    rec_status status = spectral->engine->prepare(spectral->state, kept, error);
    for (size_t i = 0; !status && i < kept; i++)
        status = spectral->engine->transform(spectral->state, i >= planes, i % planes, (int)i,
                                             error);
    spectral->prepared = !status;
    return status;
}

static rec_status solve_plane(const rec_spectral *spectral, size_t plane, uint64_t iteration,
                              rec_error *error)
{
    const rec_spectral_engine *engine = spectral->engine;
    const rec_spectral_shape *shape = &spectral->shape;
    int edges = (int)plane, start = (int)(spectral->own_start ? shape->planes + plane : plane);
    if (!iteration)
        return engine->copy_start(spectral->state, plane, error);
    if (iteration == REC_LIMIT_ITERATION) {
        if (shape->tridiagonal || (shape->symbol && shape->symbol->wide))
            return engine->solve_limit(spectral->state, plane, error);
        edges = start = REC_WORKING_MODES;
        const rec_status status =
            engine->transform(spectral->state, 0, plane, REC_WORKING_MODES, error);
        if (status)
            return status;
    }
    return engine->solve_modes(spectral->state, plane, start, edges, iteration, error);
}

rec_status rec_spectral_solve(rec_spectral *spectral, uint64_t iteration, rec_image *image,
                              rec_error *error)
{
    const rec_spectral_shape *shape = &spectral->shape;
    const int is_iterate = iteration && iteration != REC_LIMIT_ITERATION;
    rec_status status = REC_OK;
    if (is_iterate && iteration > REC_MOST_ITERATIONS)
        return rec_fail(error, REC_USAGE,
                        "the spectral solver takes at most 2^53 = %llu iterations; "
                        "without -n it gives the limit", (unsigned long long)REC_MOST_ITERATIONS);
    if (is_iterate && shape->symbol && shape->symbol->wide)
        return rec_fail(
            error, REC_UNAVAILABLE,
            "iterates of a stencil wider than 3 x 3 with a constant halo have no closed "
            "form; -s cpu iterates");
    if (is_iterate)
        status = prepare_iterates(spectral, error);
    if (!status)
        status = spectral->engine->begin(spectral->state, image, error);
    for (size_t p = 0; !status && p < shape->planes; p++)
        status = solve_plane(spectral, p, iteration, error);
    return status ? status : spectral->engine->end(spectral->state, error);
}

const rec_spectral_info *rec_spectral_get_info(const rec_spectral *spectral)
{
    return &spectral->info;
}
