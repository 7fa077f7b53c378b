/* What the two engines of the spectral solver, host and device, have in common. */
#ifndef REC_SOLVER_SPECTRAL_TYPE_H
#define REC_SOLVER_SPECTRAL_TYPE_H

#include "solver/spectral/spectral.h"
#include "solver/spectral/spectral_axis.h"

/* The picture as the engines work on it: transposed when its columns are cheaper to transform, as
 * the limit takes a transform along the rows alone. */
typedef struct rec_spectral_shape {
    size_t width, height, planes; /* after the transposition */
    int transposed;
    double halo;
    int mirror;                   /* there are cosine transforms instead, and no axes below */
    rec_axis x, y;                /* along the rows, along the columns */
} rec_spectral_shape;

typedef struct rec_spectral_engine {
    size_t largest_prime; /* of an FFT's length that is faster as it is than padded */
    int (*available)(int device, rec_error *error);
    rec_status (*create)(void **state, const rec_spectral_shape *shape, const rec_problem *problem,
                         int device, rec_error *error);
    void (*destroy)(void *state);
    rec_status (*solve)(void *state, uint64_t iteration, rec_image *image, rec_error *error);
    void (*get_info)(const void *state, rec_spectral_info *info); /* all but `method` */

    /* On a device alone, where a solve without an image leaves the result: */
    rec_status (*fetch)(void *state, rec_image *image, rec_error *error);
    rec_status (*set_reference)(void *state, const rec_image *reference, rec_error *error);
    rec_status (*compare)(void *state, double *mean_square, rec_error *error);
    rec_status (*probe)(void *state, size_t x, size_t y, rec_probe *probe, rec_error *error);
    rec_status (*snapshot)(void *state, const rec_view *view, uint64_t iteration, int *begun,
                           rec_error *error);
    const rec_snapshot *(*poll)(void *state);
    void (*release)(void *state, const rec_snapshot *snapshot);
} rec_spectral_engine;

#if REC_HAVE_FFTW
extern const rec_spectral_engine rec_spectral_host, rec_spectral_mirror;
#endif
#if REC_HAVE_CUFFT
extern const rec_spectral_engine rec_spectral_cuda;
#endif

#endif
