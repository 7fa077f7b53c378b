/* The multigrid solver on a CUDA device, for its files: cuda_multigrid_memory.c has what
 * is on the device, cuda_multigrid.c the loop of cycles. */
#pragma once

#include "kernels/multigrid.h"
#include "device/cuda_room.h"
#include "solver/multigrid/multigrid.h"

typedef struct rec_cuda_multigrid {
    rec_multigrid head;
    rec_multigrid_shape shape;
    rec_room room;
    double begin_seconds; /* of the residual, for the solve that follows */
    rec_device_picture picture;
    rec_device_solve solve;
    rec_device_level level[REC_MULTIGRID_LEVELS];
    size_t tiled;         /* levels that are too large for one block */
    size_t placed;        /* bytes of the box's memory in use */
    double *means;          /* of planes without known pixels: of the edges, and of the picture */
    rec_device_run *run;    /* pinned: what is sent to the device, and what comes back */
    cudaGraphExec_t cycles; /* a V-cycle and a step, for the memory as it is placed */
    int host_loops;         /* 1: the host launches it for each cycle */
} rec_cuda_multigrid;

rec_status rec_cuda_multigrid_create(void *state, const rec_problem *problem, const rec_slab *slab,
                                     const rec_solver_options *options, rec_error *error);
rec_status rec_cuda_multigrid_load(void *state, const rec_problem *problem, rec_error *error);
rec_status rec_cuda_multigrid_change(void *state, const rec_problem *problem, rec_area area,
                                     rec_error *error);
void rec_cuda_multigrid_destroy(void *state);
