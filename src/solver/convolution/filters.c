#include "solver/convolution/filters.h"

#include <stdlib.h>

rec_status rec_filters_create(rec_filters *filters, const rec_problem *problem, rec_passes passes,
                              rec_error *error)
{
    const rec_image *picture = problem->start ? problem->start : problem->edges;
    const float halo = problem->boundary.kind == REC_BOUNDARY_HALO ? problem->boundary.value : 0;
    *filters = (rec_filters){.count = problem->operator_count,
                             .always_separable = passes == REC_TWO_PASSES};
    rec_filter *items = filters->items = calloc(filters->count, sizeof *items);
    if (!items)
        return rec_fail(error, REC_LIMIT, "out of memory for the stencils");
    for (size_t i = 0; i < filters->count; i++) {
        items[i].of = problem->operators[i];
        if (passes != REC_ONE_PASS)
            rec_operator_factors(&items[i].of, &items[i].factors);
    }
    filters->exact = items->factors.terms == 1 &&
                     rec_operator_is_exact(&items->of, picture, halo);
    if (filters->always_separable && !items->factors.terms)
        return rec_fail(error, REC_UNAVAILABLE,
                        "--kernel separable: the stencil is not the sum of at most %d products of "
                        "a column and a row", REC_TERMS);
    return REC_OK;
}

void rec_filters_destroy(rec_filters *filters) { free(filters->items); }

int rec_filters_separate(const rec_filters *filters, size_t i, uint64_t iterations)
{
    return filters->items[i].factors.terms &&
           (filters->always_separable || (iterations == 0 && i == 0 && filters->exact));
}
