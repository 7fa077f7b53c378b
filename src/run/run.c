#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "run/run_type.h"

#define FIRST_GUESS 1e8    /* updates a second, before anything was measured: a slow core */
#define LEAST_UPDATES 1000 /* the least time of an iteration is that of this number of updates */
#define PIECE_SECONDS 0.5  /* of iterations, until signals are looked at again */
#define WAITING_SECONDS 0.01 /* the same while a successor starts */
#define MEASURED_SECONDS 0.01 /* of iterations, before a rate counts: the first ones are slower */

/* From look to look, where K is left to the run. On a huge image a look takes as long as 40
 * iterations, so it comes after 1000 at least, unless these take too long. */
#define BATCH_SECONDS 0.2
#define LEAST_BATCH 1000
#define LONGEST_SECONDS 2

/* The largest of all ranks: their clocks and signals differ, but they must do the same. */
static double most_of(const rec_run *run, double value)
{
    return run->shared ? rec_ranks_most(value) : value;
}

static rec_status run_advance(rec_run *run, uint64_t n, unsigned looks, rec_error *error)
{
    rec_look look;
    const double before = rec_now();
    const rec_status status = rec_solver_advance(run->solver, n, looks, &look, error);
    const double seconds = rec_now() - before;
    run->state.seconds.iterate += seconds;
    if (status)
        return status;
    run->state.iterations += n;
    if (n && run->state.seconds.iterate - seconds > MEASURED_SECONDS)
        run->rate = (double)n / fmax(seconds, 1e-9);
    if (n)
        run->speed = fmin((double)n / fmax(most_of(run, seconds), 1e-6), 10 * run->speed);
    rec_look *newest = &run->state.look; /* numbers that were not asked for stay */
    const rec_look before_it = *newest, *measured = looks & REC_LOOK_DISTANCE ? &look : &before_it;
    if (n && looks & REC_LOOK_CHANGE)
        *newest = look;
    newest->distance_rms = measured->distance_rms;
    newest->distance_max = measured->distance_max;
    newest->missed = measured->missed;
    newest->measured = measured->measured;
    run->done += n;
    if (run->state.seconds.iterate > 0)
        run->state.updates_per_second =
            (double)run->samples * (double)run->done / run->state.seconds.iterate;
    return REC_OK;
}

/* The solver, which starts as iterate number `iteration`. */
static rec_status create_solver(rec_run *run, const rec_image *edges, const rec_image *start,
                                uint64_t iteration, rec_error *error)
{
    const rec_run_options *options = &run->options;
    const double before = rec_now();
    rec_problem problem = options->problem;
    rec_seconds *seconds = &run->state.seconds;
    problem.input = edges;
    problem.start = start;
    REC_TRY(rec_solver_renew(&run->solver, options->solver, &problem, &options->solver_options,
                             error));
    rec_solver_info info;
    rec_solver_get_info(run->solver, &info);
    seconds->device_start += info.costs.seconds_start;
    seconds->plan += info.costs.seconds_plan;
    seconds->upload += rec_now() - before - info.costs.seconds_start - info.costs.seconds_plan;
    run->state.iterations = run->state.begin = run->looked_at = iteration;
    run->state.look = (rec_look){NAN, NAN, .distance_max = NAN, .distance_rms = NAN};
    rec_run_find_limit(run, &problem);
    return REC_OK;
}

/* The first one: of a successor that is ready, unless that cannot do this. */
static rec_status create_first(rec_run *run, const rec_image *edges, const rec_image *start,
                               rec_error *error)
{
    rec_warmup *successor = run->options.successor;
    const rec_solver_type *first = run->options.solver;
    rec_error refusal = {0};
    if (rec_warmup_warmth(successor) == REC_WARM) {
        run->options.successor = NULL;
        run->options.solver = rec_warmup_solver(successor);
        if (!create_solver(run, edges, start, run->state.resumed, &refusal))
            return REC_OK;
        run->options.solver = first;
    }
    rec_run_start_successor(run);
    REC_TRY(create_solver(run, edges, start, run->state.resumed, error));
    if (refusal.status)
        rec_warmup_refuse(successor, &refusal);
    return REC_OK;
}

