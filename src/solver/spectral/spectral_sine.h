/* Sine transforms of the rows of a plane on the host, and what else the host engine does to planes
 * of doubles. All calls use `threads` threads. */
#ifndef REC_SOLVER_SPECTRAL_SINE_H
#define REC_SOLVER_SPECTRAL_SINE_H

#include "solver/spectral/spectral_axis.h"
#include "solver/spectral/spectral_fftw.h"

typedef struct rec_sine {
    const rec_axis *axis;
    rec_fft *fft;
    double *response;  /* `length` complex numbers: FFT of the axis's response; NULL: not padded */
    double *work;      /* `length` complex numbers a thread */
    int threads;
} rec_sine;

rec_status rec_sine_create(rec_sine *sine, const rec_axis *axis, int threads, rec_error *error);
void rec_sine_destroy(rec_sine *sine);

/* Every row of the plane, axis->n wide, becomes its sine transform times `scale`. */
void rec_sine_transform(const rec_sine *sine, double *plane, size_t rows, size_t stride,
                        double scale);

/* The columns of a plane whose rows were transformed along `x`: solves
 * m_(y-1) + m_(y+1) - (2 + 4 x->low) m_y = scale * e_y with m = 0 around, in place. */
void rec_columns_solve(const rec_axis *x, double *plane, size_t rows, size_t stride, double scale,
                       int threads);

/* Doubles from row to row of a plane. */
size_t rec_plane_stride(size_t width);

/* rows * stride doubles, not filled; free with rec_free. */
rec_status rec_plane_make(double **plane, size_t rows, size_t stride, rec_error *error);

/* out[x][y] = in[y][x]; `in` has `rows` rows of `width`. */
void rec_plane_transpose(double *out, size_t out_stride, const double *in, size_t in_stride,
                         size_t width, size_t rows, int threads);

#endif
