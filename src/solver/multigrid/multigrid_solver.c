/* The multigrid solver: the limit alone, on any mask. It does not iterate. A jump begins from the
 * start; after a change, from the last picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/trace.h"
#include "solver/multigrid/multigrid.h"
#include "solver/type.h"

typedef struct multigrid {
    const rec_multigrid_engine *engine;
    void *state; /* the engine's */
    rec_costs costs;
    double tolerance;
    rec_multigrid_distance distance; /* infinite: unknown */
    uint64_t iteration;              /* 0, or the limit */
} multigrid;

static const rec_multigrid_distance unknown = {.max = INFINITY, .rms = INFINITY};

static void multigrid_destroy(void *state)
{
    multigrid *solver = state;
    if (solver->state)
        solver->engine->destroy(solver->state);
    free(solver->state);
}

/* Below this number of samples the processor has the picture before a device is ready, unless many
 * pictures share its start. */
#define DEVICE_SAMPLES ((size_t)1 << 22)

/* The kernel decides; else a device, if there is one and it is faster. NULL: REC_UNAVAILABLE. */
static const rec_multigrid_engine *choose_engine(const rec_problem *problem,
                                                 const rec_solver_options *options, int *device,
                                                 rec_error *error)
{
    const rec_mask *mask = problem->mask;
    const rec_image *edges = problem->edges;
    const size_t pixels = mask ? mask->box_width * mask->box_height : edges->width * edges->height;
    const size_t samples = pixels * edges->planes * rec_larger(options->problems, 1);
    const int host = options->kernel && !strcmp(options->kernel, "host");
    const int cuda = options->kernel && !host;
    *device = options->devices[0];
    if (!REC_HAVE_CUDA && cuda)
        rec_fail(error, REC_UNAVAILABLE, "this program was built without CUDA");
    else if (REC_HAVE_CUDA && (cuda || (!host && samples >= DEVICE_SAMPLES)) &&
             rec_multigrid_cuda.available(*device, error))
        return &rec_multigrid_cuda;
    if (cuda)
        return NULL;
    *device = REC_MULTIGRID_HOST;
    return &rec_multigrid_host;
}

static rec_status multigrid_create(void *state, const rec_problem *problem, const rec_slab *slab,
                                   const rec_solver_options *options, rec_error *error)
{
    multigrid *solver = state;
    int device;
    const double before = rec_now();
    solver->engine = choose_engine(problem, options, &device, error);
    const double seconds = rec_now() - before; /* looking for devices starts the driver */
    if (!solver->engine)
        return REC_UNAVAILABLE;
    solver->tolerance = options->tolerance > 0 ? options->tolerance : REC_USUAL_TOLERANCE;
    solver->distance = unknown;
    solver->state = calloc(1, solver->engine->size);
    if (!solver->state)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    REC_TRY(solver->engine->create(solver->state, problem, device, &solver->costs, error));
    solver->costs.seconds_start += seconds;
    return REC_OK;
}

static rec_status multigrid_load(void *state, const rec_problem *problem, rec_error *error)
{
    multigrid *solver = state;
    solver->distance = unknown;
    solver->iteration = 0;
    return solver->engine->load(solver->state, problem, error);
}

static rec_status multigrid_change(void *state, const rec_problem *problem, size_t x, size_t y,
                                   size_t width, size_t height, rec_error *error)
{
    multigrid *solver = state;
    solver->distance = unknown;
    return solver->engine->change(solver->state, problem, x, y, width, height, error);
}

static void multigrid_get_info(const void *state, rec_solver_info *info)
{
    const multigrid *solver = state;
    *info = (rec_solver_info){.kernel = solver->engine->kernel, .costs = solver->costs};
}

static rec_status multigrid_solve(void *state, double seconds, int *reached, rec_error *error)
{
    multigrid *solver = state;
    solver->iteration = REC_LIMIT_ITERATION;
    rec_trace_push(REC_TRACE_ITERATE, 0);
    const rec_status status = solver->engine->solve(solver->state, solver->tolerance, seconds,
                                                    &solver->distance, error);
    rec_trace_pop();
    *reached = solver->distance.reached;
    return status;
}

static rec_status multigrid_jump(void *state, uint64_t iteration, rec_error *error)
{
    int reached;
    if (iteration != REC_LIMIT_ITERATION)
        return rec_fail(error, REC_USAGE, "the multigrid solver has the limit alone, no iterates");
    return multigrid_solve(state, INFINITY, &reached, error);
}

static rec_status multigrid_advance(void *state, uint64_t n, rec_ending ending, rec_error *error)
{
    return multigrid_jump(state, REC_LIMIT_ITERATION, error);
}

static rec_status multigrid_look(void *state, unsigned looks, rec_look *look, rec_error *error)
{
    const multigrid *solver = state;
    const int distance = looks & REC_LOOK_DISTANCE;
    *look = (rec_look){.change_rms = NAN,
                       .change_max = NAN,
                       .distance_max = distance ? solver->distance.max : NAN,
                       .distance_rms = distance ? solver->distance.rms : NAN,
                       .missed = solver->iteration && !solver->distance.reached};
    return REC_OK;
}

static rec_status multigrid_planes(void *state, rec_planes *planes, rec_error *error)
{
    const multigrid *solver = state;
    solver->engine->planes(solver->state, planes);
    planes->iteration = solver->iteration;
    return REC_OK;
}

const rec_solver_type rec_solver_multigrid = {
    .masks = 1,
    .name = "multigrid",
    .summary = "the limit alone, on any mask, by conjugate gradients and multigrid",
    .kernels = (const char *const[]){"cuda", "host", NULL},
    .shows = 1u << REC_SOURCE_PICTURE | 1u << REC_SOURCE_REFERENCE,
    .size = sizeof(multigrid),
    .create = multigrid_create,
    .load = multigrid_load,
    .destroy = multigrid_destroy,
    .get_info = multigrid_get_info,
    .advance = multigrid_advance,
    .look = multigrid_look,
    .jump = multigrid_jump,
    .solve = multigrid_solve,
    .change = multigrid_change,
    .planes = multigrid_planes,
};
