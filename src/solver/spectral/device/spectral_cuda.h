/* The spectral engine on a device, for its files. In planes of doubles a picture of one plane
 * takes 1 for the floats of edges and result, 1 for the limit by tridiagonal systems (2 by both
 * transforms), 2 more for iterates (1.5 more with a start of its own), and the FFT's rows and
 * workspace, which are bounded. */
#ifndef REC_SOLVER_SPECTRAL_CUDA_H
#define REC_SOLVER_SPECTRAL_CUDA_H

#include "kernels/spectral.h"
#include "solver/cuda/cuda_status.h"
#include "solver/cuda/cuda_transfer.h"
#include "solver/spectral/spectral_engine.h"

/* Complex rows, which the axes of one engine take turns in. */
typedef struct rec_device_workspace {
    double *z;
    size_t bytes;
} rec_device_workspace;

/* Transforms of rows along an axis: its tables on the device, and the complex rows that go through
 * its memory, a chunk at a time, where a block's shared memory is too small for one. */
typedef struct rec_device_transform {
    rec_device_axis axis;
    size_t pairs;       /* of rows at a time */
    size_t table_bytes, z_bytes; /* that it takes, of its own and of the workspace */
    double *tables;     /* NULL: not created yet */
} rec_device_transform;

typedef struct rec_cuda_engine {
    const rec_spectral_shape *shape;
    int device;
    rec_spectral_info *info;
    cudaStream_t stream;
    cudaEvent_t begun, ended;
    rec_device_workspace space;
    rec_device_transform along_x, along_y;
    float *edges, *start, *result; /* planes behind each other */
    size_t pitch;
    double *plane;         /* height rows of width */
    size_t double_pitch, column_pitch;
    double *scratch;       /* of the tridiagonal systems, or NULL */
    double *symbols;       /* a stencil's, as `modes`; or NULL */
    double *modes;         /* width rows of height: the modes on their way back; or NULL */
    double *edge_modes[REC_MOST_PLANES], *start_modes[REC_MOST_PLANES];
    int prepared;          /* the modes of all planes are there */
    rec_cuda_transfer transfer;
} rec_cuda_engine;

/* spectral_cuda_memory.c: starts the device, takes its memory, and copies the problem there. */
rec_status rec_spectral_cuda_create(void **state, const rec_spectral_shape *shape,
                                    const rec_problem *problem, int device,
                                    rec_spectral_info *info, rec_error *error);
rec_status rec_spectral_cuda_load(void *state, const rec_problem *problem, rec_error *error);
void rec_spectral_cuda_destroy(void *state);

/* Device memory that is counted. */
cudaError_t rec_spectral_cuda_take(rec_cuda_engine *e, void **memory, size_t bytes);

/* REC_LIMIT, saying for what, when `wanted` bytes are not free. */
rec_status rec_spectral_cuda_check(const rec_cuda_engine *e, double wanted,
                                   const char *what, rec_error *error);

/* Takes what transforms along the columns need besides `more` bytes for `what`. */
rec_status rec_spectral_cuda_prepare_columns(rec_cuda_engine *e, double more, const char *what,
                                             rec_error *error);

/* Bytes of `modes`, and of every plane of edge_modes and start_modes. */
size_t rec_spectral_cuda_modes_bytes(const rec_cuda_engine *e);

#endif
