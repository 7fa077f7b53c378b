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

/* 1 when this build and this machine can; 0 with `error` saying what is missing. */
int rec_spectral_available(int device, rec_error *error);

/* Copies the problem and plans its transforms. REC_LIMIT when the limit's computation does not fit,
 * REC_UNAVAILABLE when the device or the FFT is not there. */
rec_status rec_spectral_create(rec_spectral **spectral, const rec_problem *problem, int device,
                               rec_error *error);
/* Another problem that differs in its images alone, and no stencil's. */
rec_status rec_spectral_load(rec_spectral *spectral, const rec_problem *problem, rec_error *error);
void rec_spectral_destroy(rec_spectral *spectral); /* NULL is fine */

/* M_N for N = `iteration`, at most REC_MOST_ITERATIONS, or the limit for REC_LIMIT_ITERATION,
 * rounded once to float32 (with a mirrored border, whose edges leave it free, the limit has the
 * mean that the problem asks for), into an image of the problem's size. NULL on a device: it only
 * stays there. The first iterate takes the transforms of the edges and the start, which are kept.
 * REC_LIMIT when they do not fit, REC_USAGE beyond the most. */
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
    double seconds_solve;   /* the last solve, from the edges or transforms in memory to the float32
                               picture in memory, of the device where there is one */
} rec_spectral_info;
const rec_spectral_info *rec_spectral_get_info(const rec_spectral *spectral); /* of now */

#endif
