/* The problem of one size, and what each kind of rung must make of it. */
#ifndef REC_BENCH_LADDER_CASE_H
#define REC_BENCH_LADDER_CASE_H

#include <stdint.h>

#include "image/image.h"
#include "solver/operator.h"

/* What a rung's result must be, word for word. */
typedef enum bench_check {
    BENCH_STENCIL,  /* the reference solver's iterate */
    BENCH_EXERCISE, /* the iterate by the exercise's own order of additions */
    BENCH_COPY,     /* the start */
    BENCH_SUM,      /* of two matrices of integers */
    BENCH_CONVOLUTION, /* the course's, within its tolerance */
    BENCH_CHECKS
} bench_check;

/* A rung is checked after so many iterations: an odd number, so that both iterates are looked at.
 * The deep ones are checked after more, so that the deepest blocking and a rest are in it. */
enum { BENCH_FEW = 3, BENCH_MANY = 35 };

typedef struct bench_case {
    size_t width, height;
    float halo;
    size_t radius;       /* of the filter; 0: the ladder's problem */
    rec_operator filter;
    rec_image edges; /* E, and the start: integer noise, which does not come to a standstill */
    rec_image terms; /* f */
    uint32_t *expected[BENCH_CHECKS][2]; /* after FEW and after MANY; NULL: not worked out yet */
    double squares[2]; /* sum of squared changes of the reference's last iteration, likewise */
} bench_case;

rec_status bench_case_create(bench_case *made, size_t width, size_t height, rec_error *error);
void bench_case_destroy(bench_case *made);

/* The words that a rung must give, width * height of them; worked out once. */
rec_status bench_case_expect(bench_case *of, bench_check check, int many, const uint32_t **words,
                             rec_error *error);

/* The summands of BENCH_SUM at pixel i of row-major order. */
int32_t bench_first_summand(size_t i);
int32_t bench_second_summand(size_t i);

#endif
