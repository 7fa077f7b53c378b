/* The Jacobi iteration in closed form: its limit, and any iterate, by the sine transform in double.
 * The mathematics is in docs/spectral.md. spectral_solver.c is the solver; an engine computes, one
 * on the host and one on a device. For the files of this folder alone. */
#pragma once

#include "problem/planes.h"
#include "problem/problem.h"
#include "solver/spectral/spectral_axis.h"
#include "solver/spectral/spectral_symbol.h"

#define REC_SPECTRAL_HOST (-1) /* in place of a CUDA device's number */

enum { REC_MOST_PLANES = 3 };

/* The picture as the engines see it. If both axes have sine transforms, the limit needs only the
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

/* Sets the means from another problem, if the boundary leaves them free. */
void rec_spectral_find_means(rec_spectral_shape *shape, const rec_problem *problem);

/* The limit's axis along the rows. */
static inline const rec_spectral_axis *rec_spectral_limit_x(const rec_spectral_shape *shape)
{
    return shape->limit_x.n ? &shape->limit_x : &shape->x;
}

/* The constant to add to a solved plane: the halo, or the free mean. */
double rec_spectral_offset(const rec_spectral_shape *shape, size_t plane, uint64_t iteration);

/* N for rec_mode_after: infinite for REC_LIMIT_ITERATION. */
double rec_spectral_count(uint64_t iteration);

enum { REC_WORKING_MODES = -1 }; /* `modes`: -1, the scratch buffer; n >= 0, kept transform n */

typedef struct rec_spectral_engine {
    const char *kernel; /* its name */
    /* On a device alone: */
    int (*available)(int device, rec_error *error);
    size_t (*points)(int device); /* of an FFT in its shared memory */

    size_t size; /* of a state; create() gets it filled with zeros */
    /* Copies the problem and plans its transforms. Keeps the pointer `costs`, and keeps *costs up
     * to date. The state is destroyed also after a failure. */
    rec_status (*create)(void *state, const rec_spectral_shape *shape, const rec_problem *problem,
                         int device, rec_costs *costs, rec_error *error);
    /* Reuses the state for a problem that differs only in its images. */
    rec_status (*load)(void *state, const rec_problem *problem, rec_error *error);
    void (*destroy)(void *state);

    /* Takes memory for transforms along both axes, and for the modes of `kept` planes. */
    rec_status (*prepare)(void *state, size_t kept, rec_error *error);
    /* Sets `modes` to the transform of a plane of the edges or of the start. */
    rec_status (*transform)(void *state, int of_start, size_t plane, int modes, rec_error *error);

    /* A solve: begin; for each plane copy_start, solve_limit or solve_modes; end. The result,
     * rounded once to float32, goes into the image. On a device `image` may be NULL: then the
     * result stays there. */
    rec_status (*begin)(void *state, rec_image *image, rec_error *error);
    rec_status (*copy_start)(void *state, size_t plane, rec_error *error);
    /* The limit, without transforms along the columns. */
    rec_status (*solve_limit)(void *state, size_t plane, rec_error *error);
    /* The iterate, or the limit, from the kept modes of start and edges. */
    rec_status (*solve_modes)(void *state, size_t plane, int start, int edges, uint64_t iteration,
                              rec_error *error);
    rec_status (*end)(void *state, rec_error *error);

    /* On a device alone: the result of a solve without an image. */
    rec_status (*fetch)(void *state, rec_image *image, rec_error *error);
    void (*planes)(void *state, rec_planes *planes); /* sets all but the iteration */
} rec_spectral_engine;

extern const rec_spectral_engine rec_spectral_host, rec_spectral_cuda;
