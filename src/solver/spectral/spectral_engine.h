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
 * tridiagonal system for each column where both axes are sine transforms; then the host
 * transposes it when its columns are cheaper to transform. */
typedef struct rec_spectral_shape {
    size_t width, height, planes; /* after the transposition */
    int tridiagonal, transposed;
    rec_spectral_axis x, y;       /* along the rows, along the columns */
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

typedef struct rec_spectral_engine {
    int (*available)(int device, rec_error *error);
    /* It keeps `info`, and what it says up to date, all but `method` and `inverse`. */
    rec_status (*create)(void **state, const rec_spectral_shape *shape, const rec_problem *problem,
                         int device, rec_spectral_info *info, rec_error *error);
    /* Another problem, which differs in its images alone: `create` took the same memory for it. */
    rec_status (*load)(void *state, const rec_problem *problem, rec_error *error);
    void (*destroy)(void *state);
    rec_status (*solve)(void *state, uint64_t iteration, rec_image *image, rec_error *error);

    /* On a device alone, where a solve without an image leaves the result: */
    rec_status (*fetch)(void *state, rec_image *image, rec_error *error);
    void (*planes)(void *state, rec_planes *planes); /* of the result; not the iteration */
} rec_spectral_engine;

struct rec_spectral {
    const rec_spectral_engine *engine;
    rec_spectral_shape shape;
    size_t width, height; /* of the picture */
    rec_spectral_info info;
    void *state;
};

#if REC_HAVE_FFTW
extern const rec_spectral_engine rec_spectral_host;
#endif
#if REC_HAVE_CUDA
extern const rec_spectral_engine rec_spectral_cuda;
#endif

#endif
