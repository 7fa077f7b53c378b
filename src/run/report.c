#include "run/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The length of the well-formed UTF-8 sequence at `at`, or 0. File names may be any bytes; JSON may
 * not. (Overlong forms and surrogates are of no harm to a reader and pass.) */
static size_t sequence_length(const unsigned char *at)
{
    const size_t length = at[0] < 0x80 ? 1 : at[0] >= 0xf0 && at[0] < 0xf8 ? 4 :
                          at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : at[0] >= 0xc0 && at[0] < 0xe0 ? 2 : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static void write_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t length = sequence_length(at);
        if (*at == '"' || *at == '\\')
            fprintf(stream, "\\%c", *at);
        else if (*at < 0x20)
            fprintf(stream, "\\u%04x", *at);
        else if (length)
            fwrite(at, 1, length, stream);
        else
            fputs("\\ufffd", stream);
        at += length ? length : 1;
    }
    fputc('"', stream);
}

static void write_number(FILE *stream, const char *name, double value)
{
    if (isfinite(value))
        fprintf(stream, ", \"%s\": %.17g", name, value);
    else
        fprintf(stream, ", \"%s\": null", name);
}

static void write_text(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, ", \"%s\": ", name);
    write_string(stream, value);
}

static void write_seconds(FILE *stream, const rec_seconds *seconds)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {
        {"load", seconds->load},       {"plan", seconds->plan},
        {"upload", seconds->upload},   {"iterate", seconds->iterate},
        {"snapshots", seconds->snapshots}, {"download", seconds->download},
        {"save", seconds->save},       {"wall", seconds->wall},
    };
    fprintf(stream, ", \"seconds\": {\"device_start\": %.9g", seconds->device_start);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(stream, ", \"%s\": %.9g", rows[i].name, rows[i].value);
    fputc('}', stream);
}

static void write_comparison(FILE *stream, const rec_comparison *comparison)
{
    const rec_difference *difference = &comparison->difference;
    fprintf(stream, ", \"comparison\": {\"samples\": %zu, \"differing\": %zu", difference->samples,
            difference->differing);
    if (difference->differing)
        fprintf(stream, ", \"first\": {\"x\": %zu, \"y\": %zu, \"plane\": %zu}",
                difference->first_x, difference->first_y, difference->first_plane);
    write_number(stream, "maximum", difference->maximum);
    write_number(stream, "rms", difference->rms);
    write_number(stream, "psnr", difference->psnr);
    write_number(stream, "solver_seconds", comparison->solver_seconds);
    write_number(stream, "reference_seconds", comparison->reference_seconds);
    fputc('}', stream);
}

void rec_report_write(FILE *stream, const rec_report *report)
{
    fputs("{\"input\": ", stream);
    write_string(stream, report->input);
    fprintf(stream, ", \"status\": %d", (int)report->status);
    if (report->message)
        write_text(stream, "error", report->message);
    if (report->finished_before)
        fputs(", \"finished_before\": true", stream);
    if (report->width)
        fprintf(stream, ", \"width\": %zu, \"height\": %zu, \"planes\": %zu", report->width,
                report->height, report->planes);
    if (report->info.solver) {
        const rec_run_state *state = &report->state;
        write_text(stream, "solver", report->info.solver);
        write_text(stream, "kernel", report->info.kernel);
        write_text(stream, "device", report->info.device);
        if (state->stop == REC_STOP_LIMIT) /* of none in particular */
            fputs(", \"iterations\": null", stream);
        else
            fprintf(stream, ", \"iterations\": %" PRIu64, state->iterations);
        fprintf(stream, ", \"resumed\": %" PRIu64, state->resumed);
        if (state->jumped && state->jumped_to == REC_LIMIT_ITERATION)
            fputs(", \"jumped\": \"limit\"", stream);
        else if (state->jumped)
            fprintf(stream, ", \"jumped\": %" PRIu64, state->jumped_to);
        else
            fputs(", \"jumped\": null", stream);
        write_text(stream, "stopped", rec_stop_name(state->stop));
        write_number(stream, "updates_per_second", state->updates_per_second);
        write_seconds(stream, &state->seconds);
        write_number(stream, "change_rms", state->look.change_rms);
        write_number(stream, "change_max", state->look.change_max);
        write_number(stream, "distance_rms", state->look.distance_rms);
        fprintf(stream, ", \"alternating\": %zu", state->look.alternating);
    }
    if (report->reference) {
        write_number(stream, "reference_rms", report->reference->rms);
        write_number(stream, "psnr", report->reference->psnr); /* equal images: infinite, null */
    }
    if (report->comparison)
        write_comparison(stream, report->comparison);
    fputs("}\n", stream);
}
