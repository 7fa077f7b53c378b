/* Whether a function of the user's own is right: one step on images of odd sizes, pixel by pixel,
 * so that the first wrong pixel tells what is wrong. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "kernels/stencil.h"

#define ROUNDING 1e-6 /* of the terms' magnitudes: more than any order of them makes */

typedef struct terms {
    float up, left, right, down, f;
} terms;

/* Of the pixel in row y and column x, its neighbours taken from `pixels`. */
static terms terms_of(const bench_case *problem, const float *pixels, size_t y, size_t x)
{
    return (terms){.up = bench_cell(problem, pixels, y, x + 1),
                   .left = bench_cell(problem, pixels, y + 1, x),
                   .right = bench_cell(problem, pixels, y + 1, x + 2),
                   .down = bench_cell(problem, pixels, y + 2, x + 1),
                   .f = rec_image_row(&problem->terms, 0, y)[x]};
}

static float update(const terms *cell)
{
    return rec_update(cell->up, cell->left, cell->right, cell->down, cell->f);
}

static int is_same(float a, float b) { return !memcmp(&a, &b, sizeof a); }

/* What the wrong pixels have in common, and what that usually means. */
static void explain(const bench_case *problem, const float *start, const float *found,
                    const float *again, bench_result *result)
{
    const size_t width = problem->width, height = problem->height;
    size_t wrong = 0, first = 0, near = 0, kept = 0, rim = 0;
    for (size_t i = width * height; i-- > 0;) {
        const size_t y = i / width, x = i % width;
        const terms right = terms_of(problem, start, y, x);
        const double size = fabs(right.up) + fabs(right.left) + fabs(right.right) +
                            fabs(right.down) + 4 * fabs(right.f);
        if (is_same(found[i], update(&right)))
            continue;
        wrong++;
        first = i;
        near += fabs((double)found[i] - (double)update(&right)) <= ROUNDING * size;
        kept += is_same(found[i], start[i]) || is_same(found[i], problem->halo);
        rim += !y || !x || y + 1 == height || x + 1 == width;
    }
    const int differs = memcmp(found, again, width * height * sizeof *found) != 0;
    if (!wrong && !differs)
        return;
    const size_t y = first / width, x = first % width;
    const terms old = terms_of(problem, start, y, x), new = terms_of(problem, found, y, x);
    terms mixed[3] = {old, old, old};
    mixed[0].left = mixed[2].left = new.left;
    mixed[1].up = mixed[2].up = new.up;
    int is_mixed = 0;
    for (int i = 0; i < 3; i++)
        is_mixed |= is_same(found[first], update(&mixed[i]));
    const char *meaning =
        differs ? "two runs of the same step differ: a race. Does a thread read what another one "
                  "writes, or is a barrier missing?"
        : near == wrong ? "only rounded in another way: the order is fmaf(0.25f, (up + left) + "
                          "(right + down), -0.25f * edge)"
        : kept == wrong && rim == wrong
            ? "all of them are border pixels that nobody wrote. They are updated like all others; "
              "only the halo around them stays"
        : kept == wrong ? "nobody wrote them: is the number of blocks rounded up?"
        : is_mixed ? "a neighbour's new value was used instead of its old one: are in and out "
                     "mixed up?"
                   : "a neighbour beside the right one was read: a row has stride cells, not "
                     "width, and index -1 is the halo";
    result->outcome = BENCH_WRONG;
    snprintf(result->reason, sizeof result->reason,
             "%zu x %zu, one step: %zu of %zu pixels differ, the first at column %zu, row %zu: "
             "%.9g instead of %.9g; %s", width, height, wrong, width * height, x, y,
             (double)found[first], (double)update(&old), meaning);
}

static rec_status step_once(const bench_rung *rung, const bench_case *problem,
                            const rec_solver_options *place, float *found, rec_error *error)
{
    void *state = NULL;
    double seconds;
    rec_status status = rung->type->create(&state, rung, problem, rung->block, place, error);
    if (!status)
        status = rung->type->advance(state, 1, &seconds, error);
    if (!status)
        status = rung->type->read(state, found, error);
    if (state)
        rung->type->destroy(state);
    return status;
}

static rec_status check_size(const bench_rung *rung, bench_case *problem,
                             const rec_solver_options *place, bench_result *result,
                             rec_error *error)
{
    const uint32_t *start;
    const size_t pixels = problem->width * problem->height;
    float *found;
    REC_TRY(bench_case_expect(problem, BENCH_COPY, 0, &start, error));
    REC_TRY(rec_allocate(&found, 2 * pixels, sizeof *found, "a step's result", error));
    rec_status status = step_once(rung, problem, place, found, error);
    if (!status)
        status = step_once(rung, problem, place, found + pixels, error);
    if (!status)
        explain(problem, (const float *)start, found, found + pixels, result);
    rec_free(found);
    if (!status && result->outcome != BENCH_WRONG)
        status = bench_measure(rung, problem, rung->block, place, -1, result, error);
    return status;
}

/* Integers are added without rounding, in any order. */
static void spread(bench_case *problem)
{
    for (size_t y = 0; y < problem->height; y++)
        for (size_t x = 0; x < problem->width; x++) {
            float *edge = &rec_image_row(&problem->edges, 0, y)[x];
            *edge *= 0.7f;
            rec_image_row(&problem->terms, 0, y)[x] = rec_edge_term(*edge);
        }
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
        spread(&problem);
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
