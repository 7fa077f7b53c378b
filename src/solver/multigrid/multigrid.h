/* The exact picture on any mask: conjugate gradients in double, preconditioned with one multigrid
 * V-cycle in float32. The method is in docs/multigrid.md. */
#pragma once

#include "kernels/multigrid_steps.h"
#include "solver/type.h"

enum { REC_MULTIGRID_LEVELS = 24, REC_MULTIGRID_PLANES = 3 };
enum { REC_MULTIGRID_COARSEST = 4 }; /* its longer side, in cells, at most */

/* Level 0 is the box of the unknown pixels. The next level has (cells + 1) / 2 cells an axis. A
 * coarse cell is unknown if all of its children in the level are; a child beyond a fixed side is
 * known, a child beyond another side does not exist. The diagonal of a cell is 4, less one for each
 * neighbour beyond a mirrored side. Restriction adds the children of a cell, prolongation copies to
 * them; from a level with a side of one cell the correction counts `weight` = 2 times, else once.
 * A mass adds to the diagonal; that of a coarse cell is `weight` times the sum of its children's.
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
    int has_mass;
    int free_mean; /* nothing is known: edges lose their mean, and the picture gets the mean: */
    double mean[REC_MULTIGRID_PLANES];
    double edge_mean[REC_MULTIGRID_PLANES];
    int enclosed;  /* all sides are known */
    double safety; /* times rec_multigrid_steps.largest: the estimate of the largest error */
    double lowest; /* the smallest eigenvalue of the box */
} rec_multigrid_shape;

void rec_multigrid_shape_make(rec_multigrid_shape *shape, const rec_problem *problem);

/* The problem's start becomes *copy, with its samples limited, if those of unknown pixels in the
 * rectangle are far beyond rec_problem_limit. Else the copy stays as it is, without data; in place
 * the start itself is limited. To be destroyed. Not on a device.
 * The limit is nearer than that of rec_limited, for iterates, which show their start: x loses
 * digits to it. */
rec_status rec_multigrid_limit_start(rec_problem *problem, rec_image *copy, rec_area area,
                                     rec_error *error);

/* The residual r may be rounded to float32 once |e|_A^2, about d, is below this. Then |r|^2 <= 8 d
 * is shared by n pixels, each of which is rounded by 2^-25 of it. That is noise, so the picture
 * changes by that times m, the longer side of the box, or more if the box is narrow: by a 64th of
 * the stop. Where nothing is known it is never rounded: no step removes the mean of such noise. */
double rec_multigrid_rounding_allowed(const rec_multigrid_shape *shape, double stop);

/* What the states on the host and on a device begin with. */
typedef struct rec_multigrid {
    rec_costs costs;
    int in_place; /* the picture is the problem's start */
    double tolerance;
    rec_look look; /* of the worst plane after the last jump since the last load or change */
    int steps;     /* the most of a plane since then */
} rec_multigrid;
extern const rec_look rec_multigrid_unsolved;

/* Sets the look from the steps of all planes; 1: the largest error is within the tolerance. */
int rec_multigrid_conclude(rec_multigrid *head, const rec_multigrid_shape *shape,
                           const rec_multigrid_steps *steps);

/* The type for the host, and that for a device. A jump goes on until every plane is done or has
 * made REC_MULTIGRID_MOST_STEPS, or its time has passed; at least one step of each plane that is
 * not done. Called again it goes on where it stopped. The picture is up to date afterwards.
 *
 * After a change the problem differs from the last one inside the rectangle alone: in mask, start
 * and edges. Pixels there that were unknown and are so now begin from the last picture, as those
 * outside do; the others take the start's sample. */
extern const rec_solver_type rec_multigrid_host, rec_multigrid_cuda;

static inline double rec_multigrid_tolerance(const rec_solver_options *options)
{
    return options->tolerance > 0 ? options->tolerance : REC_USUAL_TOLERANCE;
}

void rec_multigrid_get_info(const void *state, rec_solver_info *info);
rec_status rec_multigrid_look(void *state, unsigned looks, rec_look *look, rec_error *error);

/* What all three types have. */
#define REC_MULTIGRID_SHARED \
    .name = "multigrid", .jumps = REC_TO_LIMIT, \
    .shows = 1u << REC_SOURCE_PICTURE | 1u << REC_SOURCE_REFERENCE
