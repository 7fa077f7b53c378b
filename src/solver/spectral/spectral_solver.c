/* The spectral solver: iterate N, or the limit, in closed form. An advance by n is one solve for
 * N + n. On a device the result stays there until it is read. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "base/trace.h"
#include "solver/spectral/spectral.h"
#include "solver/type.h"

#define MOST_ITERATIONS (UINT64_C(1) << 53) /* N is exact in double up to here */

typedef struct spectral {
    const rec_spectral_engine *engine;
    void *state;          /* the engine's */
    rec_spectral_shape shape;
    rec_costs costs;
    int own_start;
    int prepared;         /* the modes of all planes are kept: the edges', then those of an own
                             start */
    uint64_t iteration;   /* N, or REC_LIMIT_ITERATION */
    int solved;           /* the engine's result is that of `iteration` */
    int fetched;          /* so is the picture */
    rec_image picture;    /* own memory, or in place the problem's edges */
    int in_place;
    double *row_sums;     /* height */
    rec_image limit;      /* made when a distance is first asked for */
} spectral;

static int on_device(const spectral *solver) { return solver->engine->fetch != NULL; }

/* REC_SPECTRAL_HOST or the number of a device; NULL, with `error` filled, if it is not here. */
static const rec_spectral_engine *find_engine(int device, rec_error *error)
{
    if (REC_HAVE_FFTW && device == REC_SPECTRAL_HOST)
        return &rec_spectral_host;
    if (REC_HAVE_CUDA && device != REC_SPECTRAL_HOST)
        return rec_spectral_cuda.available(device, error) ? &rec_spectral_cuda : NULL;
    rec_fail(error, REC_UNAVAILABLE,
             device == REC_SPECTRAL_HOST
                 ? "this program was built without FFTW, which the spectral solver needs on the CPU"
                 : "this program was built without CUDA");
    return NULL;
}

static int available(rec_error *error)
{
    return find_engine(REC_SPECTRAL_HOST, error) || find_engine(0, error);
}

/* With fewer samples the processor has the picture before a device is ready. Many pictures share a
 * device's start, unless each is too small to be worth the copies. */
#define DEVICE_SAMPLES ((size_t)1 << 23)
#define DEVICE_SAMPLES_OF_ALL ((size_t)1 << 28)
#define DEVICE_SAMPLES_OF_EACH ((size_t)1 << 16)

/* The kernel decides; else a device, if there is one and it is faster. NULL: REC_UNAVAILABLE. */
static const rec_spectral_engine *choose_engine(const rec_problem *problem,
                                                const rec_solver_options *options, int *device,
                                                rec_error *error)
{
    const rec_image *edges = problem->edges;
    const int host = options->kernel && !strcmp(options->kernel, "fftw");
    const int cuda = options->kernel && !host;
    const int host_alone =
        problem->operators && !rec_symbol_is_plain(problem->operators, &problem->boundary);
    if (host_alone && cuda) {
        rec_fail(error, REC_UNAVAILABLE,
                 "the picture of this stencil's edges is computed on the processor, by --kernel "
                 "fftw and without --device");
        return NULL;
    }
    const size_t samples = edges->width * edges->height * edges->planes;
    const int small = samples < DEVICE_SAMPLES &&
                      (samples < DEVICE_SAMPLES_OF_EACH ||
                       options->problems < DEVICE_SAMPLES_OF_ALL / samples);
    const rec_spectral_engine *engine = NULL;
    *device = options->devices[0];
    if (cuda || !(host || host_alone || (small && find_engine(REC_SPECTRAL_HOST, NULL))))
        engine = find_engine(*device, error);
    if (engine || cuda)
        return engine;
    *device = REC_SPECTRAL_HOST;
    return find_engine(*device, error);
}

/* The planes of doubles of the host's engine, and copies of the images. */
static size_t spectral_memory(const rec_problem *problem, const rec_solver_options *options)
{
    const rec_image *edges = problem->edges;
    const size_t pixels = edges->width * edges->height;
    int device;
    const rec_spectral_engine *engine = choose_engine(problem, options, &device, NULL);
    if (!engine || engine->fetch)
        return 0;
    return pixels * sizeof(double) +
           (problem->in_place ? 0 : 2 * pixels * edges->planes * sizeof(float));
}

static void spectral_destroy(void *state)
{
    spectral *solver = state;
    if (solver->state)
        solver->engine->destroy(solver->state);
    rec_free(solver->state);
    rec_spectral_shape_destroy(&solver->shape);
    if (!solver->in_place)
        rec_image_destroy(&solver->picture);
    rec_image_destroy(&solver->limit);
    rec_free(solver->row_sums);
}

static rec_status take_picture(spectral *solver, const rec_problem *problem, rec_error *error)
{
    const rec_image *edges = problem->edges;
    const int in_place = problem->in_place && !on_device(solver);
    if (!in_place && !solver->in_place && solver->picture.data)
        return REC_OK;
    if (!solver->in_place)
        rec_image_destroy(&solver->picture);
    solver->in_place = in_place;
    solver->picture = *edges;
    return in_place ? REC_OK : rec_image_create(&solver->picture, edges->width, edges->height,
                                                edges->planes, error);
}

