#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

static void write_seconds(rec_json *json, const rec_seconds *seconds)
{
    rec_json_open(json, "seconds", '{');
    rec_json_number(json, "device_start", seconds->device_start);
    rec_json_number(json, "load", seconds->load);
    rec_json_number(json, "plan", seconds->plan);
    rec_json_number(json, "upload", seconds->upload);
    rec_json_number(json, "iterate", seconds->iterate);
    rec_json_number(json, "download", seconds->download);
    rec_json_number(json, "save", seconds->save);
    rec_json_number(json, "wall", seconds->wall);
    rec_json_close(json, '}');
}

static void write_pixel(rec_json *json, const char *name, const rec_pixel *place)
{
    rec_json_open(json, name, '{');
    rec_json_count(json, "x", place->x);
    rec_json_count(json, "y", place->y);
    rec_json_count(json, "plane", place->plane);
    rec_json_close(json, '}');
}

void rec_report_write_difference(rec_json *json, const rec_difference *difference)
{
    rec_json_count(json, "samples", difference->samples);
    rec_json_count(json, "differing", difference->differing);
    if (difference->differing) {
        write_pixel(json, "first", &difference->first);
        write_pixel(json, "largest", &difference->largest);
    }
    rec_json_number(json, "maximum", difference->maximum);
    rec_json_count(json, "ulps", difference->ulps);
    rec_json_number(json, "rms", difference->rms);
    rec_json_number(json, "psnr", difference->psnr);
}

static void write_comparison(rec_json *json, const rec_comparison *comparison)
{
    rec_json_open(json, "comparison", '{');
    rec_report_write_difference(json, &comparison->difference);
    rec_json_number(json, "solver_seconds", comparison->solver_seconds);
    rec_json_number(json, "reference_seconds", comparison->reference_seconds);
    rec_json_close(json, '}');
}

/* What the solver did, if there was one. */
static void write_run(rec_json *json, const rec_report *report)
{
    static const char *const transports[] = {NULL, "direct", "mpi", "host"};
    static const char *const stops[] = {"none", "iterations", "tolerance", "standstill", "signal",
                                        "limit", "diverged"};
    const rec_run_state *state = &report->state;
    rec_json_text(json, "solver", report->info.solver);
    rec_json_text(json, "kernel", report->info.kernel);
    rec_json_text(json, "device", report->info.costs.device);
    if (report->problem && report->problem->operator_count) {
        rec_json_open(json, "stencils", '[');
        for (size_t i = 0; i < report->problem->operator_count; i++)
            rec_json_text(json, NULL, report->problem->operators[i].stencil.name);
        rec_json_close(json, ']');
    }
    if (*report->info.inverse)
        rec_json_text(json, "inverse", report->info.inverse);
    rec_json_count(json, "ranks", report->info.ranks);
    rec_json_count(json, "devices", report->info.devices);
    rec_json_count(json, "slabs", report->info.slabs);
    if (report->info.transport)
        rec_json_text(json, "trades", transports[report->info.transport]);
    if (state->stop == REC_STOP_LIMIT) /* the exact picture is no iterate */
        rec_json_null(json, "iterations");
    else
        rec_json_count(json, "iterations", state->iterations);
    rec_json_count(json, "resumed", state->resumed);
    if (!state->jumped)
        rec_json_null(json, "jumped");
    else if (state->jumped_to == REC_LIMIT_ITERATION)
        rec_json_text(json, "jumped", "limit");
    else
        rec_json_count(json, "jumped", state->jumped_to);
    rec_json_number(json, "handover", state->handover ? (double)state->handover : NAN);
    rec_json_text(json, "stopped", stops[state->stop]);
    rec_json_number(json, "updates_per_second", state->updates_per_second);
    write_seconds(json, &state->seconds);
    rec_json_number(json, "change_rms", state->look.change_rms);
    rec_json_number(json, "change_max", state->look.change_max);
    rec_json_number(json, "distance_rms", state->look.distance_rms);
    rec_json_number(json, "distance_max", state->look.distance_max);
    rec_json_count(json, "alternating", state->look.alternating);
}

