/* What the solvers on a device show and compare beside the picture: an iterate that they remember,
 * a reference that they are given, and the range of the edges. For the cuda and the spectral
 * solver. */
#ifndef REC_SOLVER_CUDA_LAYERS_H
#define REC_SOLVER_CUDA_LAYERS_H

#include "kernels/kernels.h"
#include "solver/solver.h"

/* Where the data is: the planes of the grid, and the stream that they change on. f may be NULL. */
typedef struct rec_cuda_planes {
    int device;
    rec_grid grid;
    const float *m, *f;
    cudaStream_t stream;
} rec_cuda_planes;

typedef struct rec_cuda_layers {
    float *mark, *reference; /* planes of the grid; NULL: there is none */
    double *sums;            /* of rec_launch_compare, there with the reference */
    unsigned *edge_range;    /* of |E|, which no iteration changes; */
    int edge_range_known;    /* a kernel that finds it is queued, or was */
    size_t bytes;            /* of the device, all of these */
} rec_cuda_layers;

void rec_cuda_layers_destroy(rec_cuda_layers *layers); /* when nothing of it is in use any more */

/* solver.h's calls; the reference and the sizes were checked. */
rec_status rec_cuda_layers_mark(rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                rec_error *error);
void rec_cuda_layers_unmark(rec_cuda_layers *layers, const rec_cuda_planes *planes);
rec_status rec_cuda_layers_set_reference(rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                         const rec_image *reference, rec_error *error);
rec_status rec_cuda_layers_compare(const rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                   double *mean_square, rec_error *error);
rec_status rec_cuda_layers_probe(const rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                 size_t x, size_t y, rec_probe *probe, rec_error *error);

/* A snapshot's bytes come behind its low and high, in one copy. */
enum { REC_CUDA_ENDS_BYTES = 2 * sizeof(float) };

/* Queues the making of a snapshot into `made` on the current device, which has room for the ends
 * and the bytes. `range` is two words of the device that nothing else uses meanwhile. */
cudaError_t rec_cuda_layers_show(rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                 const rec_view *view, unsigned *range, uint8_t *made);

/* The ends that arrived at the host, into the snapshot. */
void rec_cuda_layers_arrive(const uint8_t *host, rec_snapshot *snapshot);

#endif
