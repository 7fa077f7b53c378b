/* The stencils of a run, and how each of them can be applied, for the solvers of this folder. */
#ifndef REC_SOLVER_FILTERS_H
#define REC_SOLVER_FILTERS_H

#include "solver/type.h"

typedef struct rec_filter {
    rec_operator of;
    rec_factors factors; /* without terms: not separable, or not asked for */
} rec_filter;

typedef struct rec_filters {
    size_t count;         /* all of them, in turn, are an iteration */
    rec_filter *items;
    int exact;            /* the very first application is exact in any order */
    int always_separable; /* --kernel separable */
} rec_filters;

/* How many passes a kernel wants: the best, one, or two (--kernel separable). */
typedef enum rec_passes { REC_ANY_PASSES, REC_ONE_PASS, REC_TWO_PASSES } rec_passes;

/* REC_UNAVAILABLE for two passes with a stencil that has no factors. */
rec_status rec_filters_create(rec_filters *filters, const rec_problem *problem, rec_passes passes,
                              rec_error *error);
void rec_filters_destroy(rec_filters *filters);

/* Iterates take turns in three sets of planes: behind M_N, in set `now`, come M_(N-1) and M_(N-2).
 * Where the next stencil's result goes: the first one's to M_(N-2), the others' to the set that has
 * neither M_N nor what they read, `from`. */
enum { REC_SETS = 3 };
static inline int rec_set_behind(int now, int from, int first)
{
    return first ? (now + 2) % REC_SETS : 0 + 1 + 2 - now - from;
}

/* Whether stencil i takes two passes after so many iterations. */
int rec_filters_separate(const rec_filters *filters, size_t i, uint64_t iterations);

#endif
