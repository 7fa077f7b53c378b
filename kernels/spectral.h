/* The launchers of the transforms on a device. Planes are rows of doubles or floats, `pitch` of
 * them from row to row, an even number. All queue their work on `stream` and return the launch's
 * error. The mathematics is in docs/spectral.md. */
#ifndef REC_KERNELS_SPECTRAL_H
#define REC_KERNELS_SPECTRAL_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "kernels/spectral_modes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An axis of src/solver/spectral/spectral_axis.h with its tables on the device. */
typedef struct rec_device_axis {
    rec_basis basis;
    size_t n, period, length; /* length: 2^log, at least 1024 */
    int log, inner;           /* 2^inner numbers go through the shared memory of a block */
    const double *turn;       /* sines: period; cosines: n complex numbers */
    const double *low, *high, *ones; /* n */
    const double *chirp;      /* period complex numbers */
    double *roots, *response; /* length complex numbers each */
} rec_device_axis;

/* Rows of a plane, of double or of float; the other pointer is NULL. */
typedef struct rec_device_rows {
    double *cells;
    float *floats;
    size_t pitch; /* elements */
    size_t count;
} rec_device_rows;

/* ---- rows, two a complex row. spectral_rows.cu ---- */

/* Sets log and inner by length, for the device in use. Where inner is less than log, the two below
 * need `z` of `length` complex numbers for each of `pairs`, at most 65535; else NULL. */
cudaError_t rec_spectral_choose_inner(rec_device_axis *axis);

/* Fills roots and response. One pair. */
cudaError_t rec_launch_response(const rec_device_axis *axis, double *z, cudaStream_t stream);

/* to = scale * the transforms of `from` + offset, `pairs` of rows at a time. `back`: the way back,
 * which is another one for cosines. `to` may be `from`. */
cudaError_t rec_launch_rows(const rec_device_axis *axis, int back, const rec_device_rows *to,
                            const rec_device_rows *from, double scale, double offset, double *z,
                            size_t pairs, cudaStream_t stream);

/* ---- columns of the limit. spectral_columns.cu ---- */

/* Doubles of scratch that a plane of width x rows needs. */
size_t rec_columns_scratch(size_t width, size_t rows);

/* Solves m_(y-1) + m_(y+1) - (2 + 4 low) m_y = scale e_y down every column, in place. */
cudaError_t rec_launch_columns(const rec_device_axis *x, double *plane, size_t pitch, size_t rows,
                               double scale, double *scratch, cudaStream_t stream);

/* ---- whole planes. spectral_planes.cu ---- */

cudaError_t rec_launch_transpose(double *out, size_t out_pitch, const double *in, size_t in_pitch,
                                 size_t width, size_t rows, cudaStream_t stream);

/* The modes of iterate n >= 1, or of the limit, n infinite: rows of y modes, a row a mode of x.
 * `odd`: n is. `symbols`: a plane of a stencil's, or NULL, for the five-point update; `terms` go
 * with them. `modes` may be `edges` or `start`. */
cudaError_t rec_launch_modes(const rec_device_axis *x, const rec_device_axis *y,
                             const double *symbols, const rec_mode_terms *terms, double *modes,
                             const double *edges, const double *start, size_t pitch, double halo,
                             double n, int odd, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
