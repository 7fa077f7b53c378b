/* The cuda solver's state: for the files src/solver/cuda*.c alone. */
#ifndef REC_SOLVER_CUDA_SOLVER_H
#define REC_SOLVER_CUDA_SOLVER_H

#include "solver/display/cuda_layers.h"
#include "solver/cuda/cuda_plan.h"
#include "solver/cuda/cuda_status.h"
#include "solver/cuda/cuda_transfer.h"
#include "solver/norms.h"
#include "solver/display/slots.h"

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
    cudaStream_t solving, copying;
    double seconds_start, seconds_upload;

    rec_cuda_layers layers;
    rec_slots slots;
    struct {
        uint8_t *device, *host; /* a snapshot as rec_cuda_layers_show makes it, host pinned */
        size_t bytes;
        unsigned *range;        /* device */
        cudaEvent_t made, arrived;
    } buffer[REC_SLOTS];
} rec_cuda;

/* cuda_snapshot.c: rec_solver_type's functions, and their part of creation and destruction. */
rec_status rec_cuda_mark(void *state, rec_error *error);
void rec_cuda_unmark(void *state);
rec_status rec_cuda_set_reference(void *state, const rec_image *reference, rec_error *error);
rec_status rec_cuda_compare(void *state, double *mean_square, rec_error *error);
rec_status rec_cuda_probe(void *state, size_t x, size_t y, rec_probe *probe, rec_error *error);
cudaError_t rec_cuda_snapshot_create(rec_cuda *solver);
void rec_cuda_snapshot_destroy(rec_cuda *solver);
rec_status rec_cuda_snapshot(void *state, const rec_view *view, int *begun, rec_error *error);
const rec_snapshot *rec_cuda_poll(void *state);
void rec_cuda_release(void *state, const rec_snapshot *taken);

#endif
