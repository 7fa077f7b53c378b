/* The multigrid solver on the host. For the files of this folder alone. */
#pragma once

#include "solver/multigrid/multigrid_cycle.h"

typedef struct rec_host_plane {
    rec_multigrid_steps steps;
    double *x;         /* as the rest: rows of the finest grid */
    float *high, *low; /* r scale is their sum, high rounded to float32: b of the cycle */
    float *p;          /* times scale */
    double scale;      /* a power of two */
    double pap, owed;  /* p A p; x lacks `owed` p */
    int rounded;       /* low is no longer used */
} rec_host_plane;

typedef struct rec_host_multigrid {
    rec_multigrid head;
    rec_multigrid_shape shape;
    rec_image picture; /* in place the problem's start */
    rec_mask mask; /* `unknown` alone */
    rec_cycle cycle;
    rec_host_plane plane[REC_MULTIGRID_PLANES];
    double *sums;               /* of rows; x of the planes is behind them */
    float *z, *scratch, *zeros; /* one after the other; r and p are before the row of zeros */
    double begin_seconds; /* part of the next jump */
    double magnitude;     /* of start and edges in the box */
} rec_host_multigrid;

/* The row that row `at`, which may lie beyond the sides, is made of; -1: it is known. */
static inline ptrdiff_t rec_source_of(ptrdiff_t at, size_t height, rec_beyond low, rec_beyond high)
{
    const ptrdiff_t last = (ptrdiff_t)height - 1;
    const rec_beyond rule = at < 0 ? low : high;
    if (at >= 0 && at <= last)
        return at;
    return rule == REC_FIXED ? -1 : (at < 0) == (rule == REC_WRAPPED) ? last : 0;
}

/* One step of conjugate gradients: multigrid_gradients.c. */
void rec_host_multigrid_step(rec_host_multigrid *e, rec_host_plane *plane);
