/* The exact picture on any mask: conjugate gradients in double, preconditioned with one multigrid
 * V(2,2) cycle in float32. The method is in docs/multigrid.md. src/solver/multigrid_solver.c is the
 * solver; an engine computes, one on the host and one on a device. */
#pragma once

#include "kernels/multigrid_steps.h"
#include "problem/planes.h"
#include "problem/problem.h"

#define REC_MULTIGRID_HOST (-1) /* in place of a CUDA device's number */

enum { REC_MULTIGRID_LEVELS = 24, REC_MULTIGRID_PLANES = 3 };
enum { REC_MULTIGRID_COARSEST = 4 }; /* its longer side, in cells, at most */

/* An axis of a level: what lies beyond its first and its last cell. REC_FIXED: known cells;
 * REC_MIRRORED: no neighbour; REC_WRAPPED (both): the cell at the other end. A wrapped axis of one
 * cell has no neighbours: REC_MIRRORED. */
typedef struct rec_multigrid_axis {
    size_t cells;
    rec_beyond low, high;
} rec_multigrid_axis;

/* Level 0 is the box of the unknown pixels. The next level has (cells + 1) / 2 cells an axis. A
 * coarse cell is unknown if all of its children in the level are; a child beyond a fixed side is
 * known, a child beyond another side does not exist. The diagonal of a cell is 4, less one for each
 * neighbour beyond a mirrored side. Restriction adds the children of a cell, prolongation copies to
 * them; from a level with a side of one cell the correction counts `weight` = 2 times, else once.
 * There are at least two levels. */
typedef struct rec_multigrid_level {
    rec_multigrid_axis x, y;
    float weight; /* of the correction from the next level */
} rec_multigrid_level;

typedef struct rec_multigrid_shape {
    size_t width, height, planes; /* of the picture */
    size_t left, top;             /* of the box, level 0, in the picture */
    size_t unknown;               /* pixels */
    size_t levels;                /* 0: all is known */
    rec_multigrid_level level[REC_MULTIGRID_LEVELS];
    double halo;   /* the value beyond a fixed side of the picture */
    int free_mean; /* nothing is known: edges lose their mean, and the picture
                                         gets the mean: */
    double mean[REC_MULTIGRID_PLANES];
    double edge_mean[REC_MULTIGRID_PLANES];
    double safety; /* times rec_multigrid_steps.largest: the estimate of the largest error */
    double lowest; /* the smallest eigenvalue of the box */
} rec_multigrid_shape;

void rec_multigrid_shape_make(rec_multigrid_shape *shape, const rec_problem *problem);

/* How near the picture is to the limit: the worst plane. Infinite: not known yet. */
typedef struct rec_multigrid_distance {
    double max, rms; /* over the unknown pixels, sample units */
    int steps;       /* the most of a plane, since the last load or change */
    int reached;     /* max is at most the stop */
} rec_multigrid_distance;

/* From the steps of all planes. */
rec_multigrid_distance rec_multigrid_distance_of(const rec_multigrid_shape *shape,
                                                 const rec_multigrid_steps *steps, double stop);

typedef struct rec_multigrid_engine {
    const char *kernel;                             /* its name */
    int (*available)(int device, rec_error *error); /* NULL: always */

    size_t size; /* of a state; create() gets it filled with zeros */
    /* Copies what it needs of the problem. Keeps the pointer `costs`, and keeps *costs up to date.
     * The state is destroyed also after a failure. */
    rec_status (*create)(void *state, const rec_problem *problem, int device, rec_costs *costs,
                         rec_error *error);
    /* Reuses the state for a problem of the same size, planes and boundary; begins from its start,
     * or from its edges without one. */
    rec_status (*load)(void *state, const rec_problem *problem, rec_error *error);
    /* The problem differs from the last one inside the rectangle alone: in mask, start and edges.
     * Pixels there that were unknown and are so now begin from the last picture, as those outside
     * do; the others take the start's sample. */
    rec_status (*change)(void *state, const rec_problem *problem, size_t x, size_t y, size_t width,
                         size_t height, rec_error *error);
    void (*destroy)(void *state);

    /* Goes on until every plane is done or has made REC_MULTIGRID_MOST_STEPS, or `seconds` have
     * passed; at least one step of each plane that is not done. Called again it goes on where it
     * stopped, with the same `stop`. The picture is up to date afterwards. */
    rec_status (*solve)(void *state, double stop, double seconds, rec_multigrid_distance *distance,
                        rec_error *error);

    /* Where the picture is: sets all but the iteration. */
    void (*planes)(void *state, rec_planes *planes);
    /* On a device alone: the picture into an image of its size. */
    rec_status (*fetch)(void *state, rec_image *image, rec_error *error);
} rec_multigrid_engine;

extern const rec_multigrid_engine rec_multigrid_host, rec_multigrid_cuda;
