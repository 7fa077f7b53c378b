/* The problem of one size, and what each kind of rung must make of it: of the ladder the five-point
 * update, of the course its stencil of one radius. */
#ifndef REC_BENCH_LADDER_CASE_H
#define REC_BENCH_LADDER_CASE_H

#include <stdint.h>

#include "bench/bench.h"
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

typedef enum bench_input {
    BENCH_INTEGERS, /* -1020 to 1020, with a halo of 17.25: the ladder's, which does not come to a
                       standstill */
    BENCH_RAMP,     /* the course's: width * row + column */
    BENCH_GREYS     /* 0 to 255 */
} bench_input;

typedef struct bench_case {
    size_t width, height;
    float halo;      /* of the course: 0 */
    size_t radius;   /* of the filter; 0: the ladder's problem */
    rec_operator filter; /* weights 0.1 * row + 0.2 * column over 2 radius + 1 rows and columns */
    rec_image edges; /* E, and the start; of the course the input */
    rec_image terms; /* f, of the ladder alone */
    uint32_t *expected[BENCH_CHECKS][2]; /* after FEW and after MANY; NULL: not worked out yet */
    double squares[2]; /* sum of squared changes of the reference's last iteration, likewise */
} bench_case;

rec_status bench_case_create(bench_case *made, bench_size size, size_t radius, bench_input input,
                             rec_error *error);
void bench_case_destroy(bench_case *made);

/* The words that a rung must give, width * height of them; worked out once. */
rec_status bench_case_expect(bench_case *of, bench_check check, int many, const uint32_t **words,
                             rec_error *error);

/* The course's reference file: width * height float32 without a header, in the machine's byte
 * order. What it says is expected. REC_BAD_INPUT for a file of another size. */
rec_status bench_case_read(bench_case *of, const char *path, rec_error *error);
rec_status bench_case_write(bench_case *of, const char *path, rec_error *error);

/* The summands of BENCH_SUM at pixel i of row-major order. */
int32_t bench_first_summand(size_t i);
int32_t bench_second_summand(size_t i);

#endif
