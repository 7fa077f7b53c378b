/* A problem: the edges of a picture, where the iteration starts, and what is around the picture.
 * What solves it is above: the solvers, and the engines that they are made of. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "image/image.h"
#include "problem/boundary.h"
#include "problem/operator.h"

typedef struct rec_problem {
    const rec_image *edges; /* E. If it is a part, every rank has a solver for its own rows:
                               creating, iterating and rec_solver_get_info are collective */
    const rec_image *start; /* M_0, any iterate of the size and planes of E; NULL: E itself */
    rec_boundary boundary;  /* one that boundary.h has for the problem; a value of -0 counts as 0.
                               If it leaves the mean free, the mean of E should be 0 (image.h:
                               rec_check_balance) */
    /* Applied in turn in each iteration, instead of the five-point update; or NULL. For filters
     * `edges` is the picture. An inverse operator must be the only one. */
    const rec_operator *operators;
    size_t operator_count;
} rec_problem; /* images and operators may be destroyed once the solver is created */

/* The number of the limit, where the number of an iterate is asked for. */
#define REC_LIMIT_ITERATION UINT64_MAX

/* REC_BAD_INPUT, saying why, if the start has another size than the edges, or if edges or halo are
 * not finite and at most REC_MAX_MAGNITUDE. */
rec_status rec_problem_check(const rec_problem *problem, rec_error *error);

/* 1: the edges do not determine the picture's mean; the boundary has that of the limit. */
int rec_problem_frees_mean(const rec_problem *problem);

/* Continues a hash by all that decides the bits of an iterate and of the limit, but the images. */
uint64_t rec_problem_hash(const rec_problem *problem, uint64_t hash);

/* What solving takes, filled in by the solver or the engine that does it. */
typedef struct rec_costs {
    char device[128];       /* the device's or processor's name */
    size_t device_bytes;    /* taken on the devices; 0 for solvers of the host */
    double seconds_start;   /* getting the device ready (CUDA's context); 0 on the host */
    double seconds_plan;    /* planning transforms; 0 for stencils */
    double seconds_upload;  /* copies and conversion into the solver's own memory */
    double seconds_jump;    /* the last jump: from the edges in memory to the float32 picture in
                               memory (the device's, by its clock, if it is on one) */
} rec_costs;
