/* The symbol of a stencil: what it multiplies each mode of a picture by. */
#ifndef REC_SOLVER_SPECTRAL_SYMBOL_H
#define REC_SOLVER_SPECTRAL_SYMBOL_H

#include "solver/boundary.h"
#include "solver/operator.h"
#include "solver/spectral/spectral_axis.h"

typedef struct rec_symbol {
    rec_stencil stencil;
    int even;          /* the symbol is real; else both axes are Hartley's */
    rec_mode_terms terms;
    double level;      /* terms.level, but of a wide stencil, where that is 0 */
    int wide;          /* no basis is this stencil's: the symbol is that of one much like it */
    const rec_spectral_axis *x, *y;
    /* even: 1 - cos of the multiples of the modes' angles along y, a row a multiple */
    double *versed;
} rec_symbol;

/* Whether the stencil is wider than what sine transforms diagonalise: 3 x 3. */
int rec_symbol_is_wide(const rec_operator *of, const rec_boundary *boundary);

/* Whether a device can do it: the symbol is real, and that of the stencil itself. */
int rec_symbol_is_plain(const rec_operator *of, const rec_boundary *boundary);

/* Of the operator's stencil with a halo of `value`, or another boundary. REC_USAGE for a stencil
 * that is not diagonal in the axes' bases, saying why. */
rec_status rec_symbol_create(rec_symbol **symbol, const rec_operator *of,
                             const rec_boundary *boundary, const rec_spectral_axis *x,
                             const rec_spectral_axis *y, rec_error *error);
void rec_symbol_destroy(rec_symbol *symbol); /* NULL is fine */

/* The symbol of mode q along x and all modes along y; `imaginary` is left alone of an even one. */
void rec_symbol_row(const rec_symbol *symbol, size_t q, double *real, double *imaginary);

/* What the stencil can give back. */
typedef struct rec_inverse {
    double smallest;  /* of the magnitudes that are not 0, over the largest */
    double gain;      /* RMS of the picture's error over that of the edges */
    double error;     /* grey levels RMS to expect from the rounding of these edges */
    size_t lost;      /* modes of which the edges say nothing, but for a free mean */
} rec_inverse;

/* REC_BAD_INPUT, saying why, when these edges do not determine the picture to half a grey level,
 * unless the operator forces it. */
rec_status rec_symbol_inspect(const rec_symbol *symbol, const rec_image *edges, int force,
                              int free_mean, rec_inverse *inverse, rec_error *error);

/* Modes of the iterate n, or of the limit, of modes q along x from those of start and edges, rows
 * of `stride` apart; of one that is not even, also those of the modes -q. `work` has room for 4
 * rows. Lost modes are the start's, and in the limit 0. */
void rec_symbol_solve(const rec_symbol *symbol, size_t q, double n, double halo, double *modes,
                      const double *start, const double *edges, size_t stride, double *work);

#endif
