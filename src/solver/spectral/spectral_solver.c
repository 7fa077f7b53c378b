/* The spectral solver: iterate N, or the limit, in closed form. It does not iterate: an advance by
 * n is one solve for N + n, and rec_solver_jump goes to any N. On a device the result stays there
 * until it is read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "base/trace.h"
#include "solver/norms.h"
#include "solver/spectral/spectral_engine.h"
#include "solver/type.h"

typedef struct spectral {
    rec_spectral *spectral;
    int free_mean;        /* the distance leaves the means out */
    uint64_t iteration;   /* N, or REC_LIMIT_ITERATION */
    int solved;           /* the engine's result is that of `iteration` */
    int fetched;          /* so is the picture */
    rec_image picture;
    double *row_sums;     /* height */
    int threads;
    double seconds_start; /* looking for devices, which starts the driver */
    rec_image limit;      /* made when a distance is first asked for */
} spectral;

static int on_device(const spectral *solver) { return solver->spectral->engine->fetch != NULL; }

static int available(rec_error *error)
{
    return rec_spectral_available(REC_SPECTRAL_HOST, error) || rec_spectral_available(0, error);
}

/* Below so many samples the processor has the picture before a device is ready. Many pictures share
 * the start of a device, unless each is too small to be worth the copies. */
#define DEVICE_SAMPLES ((size_t)1 << 23)
#define DEVICE_SAMPLES_OF_ALL ((size_t)1 << 28)
#define DEVICE_SAMPLES_OF_EACH ((size_t)1 << 16)

/* The kernel or the place decides; else a device, if there is one and it is faster. */
static rec_status choose_device(const rec_problem *problem, const rec_solver_options *options,
                                int *device, rec_error *error)
{
    const rec_image *edges = problem->edges;
    const char *kernel = options->kernel;
    rec_where where = !kernel ? options->where
                      : strcmp(kernel, "fftw") ? REC_ON_DEVICE : REC_ON_HOST;
    const int host_alone =
        problem->operators && !rec_symbol_is_plain(problem->operators, &problem->boundary);
    if (host_alone && where == REC_ON_DEVICE)
        return rec_fail(
            error, REC_UNAVAILABLE,
            "the picture of this stencil's edges is computed on the processor, by --kernel "
            "fftw and without --device");
    if (host_alone)
        where = REC_ON_HOST;
    const size_t samples = edges->width * edges->height * edges->planes;
    const int small = samples < DEVICE_SAMPLES &&
                      (samples < DEVICE_SAMPLES_OF_EACH ||
                       options->problems < DEVICE_SAMPLES_OF_ALL / samples);
    const int on_host = where == REC_ON_HOST ||
                        (where == REC_ANYWHERE && small &&
                         rec_spectral_available(REC_SPECTRAL_HOST, NULL));
    if (!on_host && rec_spectral_available(options->devices[0], error)) {
        *device = options->devices[0];
        return REC_OK;
    }
    if (where == REC_ON_DEVICE)
        return REC_UNAVAILABLE;
    *device = REC_SPECTRAL_HOST;
    return rec_spectral_available(REC_SPECTRAL_HOST, error) ? REC_OK : REC_UNAVAILABLE;
}

static void destroy(void *state)
{
    spectral *solver = state;
    rec_spectral_destroy(solver->spectral);
    rec_image_destroy(&solver->picture);
    rec_image_destroy(&solver->limit);
    rec_free(solver->row_sums);
    free(solver);
}

static rec_status create(void **state, const rec_problem *problem, const rec_slab *slab,
                         const rec_solver_options *options, rec_error *error)
{
    (void)slab; /* the whole image */
    const rec_image *edges = problem->edges;
    void *sums;
    spectral *solver = calloc(1, sizeof *solver);
    if (!solver)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    const double before = rec_now();
    int device = 0;
    rec_status status = choose_device(problem, options, &device, error);
    solver->seconds_start = rec_now() - before;
    if (!status)
        status = rec_spectral_create(&solver->spectral, problem, device, error);
    if (!status)
        status = rec_image_create(&solver->picture, edges->width, edges->height, edges->planes,
                                  error);
    if (!status)
        status = rec_allocate(&sums, edges->height, sizeof(double), "norms", error);
    if (status) {
        destroy(solver);
        return status;
    }
    solver->free_mean = rec_problem_frees_mean(problem);
    solver->row_sums = sums;
    solver->threads = (int)rec_team_for(edges->width * edges->height);
    *state = solver;
    return REC_OK;
}

static rec_status load(void *state, const rec_problem *problem, rec_error *error)
{
    spectral *solver = state;
    solver->iteration = 0;
    solver->solved = solver->fetched = 0;
    solver->seconds_start = 0;
    rec_image_destroy(&solver->limit);
    return rec_spectral_load(solver->spectral, problem, error);
}

static void get_info(const void *state, rec_solver_info *info)
{
    const spectral *solver = state;
    const rec_spectral_info *about = rec_spectral_get_info(solver->spectral);
    *info = (rec_solver_info){
        .kernel = on_device(solver) ? "cuda" : "fftw",
        .device_bytes = about->device_bytes,
        .seconds_start = solver->seconds_start + about->seconds_start,
        .seconds_upload = about->seconds_upload,
        .seconds_plan = about->seconds_plan,
        .seconds_jump = about->seconds_solve,
    };
    memcpy(info->device, about->device, sizeof info->device);
    if (about->inverse)
        snprintf(info->inverse, sizeof info->inverse,
                 "smallest eigenvalue %.3g of the largest, %zu lost modes, noise gain %.3g, "
                 "expected error %.3g grey levels RMS", about->inverse->smallest,
                 about->inverse->lost, about->inverse->gain, about->inverse->error);
}

