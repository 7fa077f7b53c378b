/* Whether a function of the user's own is right: steps on images of odd sizes, pixel by pixel,
 * until one is wrong. */
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "kernels/stencil.h"

enum { BEFORE, HELD, FOUND, AGAIN, RIGHT, EDGES, PLANES };

/* What the next step must give. */
static void expect_step(bench_mine_look *at, float *planes[PLANES])
{
    const size_t width = at->problem->width, pixels = width * at->problem->height;
    float *held = planes[HELD];
    if (at->step++) {
        planes[HELD] = planes[BEFORE];
        planes[BEFORE] = planes[RIGHT];
        planes[RIGHT] = held;
    }
    at->before = planes[BEFORE];
    at->held = planes[HELD];
    at->right = planes[RIGHT];
    for (size_t i = 0; i < pixels; i++)
        planes[RIGHT][i] = bench_mine_right(at, i / width, i % width);
}

/* Steps until one is wrong, or until there were enough of them; again: as many as before. */
static rec_status walk(const bench_rung *rung, bench_mine_look *at, float *planes[PLANES],
                       int again, const rec_solver_options *place, rec_error *error)
{
    const bench_case *problem = at->problem;
    const size_t bytes = problem->width * problem->height * sizeof(float);
    float *found = planes[again ? AGAIN : FOUND];
    void *state = NULL;
    double seconds;
    rec_status status = rung->type->create(&state, rung, problem, rung->block, place, error);
    for (int step = 1, end = again ? at->step : BENCH_MANY; !status && step <= end; step++) {
        if (!again)
            expect_step(at, planes);
        status = rung->type->advance(state, 1, &seconds, error);
        if (!status)
            status = rung->type->read(state, found, error);
        if (!again && memcmp(found, planes[RIGHT], bytes) != 0)
            break;
    }
    if (state)
        rung->type->destroy(state);
    return status;
}

/* Integers are added without rounding, in any order; and a start that is E would hide that one is
 * taken for the other. */
static rec_status spread(bench_case *problem, rec_error *error)
{
    const size_t width = problem->width, height = problem->height;
    REC_TRY(rec_image_create(&problem->start, width, height, 1, error));
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            float *edge = &rec_image_row(&problem->edges, 0, y)[x];
            rec_image_row(&problem->start, 0, height - 1 - y)[width - 1 - x] = 0.3f * *edge;
            *edge *= 0.7f;
        }
    return REC_OK;
}

static rec_status check_size(const bench_rung *rung, bench_case *problem,
                             const rec_solver_options *place, bench_result *result,
                             rec_error *error)
{
    const size_t width = problem->width, pixels = width * problem->height;
    float *memory, *planes[PLANES];
    REC_TRY(spread(problem, error));
    REC_TRY(rec_allocate(&memory, PLANES * pixels, sizeof *memory, "a step's result", error));
    for (int i = 0; i < PLANES; i++)
        planes[i] = memory + (size_t)i * pixels;
    for (size_t i = 0; i < pixels; i++) {
        planes[EDGES][i] = rec_image_row(&problem->edges, 0, i / width)[i % width];
        planes[BEFORE][i] = rec_image_row(&problem->start, 0, i / width)[i % width];
        planes[HELD][i] = rung->device ? planes[BEFORE][i] : problem->halo;
    }
    bench_mine_look at = {.problem = problem, .edges = planes[EDGES], .found = planes[FOUND],
                          .again = planes[AGAIN]};
    rec_status status = walk(rung, &at, planes, 0, place, error);
    if (!status)
        status = walk(rung, &at, planes, 1, place, error);
    if (!status)
        bench_mine_judge(&at, result);
    rec_free(memory);
    return status;
}

rec_status bench_mine_check(const bench_rung *rung, const bench_mine *mine,
                            const rec_solver_options *place, bench_result *result,
                            rec_error *error)
{
    static const bench_size sizes[] = {{203, 117}, {31, 33}, {130, 300}, {1, 9}, {9, 1}, {1, 1}};
    rec_status status = REC_OK;
    *result = (bench_result){.rung = rung};
    snprintf(result->label, sizeof result->label, "%s", rung->name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !status; i++) {
        bench_case problem;
        REC_TRY(bench_case_create(&problem, sizes[i], 0, BENCH_INTEGERS, error));
        problem.mine = mine;
        status = check_size(rung, &problem, place, result, error);
        bench_case_destroy(&problem);
        if (result->outcome == BENCH_WRONG)
            break;
    }
    if (status != REC_FAULT)
        return status;
    result->outcome = BENCH_WRONG;
    snprintf(result->reason, sizeof result->reason, "%.511s", error->message);
    return REC_OK;
}
