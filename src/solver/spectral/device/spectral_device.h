/* Transforms of the rows of a plane on a device: an axis's tables there, its plan, and the
 * complex rows that go through it, a chunk of the plane's rows at a time. */
#ifndef REC_SOLVER_SPECTRAL_DEVICE_H
#define REC_SOLVER_SPECTRAL_DEVICE_H

#include "kernels/spectral.h"
#include "solver/spectral/device/spectral_cufft.h"
#include "solver/spectral/spectral_axis.h"

/* What the axes of one engine take turns in. */
typedef struct rec_device_workspace {
    double *z;         /* complex rows */
    void *work;        /* cuFFT's */
    size_t z_bytes, work_bytes;
} rec_device_workspace;

void rec_device_workspace_destroy(rec_device_workspace *space);

typedef struct rec_device_transform {
    rec_device_axis axis;
    rec_cufft *fft;
    size_t pairs;        /* of rows that go through the FFT together */
    size_t bytes;        /* taken on the device, without the workspace */
    double *tables, *response;
    rec_device_workspace *space;
    cudaStream_t stream;
} rec_device_transform;

/* For planes of `rows` rows, `chunk_bytes` of complex rows at a time (at least two rows). */
rec_status rec_device_transform_create(rec_device_transform *made, const rec_spectral_axis *axis,
                                       size_t rows, size_t chunk_bytes,
                                       rec_device_workspace *space, cudaStream_t stream,
                                       rec_error *error);
void rec_device_transform_destroy(rec_device_transform *transform);

/* The bytes that it will take, the FFT's workspace being as large as its data. */
size_t rec_device_transform_bytes(const rec_spectral_axis *axis, size_t rows, size_t chunk_bytes);

/* to = scale * transforms of the rows of `from`, or `back`, + offset. Queued, not waited for. */
rec_status rec_device_transform_rows(const rec_device_transform *transform, int back,
                                     const rec_device_rows *to, const rec_device_rows *from,
                                     double scale, double offset, rec_error *error);

#endif
