/* What the spectral solver on the host is made of. */
#pragma once

#include "solver/spectral/spectral.h"

/* ---- planes of doubles, by `threads` threads: spectral_fftw.c, spectral_columns.c ---- */

typedef struct rec_transform {
    const rec_spectral_axis *axis;
    struct fftw_plan_s *there, *back; /* back: of cosines; the others are their own inverse */
    double *work;        /* sines: `length` complex numbers a thread */
    int threads;
} rec_transform;

rec_status rec_transform_create(rec_transform *made, const rec_spectral_axis *axis, int threads,
                                rec_error *error);
void rec_transform_destroy(rec_transform *transform);

/* Every row of the plane, axis->n wide, becomes `scale` times its transform or, `back`, inverse. */
void rec_transform_rows(const rec_transform *transform, int back, double *plane, size_t rows,
                        size_t stride, double scale);

/* 1 after FFTW has run out of memory: results since then are invalid. */
int rec_fft_is_broken(void);

/* The columns of a plane whose rows were transformed along `x`, and tables of that size. */
typedef struct rec_columns {
    const rec_spectral_axis *x;
    double *plane;
    size_t rows, stride, threads;
    size_t column;   /* from 1: of the pixels that charges are added to; 0: none */
    double *charges; /* rows, and room to find them */
    struct rec_block *blocks;
    double *kept;
} rec_columns;

/* The caller has set all but the pointers to tables. To be destroyed also after a failure. */
rec_status rec_columns_create(rec_columns *columns, rec_error *error);
void rec_columns_destroy(rec_columns *columns);

/* Solves m_(y-1) + m_(y+1) - (2 + 4 x->low) m_y = e_y / x->norm in place, with m = 0 above and
 * below, and the charges added to e. */
void rec_columns_solve(const rec_columns *columns);

/* Sets `charges` to the pixels that `column` would have without charges. Does not change the
 * plane. */
void rec_columns_sum(const rec_columns *columns);

/* Doubles from row to row of a plane. */
size_t rec_plane_stride(size_t width);

/* out[x][y] = in[y][x]; `in` has `rows` rows of `width`. */
void rec_plane_transpose(double *out, size_t out_stride, const double *in, size_t in_stride,
                         size_t width, size_t rows);

/* ---- conjugate gradients in double: spectral_gradients.c ----
 *
 * For a stencil that no transform diagonalises: wider than 3 x 3, with a constant halo. */

typedef struct rec_gradients {
    const rec_stencil *stencil; /* even */
    size_t width, height;
    size_t stride;              /* doubles from row to row of all planes */
    double *work;               /* a plane */
    /* The preconditioner: work = approximately K^-1 work, up to a constant factor. */
    void (*approximate)(void *engine);
    void *engine;
} rec_gradients;

/* Solves K * M = work with zeros around M; the result replaces work. REC_BAD_INPUT if the iteration
 * does not converge, as with a stencil whose symbol changes its sign. */
rec_status rec_gradients_solve(const rec_gradients *gradients, rec_error *error);
