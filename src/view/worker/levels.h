/* How the grey levels of an iterate are distributed, from rows evenly spread over it: for the
 * histogram and for the tone `auto`. */
#ifndef REC_VIEW_LEVELS_H
#define REC_VIEW_LEVELS_H

#include "image/image.h"
#include "solver/solver.h"
#include "view/draw/viewport.h"

enum { REC_LEVEL_BINS = 256 };

typedef struct rec_levels {
    int known;
    uint64_t iteration;           /* as snapshots have it */
    float low, high;              /* the smallest and the largest value, grey levels */
    double outside;               /* share of the samples that `clamp` cuts off */
    float first, last;            /* the ends of the bins: around low..high and 0..255 */
    unsigned bin[REC_LEVEL_BINS]; /* how many samples are in each */
} rec_levels;

/* Looks at what a solver has now. Waits. REC_LIMIT, REC_UNAVAILABLE. */
rec_status rec_levels_read(rec_levels *levels, rec_solver *solver, rec_size image, size_t planes,
                           rec_error *error);

/* From values: `count` of them, finite. */
void rec_levels_count(rec_levels *levels, const float *value, size_t count);

/* What `auto` shows an iterate by, after the tone `now`: stretch while more than 1% of it would be
 * cut off, clamp again below 0.1%. Between the two it stays: no flicker. */
rec_tone rec_levels_choose(rec_tone now, const rec_levels *levels);

#endif
