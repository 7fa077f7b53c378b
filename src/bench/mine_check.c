/* Whether a function of the user's own is right: steps on images of odd sizes, pixel by pixel,
 * until one is wrong. */
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "kernels/stencil.h"

enum { BEFORE, HELD, FOUND, AGAIN, RIGHT, EDGES, PLANES };

/* n steps from the start. */
static rec_status repeat(const bench_rung *rung, const bench_case *problem,
                         const rec_solver_options *place, uint64_t n, float *found,
                         rec_error *error)
{
    void *state = NULL;
    double seconds;
    rec_status status = rung->type->create(&state, rung, problem, rung->block, place, error);
    if (!status)
        status = rung->type->advance(state, n, &seconds, error);
    if (!status)
        status = rung->type->read(state, found, error);
    if (state)
        rung->type->destroy(state);
    return status;
}

/* Steps until one is wrong, or until there were enough of them. */
static rec_status walk(const bench_rung *rung, bench_mine_look *at, float *planes[PLANES],
                       const rec_solver_options *place, rec_error *error)
{
    const bench_case *problem = at->problem;
    const size_t pixels = problem->width * problem->height;
    void *state = NULL;
    double seconds;
    rec_status status = rung->type->create(&state, rung, problem, rung->block, place, error);
    for (int is_right = 1; !status && is_right && at->step < BENCH_MANY;) {
        if (at->step++) {
            float *held = planes[HELD];
            planes[HELD] = planes[BEFORE];
            planes[BEFORE] = planes[RIGHT];
            planes[RIGHT] = held;
        }
        at->before = planes[BEFORE];
        at->held = planes[HELD];
        at->right = planes[RIGHT];
        for (size_t i = 0; i < pixels; i++)
            planes[RIGHT][i] = bench_mine_right(at, i / problem->width, i % problem->width);
        status = rung->type->advance(state, 1, &seconds, error);
        if (!status)
            status = rung->type->read(state, planes[FOUND], error);
        is_right = !memcmp(planes[FOUND], planes[RIGHT], pixels * sizeof(float));
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
        for (size_t x = 0; x < width; x++)
            rec_image_row(&problem->start, 0, height - 1 - y)[width - 1 - x] =
                0.3f * rec_image_row(&problem->edges, 0, y)[x];
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            rec_image_row(&problem->edges, 0, y)[x] *= 0.7f;
    return REC_OK;
}

static rec_status check_size(const bench_rung *rung, bench_case *problem, int is_later,
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
    bench_mine_look at = {.problem = problem, .is_later = is_later, .edges = planes[EDGES],
                          .found = planes[FOUND], .again = planes[AGAIN]};
    rec_status status = walk(rung, &at, planes, place, error);
    if (!status)
        status = repeat(rung, problem, place, (uint64_t)at.step, planes[AGAIN], error);
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
        status = check_size(rung, &problem, i > 0, place, result, error);
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
