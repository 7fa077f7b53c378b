/* Transforms of the rows of a plane on a device: an axis's tables there, and the complex rows that
 * go through its memory, a chunk of the plane's rows at a time, where a block's shared memory is
 * too small for one. */
#ifndef REC_SOLVER_SPECTRAL_DEVICE_H
#define REC_SOLVER_SPECTRAL_DEVICE_H

#include "kernels/spectral.h"
#include "solver/spectral/spectral_axis.h"

/* Complex rows, which the axes of one engine take turns in. */
typedef struct rec_device_workspace {
    double *z;
    size_t bytes;
} rec_device_workspace;

typedef struct rec_device_transform {
    rec_device_axis axis;
    size_t pairs;       /* of rows at a time */
    size_t table_bytes, z_bytes; /* that it takes, of its own and of the workspace */
    double *tables;     /* NULL: not created yet */
    rec_device_workspace *space;
    cudaStream_t stream;
} rec_device_transform;

/* For planes of `rows` rows, `chunk_bytes` of complex rows at a time (at least two rows), on the
 * device in use: what it will take. */
rec_status rec_device_transform_plan(rec_device_transform *made, const rec_spectral_axis *axis,
                                     size_t rows, size_t chunk_bytes, rec_error *error);
rec_status rec_device_transform_create(rec_device_transform *planned, const rec_spectral_axis *axis,
                                       rec_device_workspace *space, cudaStream_t stream,
                                       rec_error *error);

/* to = scale * transforms of the rows of `from`, or `back`, + offset. Queued, not waited for. */
rec_status rec_device_transform_rows(const rec_device_transform *transform, int back,
                                     const rec_device_rows *to, const rec_device_rows *from,
                                     double scale, double offset, rec_error *error);

#endif
