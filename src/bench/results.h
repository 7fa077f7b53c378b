/* What comes out of a climb: the table, the JSON, the roofline. */
#ifndef REC_BENCH_RESULTS_H
#define REC_BENCH_RESULTS_H

#include <stdio.h>

#include "bench/machine.h"
#include "bench/measure.h"

typedef struct bench_report {
    bench_machine machine;
    bench_result *results;
    size_t count;
} bench_report;

/* ladder_table.c: for people. */
void bench_print_machine(FILE *stream, const bench_machine *machine);
void bench_print_head(FILE *stream, const bench_case *problem, int baseline);
void bench_print_result(FILE *stream, const bench_result *result, const bench_machine *machine,
                        int baseline);
char *bench_format_seconds(char text[32], double seconds);

/* ladder_json.c: for programs, and for --baseline: a result stands on a line of its own. */
void bench_write_json(FILE *stream, const bench_report *report);

/* roofline.c: the plot of one size's rungs; of the device's where it has any, else the host's.
 * REC_NO where nothing was timed. */
rec_status bench_write_svg(FILE *stream, const bench_report *report, size_t width, size_t height,
                           rec_error *error);

/* The course's rungs over the widths of the stencil, of the same side and size. */
rec_status bench_write_curve(FILE *stream, const bench_report *report, size_t width, size_t height,
                             rec_error *error);

#endif
