/* The Jacobi iteration in closed form: its limit, and any iterate, by the sine transform in double.
 * The mathematics is in docs/spectral.md. For the files of this folder alone. */
#pragma once

#include "solver/spectral/spectral_axis.h"
#include "solver/type.h"

/* ---- the symbol of a stencil: its factor for each mode of a picture ---- */

typedef struct rec_symbol {
    rec_stencil stencil;
    int even;          /* the symbol is real; else both axes have the Hartley transform */
    int loses_mean;    /* both axes have a constant mode, and its symbol is 0 */
    rec_mode_terms terms;
    double level;      /* as terms.level, but also for a wide stencil, where terms.level is 0 */
    int wide;          /* no transform diagonalises it: the symbol is an approximation */
    const rec_spectral_axis *x, *y;
    double versed[];   /* even: 1 - cos(i a), a the modes' angles along y; row i */
} rec_symbol;

/* 1 if a device can invert the operator: its symbol is real and exact. */
int rec_symbol_is_plain(const rec_operator *op, const rec_boundary *boundary);

/* The symbol of the operator's stencil with this boundary, to be freed. REC_BAD_INPUT, with the
 * reason, if the axes' transforms do not diagonalise the stencil. */
rec_status rec_symbol_create(rec_symbol **symbol, const rec_operator *op,
                             const rec_boundary *boundary, const rec_spectral_axis *x,
                             const rec_spectral_axis *y, rec_error *error);

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

/* ---- the solver ---- */

enum { REC_MOST_PLANES = 3 };

/* The picture as the transforms see it. If both axes have sine transforms, the limit needs only the
 * transform along the rows, and then a tridiagonal system for each column. */
typedef struct rec_spectral_shape {
    size_t width, height, planes;
    int tridiagonal;
    int transposed;               /* rows are the picture's columns, and columns its rows */
    rec_spectral_axis x, y;       /* along the rows, along the columns */
    rec_spectral_axis limit_x;    /* the limit's axis along the rows, if it is not x */
    double halo;                  /* added at the end: the sine transforms work without a halo */
    int free_mean;                /* mode 0 of both axes is the mean, which the edges leave free: */
    double edge_mean[REC_MOST_PLANES], start_mean[REC_MOST_PLANES], limit_mean[REC_MOST_PLANES];
    double mean_step;             /* an iteration adds mean_step * edge_mean to the mean */
    rec_symbol *symbol;           /* of a stencil; NULL: the five-point update */
    char inverse[160];            /* as in rec_solver_info */
} rec_spectral_shape;

/* For FFTW (points = 0), or for a device whose shared memory holds an FFT of `points`. To be
 * destroyed also after a failure. */
rec_status rec_spectral_shape_make(rec_spectral_shape *shape, const rec_problem *problem,
                                   size_t points, rec_error *error);
void rec_spectral_shape_destroy(rec_spectral_shape *shape);

/* The limit's axis along the rows. */
static inline const rec_spectral_axis *rec_spectral_limit_x(const rec_spectral_shape *shape)
{
    return shape->limit_x.n ? &shape->limit_x : &shape->x;
}

/* The constant to add to a solved plane: the halo, or the free mean. */
double rec_spectral_offset(const rec_spectral_shape *shape, size_t plane, uint64_t iteration);

/* N for rec_mode_after: infinite for REC_LIMIT_ITERATION. */
double rec_spectral_count(uint64_t iteration);

/* What the states on the host and on a device begin with. */
typedef struct rec_spectral {
    rec_spectral_shape shape;
    rec_costs costs;
    int own_start;
    int prepared;       /* the modes of all planes are kept: the edges', then an own start's */
    uint64_t iteration; /* N, or REC_LIMIT_ITERATION */
    int solved;         /* the result is that of `iteration` */
    rec_image picture;  /* the result on the host, or a device's copied there */
    int in_place;       /* its memory is that of the problem's edges */
    rec_image limit;    /* made when a distance is first asked for */
    /* Finds an iterate or the limit, rounded once to float32, into an image; NULL: the result. */
    rec_status (*solve)(void *state, uint64_t iteration, rec_image *image, rec_error *error);
    /* Copies a device's result into the picture, and finds its largest magnitude there; NULL: it is
     * in the picture. */
    rec_status (*fetch)(void *state, rec_error *error);
    rec_status (*largest)(void *state, double *largest, rec_error *error);
} rec_spectral;

/* create sets the shape, own_start and functions. */
void rec_spectral_destroy(rec_spectral *head);
/* The problem of the shape, or one that differs only in its images: sets the means, too. */
void rec_spectral_load(rec_spectral *head, const rec_problem *problem);

/* Makes the result that of `iteration`. */
rec_status rec_spectral_solve(rec_spectral *head, rec_error *error);

void rec_spectral_get_info(const void *state, rec_solver_info *info);

/* What all three types have. */
#define REC_SPECTRAL_SHARED \
    .name = "spectral", .jumps = REC_ANYWHERE, .jump = &rec_spectral_jump, \
    .shows = 1u << REC_SOURCE_PICTURE | 1u << REC_SOURCE_REFERENCE
extern const rec_solver_jumper rec_spectral_jump;

extern const rec_solver_type rec_spectral_host, rec_spectral_cuda;