static rec_status spectral_create(void *state, const rec_problem *problem, const rec_slab *slab,
                                  const rec_solver_options *options, rec_error *error)
{
    spectral *solver = state;
    const rec_image *edges = problem->edges;
    int device;
    const double before = rec_now();
    const rec_spectral_engine *engine = choose_engine(problem, options, &device, error);
    const double seconds = rec_now() - before; /* looking for devices starts the driver */
    if (!engine)
        return REC_UNAVAILABLE;
    solver->engine = engine;
    solver->own_start = problem->start != NULL;
    REC_TRY(rec_spectral_shape_make(&solver->shape, problem,
                                    engine->points ? engine->points(device) : 0, error));
    REC_TRY(rec_allocate_zeroed(&solver->state, 1, engine->size, "a solver", error));
    REC_TRY(engine->create(solver->state, &solver->shape, problem, device, &solver->costs, error));
    REC_TRY(take_picture(solver, problem, error));
    REC_TRY(rec_allocate(&solver->row_sums, edges->height, sizeof(double), "norms", error));
    solver->costs.seconds_start += seconds;
    return REC_OK;
}

static rec_status load(void *state, const rec_problem *problem, rec_error *error)
{
    spectral *solver = state;
    solver->iteration = 0;
    solver->prepared = solver->solved = solver->fetched = 0;
    solver->costs.seconds_start = solver->costs.seconds_plan = 0;
    rec_image_destroy(&solver->limit);
    rec_spectral_find_means(&solver->shape, problem);
    REC_TRY(take_picture(solver, problem, error));
    return solver->engine->load(solver->state, problem, error);
}

static void spectral_get_info(const void *state, rec_solver_info *info)
{
    const spectral *solver = state;
    *info = (rec_solver_info){.kernel = solver->engine->kernel, .costs = solver->costs,
                               .in_place = solver->in_place};
    memcpy(info->inverse, solver->shape.inverse, sizeof info->inverse);
}

/* ---- solving ---- */

/* What iterates need and the limit does not: the modes of edges and start. */
static rec_status prepare_iterates(spectral *solver, rec_error *error)
{
    const size_t planes = solver->shape.planes, kept = (solver->own_start ? 2 : 1) * planes;
    if (solver->prepared)
        return REC_OK;
    REC_TRY(solver->engine->prepare(solver->state, kept, error));
    for (size_t i = 0; i < kept; i++)
        REC_TRY(solver->engine->transform(solver->state, i >= planes, i % planes, (int)i, error));
    solver->prepared = 1;
    return REC_OK;
}

static rec_status solve_plane(const spectral *solver, size_t plane, uint64_t iteration,
                              rec_error *error)
{
    const rec_spectral_engine *engine = solver->engine;
    const rec_spectral_shape *shape = &solver->shape;
    int edges = (int)plane, start = (int)(solver->own_start ? shape->planes + plane : plane);
    if (!iteration)
        return engine->copy_start(solver->state, plane, error);
    if (iteration == REC_LIMIT_ITERATION) {
        if (shape->tridiagonal || (shape->symbol && shape->symbol->wide))
            return engine->solve_limit(solver->state, plane, error);
        edges = start = REC_WORKING_MODES;
        REC_TRY(engine->transform(solver->state, 0, plane, REC_WORKING_MODES, error));
    }
    return engine->solve_modes(solver->state, plane, start, edges, iteration, error);
}

static rec_status solve_into(spectral *solver, uint64_t iteration, rec_image *image,
                             rec_error *error)
{
    const rec_spectral_shape *shape = &solver->shape;
    const int is_iterate = iteration && iteration != REC_LIMIT_ITERATION;
    if (is_iterate && iteration > MOST_ITERATIONS)
        return rec_fail(error, REC_USAGE,
                        "the spectral solver takes at most 2^53 = %llu iterations; "
                        "without -n it gives the limit", (unsigned long long)MOST_ITERATIONS);
    if (is_iterate && shape->symbol && shape->symbol->wide)
        return rec_fail(
            error, REC_UNAVAILABLE,
            "iterates of a stencil wider than 3 x 3 with a constant halo have no closed "
            "form; -s cpu iterates");
    if (is_iterate)
        REC_TRY(prepare_iterates(solver, error));
    REC_TRY(solver->engine->begin(solver->state, image, error));
    for (size_t p = 0; p < shape->planes; p++)
        REC_TRY(solve_plane(solver, p, iteration, error));
    return solver->engine->end(solver->state, error);
}

static rec_status spectral_solve(spectral *solver, rec_error *error)
{
    if (solver->solved)
        return REC_OK;
    const int stays = on_device(solver);
    rec_trace_push(REC_TRACE_ITERATE, solver->iteration);
    const rec_status status =
        solve_into(solver, solver->iteration, stays ? NULL : &solver->picture, error);
    rec_trace_pop();
    solver->solved = !status;
    solver->fetched = !status && !stays;
    return status;
}

