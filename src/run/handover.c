/* When a device takes over from the solver that a run began on. */
#include <math.h>

#include "base/team.h"
#include "run/run_type.h"

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
