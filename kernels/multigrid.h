/* Launchers of the exact picture on a mask: conjugate gradients in double, preconditioned with one
 * multigrid V-cycle in float32 (docs/multigrid.md).
 *
 * The levels lie in the box of the unknown pixels. A cell whose right side b is NaN is known: its
 * correction is 0. NaN carries over by itself: r - alpha A p stays NaN, and a coarse cell, the sum
 * of its children's residuals, is known if a child is. So no level has a mask. A mass adds to the
 * diagonal; a coarse cell has that of its children, times the weight of their level.
 * The launchers work on all planes that are not done, queue their work on `stream`, and return the
 * launch's error. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "kernels/multigrid_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Planes are padded: REC_PAD_BEFORE columns and rows before the first cell, at least REC_PAD_AFTER
 * behind the last one. Pads hold NaN in b, 0 elsewhere, where no side is mirrored or wrapped. */
enum { REC_PAD_BEFORE = 16, REC_PAD_AFTER = 136 };
typedef struct rec_device_level {
    rec_multigrid_axis x, y;
    float weight; /* of the correction from the next level */
    int sweeps;   /* on the way down, and on the way up */
    int apron;    /* the cells around a tile that its block computes, too: two a sweep; with two
                     more the block makes z A z from neighbours */
    int pitch;    /* floats from row to row, a multiple of 32 */
    size_t step;  /* floats from plane to plane */
    float *b;     /* the first cell. Of level 0: the residual, rounded */
    float *v, *z; /* the correction after going down, and after going up; 0 where known */
    float *mass;  /* of one plane, for all of them, 0 in the pads; NULL: there is none */
} rec_device_level;

/* The numbers of a plane. */
typedef struct rec_device_steps {
    rec_multigrid_steps steps;
    double pap;   /* p A p of the last step */
    double stop;  /* the plane is done once steps.largest is at most this */
    double exact; /* once steps.d is below this, the residual may be rounded to float32 */
    int rounded;  /* 1: the residual is rounded, and `low` is not used */
    int taken;    /* launches of rec_launch_multigrid_step with something to do */
    int last;     /* 1: the plane is done */
} rec_device_steps;
typedef struct rec_device_sums {
    double rz, zaz; /* r z, z A z */
    float largest;  /* of |z| */
} rec_device_sums;
typedef struct rec_device_run {
    rec_device_steps next[3], now[3]; /* after and before the step in hand */
    rec_device_sums sums[3];
    int cycles; /* that are left */
} rec_device_run;

/* What all levels share, and what conjugate gradients need. */
typedef struct rec_device_solve {
    rec_device_level box; /* level 0 */
    size_t planes;
    double *x;   /* the correction of `base`, with box.pitch. It lacks the last step after an odd
                      number of steps, and is undefined before the second one */
    float *low;  /* the residual less b */
    float *p[2]; /* after an even and after an odd number of steps */
    float *base; /* the picture at the beginning */
    rec_device_sums *sums; /* of each tile of each plane */
    unsigned char *tiles;  /* of each plane: 1: the tile has unknown cells */
    unsigned *tickets;     /* of each plane, and of all planes: 0 */
    float *largest;        /* of each plane: the largest magnitude, for rec_multigrid_set_pap */
    rec_device_run *run;
    cudaGraphConditionalHandle again; /* of the graph's loop, which the last step ends; 0: none */
} rec_device_solve;

/* The picture of which the box is a part. */
typedef struct rec_device_picture {
    size_t width, height, pitch;
    size_t left, top; /* of the box */
    rec_beyond x, y;  /* the rules of its axes */
    float *m;
    const float *edges;           /* with the same pitch */
    const float *mass;            /* so, too, of one plane; NULL: there is none */
    const unsigned char *unknown; /* width * height */
    double halo;
    const double *edge_means; /* subtracted from the edges; NULL: nothing is */
} rec_device_picture;

/* A small level: one block does it and those below. */
enum { REC_SMALL_SIDE = 32, REC_SMALL_LEVELS = 5 };
static inline int rec_multigrid_is_small(const rec_device_level *level)
{
    return level->x.cells <= REC_SMALL_SIDE && level->y.cells <= REC_SMALL_SIDE;
}
/* The number of tiles of a level: blocks of a launch. multigrid_levels.cu has the launchers of the
 * cycle for levels that are not small */
size_t rec_multigrid_tiles(const rec_device_level *level);

/* Begins: sets base, residual, tiles and the mass of level 0. Before, b of all levels is NaN, and
 * v, z, mass, p, sums, tiles, tickets and largest are 0. multigrid_step.cu */
cudaError_t rec_launch_multigrid_begin(const rec_device_solve *solve,
                                       const rec_device_picture *picture, cudaStream_t stream);
/* Then the mass of the next level, from that of a level. multigrid_step.cu */
cudaError_t rec_launch_multigrid_mass(const rec_device_level *level, const rec_device_level *next,
                                      cudaStream_t stream);

/* The way down from a level: its sweeps from 0, and the next level's b. */
cudaError_t rec_launch_multigrid_down(const rec_device_solve *solve, const rec_device_level *level,
                                      const rec_device_level *next, cudaStream_t stream);
/* z of the first of `levels` levels, each small; on level 0 also the sums. multigrid_small.cu */
cudaError_t rec_launch_multigrid_small(const rec_device_solve *solve, const rec_device_level *level,
                                       size_t levels, cudaStream_t stream);
/* The way up: z from v and the next level's z, its sweeps; on level 0 also the sums. */
cudaError_t rec_launch_multigrid_up(const rec_device_solve *solve, const rec_device_level *level,
                                    const rec_device_level *next, cudaStream_t stream);

/* p = z + beta p, x += alpha p, r -= alpha A p, and the decision whether to go on.
 * multigrid_step.cu */
cudaError_t rec_launch_multigrid_step(const rec_device_solve *solve, cudaStream_t stream);

/* The picture's unknown pixels, from base and x. With `means` of the planes, memory of the device
 * that is overwritten, each plane gets its mean by adding a constant. multigrid_step.cu */
cudaError_t rec_launch_multigrid_picture(const rec_device_solve *solve,
                                         const rec_device_picture *picture, double *means,
                                         cudaStream_t stream);

/* Known pixels of the rectangle take the sample of `from`, with pitch `width`, and so do pixels
 * that `before`, with the same pitch, calls known. multigrid_step.cu */
cudaError_t rec_launch_multigrid_known(const rec_device_picture *picture, size_t x, size_t y,
                                       size_t width, size_t height, const float *from,
                                       const unsigned char *before, size_t planes,
                                       cudaStream_t stream);

#ifdef __cplusplus
}
#endif
