/* Reads files of bench --json, not JSON in general: the first line names the program, each timed
 * result is a line that begins with the same members in the same order, and the last line
 * closes. */
#include "bench/rung.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"

bench_result *bench_add_result(bench_report *report, rec_error *error)
{
    bench_result *grown = realloc(report->results, (report->count + 1) * sizeof *grown);
    if (!grown) {
        rec_fail(error, REC_LIMIT, "out of memory for the results");
        return NULL;
    }
    report->results = grown;
    grown[report->count] = (bench_result){0};
    return &grown[report->count++];
}

static rec_status add_row(bench_report *baseline, const char *line, rec_error *error)
{
    bench_result *row = bench_add_result(baseline, error);
    if (!row)
        return REC_LIMIT;
    if (sscanf(line, " {\"rung\": %*d, \"from\": %*d, \"name\": \"%47[^\"]\", \"width\": %zu, "
                     "\"height\": %zu, \"outcome\": \"timed\", \"samples\": %*u, "
                     "\"iterations\": %*u, \"seconds\": {\"median\": %lf,",
               row->label, &row->width, &row->height, &row->median) != 4 || !(row->median > 0))
        return rec_fail(error, REC_BAD_INPUT, "not a file of `reconstruct bench --json`");
    return REC_OK;
}

static rec_status read_lines(FILE *file, bench_report *baseline, rec_error *error)
{
    static const char first[] = "{\"program\": \"reconstruct bench\", ", last[] = " ]}\n";
    char line[8192]; /* a reason has 511 characters of at most six bytes */
    rec_status status = REC_OK;
    if (!fgets(line, sizeof line, file) || strncmp(line, first, sizeof first - 1))
        return rec_fail(error, REC_BAD_INPUT, "not a file of `reconstruct bench --json`");
    while (!status && fgets(line, sizeof line, file))
        if (strstr(line, "\"outcome\": \"timed\""))
            status = add_row(baseline, line, error);
    if (!status && ferror(file))
        status = rec_fail(error, REC_IO, "%s", strerror(errno));
    return status || !strcmp(line, last) ? status
                                         : rec_fail(error, REC_BAD_INPUT, "ends too early");
}

rec_status bench_read_json(const char *path, bench_report *baseline, rec_error *error)
{
    *baseline = (bench_report){0};
    FILE *file;
    rec_status status = rec_path_open(&file, path, error);
    if (status)
        return status;
    status = read_lines(file, baseline, error);
    fclose(file);
    if (!status)
        return REC_OK;
    free(baseline->results);
    *baseline = (bench_report){0};
    return rec_fail_in(error, path);
}

double bench_baseline_median(const bench_report *baseline, const bench_result *result)
{
    for (size_t i = 0; i < baseline->count; i++) {
        const bench_result *at = &baseline->results[i];
        if (at->width == result->width && at->height == result->height &&
            !strcmp(at->label, result->label))
            return at->median;
    }
    return 0;
}