rec_status rec_run_hand_over(rec_run *run, const rec_image *edges, rec_error *error)
{
    rec_warmup *successor = run->options.successor;
    rec_owned_image image = {0};
    rec_status status = rec_run_read_image(run, &image, error);
    const rec_run before = *run;
    if (!status) {
        run->solver = NULL;
        run->options.solver = rec_warmup_solver(successor);
        status = create_solver(run, edges, &image, before.state.iterations, error);
    }
    if (status) {
        rec_warmup_refuse(successor, error);
        *run = before;
    } else {
        rec_solver_destroy(before.solver);
        run->state.look = before.state.look;
        run->state.handover = before.state.iterations;
        run->looked_at = before.looked_at;
    }
    run->options.successor = NULL;
    return status;
}

/* A kernel whose bits are its own is a part of a result's identity. */
uint64_t rec_run_hash(const rec_run_options *options, uint64_t hash)
{
    const rec_solver_type *type = options->solver, *filters = type->convolution;
    const char *kernel = options->solver_options.kernel;
    const char *own = filters ? filters->own_bits : type->own_bits;
    hash = rec_problem_hash(&options->problem, hash);
    return own && kernel && !strcmp(kernel, own) ? rec_hash(hash, own, strlen(own)) : hash;
}

/* Resumes from the checkpoint if it exists. */
static rec_status begin(rec_run *run, const rec_image *edges, const rec_image *start,
                        rec_image *resumed, rec_error *error)
{
    const rec_run_options *options = &run->options;
    rec_run_state *state = &run->state;
    int found = 0;
    if (options->checkpoint && !options->fresh)
        REC_TRY(rec_checkpoint_read(options->checkpoint, options->identity, run->shared, &found,
                                    state, resumed, error));
    state->resumed = state->iterations;
    if (found && state->resumed > options->iterations)
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: is a checkpoint after %llu iterations, more than the %llu requested; "
                        "to start from the beginning, remove the file", options->checkpoint,
                        (unsigned long long)state->resumed,
                        (unsigned long long)options->iterations);
    if (options->kept) {
        run->solver = *options->kept;
        *options->kept = NULL;
    }
    run->options.problem.stays &= !found;
    REC_TRY(create_first(run, edges, found ? resumed : start, error));
    return !(options->tolerance > 0) || rec_solver_bounds_distance(run->solver)
               ? REC_OK
               : rec_fail(error, REC_USAGE, "unknown pixels reach all sides of the picture, and "
                          "with --boundary %s an iteration then has no bound for --tolerance\v"
                          "--solver multigrid has an estimate, -n needs none",
                          rec_boundaries[options->problem.boundary.kind].name);
}

rec_status rec_run_create(rec_run **run, const rec_run_options *options, const rec_image *edges,
                          const rec_image *start, rec_error *error)
{
    REC_TRY(rec_allocate(run, 1, sizeof **run, "a run", error));
    rec_run *made = *run;
    *made = (rec_run){.options = *options, .jumped_at = REC_ENDLESS, .width = edges->width,
                      .height = rec_image_full_height(edges), .shared = rec_image_is_part(edges)};
    made->samples = made->width * made->height * edges->planes;
    made->speed = FIRST_GUESS / (double)(made->samples + LEAST_UPDATES);
    rec_owned_image resumed = {0};
    const rec_status status = begin(made, edges, start, &resumed, error);
    made->last_checkpoint = rec_now();
    if (!status)
        return REC_OK;
    rec_solver_destroy(made->solver);
    rec_free(made);
    *run = NULL;
    return status;
}

void rec_run_destroy(rec_run *run)
{
    if (!run)
        return;
    if (run->options.kept)
        *run->options.kept = run->solver;
    else
        rec_solver_destroy(run->solver);
    rec_free(run);
}

/* K. Left to the run it depends on the clock, and nothing that is reported as a result may depend
 * on it: a tolerance is looked at every so many iterations on every machine. */
uint64_t rec_run_batch(const rec_run *run)
{
    if (run->options.every)
        return run->options.every;
    if (run->options.tolerance > 0)
        return rec_run_next_decision(run) - run->state.iterations;
    const double batch =
        fmax(BATCH_SECONDS * run->speed, fmin(LEAST_BATCH, LONGEST_SECONDS * run->speed));
    return (uint64_t)fmax(batch / REC_DEFAULT_EVERY, 1) * REC_DEFAULT_EVERY;
}

