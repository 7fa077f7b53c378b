/* A choice among labels for each pixel of a field, by graph cuts: whole numbers alone, so that
 * every machine chooses the same. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Comparisons of samples that may still be made; another thread may stop them. */
typedef struct rec_work {
    uint64_t left;
    atomic_int stopped;
} rec_work;

static inline int rec_work_is_left(const rec_work *of)
{
    return of->left && !atomic_load_explicit(&of->stopped, memory_order_relaxed);
}

enum {
    REC_CUT_SIGNALS = 5,
    REC_CUT_GONE = INT16_MIN,  /* a signal that is compared nowhere */
    REC_CUT_NEVER = 1 << 20    /* what a label costs that a pixel must not take */
};

typedef struct rec_field {
    size_t count, labels;
    const int32_t *next[4]; /* of each pixel the one on the right, below, left, above; -1: none */
    const int16_t *value;   /* [label][pixel][signal] */
    const int32_t *cost;    /* [label][pixel] */
    int32_t seam;           /* of two neighbours with two labels, besides what differs at both */
    int32_t *label;         /* of each pixel */
} rec_field;

/* All costs and seams: what is to be small. */
int64_t rec_field_energy(const rec_field *field, const int32_t *label);

/* Begins with the labels, and offers each label to all pixels at once, `sweeps` times: those take
 * it for which all comes cheapest. A cut for which too little work is left changes nothing.
 * REC_LIMIT. */
rec_status rec_field_expand(rec_field *field, int sweeps, rec_work *work, rec_error *error);
