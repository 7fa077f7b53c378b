/* Conjugate gradients in double, for what no transform diagonalises: a stencil wider than 3 x 3
 * with a constant halo. */
#ifndef REC_SOLVER_SPECTRAL_GRADIENTS_H
#define REC_SOLVER_SPECTRAL_GRADIENTS_H

#include "solver/spectral/spectral_symbol.h"

typedef struct rec_gradients {
    const rec_stencil *stencil; /* even */
    size_t width, height;
    size_t stride;              /* doubles from row to row of all planes */
    int threads;
    double *work;               /* a plane */
    /* work = nearly, but for a factor, what the stencil makes work of */
    void (*approximate)(void *of);
    void *of;
} rec_gradients;

/* work, which was K * M with zeros around M, becomes M. REC_BAD_INPUT when it does not converge, as
 * with a stencil whose symbol changes its sign. */
rec_status rec_gradients_solve(const rec_gradients *gradients, rec_error *error);

#endif
