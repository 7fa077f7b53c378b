/* The cuda solver's state: for the files src/solver/cuda*.c alone. */
#ifndef REC_SOLVER_CUDA_SOLVER_H
#define REC_SOLVER_CUDA_SOLVER_H

#include "solver/cuda/cuda_plan.h"
#include "solver/cuda/cuda_status.h"
#include "solver/cuda/cuda_transfer.h"
#include "solver/norms.h"

typedef struct rec_cuda {
    rec_cuda_iterates iterates;
    rec_cuda_plan plan;
    rec_bound bound;
    int device;
    char name[128];
    /* Planes of the change, planes of the distance: host memory that the kernels write to. */
    rec_device_norms *norms;
    rec_cuda_transfer transfer;
    size_t device_bytes;
    uint64_t iterations;
    int behind;              /* the other iterate is M_(N-2), not M_(N-1) */
    int passed;              /* or it is neither: nobody asked for it */
    int tells;               /* the last look had what it takes to tell standstill */
    cudaStream_t solving;
    double seconds_start, seconds_upload;
} rec_cuda;

#endif
