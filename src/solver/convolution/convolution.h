/* Convolutions on the host: for the files of this folder alone. The cpu and the reference solver
 * keep planes with a border as wide as the stencil reaches, which is filled before each stencil is
 * applied, so that no pixel is a special case. */
#ifndef REC_SOLVER_CONVOLUTION_H
#define REC_SOLVER_CONVOLUTION_H

#include "solver/norms.h"
#include "solver/type.h"

/* One stencil on its way over rows of a plane. */
typedef struct rec_convolution_task {
    const rec_taps *taps;
    const rec_factors *factors; /* NULL: not separable */
    const rec_plane *out, *in;  /* `in` with its border */
    const float *f;             /* of row 0, rows as far apart as those of the planes; or NULL */
    size_t width;
    float *ring;                /* of a thread: taps->height rows of in->stride; for factors */
} rec_convolution_task;

/* Makes rows first..end-1. May write up to REC_CONVOLUTION_OVER floats behind the width of a row. */
typedef void rec_convolution_rows(const rec_convolution_task *task, size_t first, size_t end);
enum { REC_CONVOLUTION_OVER = 64 };

/* The inner loops of one instruction set. */
typedef struct rec_convolution_loops {
    rec_convolution_rows *direct, *separable;
} rec_convolution_loops;

extern const rec_convolution_loops rec_convolution_loops_base;
#if REC_X86
extern const rec_convolution_loops rec_convolution_loops_avx2, rec_convolution_loops_avx512;
#endif

#endif
