/* The ladder as JSON: for programs, and for a later run to be set beside (bench_baseline.c). */
#include <math.h>

#include "base/version.h"
#include "bench/bench.h"

static void write_string(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "\"%s\": \"", name);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(stream, "\\%c", *text);
        else if ((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f)
            fputc(*text, stream);
        else
            fputc('?', stream);
    fputc('"', stream);
}

/* Null where there is no such number. */
static void write_number(FILE *stream, const char *name, double value)
{
    if (isfinite(value) && value > 0)
        fprintf(stream, ", \"%s\": %.9g", name, value);
    else
        fprintf(stream, ", \"%s\": null", name);
}

static void write_machine(FILE *stream, const bench_machine *machine)
{
    fputs("\"host\": {", stream);
    write_string(stream, "name", machine->host);
    write_number(stream, "copy_bytes_per_second", machine->host_copy);
    fputs("},\n \"device\": ", stream);
    if (!machine->has_device) {
        fputs("null", stream);
        return;
    }
    fputc('{', stream);
    write_string(stream, "name", machine->device);
    fprintf(stream, ", \"number\": %d, \"major\": %d, \"minor\": %d, \"multiprocessors\": %d, "
            "\"lanes\": %d, \"memory\": %zu, \"l2\": %zu",
            machine->number, machine->major, machine->minor, machine->multiprocessors,
            machine->lanes, machine->memory, machine->l2);
    write_number(stream, "start_seconds", machine->start_seconds);
    write_number(stream, "clock_hz", machine->clock);
    write_number(stream, "clock_measured_hz", machine->clock_measured);
    write_number(stream, "memory_clock_hz", machine->memory_clock);
    write_number(stream, "copy_bytes_per_second", machine->device_copy);
    write_number(stream, "peak_updates_per_second", machine->peak);
    fputc('}', stream);
}

static void write_result(FILE *stream, const bench_result *result, const bench_machine *machine)
{
    static const char *const outcomes[] = {
        [BENCH_TIMED] = "timed", [BENCH_WRONG] = "wrong", [BENCH_SKIPPED] = "skipped"};
    fprintf(stream, "{\"rung\": %d, \"from\": %d, ", result->rung->number, result->rung->from);
    write_string(stream, "name", result->label);
    fprintf(stream, ", \"width\": %zu, \"height\": %zu, \"outcome\": \"%s\"", result->width,
            result->height, outcomes[result->outcome]);
    if (result->outcome != BENCH_TIMED) {
        fputs(", ", stream);
        write_string(stream, "reason", result->reason);
        fputc('}', stream);
        return;
    }
    const double rate = bench_rate(result), moved = rate * result->rung->bytes;
    fprintf(stream, ", \"samples\": %zu, \"iterations\": %llu, \"seconds\": {\"median\": %.9g, "
            "\"minimum\": %.9g, \"maximum\": %.9g}",
            result->samples, (unsigned long long)result->iterations, result->median,
            result->minimum, result->maximum);
    write_number(stream, "updates_per_second", rate);
    write_number(stream, "bytes_per_update", result->rung->bytes);
    write_number(stream, "bytes_per_second", moved);
    write_number(stream, "percent_of_copy", 100 * moved / bench_copy_rate(machine, result->rung));
    write_number(stream, "times_before", result->before);
    write_number(stream, "times_cpu", result->cpu);
    write_number(stream, "times_baseline", result->baseline);
    fputc('}', stream);
}

void bench_write_json(FILE *stream, const bench_report *report)
{
    fprintf(stream, "{\"program\": \"reconstruct bench\", \"version\": \"%s\",\n ", rec_version);
    write_machine(stream, &report->machine);
    fputs(",\n \"results\": [", stream);
    for (size_t i = 0; i < report->count; i++) {
        fputs(i ? ",\n  " : "\n  ", stream);
        write_result(stream, &report->results[i], &report->machine);
    }
    fputs("\n ]}\n", stream);
}