/* Whether the stop rules may end the run after `iteration`: with a tolerance only at multiples of
 * K, so that a batch that was cut short (for a user, for a frame, by a signal before this run was
 * resumed) does not change where it stops. */
static int decides_at(const rec_run *run, uint64_t iteration)
{
    return !(run->options.tolerance > 0) ||
           iteration % rec_run_tolerance_every(run, iteration) == 0 ||
           iteration >= run->options.iterations || iteration == run->jumped_at || run->last;
}

static rec_status save_when_due(rec_run *run, rec_error *error)
{
    const rec_run_options *options = &run->options;
    return options->checkpoint &&
                   most_of(run, rec_now() - run->last_checkpoint) >= options->checkpoint_every
               ? rec_run_save_checkpoint(run, error) : REC_OK;
}

static void apply_stop_rules(rec_run *run)
{
    const rec_run_options *options = &run->options;
    rec_run_state *state = &run->state;
    if (!decides_at(run, state->iterations))
        return;
    /* At standstill the remaining iterations would change nothing, unless pixels alternate and an
     * odd number of iterations is left: then one more gives their bits. Without a number of
     * iterations the run ends on an even iterate, wherever the standstill was noticed. */
    const int still = state->look.standstill || run->last;
    const uint64_t total = options->iterations == REC_ENDLESS ? 0 : options->iterations;
    const int lacks_one = state->look.alternating && (total ^ state->iterations) % 2;
    run->last = 0;
    if (options->tolerance > 0 && state->look.distance_rms <= options->tolerance)
        state->stop = REC_STOP_TOLERANCE;
    else if (still && lacks_one)
        run->last = 1;
    else if (still)
        state->stop = isfinite(state->look.change_rms) ? REC_STOP_STANDSTILL : REC_STOP_DIVERGED;
    else if (state->iterations >= options->iterations)
        state->stop = REC_STOP_ITERATIONS;
}

/* A solver that jumps takes one step: to the requested iteration, else to the limit. */
static rec_status run_jump(rec_run *run, rec_error *error)
{
    const rec_run_options *options = &run->options;
    rec_run_state *state = &run->state;
    const int limit = options->iterations == REC_ENDLESS;
    rec_solver_info earlier, info;
    rec_solver_get_info(run->solver, &earlier);
    const double before = rec_now();
    REC_TRY(rec_solver_jump(
        run->solver, limit ? REC_LIMIT_ITERATION : options->iterations - state->begin, error));
    rec_solver_get_info(run->solver, &info);
    const double planning = info.costs.seconds_plan - earlier.costs.seconds_plan;
    state->seconds.iterate += rec_now() - before - planning;
    state->seconds.plan += planning;
    if (!limit)
        state->iterations = options->iterations;
    REC_TRY(run_advance(run, 0, REC_LOOK_DISTANCE, error));
    state->updates_per_second = NAN;
    state->stop = limit ? REC_STOP_LIMIT
                  : options->tolerance > 0 && state->look.distance_rms <= options->tolerance
                      ? REC_STOP_TOLERANCE
                      : REC_STOP_ITERATIONS;
    return REC_OK;
}

/* Iterations up to the next look: `most`, or what is left of the batch, but no further than where
 * the tolerance must be looked at, and than the requested number. */
static uint64_t choose_iterations(const rec_run *run, uint64_t most)
{
    const rec_run_options *options = &run->options;
    const uint64_t done = run->state.iterations, decision = rec_run_next_decision(run) - done;
    uint64_t n = run->last ? 1 : most ? most : rec_run_batch(run);
    if (!most && !run->last && (options->every || !(options->tolerance > 0))) {
        const uint64_t since = done - run->looked_at; /* a piece of the batch may be done */
        n -= options->every ? done % options->every : since < n ? since : n - 1;
    }
    if (options->tolerance > 0 && n > decision)
        n = decision;
    return n < options->iterations - done ? n : options->iterations - done;
}

