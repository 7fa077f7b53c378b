/* The problem of the course on convolution: its input, its stencil, and its check. */
#ifndef REC_BENCH_COURSE_CASE_H
#define REC_BENCH_COURSE_CASE_H

#include "bench/ladder_case.h"

typedef enum bench_input {
    BENCH_RAMP, /* the course's: side * row + column */
    BENCH_NOISE /* whole numbers from 0 to 255 */
} bench_input;

/* side * side pixels with a halo of 0, and weights 0.1 * row + 0.2 * column over 2 radius + 1 rows
 * and columns. The result is worked out in double. */
rec_status bench_course_create(bench_case *made, size_t side, size_t radius, bench_input input,
                               rec_error *error);

/* The course's reference file: side * side float32 without a header, in the machine's byte order.
 * Reading replaces the result that was worked out. REC_BAD_INPUT for a file of another size. */
rec_status bench_course_read(bench_case *of, const char *path, rec_error *error);
rec_status bench_course_write(const bench_case *of, const char *path, rec_error *error);

#endif