/* When and where the line was written: of several lines of an input the newest counts. */
static void write_origin(rec_json *json)
{
    char text[40], seconds[24];
    struct timespec now;
    struct tm utc;
    const rec_origin origin = rec_origin_get();
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    snprintf(text, sizeof text, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
    rec_json_text(json, "finished", text);
    rec_json_text(json, "host", origin.host);
    rec_json_count(json, "pid", (uint64_t)origin.process);
    const char *task = strcmp(origin.task, "-") ? origin.task : origin.rank;
    if (strcmp(origin.job, "-"))
        rec_json_text(json, "job", origin.job);
    if (strcmp(origin.job, "-") && strcmp(task, "-"))
        rec_json_text(json, "task", task);
}

static void write_hash(rec_json *json, const char *name, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    rec_json_text(json, name, text);
}

/* What tells whether the input was done when its list is resumed. */
static void write_files(rec_json *json, const rec_report *report)
{
    if (report->output) {
        rec_json_text(json, "output", report->output);
        rec_json_count(json, "output_bytes", report->output_bytes);
        rec_json_count(json, "output_time", report->output_time);
        write_hash(json, "output_id", report->output_id);
    }
    rec_json_count(json, "input_bytes", report->file.bytes);
    rec_json_count(json, "input_time", report->file.time);
    write_hash(json, "id", report->id);
    write_hash(json, "settings", report->settings);
}

void rec_report_write(FILE *stream, const rec_report *report)
{
    rec_json json = {.stream = stream};
    rec_json_open(&json, NULL, '{');
    rec_json_text(&json, "input", report->input);
    rec_json_count(&json, "status", report->status);
    if (report->message)
        rec_json_text(&json, "error", report->message);
    write_origin(&json);
    write_files(&json, report);
    if (report->width) {
        rec_json_count(&json, "width", report->width);
        rec_json_count(&json, "height", report->height);
        rec_json_count(&json, "planes", report->planes);
    }
    if (report->unknown)
        rec_json_count(&json, "unknown", report->unknown);
    if (report->info.solver)
        write_run(&json, report);
    if (report->reference.samples) {
        rec_json_number(&json, "reference_rms", report->reference.rms);
        rec_json_number(&json, "psnr", report->reference.psnr); /* null: equal images */
    }
    if (report->mean_count) {
        rec_json_open(&json, "mean", '[');
        for (size_t p = 0; p < report->mean_count; p++)
            rec_json_number(&json, NULL, report->means[p]);
        rec_json_close(&json, ']');
    }
    if (report->written.survey.samples) {
        rec_json_number(&json, "minimum", report->written.survey.low);
        rec_json_number(&json, "maximum", report->written.survey.high);
        rec_json_count(&json, "clipped", report->written.clipped);
    }
    if (report->comparison.difference.samples)
        write_comparison(&json, &report->comparison);
    rec_json_close(&json, '}');
    fputc('\n', stream);
}

/* ---- for a person ---- */

void rec_notes_print(const char *input, const rec_image_info *info)
{
    if (info->alpha)
        rec_say(stderr, "note: %s has transparency; it is composed over black\n", input);
}

static void print_place(FILE *stream, const rec_pixel *place)
{
    fprintf(stream, "column %zu, row %zu, plane %zu", place->x, place->y, place->plane);
}

void rec_difference_print(FILE *stream, const rec_difference *difference, int floats,
                          const char *a, const char *b)
{
    rec_say(stream, "%s and %s: ", a, b);
    if (!difference->differing) {
        fprintf(stream, "all %zu samples are equal, bit for bit\n", difference->samples);
        return;
    }
    fprintf(stream, "%zu of %zu samples differ, the first at ", difference->differing,
            difference->samples);
    print_place(stream, &difference->first);
    fprintf(stream, "\nmaximum %.9g at ", difference->maximum);
    print_place(stream, &difference->largest);
    if (floats)
        fprintf(stream, ", %" PRIu32 " ULP", difference->ulps);
    fprintf(stream, ", RMS %.9g, PSNR %.2f dB\n", difference->rms, difference->psnr);
    if (difference->beyond) {
        fprintf(stream, "%zu of %zu samples exceed the relative tolerance, the first at ",
                difference->beyond, difference->samples);
        print_place(stream, &difference->first_beyond);
        fputc('\n', stream);
    }
}

rec_status rec_difference_judge(const rec_difference *difference, double most, rec_error *error)
{
    if (!difference->differing || difference->maximum <= most)
        return REC_OK;
    if (most >= 0)
        return rec_fail(error, REC_NO, "a difference of %.9g exceeds %.9g", difference->maximum,
                        most);
    return rec_fail(error, REC_NO, "%zu sample%s", difference->differing,
                    difference->differing == 1 ? " differs" : "s differ");
}
