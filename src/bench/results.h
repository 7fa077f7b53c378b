/* What comes out of a climb: the table, the JSON, the roofline. */
#ifndef REC_BENCH_RESULTS_H
#define REC_BENCH_RESULTS_H

#include <stdio.h>

#include "bench/bench.h"
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

/* A new result at the end, empty; NULL where memory is out. */
bench_result *bench_add_result(bench_report *report, rec_error *error);

/* ladder_json.c: for programs, and for --baseline: a result stands on a line of its own. */
void bench_write_json(FILE *stream, const bench_report *report);
/* baseline.c: reads the timed results, their labels, sizes and medians. free(results) when done,
 * which is NULL after a failure. REC_NO_INPUT; REC_BAD_INPUT with the line. */
rec_status bench_read_json(const char *path, bench_report *report, rec_error *error);
/* Of the same label and size, seconds an iteration; 0 where there is none. */
double bench_baseline_median(const bench_report *baseline, const bench_result *result);

/* chart.c: the roofline of one size's rungs, of the device's where it has any, else the host's; or
 * the curve of the course's rungs over the widths of the stencil. REC_NO where nothing was timed.
 * */
rec_status bench_write_svg(FILE *stream, const bench_report *report, bench_size size, int curve,
                           rec_error *error);

#endif
