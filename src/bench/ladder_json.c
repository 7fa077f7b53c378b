/* The ladder as JSON: each result on a line of its own. */
#include "base/json.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/bench.h"

#define ROW(kind, name, field) REC_JSON_ROW(kind, name, bench_machine, field)
static const rec_json_row device_rows[] = {
    ROW(TEXT, "name", device.name), ROW(COUNT, "number", device.number),
    ROW(COUNT, "major", device.major), ROW(COUNT, "minor", device.minor),
    ROW(COUNT, "multiprocessors", device.multiprocessors), ROW(COUNT, "lanes", device.lanes),
    ROW(COUNT, "memory", device.memory), ROW(COUNT, "l2", device.l2),
    ROW(POSITIVE, "start_seconds", device.start_seconds), ROW(POSITIVE, "clock_hz", device.clock),
    ROW(POSITIVE, "clock_measured_hz", device.clock_measured),
    ROW(POSITIVE, "memory_clock_hz", device.memory_clock),
    ROW(POSITIVE, "copy_bytes_per_second", device.copy_rate),
    ROW(POSITIVE, "peak_updates_per_second", peak)};

/* Null where nothing was counted or compared. */
static void write_positive(rec_json *json, const char *name, double value)
{
    rec_json_number(json, name, value > 0 ? value : NAN);
}

static void write_machine(rec_json *json, const bench_machine *machine)
{
    rec_json_line(json);
    rec_json_open(json, "host", '{');
    rec_json_text(json, "name", machine->host);
    write_positive(json, "copy_bytes_per_second", machine->host_copy);
    rec_json_close(json, '}');
    rec_json_line(json);
    rec_json_count(json, "devices",
                   machine->devices ? machine->devices : (size_t)machine->has_device);
    rec_json_count(json, "slabs", machine->slabs ? machine->slabs : 1);
    rec_json_line(json);
    if (!machine->has_device) {
        rec_json_text(json, "device", NULL);
        return;
    }
    rec_json_open(json, "device", '{');
    REC_JSON_ROWS(json, machine, device_rows);
    rec_json_close(json, '}');
}

static void write_times(rec_json *json, const bench_result *result, const bench_machine *machine)
{
    const double rate = bench_rate(result), moved = rate * result->rung->bytes;
    rec_json_count(json, "samples", result->samples);
    rec_json_count(json, "iterations", result->iterations);
    rec_json_open(json, "seconds", '{');
    rec_json_number(json, "median", result->median);
    rec_json_number(json, "minimum", result->minimum);
    rec_json_number(json, "maximum", result->maximum);
    rec_json_close(json, '}');
    write_positive(json, "updates_per_second", rate);
    write_positive(json, "bytes_per_update", result->rung->bytes);
    write_positive(json, "bytes_per_second", moved);
    write_positive(json, "percent_of_copy", 100 * moved / bench_copy_rate(machine, result->rung));
    write_positive(json, "times_before", result->before);
    write_positive(json, "times_cpu", result->cpu);
    if (result->launch.blocks) {
        rec_json_count(json, "blocks", result->launch.blocks);
        rec_json_count(json, "threads", result->launch.threads);
        write_positive(json, "waves", result->launch.waves);
    }
    if (result->radius) {
        rec_json_count(json, "radius", result->radius);
        write_positive(json, "mean_seconds", result->mean);
        write_positive(json, "operations_per_second", rate * bench_operations(result));
        write_positive(json, "operations_per_byte",
                       bench_operations(result) / result->rung->bytes);
    }
}

static void write_result(rec_json *json, const bench_result *result, const bench_machine *machine)
{
    static const char *const outcomes[] = {
        [BENCH_TIMED] = "timed", [BENCH_WRONG] = "wrong", [BENCH_SKIPPED] = "skipped"};
    rec_json_line(json);
    rec_json_open(json, NULL, '{');
    rec_json_count(json, "rung", (uint64_t)result->rung->number);
    rec_json_count(json, "from", (uint64_t)result->rung->from);
    rec_json_text(json, "name", result->label);
    rec_json_count(json, "width", result->width);
    rec_json_count(json, "height", result->height);
    rec_json_text(json, "outcome", outcomes[result->outcome]);
    if (result->outcome == BENCH_TIMED)
        write_times(json, result, machine);
    else
        rec_json_text(json, "reason", result->reason);
    rec_json_close(json, '}');
}

rec_status bench_write_json(const char *path, const bench_report *report, rec_error *error)
{
    rec_output *output;
    REC_TRY(rec_output_open(&output, path, 0, error));
    rec_json json = {.stream = rec_output_stream(output)};
    rec_json_open(&json, NULL, '{');
    rec_json_text(&json, "program", "reconstruct bench");
    rec_json_text(&json, "version", rec_version);
    write_machine(&json, &report->machine);
    rec_json_line(&json);
    rec_json_open(&json, "results", '[');
    for (size_t i = 0; i < report->count; i++)
        write_result(&json, &report->results[i], &report->machine);
    rec_json_line(&json);
    rec_json_close(&json, ']');
    rec_json_close(&json, '}');
    fputc('\n', json.stream);
    return rec_output_commit(output, REC_OK, NULL, error);
}
