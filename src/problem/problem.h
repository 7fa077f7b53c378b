/* A problem: the edges of a picture, the start of the iteration, and the boundary condition. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "image/image.h"
#include "problem/boundary.h"
#include "problem/mask.h"
#include "problem/operator.h"

typedef struct rec_problem {
    const rec_image *input; /* the edges E; for filters, and where edges are to be taken, the
                               picture. Of a part every rank solves its own rows, collectively */
    const rec_image *start; /* M_0, any iterate of the size and planes of E; NULL: E itself */
    const rec_mask *mask;   /* measured: which pixels are unknown; NULL: all. The known ones keep
                               the values of `start`, and their edges are ignored */
    const rec_image *mass;  /* one plane of the size of E, at least 0: added to the diagonal, so
                               that (4 + mass) M less the neighbours is -E. With a mask that
                               leaves something known, for the limit alone; NULL: none */
    int on_device;          /* input or start are on the solver's device, once what is queued on
                               `stream` is done: samples are not checked, their sum counts as 0, a
                               free mean is the boundary's, and a jump does not wait for its end */
    void *stream;           /* a cudaStream_t */
    float *result;          /* or NULL: on the device, where a jump may write what it comes to, */
    size_t result_stride;   /* with so many floats from row to row of all planes */
    int stays;              /* images and mask stay as long as the solver has the problem: parts
                               of a mask that do not touch may be solved one after the other */
    int in_place;           /* input and start stay as long as the solver has the problem,
                               nothing but the limit is asked for, and it may be written over
                               `input`, or with a mask over `start` */
    rec_boundary boundary;  /* one that boundary.h has for the problem; a value of -0 counts as 0.
                               If the kind leaves the mean free, the mean of E should be 0
                               (image.h: rec_check_balance) */
    /* Applied in turn in each iteration, instead of the five-point update; or NULL. An inverse
     * operator must be the only one. */
    const rec_operator *operators;
    size_t operator_count;
} rec_problem; /* else images, mask and operators may be destroyed once the solver is created */

/* Stands for the limit where a function takes the number of an iterate. */
#define REC_LIMIT_ITERATION UINT64_MAX

/* Who has the boundary of problems with these operators; NULL: the five-point update. */
unsigned rec_problem_use(const rec_operator *operators);

/* REC_USAGE for a boundary that the operators do not have, and for a mask with operators.
 * REC_BAD_INPUT if start, mask and `input` differ in size, if nothing determines the mean of the
 * unknown pixels, or if a value of `input` or halo is not finite or above REC_MAX_MAGNITUDE. */
rec_status rec_problem_check(const rec_problem *problem, rec_error *error);

/* 1: the edges do not determine the picture's mean; problem->boundary has the limit's means. */
int rec_problem_frees_mean(const rec_problem *problem);

/* The largest magnitude of what counts: of the start where pixels are known, and an eighth of that
 * of the edges where they are unknown, since a picture is at least an eighth of its edges. Without
 * a mask that of the start, or of the edges. Not on a device. */
double rec_problem_magnitude(const rec_problem *problem);

/* What a solver limits a plane of the start to where pixels are unknown (rec_limited): the largest
 * magnitude of the known pixels in and beside the box of the mask, or of the value beyond a fixed
 * side. Infinite: any, without a mask, or if nothing is known. Not on a device. */
double rec_problem_limit(const rec_problem *problem, size_t plane);

/* A sample far beyond such a limit, within it; one that is nearer does no harm as a start. */
static inline float rec_limited(float sample, double most)
{
    return fabs((double)sample) <= 1024 * most ? sample : copysignf((float)most, sample);
}

/* Continues a hash by what decides the bits of an iterate and of the limit, except the images. */
uint64_t rec_problem_hash(const rec_problem *problem, uint64_t hash);

/* What solving takes; filled in by the solver. */
typedef struct rec_costs {
    char device[128];       /* the device's or processor's name */
    size_t device_bytes;    /* taken on the devices; 0 for solvers of the host */
    double seconds_start;   /* getting the device ready (CUDA's context); 0 on the host */
    double seconds_plan;    /* planning transforms; 0 for stencils */
    double seconds_upload;  /* copies and conversion into the solver's own memory */
    double seconds_jump;    /* the last jump: from the edges in memory to the float32 picture in
                               memory (the device's, by its clock, if it is on one) */
} rec_costs;

/* Where a solver keeps the current iterate. */
typedef struct rec_planes { /* own rows, without the halo and ghost rows */
    size_t width, height, planes; /* pixels; height in own rows */
    size_t pitch;       /* floats from row to row, of m and f */
    size_t step;        /* floats from plane to plane, of m and f */
    const float *m;     /* the first own pixel of M_N */
    const float *f;     /* the first own pixel of -E / 4, after rec_boundary_fold, or NaN for a
                           known pixel; NULL: not kept */
    rec_boundary_kind boundary; /* its fixed values were folded into f */
    uint64_t iteration; /* N */
    int on_device;      /* 1: m and f are on a device, described by: */
    int device;         /* the device's number */
    void *stream;       /* the cudaStream_t on which the planes change */
    struct rec_cuda_transfer *transfer; /* copies planes to and from the host */
} rec_planes;

/* Those of an image as M_N, without f. */
static inline rec_planes rec_planes_of(const rec_image *image)
{
    return (rec_planes){.width = image->width, .height = image->height, .planes = image->planes,
                        .pitch = image->stride, .step = image->height * image->stride,
                        .m = image->data};
}
