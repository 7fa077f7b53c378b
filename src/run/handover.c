/* When a device takes over from the solver that a run began on, and how. */
#include "run/run_type.h"

#include <math.h>

#include "base/team.h"

/* With less work left the processor is done first: a CUDA context takes 0.22 to 0.3 s, and the
 * process then ends 0.1 s later, also if the context is still being made. */
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

int rec_run_has_successor(const rec_run *run)
{
    return rec_warmup_warmth(run->options.successor) != REC_ABSENT;
}

static void start_if_worth_it(const rec_run *run, double rate)
{
    if (seconds_left(run, rate, 1) > START_SECONDS)
        rec_warmup_start(run->options.successor);
}

rec_status rec_run_create_first(rec_run *run, const rec_image *edges, const rec_image *start,
                                rec_error *error)
{
    rec_warmup *successor = run->options.successor;
    const rec_solver_type *first = run->options.solver;
    rec_error refusal = {0};
    if (rec_warmup_warmth(successor) == REC_WARM) {
        run->options.successor = NULL;
        run->options.solver = rec_warmup_solver(successor);
        if (!rec_run_create_solver(run, edges, start, run->state.resumed, &refusal))
            return REC_OK;
        run->options.solver = first;
    }
    if (rec_run_has_successor(run))
        start_if_worth_it(run, FASTEST_THREAD * (double)rec_team_size() / (double)run->samples);
    REC_TRY(rec_run_create_solver(run, edges, start, run->state.resumed, error));
    if (refusal.status)
        rec_warmup_refuse(successor, &refusal);
    return REC_OK;
}

int rec_run_can_hand_over(rec_run *run)
{
    rec_warmup *successor = run->options.successor;
    if (run->state.stop || !(run->rate > 0) || !rec_run_has_successor(run))
        return 0;
    start_if_worth_it(run, run->rate);
    return rec_warmup_warmth(successor) == REC_WARM &&
           seconds_left(run, run->rate, 0) >
               HANDOVER_SECONDS + HANDOVER_SAMPLE_SECONDS * (double)run->samples;
}

rec_status rec_run_hand_over(rec_run *run, const rec_image *edges, rec_error *error)
{
    rec_warmup *successor = run->options.successor;
    rec_image image = {0};
    rec_status status = rec_run_read_image(run, &image, error);
    const rec_run before = *run;
    if (!status) {
        run->solver = NULL;
        run->options.solver = rec_warmup_solver(successor);
        status = rec_run_create_solver(run, edges, &image, before.state.iterations, error);
    }
    rec_image_destroy(&image);
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
