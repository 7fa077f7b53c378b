/* The symbol of a stencil: what it multiplies each mode of a picture by. */
#pragma once

#include "problem/boundary.h"
#include "problem/operator.h"
#include "spectral/spectral_axis.h"

typedef struct rec_symbol {
    rec_stencil stencil;
    int even;          /* the symbol is real; else both axes are Hartley's */
    int loses_mean;    /* both axes have a constant mode, and its symbol is 0 */
    rec_mode_terms terms;
    double level;      /* terms.level; of a wide stencil that is 0, and this is not */
    int wide;          /* no transform diagonalises it: the symbol is an approximation */
    const rec_spectral_axis *x, *y;
    double *versed;    /* even: 1 - cos(i a), a the modes' angles along y; row i */
} rec_symbol;

/* 1 if a device can invert it: the symbol is real and exact. */
int rec_symbol_is_plain(const rec_operator *op, const rec_boundary *boundary);

/* The symbol of the operator's stencil with this boundary. REC_BAD_INPUT, saying why, for a stencil
 * that is not diagonal in the axes' bases. */
rec_status rec_symbol_create(rec_symbol **symbol, const rec_operator *op,
                             const rec_boundary *boundary, const rec_spectral_axis *x,
                             const rec_spectral_axis *y, rec_error *error);
void rec_symbol_destroy(rec_symbol *symbol); /* NULL is fine */

/* The symbol of mode q along x and all modes along y. An even one does not set `imaginary`. */
void rec_symbol_row(const rec_symbol *symbol, size_t q, double *real, double *imaginary);

/* Says in `inverse` what these edges determine (solver.h). REC_BAD_INPUT, saying why, if that is
 * not the picture to half a grey level, and there is no `force`. */
rec_status rec_symbol_inspect(const rec_symbol *symbol, const rec_image *edges, int force,
                              int free_mean, char inverse[160], rec_error *error);

/* The modes q along x of iterate n, or of the limit, from those of start and edges; rows are
 * `stride` apart. A symbol that is not even makes the modes -q, too. `work` has room for 4 rows.
 * Lost modes are those of the start, and 0 in the limit. */
void rec_symbol_solve(const rec_symbol *symbol, size_t q, double n, double halo, double *modes,
                      const double *start, const double *edges, size_t stride, double *work);
