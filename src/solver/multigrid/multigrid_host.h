/* The multigrid solver on the host: its V-cycle, and what is around that. For the files of this
 * folder alone. */
#pragma once

#include "solver/multigrid/multigrid.h"
#include "solver/multigrid/multigrid_rows.h"

enum { REC_GROUP = 32 }; /* rows for which the same blocks are active */

/* A level in memory. A row of floats has the even columns from `0` on and the odd ones from `odd`
 * on; before and behind each half is room for a cell beyond the row, which is 0 at rest. */
typedef struct rec_cycle_grid {
    rec_multigrid_level level;
    size_t width, height;
    size_t half, blocks, odd, pitch; /* of a half row: cells used, blocks; of a row: floats */
    unsigned char *unknown;          /* rows of two halves of `blocks` blocks */
    unsigned char *active;           /* a row of `blocks` for each group */
    float *b, *z, *corrected;        /* right side; after the way down; after the way up: not of
                                        the finest level. The rest is behind them */
    float *inverse, *diagonal; /* three rows each: 0, 1, 2 neighbours above or below missing; with
                                  a mass a row for each row of the level */
    float *mass;               /* rows as the others; NULL: there is none */
} rec_cycle_grid;

/* Where column x is in a row. */
static inline size_t rec_cell_of(const rec_cycle_grid *grid, size_t x)
{
    return x / 2 + (x & 1) * grid->odd;
}

static inline size_t rec_half_width(const rec_cycle_grid *grid) { return grid->blocks * REC_BLOCK; }

static inline unsigned char *rec_unknown_of(const rec_cycle_grid *grid, size_t y, size_t odd)
{
    return grid->unknown + (2 * y + odd) * rec_half_width(grid);
}

static inline rec_half rec_half_at(const rec_cycle_grid *grid, size_t y, size_t odd)
{
    return (rec_half){grid->active + y / REC_GROUP * grid->blocks, rec_unknown_of(grid, y, odd),
                      grid->blocks};
}

/* The row of the level; -1: known cells, or none, are there. */
static inline ptrdiff_t rec_row_of(const rec_cycle_grid *grid, ptrdiff_t y)
{
    const ptrdiff_t height = (ptrdiff_t)grid->height;
    if (y >= 0 && y < height)
        return y;
    return grid->level.y.low == REC_WRAPPED ? (y % height + height) % height : -1;
}

typedef struct rec_cycle {
    const rec_multigrid_loops *loops;
    size_t threads, levels;
    rec_cycle_grid grid[REC_MULTIGRID_LEVELS];
    float *ring; /* a member's rows */
    size_t ring_floats;
    struct rec_cycle_sums *sums; /* of each row of the finest level */
} rec_cycle;

/* All cells of the levels are made from `unknown` and mass of level 0, which are set in between. To
 * be destroyed also after a failure. */
rec_status rec_cycle_create(rec_cycle *cycle, const rec_multigrid_shape *shape, rec_error *error);
void rec_cycle_coarsen(rec_cycle *cycle);
void rec_cycle_destroy(rec_cycle *cycle);

typedef struct rec_cycle_sums {
    double rz, zaz; /* b z; z A z, if all sides are fixed and nothing has a mass */
    double largest; /* of |z| */
} rec_cycle_sums;

/* z = one V-cycle on b; `scratch` is as large; both are 0 where no block is active. */
rec_cycle_sums rec_cycle_run(const rec_cycle *cycle, const float *b, float *scratch, float *z);

/* ---- the solver around it ---- */

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
