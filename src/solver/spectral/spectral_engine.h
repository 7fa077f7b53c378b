/* What the two engines of the spectral solver, host and device, have in common. For the files of
 * this folder alone. */
#ifndef REC_SOLVER_SPECTRAL_ENGINE_H
#define REC_SOLVER_SPECTRAL_ENGINE_H

#include "solver/spectral/spectral.h"
#include "solver/display/display.h"
#include "solver/spectral/spectral_axis.h"
#include "solver/spectral/spectral_symbol.h"

enum { REC_MOST_PLANES = 3 };

/* The picture as the engines work on it. Its limit takes one transform, along the rows, and a
 * tridiagonal system for each column where both axes are sine transforms. */
typedef struct rec_spectral_shape {
    size_t width, height, planes;
    int tridiagonal;
    int transposed;               /* rows are the picture's columns, and columns its rows */
    rec_spectral_axis x, y;       /* along the rows, along the columns */
    rec_spectral_axis limit_x;    /* of the limit's rows on a device, where it is not x; or none */
    double halo;                  /* that the sine transforms go without: added at the end */
    int free_mean;                /* mode 0 of both axes is the mean, which the edges leave free: */
    double edge_mean[REC_MOST_PLANES], start_mean[REC_MOST_PLANES], limit_mean[REC_MOST_PLANES];
    double mean_step;             /* an iteration adds so many times the edges' to it */
    rec_symbol *symbol;           /* of a stencil; NULL: the five-point update */
    rec_inverse inverse;          /* what is known of it */
} rec_spectral_shape;

/* What a solved plane of doubles lacks: the halo, or the free mean. */
double rec_spectral_offset(const rec_spectral_shape *shape, size_t plane, uint64_t iteration);

/* N for rec_mode_after: infinite for REC_LIMIT_ITERATION. */
double rec_spectral_count(uint64_t iteration);

enum { REC_WORKING_MODES = -1 }; /* else a number of modes that are kept */

typedef struct rec_spectral_engine {
    /* On a device alone: */
    int (*available)(int device, rec_error *error);
    size_t (*points)(int device); /* of an FFT in its shared memory */

    /* It keeps `info`, and what it says up to date, all but `inverse`. */
    rec_status (*create)(void **state, const rec_spectral_shape *shape, const rec_problem *problem,
                         int device, rec_spectral_info *info, rec_error *error);
    /* Another problem, which differs in its images alone: `create` took the same memory for it. */
    rec_status (*load)(void *state, const rec_problem *problem, rec_error *error);
    void (*destroy)(void *state);

    /* Takes what transforms along both axes need, and memory for the modes of `kept` planes. */
    rec_status (*prepare)(void *state, size_t kept, rec_error *error);
    /* `modes` become those of a plane of the edges, or of the start. */
    rec_status (*transform)(void *state, int of_start, size_t plane, int modes, rec_error *error);

    /* A solve: begin, one of these three for each plane, and end. */
    rec_status (*begin)(void *state, rec_image *image, rec_error *error);
    rec_status (*copy_start)(void *state, size_t plane, rec_error *error);
    /* The limit that needs no transforms along the columns. */
    rec_status (*solve_limit)(void *state, size_t plane, rec_error *error);
    /* The iterate, or the limit, of these modes. */
    rec_status (*solve_modes)(void *state, size_t plane, int start, int edges, uint64_t iteration,
                              rec_error *error);
    rec_status (*end)(void *state, rec_error *error);

    /* On a device alone, where a solve without an image leaves the result: */
    rec_status (*fetch)(void *state, rec_image *image, rec_error *error);
    void (*planes)(void *state, rec_planes *planes); /* of the result; not the iteration */
} rec_spectral_engine;

struct rec_spectral {
    const rec_spectral_engine *engine;
    rec_spectral_shape shape;
    rec_spectral_info info;
    void *state;
    int own_start;
    int prepared; /* the modes of all planes are kept: of the edges, then of a start of its own */
};

#if REC_HAVE_FFTW
extern const rec_spectral_engine rec_spectral_host;
#endif
#if REC_HAVE_CUDA
extern const rec_spectral_engine rec_spectral_cuda;
#endif

#endif
