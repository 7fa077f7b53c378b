#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/output.h"
#include "base/text.h"
#include "run/report.h"

#define ROW(kind, name, field) REC_JSON_ROW(kind, name, rec_report, field)

static const rec_json_row
    output[] = {ROW(TEXT, "output", output), ROW(COUNT, "output_bytes", output_file.bytes),
                ROW(COUNT, "output_time", output_file.time), ROW(HASH, "output_id", output_id)},
    file[] = {ROW(COUNT, "input_bytes", file.bytes), ROW(COUNT, "input_time", file.time),
              ROW(HASH, "id", id), ROW(HASH, "settings", settings)},
    size[] = {ROW(COUNT, "width", width), ROW(COUNT, "height", height),
              ROW(COUNT, "planes", planes)},
    solver[] = {ROW(TEXT, "solver", info.solver), ROW(TEXT, "kernel", info.kernel),
                ROW(TEXT, "device", info.costs.device)},
    parts[] = {ROW(COUNT, "ranks", info.ranks), ROW(COUNT, "devices", info.devices),
               ROW(COUNT, "slabs", info.slabs)},
    norms[] = {ROW(NUMBER, "change_rms", state.look.change_rms),
               ROW(NUMBER, "change_max", state.look.change_max),
               ROW(NUMBER, "distance_rms", state.look.distance_rms),
               ROW(NUMBER, "distance_max", state.look.distance_max),
               ROW(COUNT, "alternating", state.look.alternating)},
    reference[] = {ROW(NUMBER, "reference_rms", reference.rms),
                   ROW(NUMBER, "psnr", reference.psnr)}, /* null: equal images */
    written[] = {ROW(NUMBER, "minimum", written.survey.low),
                 ROW(NUMBER, "maximum", written.survey.high),
                 ROW(COUNT, "clipped", written.clipped)},
    blocks[] = {ROW(COUNT, "blocks", written.blocks),
                ROW(COUNT, "blocks_changed", written.changed)},
    times[] = {ROW(NUMBER, "solver_seconds", comparison.solver_seconds),
               ROW(NUMBER, "reference_seconds", comparison.reference_seconds)};

/* Of other records, whose fields have the names. */
#define SECONDS(field) REC_JSON_ROW(NUMBER, #field, rec_seconds, field)
#define PLACE(field) REC_JSON_ROW(COUNT, #field, rec_pixel, field)
#define PATCH(name, field) REC_JSON_ROW(COUNT, name, rec_patch, field)
#define DIFFERENCE(kind, field) REC_JSON_ROW(kind, #field, rec_difference, field)

static const rec_json_row
    durations[] = {SECONDS(device_start), SECONDS(load), SECONDS(plan), SECONDS(upload),
                   SECONDS(iterate), SECONDS(download), SECONDS(save), SECONDS(wall)},
    coordinates[] = {PLACE(x), PLACE(y), PLACE(plane)},
    patches[] = {PATCH("x", box.x), PATCH("y", box.y), PATCH("width", box.width),
                 PATCH("height", box.height), PATCH("unknown", count)},
    counts[] = {DIFFERENCE(COUNT, samples), DIFFERENCE(COUNT, differing)},
    distances[] = {DIFFERENCE(NUMBER, maximum), DIFFERENCE(COUNT, ulps), DIFFERENCE(NUMBER, rms),
                   DIFFERENCE(NUMBER, psnr)};

static void write_place(rec_json *json, const char *name, const rec_pixel *pixel)
{
    rec_json_open(json, name, '{');
    REC_JSON_ROWS(json, pixel, coordinates);
    rec_json_close(json, '}');
}

void rec_report_write_difference(rec_json *json, const rec_difference *difference)
{
    REC_JSON_ROWS(json, difference, counts);
    if (difference->differing) {
        write_place(json, "first", &difference->first);
        write_place(json, "largest", &difference->largest);
    }
    REC_JSON_ROWS(json, difference, distances);
}

/* Of the parts of a mask: where they take their gradients from. */
static void write_sources(rec_json *json, const rec_sources *sources)
{
    rec_json_open(json, "sources", '[');
    for (size_t i = 0; i < sources->count; i++) {
        const rec_patch *patch = &sources->at[i];
        if (patch->group && !patch->count)
            continue;
        rec_json_open(json, NULL, '{');
        REC_JSON_ROWS(json, patch, patches);
        if (patch->smooth) {
            rec_json_text(json, "from", NULL);
        } else {
            rec_json_open(json, "from", '[');
            rec_json_number(json, NULL, (double)patch->x);
            rec_json_number(json, NULL, (double)patch->y);
            rec_json_close(json, ']');
        }
        rec_json_close(json, '}');
    }
    rec_json_close(json, ']');
}

