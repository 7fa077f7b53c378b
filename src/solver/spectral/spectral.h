/* The Jacobi iteration in closed form: its limit, and any iterate, by the sine transform in double.
 * The mathematics is in docs/spectral.md. This is the computation; the solver of that name around
 * it is spectral_solver.c. */
#ifndef REC_SOLVER_SPECTRAL_H
#define REC_SOLVER_SPECTRAL_H

#include <stdint.h>

#include "image/image.h"
#include "solver/display/display.h"

#define REC_MOST_ITERATIONS (UINT64_C(1) << 53) /* N is exact in double up to here */

typedef struct rec_spectral rec_spectral;

/* REC_SPECTRAL_HOST or the number of a CUDA device. */
#define REC_SPECTRAL_HOST (-1)

/* 1 if this build and this machine can; 0 with `error` saying what is missing. */
int rec_spectral_available(int device, rec_error *error);

/* Copies the problem and plans its transforms. REC_LIMIT if the limit's computation does not fit,
 * REC_UNAVAILABLE if there is no device or no FFT. */
rec_status rec_spectral_create(rec_spectral **spectral, const rec_problem *problem, int device,
                               rec_error *error);
/* Begins again with a problem that differs only in its images, and has no stencil. */
rec_status rec_spectral_load(rec_spectral *spectral, const rec_problem *problem, rec_error *error);
void rec_spectral_destroy(rec_spectral *spectral); /* NULL is fine */

/* Writes M_N, rounded once to float32, to an image of the problem's size. N = `iteration` is at
 * most REC_MOST_ITERATIONS, or REC_LIMIT_ITERATION for the limit. If the edges leave the mean free,
 * the limit has the mean that the problem asks for. `image` NULL, on a device: the result only
 * stays there. The first iterate transforms the edges and the start, and keeps their modes.
 * REC_LIMIT if they do not fit, REC_USAGE if N is too large. */
rec_status rec_spectral_solve(rec_spectral *spectral, uint64_t iteration, rec_image *image,
                              rec_error *error);

struct rec_inverse;

typedef struct rec_spectral_info {
    /* what a stencil can give back (spectral_symbol.h), or NULL */
    const struct rec_inverse *inverse;
    char device[128];
    size_t device_bytes;    /* taken now, the FFT's workspace included; 0 on the host */
    double seconds_start;   /* getting the device ready */
    double seconds_upload;  /* copying the problem */
    double seconds_plan;    /* planning the transforms */
    double seconds_solve;   /* the last solve: from edges or modes in memory to the float32 picture
                               in memory (the device's, if it is on one) */
} rec_spectral_info;
const rec_spectral_info *rec_spectral_get_info(const rec_spectral *spectral); /* of now */

#endif