static rec_status fetch(spectral *solver, rec_error *error)
{
    rec_status status = solver->fetched ? REC_OK : spectral_solve(solver, error);
    if (!status && !solver->fetched) {
        rec_trace_push(REC_TRACE_DOWNLOAD, 0);
        status = solver->engine->fetch(solver->state, &solver->picture, error);
        rec_trace_pop();
        solver->fetched = !status;
    }
    return status;
}

static rec_status spectral_jump(void *state, uint64_t iteration, rec_error *error)
{
    spectral *solver = state;
    if (solver->iteration != iteration)
        solver->solved = solver->fetched = 0;
    solver->iteration = iteration;
    return spectral_solve(solver, error);
}

REC_TASK(measure_rows, const rec_image *picture, *limit; size_t plane;
         double *sums, *largest, shift)
{
    double largest = 0;
    for (size_t y = first; y < end; y++) {
        const float *a = rec_image_row(job->picture, job->plane, y);
        const float *b = rec_image_row(job->limit, job->plane, y);
        double row = 0;
        for (size_t x = 0; x < job->picture->width; x++) {
            const double difference = (double)a[x] - (double)b[x] - job->shift;
            row += difference * difference;
            largest = fmax(largest, fmax(fabs((double)a[x]), fabs((double)b[x])));
        }
        job->sums[y] = row;
    }
    rec_team_lock();
    *job->largest = fmax(*job->largest, largest);
    rec_team_unlock();
}

/* The true distance to the limit, unlike the bound of the other solvers. It adds what the rounding
 * of both to float32 may hide. */
static rec_status find_distance(spectral *solver, rec_look *look, rec_error *error)
{
    const rec_image *picture = &solver->picture;
    REC_TRY(fetch(solver, error));
    if (solver->iteration == REC_LIMIT_ITERATION) {
        look->distance_rms = ldexp(rec_image_largest(picture), -23);
        return REC_OK;
    }
    rec_image *limit = &solver->limit;
    if (!limit->data) {
        solver->solved = !on_device(solver); /* a device's result will be the limit */
        rec_status status = rec_image_create(limit, picture->width, picture->height,
                                             picture->planes, error);
        if (!status)
            status = solve_into(solver, REC_LIMIT_ITERATION, limit, error);
        if (status) {
            rec_image_destroy(limit);
            return status;
        }
    }
    for (size_t p = 0; p < picture->planes; p++) {
        double *sums = solver->row_sums, squares = 0, largest = 0;
        const double shift =
            solver->shape.free_mean ? rec_image_mean(picture, p) - rec_image_mean(limit, p) : 0;
        REC_SHARE_ROWS(picture->width, picture->height, measure_rows, picture, limit, p, sums,
                       &largest, shift);
        for (size_t y = 0; y < picture->height; y++)
            squares += sums[y];
        const double pixels = (double)picture->width * (double)picture->height;
        look->distance_rms = fmax(look->distance_rms,
                                  sqrt(squares / pixels) + ldexp(largest, -23));
    }
    return REC_OK;
}

static rec_status spectral_advance(void *state, uint64_t n, rec_ending ending, rec_error *error)
{
    spectral *solver = state;
    const uint64_t at = solver->iteration;
    if (at == REC_LIMIT_ITERATION || n == 0)
        return spectral_solve(solver, error);
    /* Beyond the most iterations it is refused. */
    return spectral_jump(solver, n > MOST_ITERATIONS - at ? MOST_ITERATIONS + 1 : at + n, error);
}

static rec_status look_at(void *state, unsigned looks, rec_look *look, rec_error *error)
{
    const int distance = looks & REC_LOOK_DISTANCE;
    *look = (rec_look){.change_rms = NAN, .change_max = NAN, .distance_max = NAN,
                       .distance_rms = distance ? 0 : NAN};
    return distance ? find_distance(state, look, error) : REC_OK;
}

static rec_status spectral_planes(void *state, rec_planes *shown, rec_error *error)
{
    spectral *solver = state;
    const rec_image *picture = &solver->picture;
    REC_TRY(spectral_solve(solver, error));
    *shown = (rec_planes){
        .width = picture->width,
        .height = picture->height,
        .planes = picture->planes,
        .pitch = picture->stride,
        .step = picture->height * picture->stride,
        .m = picture->data,
    };
    if (on_device(solver))
        solver->engine->planes(solver->state, shown);
    shown->iteration = solver->iteration;
    return REC_OK;
}

const rec_solver_type rec_solver_spectral = {
    .inverts = 1,
    .any_iterate = 1,
    .name = "spectral",
    .summary = "the limit itself, or any iterate, by the sine transform in double",
    .kernels = (const char *const[]){"cuda", "fftw", NULL},
    .shows = 1u << REC_SOURCE_PICTURE | 1u << REC_SOURCE_REFERENCE,
    .available = available,
    .memory = spectral_memory,
    .size = sizeof(spectral),
    .create = spectral_create,
    .load = load,
    .destroy = spectral_destroy,
    .get_info = spectral_get_info,
    .advance = spectral_advance,
    .look = look_at,
    .jump = spectral_jump,
    .planes = spectral_planes,
};
