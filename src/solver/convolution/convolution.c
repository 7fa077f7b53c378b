#include "solver/convolution/convolution.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/trace.h"

rec_status rec_convolution_begin(rec_convolution *c, const rec_problem *problem, rec_passes passes,
                                 rec_error *error)
{
    const rec_image *picture = problem->start ? problem->start : problem->input;
    REC_TRY(rec_allocate_zeroed(&c->filters, problem->operator_count, sizeof *c->filters,
                                "the stencils", error));
    c->room.costs = &c->costs;
    c->room.planes = (rec_planes){
        .width = picture->width, .height = picture->height, .planes = picture->planes};
    c->beyond = rec_boundaries[problem->boundary.kind].x;
    c->halo = problem->boundary.value;
    c->count = problem->operator_count;
    c->always_separable = passes == REC_TWO_PASSES;
    for (size_t i = 0; i < c->count; i++) {
        c->filters[i].op = problem->operators[i];
        if (passes != REC_ONE_PASS)
            rec_operator_factors(&c->filters[i].op, &c->filters[i].factors);
    }
    const float beyond = rec_boundary_has_constant(problem->boundary.kind) ? c->halo : 0;
    c->exact = c->filters->factors.terms == 1 &&
               rec_operator_is_exact(&c->filters->op, picture, beyond);
    if (c->always_separable && !c->filters->factors.terms)
        return rec_fail(error, REC_UNAVAILABLE,
                        "--kernel separable: the stencil is not the sum of at most %d products of "
                        "a column and a row", REC_TERMS);
    return REC_OK;
}

int rec_convolution_separates(const rec_convolution *c, size_t i)
{
    return c->filters[i].factors.terms &&
           (c->always_separable || (c->iterations == 0 && i == 0 && c->exact));
}

rec_status rec_convolution_load(rec_convolution *c, const rec_problem *problem, size_t before,
                                rec_error *error)
{
    const size_t floats = c->room.planes.planes * c->room.planes.step;
    float *const first = (float *)c->room.block[REC_CONVOLUTION_SETS] + before;
    for (int i = 0; i < REC_SETS; i++)
        c->sets[i] = first + (size_t)i * floats;
    c->f = c->filters->op.is_inverse ? first + REC_SETS * floats : NULL;
    c->row_changes = c->room.block[REC_CONVOLUTION_CHANGES];
    const double begun = rec_now();
    REC_TRACE("upload", floats * sizeof *first);
    REC_TRY(c->compute->load(c, problem, problem->start ? problem->start : problem->input, error));
    c->costs.seconds_upload = rec_now() - begun;
    return REC_OK;
}

/* The last two iterations leave M_(N-1) and M_(N-2), which a look compares M_N with. Those before
 * are made by passes of several or, in two of the sets in turn, which takes less of the cache, one
 * by one. Later stencils of an iteration read set `from` and take the third set. */
rec_status rec_convolution_advance(void *state, uint64_t n, int compares, rec_error *error)
{
    rec_convolution *c = state;
    for (; c->depth && n >= c->depth + 2; n -= c->depth) {
        const int to = (c->now + 2) % REC_SETS;
        REC_TRY(c->compute->pass(c, to, error));
        c->now = to;
        c->iterations += c->depth;
        c->kernel = "temporal";
    }
    for (; n; n--, c->iterations++) {
        const int older = n > 2 && n % 2 == 0 ? 1 : 2; /* behind `now`: the first one replaces it */
        const int compared = compares && n == 1;
        int from = c->now;
        for (size_t i = 0; i < c->count; i++) {
            const int to = i == 0 ? (c->now + older) % REC_SETS : 3 - c->now - from;
            REC_TRY(c->compute->apply(c, i, from, to, compared && i + 1 == c->count, error));
            from = to;
        }
        c->now = from;
    }
    return REC_OK;
}

void rec_convolution_collect(const void *state, int change, int distance, rec_sums *sums)
{
    const rec_convolution *c = state;
    const size_t height = c->room.planes.height;
    sums->moving_known &= c->count == 1; /* several stencils leave no M_(N-2) */
    for (size_t p = 0; change && p < c->room.planes.planes; p++)
        rec_sums_add_rows(sums, p, c->row_changes + p * height, height, 1, 0);
}

rec_status rec_convolution_planes(void *state, rec_planes *shown, rec_error *error)
{
    const rec_convolution *c = state;
    *shown = c->room.planes;
    shown->m = c->sets[c->now];
    return REC_OK;
}

void rec_convolution_get_info(const void *state, rec_solver_info *info)
{
    const rec_convolution *c = state;
    const int one = c->exact && c->iterations < 2; /* which takes two passes */
    *info = (rec_solver_info){.kernel = one ? "separable" : c->kernel, .costs = c->costs};
}

void rec_convolution_destroy(void *state)
{
    rec_convolution *c = state;
    rec_memory_of(&c->room.planes)->destroy(&c->room);
    rec_free(c->filters);
}