rec_status rec_run_step(rec_run *run, uint64_t most, unsigned looks, rec_error *error)
{
    const rec_run_options *options = &run->options;
    rec_run_state *state = &run->state;
    if (state->stop)
        return REC_OK;
    if (most_of(run, rec_is_stopped())) {
        state->stop = REC_STOP_SIGNAL;
        return REC_OK;
    }
    if (options->solver->jumps)
        return run_jump(run, error);
    const int looked = run->looked;
    run->looked = 1;
    if (!looked && decides_at(run, state->iterations) &&
        (options->tolerance > 0 || options->iterations <= state->iterations)) {
        /* At the start, and after a jump: a stop rule may hold already. */
        REC_TRY(run_advance(run, 0, REC_LOOK_DISTANCE, error));
        apply_stop_rules(run);
    }
    if (state->stop)
        return REC_OK;
    const uint64_t n = choose_iterations(run, most);
    const int waits = rec_warmup_warmth(options->successor) == REC_WARMING;
    const uint64_t piece = 2 + (uint64_t)((waits ? WAITING_SECONDS : PIECE_SECONDS) * run->speed);
    if (n > piece && !run->last) { /* so that signals are looked at in time, whatever K is */
        REC_TRY(run_advance(run, piece, 0, error));
        return save_when_due(run, error);
    }
    if (options->tolerance > 0 && decides_at(run, state->iterations + n))
        looks |= REC_LOOK_DISTANCE;
    if (looks & REC_LOOK_LATER && !(options->tolerance > 0) && !run->last &&
        n < options->iterations - state->iterations)
        return run_advance(run, n, 0, error);
    looks = (looks & ~(unsigned)REC_LOOK_LATER) | REC_LOOK_CHANGE;
    REC_TRY(run_advance(run, n, looks, error));
    run->looked_at = state->iterations;
    apply_stop_rules(run);
    /* The end reports the distance to the limit. */
    if (state->stop && (!(looks & REC_LOOK_DISTANCE) || state->look.standstill))
        REC_TRY(run_advance(run, 0, REC_LOOK_DISTANCE, error));
    return state->stop ? REC_OK : save_when_due(run, error);
}

rec_status rec_run_jump(rec_run *run, uint64_t iteration, const rec_image *edges,
                        const rec_image *image, rec_error *error)
{
    rec_run_state *state = &run->state;
    const int limit = iteration == REC_LIMIT_ITERATION;
    REC_TRY(create_solver(run, edges, image, limit ? state->iterations : iteration, error));
    state->jumped = 1;
    state->jumped_to = iteration;
    run->jumped_at = state->iterations;
    run->last = 0;
    state->stop = !run->options.solver->jumps ? REC_STOP_NONE
                  : limit                                     ? REC_STOP_LIMIT
                                                              : REC_STOP_ITERATIONS;
    if (run->options.iterations <= state->iterations)
        run->options.iterations = REC_ENDLESS;
    run->looked = 0;
    return REC_OK;
}

void rec_run_continue(rec_run *run, uint64_t iterations)
{
    run->options.tolerance = 0;
    run->state.stop = REC_STOP_NONE;
    const uint64_t done = run->state.iterations;
    run->options.iterations = iterations < REC_ENDLESS - done ? done + iterations : REC_ENDLESS;
}

const rec_run_state *rec_run_get_state(const rec_run *run) { return &run->state; }
rec_solver *rec_run_solver(rec_run *run) { return run->solver; }

rec_status rec_run_read_image(rec_run *run, rec_image *image, rec_error *error)
{
    const double before = rec_now();
    const rec_status status = rec_solver_read_image(run->solver, image, error);
    run->state.seconds.download += rec_now() - before;
    return status;
}

rec_status rec_run_save_checkpoint(rec_run *run, rec_error *error)
{
    rec_owned_image image = {0};
    REC_TRY(rec_run_read_image(run, &image, error));
    const double before = rec_now();
    rec_status status = rec_lock_check(run->options.lock, error);
    status = rec_image_agree(&image, status, error);
    if (!status)
        status = rec_checkpoint_write(run->options.checkpoint, &run->state,
                                      run->options.identity, &image, error);
    run->last_checkpoint = rec_now();
    run->state.seconds.save += run->last_checkpoint - before;
    return status;
}

