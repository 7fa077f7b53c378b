/* The symbol of a stencil: its factor for each mode of a picture. */
#pragma once

#include "problem/boundary.h"
#include "problem/operator.h"
#include "solver/spectral/spectral_axis.h"

typedef struct rec_symbol {
    rec_stencil stencil;
    int even;          /* the symbol is real; else both axes have the Hartley transform */
    int loses_mean;    /* both axes have a constant mode, and its symbol is 0 */
    rec_mode_terms terms;
    double level;      /* as terms.level, but also for a wide stencil, where terms.level is 0 */
    int wide;          /* no transform diagonalises it: the symbol is an approximation */
    const rec_spectral_axis *x, *y;
    double *versed;    /* even: 1 - cos(i a), a the modes' angles along y; row i */
} rec_symbol;

/* 1 if a device can invert the operator: its symbol is real and exact. */
int rec_symbol_is_plain(const rec_operator *op, const rec_boundary *boundary);

/* The symbol of the operator's stencil with this boundary; *symbol, NULL before, is to be destroyed
 * also after a failure. REC_BAD_INPUT, with the reason, if the axes' transforms do not diagonalise
 * the stencil. */
rec_status rec_symbol_create(rec_symbol **symbol, const rec_operator *op,
                             const rec_boundary *boundary, const rec_spectral_axis *x,
                             const rec_spectral_axis *y, rec_error *error);
void rec_symbol_destroy(rec_symbol *symbol); /* NULL is fine */

/* The symbol of mode q along x and all modes along y. `imaginary` is set unless symbol->even. */
void rec_symbol_row(const rec_symbol *symbol, size_t q, double *real, double *imaginary);

/* Writes into `inverse` how well these edges determine the picture (solver.h). REC_BAD_INPUT, with
 * the reason, if the error would exceed half a grey level, unless `force`. */
rec_status rec_symbol_inspect(const rec_symbol *symbol, const rec_image *edges, int force,
                              int free_mean, char inverse[160], rec_error *error);

/* The modes q along x of iterate n, or of the limit, from the modes of start and edges; rows are
 * `stride` apart. Unless the symbol is even, the modes -q are made, too. `work` has room for 4
 * rows. Lost modes keep the start's value; in the limit they are 0. */
void rec_symbol_solve(const rec_symbol *symbol, size_t q, double n, double halo, double *modes,
                      const double *start, const double *edges, size_t stride, double *work);
