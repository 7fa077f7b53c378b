/* A device that starts in a thread of its own. What the thread uses belongs to it as well: a driver
 * may take longer than the run, or hang. */
#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "run/run_type.h"

struct rec_warmup {
    const rec_solver_type *solver;
    rec_solver_options options;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ended; /* the start has ended */
    rec_warmth warmth;
    double begin;      /* rec_now() at the start */
    rec_error refusal; /* why nothing comes of it; status REC_OK: nothing was refused */
    int complained;
    int owners; /* the creator, and the thread */
};

rec_status rec_warmup_create(rec_warmup **warmup, const rec_solver_type *solver,
                             const rec_solver_options *options, rec_error *error)
{
    REC_TRY(rec_allocate(warmup, 1, sizeof **warmup, "a device's start", error));
    **warmup = (rec_warmup){.solver = solver, .options = *options, .owners = 1,
                            .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    return REC_OK;
}

/* Releases the lock, and the memory with the last owner. */
static void leave(rec_warmup *warmup)
{
    const int others = --warmup->owners;
    pthread_mutex_unlock(&warmup->lock);
    if (!others)
        rec_free(warmup);
}

int rec_warmup_destroy(rec_warmup *warmup)
{
    if (!warmup)
        return 0;
    pthread_mutex_lock(&warmup->lock);
    const int goes_on = warmup->warmth == REC_WARMING;
    leave(warmup);
    return goes_on;
}

static void *warm_up(void *argument)
{
    rec_warmup *warmup = argument;
    rec_error error = {.status = REC_OK};
    const int there = rec_solver_type_available(warmup->solver, &error);
    if (there > 0 && warmup->solver->prepare)
        warmup->solver->prepare(&warmup->options);
    pthread_mutex_lock(&warmup->lock);
    warmup->warmth = there > 0 ? REC_WARM : REC_ABSENT;
    if (there < 0)
        warmup->refusal = error;
    pthread_cond_broadcast(&warmup->ended);
    leave(warmup);
    return NULL;
}

void rec_warmup_start(rec_warmup *warmup)
{
    pthread_t thread;
    REC_HOLD(&warmup->lock);
    if (warmup->warmth != REC_COLD)
        return;
    const int refused = pthread_create(&thread, NULL, warm_up, warmup);
    warmup->warmth = refused ? REC_ABSENT : REC_WARMING;
    warmup->begin = rec_now();
    warmup->owners += !refused;
    if (!refused)
        pthread_detach(thread);
}

void rec_warmup_await(rec_warmup *warmup)
{
    if (!warmup)
        return;
    REC_HOLD(&warmup->lock);
    while (warmup->warmth == REC_WARMING)
        pthread_cond_wait(&warmup->ended, &warmup->lock);
}

rec_warmth rec_warmup_warmth(rec_warmup *warmup)
{
    if (!warmup)
        return REC_ABSENT;
    REC_HOLD(&warmup->lock);
    return warmup->warmth;
}

const rec_solver_type *rec_warmup_solver(const rec_warmup *warmup) { return warmup->solver; }

void rec_warmup_refuse(rec_warmup *warmup, const rec_error *error)
{
    REC_HOLD(&warmup->lock);
    warmup->refusal = *error;
}

int rec_warmup_complains(rec_warmup *warmup, double patience, rec_error *error)
{
    if (!warmup)
        return 0;
    REC_HOLD(&warmup->lock);
    if (warmup->warmth == REC_WARMING && rec_now() - warmup->begin > patience)
        rec_fail(&warmup->refusal, REC_UNAVAILABLE, "the device has not started after %.3g s",
                 patience);
    const int complains = warmup->refusal.status && !warmup->complained;
    warmup->complained |= complains;
    *error = warmup->refusal;
    return complains;
}

/* ---- when it takes over from the solver that a run began on ---- */

/* A device is not started for less work than this: a CUDA context takes 0.22 to 0.3 s, and the exit
 * of a process that has one, or is still making it, 0.1 s. */
#define START_SECONDS 0.42
#define FASTEST_THREAD 24e9 /* updates a second: none of a processor's threads has made more */
#define HANDOVER_SECONDS 0.01 /* what a handover takes, with the next line */
#define HANDOVER_SAMPLE_SECONDS 2e-9

double rec_run_usual_end(const rec_run *run)
{
    const double across = (double)run->width + 1, down = (double)run->height + 1;
    const double rest = 2.5 * (1 / (across * across) + 1 / (down * down)); /* 1 - rho, about */
    return 16 / rest;
}

/* Seconds of this run, at a rate in iterations a second; with `all`, also of the other problems.
 * Past the usual end, as many iterations are expected as there were. */
static double seconds_left(const rec_run *run, double rate, int all)
{
    const double done = (double)run->state.iterations;
    const double others = all ? fmax((double)run->options.solver_options.problems - 1, 0) : 0;
    const double expected = fmax(rec_run_usual_end(run), 2 * done);
    const double end = fmin((double)run->options.iterations, expected);
    return (end - done + others * end) / rate;
}

void rec_run_start_successor(const rec_run *run)
{
    const double fastest = FASTEST_THREAD * (double)rec_team_size() / (double)run->samples;
    const double rate = run->rate > 0 ? run->rate : fastest;
    if (rec_run_has_successor(run) && seconds_left(run, rate, 1) > START_SECONDS)
        rec_warmup_start(run->options.successor);
}

int rec_run_has_successor(const rec_run *run)
{
    return rec_warmup_warmth(run->options.successor) != REC_ABSENT;
}

int rec_run_can_hand_over(rec_run *run)
{
    if (run->state.stop || !(run->rate > 0))
        return 0;
    rec_run_start_successor(run);
    return rec_warmup_warmth(run->options.successor) == REC_WARM &&
           seconds_left(run, run->rate, 0) >
               HANDOVER_SECONDS + HANDOVER_SAMPLE_SECONDS * (double)run->samples;
}