/* What the solver did, if there was one. */
static void write_run(rec_json *json, const rec_report *report)
{
    static const char *const transports[] = {NULL, "direct", "mpi", "host"};
    static const char *const stops[] = {"none", "iterations", "tolerance", "standstill", "signal",
                                        "limit", "diverged"};
    const rec_run_state *state = &report->state;
    REC_JSON_ROWS(json, report, solver);
    if (report->problem && report->problem->operator_count) {
        rec_json_open(json, "stencils", '[');
        for (size_t i = 0; i < report->problem->operator_count; i++)
            rec_json_text(json, NULL, report->problem->operators[i].stencil.name);
        rec_json_close(json, ']');
    }
    if (*report->info.inverse)
        rec_json_text(json, "inverse", report->info.inverse);
    REC_JSON_ROWS(json, report, parts);
    if (report->info.transport)
        rec_json_text(json, "trades", transports[report->info.transport]);
    if (state->stop == REC_STOP_LIMIT) /* the exact picture is no iterate */
        rec_json_text(json, "iterations", NULL);
    else
        rec_json_count(json, "iterations", state->iterations);
    rec_json_count(json, "resumed", state->resumed);
    if (state->jumped && state->jumped_to != REC_LIMIT_ITERATION)
        rec_json_count(json, "jumped", state->jumped_to);
    else
        rec_json_text(json, "jumped", state->jumped ? "limit" : NULL);
    rec_json_number(json, "handover", state->handover ? (double)state->handover : NAN);
    rec_json_text(json, "stopped", stops[state->stop]);
    rec_json_number(json, "updates_per_second", state->updates_per_second);
    rec_json_open(json, "seconds", '{');
    REC_JSON_ROWS(json, &state->seconds, durations);
    rec_json_close(json, '}');
    REC_JSON_ROWS(json, report, norms);
    rec_json_text(json, "distance_by", isnan(state->look.distance_rms)     ? NULL
                                       : state->look.measured              ? "limit"
                                       : !isnan(state->look.distance_max) ? "estimate"
                                                                           : "bound");
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

void rec_report_write(FILE *stream, const rec_report *report)
{
    rec_json json = {.stream = stream};
    rec_json_open(&json, NULL, '{');
    rec_json_text(&json, "input", report->input);
    rec_json_count(&json, "status", report->status);
    if (report->message)
        rec_json_text(&json, "error", report->message);
    write_origin(&json);
    if (report->output)
        REC_JSON_ROWS(&json, report, output);
    REC_JSON_ROWS(&json, report, file); /* tells whether it was done when its list is resumed */
    if (report->width)
        REC_JSON_ROWS(&json, report, size);
    if (report->unknown)
        rec_json_count(&json, "unknown", report->unknown);
    if (report->keep > 0)
        rec_json_number(&json, "keep", report->keep);
    if (report->sources && report->sources->count)
        write_sources(&json, report->sources);
    if (report->info.solver)
        write_run(&json, report);
    if (report->reference.samples)
        REC_JSON_ROWS(&json, report, reference);
    if (report->mean_count) {
        rec_json_open(&json, "mean", '[');
        for (size_t p = 0; p < report->mean_count; p++)
            rec_json_number(&json, NULL, report->means[p]);
        rec_json_close(&json, ']');
    }
    if (report->written.survey.samples)
        REC_JSON_ROWS(&json, report, written);
    if (report->written.blocks)
        REC_JSON_ROWS(&json, report, blocks);
    if (report->comparison.difference.samples) {
        rec_json_open(&json, "comparison", '{');
        rec_report_write_difference(&json, &report->comparison.difference);
        REC_JSON_ROWS(&json, report, times);
        rec_json_close(&json, '}');
    }
    rec_json_close(&json, '}');
    fputc('\n', stream);
}

/* ---- for a person ---- */

void rec_notes_print(const char *input, const rec_image_info *info, int notes)
{
    if (*info->warning)
        rec_say(stderr, "warning: %s: %s\n", input, info->warning);
    if (notes && info->pages)
        rec_say(stderr, "note: %s has %u pages; this is the first, %s[2] the second\n", input,
                info->pages + 1, input);
    if (notes && info->rounded)
        rec_say(stderr, "note: %s has %s; the result is rounded to 32-bit floats\n",
                input, info->rounded);
    if (notes && info->alpha)
        rec_say(stderr, "note: %s has transparency; it is composed over black\n", input);
}

void rec_written_print(const char *path, const rec_written *found, int notes)
{
    const char *name = rec_output_name(path);
    if (*found->left_out)
        rec_say(stderr, "note: %s: left out, because it showed the old picture: %s\n", name,
                found->left_out);
    if (found->lost)
        rec_say(stderr, "note: %s: left out, since it has no room: the input's %s\n", name,
                found->lost);
    if (found->stays)
        rec_say(stderr, "note: %s: %zu block%s of the old picture stay%s in the file: other parts "
                "of it have the same bytes\n", name, found->stays, rec_plural(found->stays),
                found->stays > 1 ? "" : "s");
    if (found->moved)
        rec_say(stderr, "note: %s: %zu sample%s would be nodata again, and became the next value\n",
                name, found->moved, rec_plural(found->moved));
    if (notes && found->quality)
        rec_say(stderr, "note: %s: coded at quality %u, 4:4:4\n", name, found->quality);
    if (notes && found->blocks)
        rec_say(stderr, "note: %s: %zu of %zu blocks are coded anew\n", name, found->changed,
                found->blocks);
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
