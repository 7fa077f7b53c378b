/* The exact picture beside a run, where it can be had in little time: distances are then measured
 * from it. What decides is the same on every machine, but for its memory: -t stops by distances. */
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "run/run_type.h"

#define LIMIT_ITERATIONS 200 /* an iteration takes about so many times less than the limit */
#define LEAST_ITERATIONS (10.0 * LIMIT_ITERATIONS)
#define NEARLY 0.8 /* of the iterations that are foreseen: until then a look is worth little */
#define SELDOM 64
#define SECOND ((size_t)1 << 25) /* samples whose limit a thread has in a second */

static int pays(const rec_run *run)
{
    const rec_run_options *options = &run->options;
    const double end = fmin((double)options->iterations, rec_run_usual_end(run));
    const double problems =
        options->tolerance > 0 ? 1 : fmax((double)options->solver_options.problems, 1);
    return end >= LEAST_ITERATIONS || (double)run->samples * problems <= (double)SECOND;
}

rec_status rec_jumper_create(rec_solver **jumper, const rec_problem *problem, int on_device,
                             int device, rec_error *error)
{
    const rec_solver_type *type;
    REC_TRY(rec_solver_find("spectral", &type, error));
    const rec_solver_options options = {.kernel = on_device ? "cuda" : "fftw", .devices = {device}};
    const rec_status status = rec_solver_create(jumper, type, problem, &options, error);
    return status == REC_UNAVAILABLE /* this build has one of the two */
               ? rec_solver_create(jumper, type, problem, NULL, error) : status;
}

/* The amplitude of the checkerboard: where both sides are even and wrap, it has mu = -1. */
static double checkerboard(const rec_image *start, const rec_image *limit, size_t plane)
{
    double sum = 0;
    for (size_t y = 0; y < start->height; y++)
        for (size_t x = 0; x < start->width; x++) {
            const double d = (double)rec_image_row(start, plane, y)[x] -
                             (double)rec_image_row(limit, plane, y)[x];
            sum += (x + y) % 2 ? -d : d;
        }
    return sum / ((double)start->width * (double)start->height);
}

/* The iteration from which on the distance is within the tolerance, to 1%, by halving the decades:
 * the spectral solver computes any iterate. Of double; 0: not in ten usual runs, or so
 * soon that finding it might take longer. What `stays_off` is no distance; of several planes the
 * largest is left out, so that it is rather foreseen too soon. */
static rec_status foresee(rec_run *run, rec_solver *solver, const double stays_off[3],
                          rec_error *error)
{
    double low = log(LEAST_ITERATIONS), high = log(10 * rec_run_usual_end(run));
    const double off = fmax(fabs(stays_off[0]), fmax(fabs(stays_off[1]), fabs(stays_off[2])));
    const double within = hypot(run->options.tolerance, off);
    for (int step = 0; step < 2 || high - low > 0.01; step++) {
        const double at = step == 0 ? high : step == 1 ? low : (low + high) / 2;
        rec_look look;
        REC_TRY(rec_solver_jump(solver, (uint64_t)exp(at), error));
        REC_TRY(rec_solver_advance(solver, 0, REC_LOOK_DISTANCE, &look, error));
        const int reached = look.distance_rms <= within;
        if (step < 2 && reached == step)
            return REC_OK;
        *(reached ? &high : &low) = at;
    }
    run->state.expected = run->state.begin + (uint64_t)exp(high);
    return REC_OK;
}

uint64_t rec_run_tolerance_every(const rec_run *run, uint64_t iteration)
{
    const uint64_t seldom_until = (uint64_t)(NEARLY * (double)run->state.expected);
    return run->options.every          ? run->options.every
           : iteration <= seldom_until ? SELDOM * REC_DEFAULT_EVERY
                                       : REC_DEFAULT_EVERY;
}

uint64_t rec_run_next_decision(const rec_run *run)
{
    const uint64_t done = run->state.iterations, seldom = SELDOM * REC_DEFAULT_EVERY;
    const uint64_t next = done + seldom - done % seldom, every = rec_run_tolerance_every(run, next);
    return every == seldom ? next : done + every - done % every;
}

/* Of a whole picture. */
static rec_status solve(rec_run *run, const rec_problem *problem, int on_device, rec_image *limit,
                        double stays_off[3], rec_error *error)
{
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    const rec_image *edges = problem->input, *start = problem->start ? problem->start : edges;
    const size_t bytes = 8 * sizeof(float) * run->samples;
    const double before = rec_now();
    rec_owned_solver *solver = NULL;
    if (bytes > rec_memory_available())
        return rec_fail(error, REC_LIMIT, "no memory for the limit");
    rec_status status = rec_jumper_create(&solver, problem, on_device,
                                          run->options.solver_options.devices[0], error);
    if (status && on_device && run->samples <= SECOND)
        status = rec_jumper_create(&solver, problem, 0, 0, error);
    REC_THEN(status, rec_solver_jump(solver, REC_LIMIT_ITERATION, error));
    REC_THEN(status, rec_solver_read_image(solver, limit, error));
    run->state.limit_seconds = rec_now() - before;
    const int alternates = boundary->x == REC_WRAPPED && boundary->y == REC_WRAPPED &&
                           edges->width % 2 == 0 && edges->height % 2 == 0;
    for (size_t p = 0; !status && alternates && p < edges->planes; p++)
        stays_off[p] = checkerboard(start, limit, p);
    if (!status && run->options.tolerance > 0 && !run->state.expected && !run->shared)
        foresee(run, solver, stays_off, NULL); /* without memory for it nothing is foreseen */
    return status;
}

/* Several ranks: the first one solves it. */
static rec_status find(rec_run *run, const rec_problem *problem, rec_image *limit,
                       double stays_off[3], rec_error *error)
{
    rec_owned_image edges = {0}, start = {0};
    rec_problem whole = *problem;
    rec_solver_info info;
    rec_solver_get_info(run->solver, &info);
    const int on_device = info.costs.device_bytes > 0;
    if (!run->shared)
        return solve(run, problem, on_device, limit, stays_off, error);
    REC_TRY(rec_image_gather(problem->input, &edges, error));
    if (problem->start)
        REC_TRY(rec_image_gather(problem->start, &start, error));
    whole.input = &edges;
    whole.start = problem->start ? &start : NULL;
    REC_TRY(rec_ranks_agree(
        edges.data ? solve(run, &whole, on_device, limit, stays_off, error) : REC_OK, error));
    REC_TRY(rec_image_scatter(limit, error));
    rec_ranks_share(stays_off, 3 * sizeof *stays_off);
    return REC_OK;
}

void rec_run_find_limit(rec_run *run, const rec_problem *problem)
{
    const rec_solver_type *type;
    const double before = rec_now();
    rec_problem solved = *problem;
    rec_owned_image limit = {0};
    double stays_off[3] = {0};
    rec_error ignored; /* then there is the bound */
    solved.boundary.mean_count = 0; /* no iteration gives it the mean of --mean */
    solved.in_place = solved.stays = 0;
    if (problem->mask || problem->operators || run->options.solver->jumps ||
        rec_solver_find("spectral", &type, &ignored) || !pays(run))
        return;
    rec_status status = find(run, &solved, &limit, stays_off, &ignored);
    REC_THEN(status, rec_solver_set_limit(run->solver, &limit, stays_off, &ignored));
    if (run->shared && rec_ranks_agree(status, &ignored)) /* all of them, or none */
        rec_solver_set_limit(run->solver, NULL, stays_off, &ignored);
    run->state.seconds.plan += rec_now() - before;
}
