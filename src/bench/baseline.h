/* An earlier climb, read back from its JSON. */
#ifndef REC_BENCH_BASELINE_H
#define REC_BENCH_BASELINE_H

#include "bench/measure.h"

typedef struct bench_baseline {
    struct bench_baseline_row {
        char label[48];
        size_t width, height;
        double median; /* seconds an iteration */
    } *rows;
    size_t count;
} bench_baseline;

/* Reads what bench_write_json wrote, line by line. REC_NO_INPUT; REC_BAD_INPUT with the line. */
rec_status bench_read_baseline(const char *path, bench_baseline *baseline, rec_error *error);
void bench_baseline_destroy(bench_baseline *baseline);
/* Seconds an iteration; 0 where it has no such row. */
double bench_baseline_find(const bench_baseline *baseline, const bench_result *result);

#endif