/* ---- solving ---- */

static rec_status solve(spectral *solver, rec_error *error)
{
    if (solver->solved)
        return REC_OK;
    const int stays = on_device(solver);
    rec_trace_push(REC_TRACE_ITERATE, solver->iteration);
    const rec_status status = rec_spectral_solve(solver->spectral, solver->iteration,
                                                 stays ? NULL : &solver->picture, error);
    rec_trace_pop();
    solver->solved = !status;
    solver->fetched = !status && !stays;
    return status;
}

static rec_status fetch(spectral *solver, rec_error *error)
{
    rec_status status = solver->fetched ? REC_OK : solve(solver, error);
    if (!status && !solver->fetched) {
        rec_trace_push(REC_TRACE_DOWNLOAD, 0);
        status = solver->spectral->engine->fetch(solver->spectral->state, &solver->picture, error);
        rec_trace_pop();
        solver->fetched = !status;
    }
    return status;
}

static rec_status jump(void *state, uint64_t iteration, rec_error *error)
{
    spectral *solver = state;
    if (solver->iteration != iteration)
        solver->solved = solver->fetched = 0;
    solver->iteration = iteration;
    return solve(solver, error);
}

/* The true distance to the limit, unlike the bound of the other solvers. It adds what the rounding
 * of both to float32 may hide. */
static rec_status find_distance(spectral *solver, rec_look *look, rec_error *error)
{
    const rec_image *picture = &solver->picture;
    rec_status status = fetch(solver, error);
    if (!status && !solver->limit.data && solver->iteration != REC_LIMIT_ITERATION) {
        rec_image limit;
        solver->solved = !on_device(solver); /* a device's result will be the limit */
        status = rec_image_create(&limit, picture->width, picture->height, picture->planes, error);
        if (!status)
            status = rec_spectral_solve(solver->spectral, REC_LIMIT_ITERATION, &limit, error);
        if (status)
            rec_image_destroy(&limit);
        else
            solver->limit = limit;
    }
    if (!status && solver->iteration == REC_LIMIT_ITERATION)
        look->distance_rms = ldexp(rec_image_largest(picture), -23);
    if (status || solver->iteration == REC_LIMIT_ITERATION)
        return status;
    const rec_image *limit = &solver->limit;
    for (size_t p = 0; p < picture->planes; p++) {
        double *sums = solver->row_sums, squares = 0, largest = 0;
        const double shift =
            solver->free_mean ? rec_image_mean(picture, p) - rec_image_mean(limit, p) : 0;
#pragma omp parallel for schedule(static) num_threads(solver->threads) reduction(max : largest)
        for (size_t y = 0; y < picture->height; y++) {
            const float *a = rec_image_row(picture, p, y), *b = rec_image_row(limit, p, y);
            double row = 0;
            for (size_t x = 0; x < picture->width; x++) {
                const double difference = (double)a[x] - (double)b[x] - shift;
                row += difference * difference;
                largest = fmax(largest, fmax(fabs((double)a[x]), fabs((double)b[x])));
            }
            sums[y] = row;
        }
        for (size_t y = 0; y < picture->height; y++)
            squares += sums[y];
        const double pixels = (double)picture->width * (double)picture->height;
        look->distance_rms = fmax(look->distance_rms,
                                  sqrt(squares / pixels) + ldexp(largest, -23));
    }
    return REC_OK;
}

static rec_status advance(void *state, uint64_t n, rec_ending ending, rec_error *error)
{
    (void)ending;
    spectral *solver = state;
    const uint64_t at = solver->iteration;
    if (at == REC_LIMIT_ITERATION || n == 0)
        return solve(solver, error);
    /* Beyond the most iterations it is refused. */
    return jump(solver, n > REC_MOST_ITERATIONS - at ? REC_MOST_ITERATIONS + 1 : at + n, error);
}

static rec_status look_at(void *state, unsigned looks, rec_look *look, rec_error *error)
{
    const int distance = looks & REC_LOOK_DISTANCE;
    *look = (rec_look){.change_rms = NAN, .change_max = NAN, .distance_rms = distance ? 0 : NAN};
    return distance ? find_distance(state, look, error) : REC_OK;
}

static rec_status planes(void *state, rec_planes *shown, rec_error *error)
{
    spectral *solver = state;
    const rec_image *picture = &solver->picture;
    const rec_status status = solve(solver, error);
    *shown = (rec_planes){
        .width = picture->width,
        .height = picture->height,
        .planes = picture->planes,
        .pitch = picture->stride,
        .step = picture->height * picture->stride,
        .m = picture->data,
        .threads = solver->threads,
    };
    if (on_device(solver))
        solver->spectral->engine->planes(solver->spectral->state, shown);
    shown->iteration = solver->iteration;
    return status;
}

const rec_solver_type rec_solver_spectral = {
    .inverts = 1,
    .name = "spectral",
    .summary = "the limit itself, or any iterate, by the sine transform in double",
    .kernels = (const char *const[]){"cuda", "fftw", NULL},
    .layers = 1u << REC_LAYER_PICTURE | 1u << REC_LAYER_DIFFERENCE,
    .available = available,
    .create = create,
    .load = load,
    .destroy = destroy,
    .get_info = get_info,
    .advance = advance,
    .look = look_at,
    .jump = jump,
    .planes = planes,
};
