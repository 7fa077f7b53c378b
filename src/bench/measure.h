/* One rung at one size: checked, then timed. */
#ifndef REC_BENCH_MEASURE_H
#define REC_BENCH_MEASURE_H

#include "bench/rung.h"

typedef struct bench_result {
    const bench_rung *rung;
    char label[48];    /* the rung's name, with the block where several were tried */
    size_t width, height;
    enum { BENCH_TIMED, BENCH_WRONG, BENCH_SKIPPED } outcome;
    char reason[512];  /* of what is not timed */
    size_t samples;
    uint64_t iterations; /* of each sample */
    double median, mean, minimum, maximum; /* seconds an iteration */
    size_t radius;       /* of the filter; 0: the ladder's problem */
    rec_ladder_launch launch; /* as of the last kernel */
    /* How many times as fast as the rung that it changes (its best block), as the base rung, as the
     * same in the baseline; 0: there is nothing to compare. */
    double before, cpu, baseline;
} bench_result;

/* Checks the rung, and when it is right, times it for about `seconds`. A wrong result is an
 * outcome, not an error; a status other than REC_OK is a failure of the machine, or a signal.
 * `seconds` below 0: the check alone. */
rec_status bench_measure(const bench_rung *rung, bench_case *problem, bench_block block,
                         const rec_solver_options *place,
                         double seconds, bench_result *result, rec_error *error);

/* Floating-point operations of a pixel: an update's five, or a multiplication and an addition for
 * each weight. */
static inline double bench_operations(const bench_result *result)
{
    const double side = 2 * (double)result->radius + 1;
    return result->radius ? 2 * side * side : 5;
}

static inline double bench_rate(const bench_result *result) /* updates a second */
{
    return (double)result->width * (double)result->height / result->median;
}

#endif
