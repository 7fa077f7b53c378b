/* Checks a rung, then times it. The check compares every word of the result; a wrong rung is not
 * timed. A sample is the time of n iterations, where n was doubled until the time is far above any
 * clock's resolution; samples are repeated until the time for the rung is used up. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/trace.h"
#include "bench/bench.h"

enum { LEAST_SAMPLES = 3, MOST_SAMPLES = 101, COURSE_SAMPLES = 15 };
#define LEAST_SECONDS 0.02      /* of a sample; the events of a device count half a microsecond */
#define LEAST_DEEP 192           /* iterations: a kernel that does many at once is slow on a few */
#define SMALL_PIXELS (1u << 22) /* up to here every rung is checked after many iterations */
#define COURSE_TOLERANCE 1e-6
#define TAP_TOLERANCE 0x1p-28   /* for each weight: larger sums round more */

/* Word for word; of the course |b - a| <= 1e-6 (|b| + |a|), if it is finite: with 31 x 31 weights
 * the course's own serial loop would fail, so the tolerance grows with their number. */
static void compare_words(const bench_case *problem, const uint32_t *found,
                          const uint32_t *expected, int course, bench_result *result)
{
    const size_t pixels = problem->width * problem->height, side = 2 * problem->radius + 1;
    const size_t border = problem->ignored;
    const double tolerance = fmax(COURSE_TOLERANCE, TAP_TOLERANCE * (double)(side * side));
    size_t differing = 0, first = 0;
    float values[2];
    for (size_t i = pixels; i-- > 0;) {
        const size_t y = i / problem->width, x = i % problem->width;
        float a, b;
        if (y < border || x < border || y + border >= problem->height ||
            x + border >= problem->width)
            continue;
        memcpy(&a, &expected[i], sizeof a);
        memcpy(&b, &found[i], sizeof b);
        if (course ? fabs((double)b - (double)a) <=
                         fmin(tolerance * (fabs((double)b) + fabs((double)a)), 0x1p128)
                   : found[i] == expected[i])
            continue;
        differing++;
        first = i;
        values[0] = b, values[1] = a;
    }
    if (!differing)
        return;
    result->outcome = BENCH_WRONG;
    const int length = snprintf(result->reason, sizeof result->reason,
                                "%zu of %zu pixels %s, the first at column %zu, row %zu", differing,
                                pixels, course ? "are wrong" : "differ", first % problem->width,
                                first / problem->width);
    if (course)
        snprintf(result->reason + length, sizeof result->reason - (size_t)length,
                 ": %.9g instead of %.9g", (double)values[0], (double)values[1]);
}

static rec_status check_rung(void *state, bench_case *problem, bench_result *result,
                             rec_error *error)
{
    const bench_rung *rung = result->rung;
    const size_t pixels = problem->width * problem->height;
    const int course = rung->check == BENCH_CONVOLUTION;
    const int many = !course && (rung->batch > 1 || pixels <= SMALL_PIXELS);
    const uint32_t *expected;
    rec_owned void *found = NULL;
    double squares;
    REC_TRY(bench_case_expect(problem, rung->check, many, &expected, error));
    REC_TRY(rec_allocate(&found, pixels, sizeof *expected, "a rung's result", error));
    REC_TRY(rung->type->advance(state, course ? 1 : many ? BENCH_MANY : BENCH_FEW, &result->launch,
                                error));
    REC_TRY(rung->type->read(state, found, rung->norm ? &squares : NULL, error));
    compare_words(problem, found, expected, course, result);
    if (rung->norm && result->outcome != BENCH_WRONG &&
        !bench_norm_fits(squares, problem->squares[many], pixels)) {
        result->outcome = BENCH_WRONG;
        snprintf(result->reason, sizeof result->reason, "the norm's sum is %.17g instead of %.17g",
                 squares, problem->squares[many]);
    }
    return REC_OK;
}

static rec_status sample(void *state, uint64_t n, bench_result *result, rec_error *error)
{
    if (rec_signal_received)
        return rec_fail(error, REC_SIGNALLED, "stopped by a signal");
    return result->rung->type->advance(state, n, &result->launch, error);
}

static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static rec_status time_rung(void *state, double budget, bench_result *result, rec_error *error)
{
    double samples[MOST_SAMPLES], sum = 0;
    const size_t least = result->radius ? COURSE_SAMPLES : LEAST_SAMPLES;
    const size_t most = result->radius ? COURSE_SAMPLES : MOST_SAMPLES;
    const uint64_t batch = result->rung->batch;
    uint64_t n = batch > 1 ? (LEAST_DEEP + batch - 1) / batch * batch : batch;
    size_t count = 0;
    REC_TRY(sample(state, n, result, error));
    while (result->launch.seconds < LEAST_SECONDS) /* the warm-up, too */
        REC_TRY(sample(state, n *= 2, result, error));
    const double begin = rec_now();
    while (count < most && (count < least || rec_now() - begin < budget)) {
        REC_TRY(sample(state, n, result, error));
        sum += samples[count++] = result->launch.seconds;
    }
    qsort(samples, count, sizeof *samples, by_size);
    result->outcome = BENCH_TIMED;
    result->samples = count;
    result->iterations = n;
    result->mean = sum / (double)count / (double)n;
    result->minimum = samples[0] / (double)n;
    result->maximum = samples[count - 1] / (double)n;
    result->median = (samples[(count - 1) / 2] + samples[count / 2]) / 2 / (double)n;
    return REC_OK;
}

static rec_status run_rung(void *state, bench_case *problem, double seconds, bench_result *result,
                           rec_error *error)
{
    REC_TRY(check_rung(state, problem, result, error));
    if (seconds < 0 || result->outcome == BENCH_WRONG)
        return REC_OK;
    if (result->rung->device) { /* a batch for a profiler, after the check has warmed up */
        rec_ladder_profile(1);
        const rec_status status = sample(state, result->rung->batch, result, error);
        rec_ladder_profile(0);
        REC_TRY(status);
    }
    return time_rung(state, seconds, result, error);
}

rec_status bench_measure(const bench_rung *rung, bench_case *problem, rec_ladder_block block,
                         const rec_solver_options *place, double seconds, bench_result *result,
                         rec_error *error)
{
    *result = (bench_result){.rung = rung, .width = problem->width, .height = problem->height,
                             .radius = problem->radius};
    const size_t side = 2 * problem->radius + 1;
    char more[32] = "";
    if (problem->radius)
        snprintf(more, sizeof more, " %zux%zu", side, side);
    else if (rung->sweeps)
        snprintf(more, sizeof more, " %ux%u", block.columns, block.rows);
    snprintf(result->label, sizeof result->label, "%s%s", rung->name, more);
    void *state = NULL;
    rec_trace_push(result->label, 0);
    rec_status status = rung->type->create(&state, rung, problem, block, place, error);
    /* What a rung cannot get here, others may do without. */
    if (status == REC_UNAVAILABLE || status == REC_LIMIT || status == REC_USAGE) {
        result->outcome = BENCH_SKIPPED;
        snprintf(result->reason, sizeof result->reason, "%.511s", error->message);
        status = REC_OK;
    } else if (!status)
        status = run_rung(state, problem, seconds, result, error);
    if (state)
        rung->type->destroy(state);
    rec_trace_pop();
    return status;
}
