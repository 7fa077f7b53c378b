/* The launchers of the transforms on a device. Planes are rows of doubles or floats, `pitch` of
 * them (an even number) from row to row. The launchers queue their work on `stream` and return the
 * launch's error. The mathematics is in docs/spectral.md. */
#pragma once

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
    const double *chirp;      /* period complex numbers; NULL: no padding, length is period */
    double *roots, *response; /* length complex numbers each */
} rec_device_axis;

/* Rows of a plane: of doubles, then `floats` is NULL; or of floats, then `cells` is NULL. */
typedef struct rec_device_rows {
    double *cells;
    float *floats;
    size_t pitch; /* elements */
    size_t count;
    size_t width; /* sines without padding: numbers of a row; the rest of n is 0 or left out */
} rec_device_rows;

/* ---- rows, two a complex row. spectral_rows.cu ---- */

/* Complex numbers that a block's shared memory holds, a power of two; 0: no such device. */
size_t rec_spectral_points(int device);

/* Fills roots, and the response where there is padding. One pair. */
cudaError_t rec_launch_response(const rec_device_axis *axis, double *z, cudaStream_t stream);

/* to = scale * the transforms of `from` + offset, `pairs` of rows at a time, at most 65535. `back`:
 * the inverse, which differs for cosines. `to` may be `from`. If inner < log, this function and
 * rec_launch_response need `z`, `length` complex numbers for each of `pairs`; else z is NULL. */
cudaError_t rec_launch_rows(const rec_device_axis *axis, int back, const rec_device_rows *to,
                            const rec_device_rows *from, double scale, double offset, double *z,
                            size_t pairs, cudaStream_t stream);

/* ---- sines without padding, n = 2^k - 1. spectral_sines.cu ---- */

/* to = scale * the transforms of `from` + offset, but not from floats to floats. `to` may be
 * `from`. */
cudaError_t rec_launch_sines(const rec_device_axis *axis, const rec_device_rows *to,
                             const rec_device_rows *from, double scale, double offset,
                             cudaStream_t stream);

/* ---- columns of the limit. spectral_columns.cu ---- */

typedef struct rec_device_columns {
    unsigned width, rows; /* of the plane of transformed rows: a column a mode */
    unsigned first, own;  /* rows of this device; first is a multiple of 32 */
    unsigned column;      /* from 1: where charges are added to the edges; 0: none */
    int cut;              /* the last pixel of each row was cut off; else rows are longer */
    double *scratch;
} rec_device_columns;

/* Doubles of scratch that a plane of width x rows needs. */
size_t rec_columns_scratch(size_t width, size_t rows);

/* Fills the tables in the scratch; `low`: of the modes (spectral_axis.h). */
cudaError_t rec_prepare_columns(const rec_device_columns *shape, const double *low,
                                cudaStream_t stream);

/* Solves m_(y-1) + m_(y+1) - (2 + 4 low) m_y = e_y / (width + 1) * 2 down every column of `rows`,
 * in place, stage after stage. Pixels that were cut off from `edges` are put into `result`, plus
 * the halo. Rows, edges and result are this device's own. `result` may be `edges`. */
int rec_columns_stages(const rec_device_columns *shape);
cudaError_t rec_launch_columns(const rec_device_columns *shape, int stage,
                               const rec_device_rows *rows, const rec_device_rows *edges,
                               const rec_device_rows *result, double halo, cudaStream_t stream);
/* What the other devices need of this one after a stage that is not the last: one or two pieces of
 * its scratch, of as many doubles as returned. They belong to the same places there. */
size_t rec_columns_shared(const rec_device_columns *shape, int stage, double *pieces[2]);

/* ---- whole planes. spectral_planes.cu ---- */

/* Largest magnitudes, together those of all the rows of floats; NaN is larger than any number. */
enum { REC_LARGEST = 1024 };
cudaError_t rec_launch_largest(const rec_device_rows *rows, float *largest, cudaStream_t stream);

cudaError_t rec_launch_transpose(double *out, size_t out_pitch, const double *in, size_t in_pitch,
                                 size_t width, size_t rows, cudaStream_t stream);

/* The modes of iterate n >= 1 or, n infinite, of the limit: rows of y modes, a row for each mode of
 * x. `odd`: n is odd. `symbols`, with `terms`: a plane of a stencil's symbols; NULL: the five-point
 * update. `modes` may be `edges` or `start`. */
cudaError_t rec_launch_modes(const rec_device_axis *x, const rec_device_axis *y,
                             const double *symbols, const rec_mode_terms *terms, double *modes,
                             const double *edges, const double *start, size_t pitch, double halo,
                             double n, int odd, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
