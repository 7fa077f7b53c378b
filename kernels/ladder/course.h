/* The course on convolution, step by step: out = stencil * in, with zeros around the image. The
 * steps follow the course's own text; a file of this folder is a step or a few. No CUDA here: the
 * command that times them is plain C. */
#ifndef REC_KERNELS_LADDER_COURSE_H
#define REC_KERNELS_LADDER_COURSE_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stddef.h>
#include <stdint.h>

#include "src/base/status.h"

typedef struct rec_course_problem {
    size_t side, stride;  /* pixels of the square image; floats from row to row of the input */
    int radius;           /* of the stencil, up to 31 */
    const float *input;   /* side rows */
    const float *weights; /* 2 radius + 1 rows of as many */
    int device;
} rec_course_problem;

typedef struct rec_course rec_course;

/* A step: queues one convolution. */
typedef rec_status rec_course_rung(rec_course *course, rec_error *error);

/* How the last convolution was launched. */
typedef struct rec_course_launch {
    size_t blocks, threads; /* threads of a block */
    double waves; /* blocks over those that all multiprocessors hold at once */
} rec_course_launch;

rec_status rec_course_create(rec_course **course, const rec_course_problem *problem,
                             rec_error *error);
/* n convolutions of the same input, and their time on the device, by events. */
rec_status rec_course_advance(rec_course *course, rec_course_rung *rung, uint64_t n,
                              double *seconds, rec_error *error);
rec_status rec_course_read(rec_course *course, float *pixels, rec_error *error);
void rec_course_get_launch(const rec_course *course, rec_course_launch *launch);
void rec_course_destroy(rec_course *course); /* NULL is fine */

rec_course_rung rec_course_row;        /* 52 */
rec_course_rung rec_course_pixel;      /* 53 */
rec_course_rung rec_course_block;      /* 54 */
rec_course_rung rec_course_vector;     /* 55 */
rec_course_rung rec_course_warp;       /* 56 */
rec_course_rung rec_course_register;   /* 57 */
rec_course_rung rec_course_unrolled;   /* 58 */
rec_course_rung rec_course_tile;       /* 59 */

#ifdef __cplusplus
}
#endif

#endif
