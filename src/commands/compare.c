/* reconstruct compare A B: two images, sample by sample. */
#include <math.h>

#include "base/clock.h"
#include "commands/commands.h"
#include "view/view.h"

static rec_status write_report(const char *path, char **names, const rec_difference *difference,
                               const option_value *relative, rec_error *error)
{
    rec_output *output;
    REC_TRY(rec_output_open(&output, path, 0, error));
    rec_json json = {.stream = rec_output_stream(output)};
    rec_json_open(&json, NULL, '{');
    rec_json_text(&json, "a", names[0]);
    rec_json_text(&json, "b", names[1]);
    rec_report_write_difference(&json, difference);
    if (relative->given)
        rec_json_count(&json, "beyond_relative", difference->beyond);
    rec_json_close(&json, '}');
    fputc('\n', json.stream);
    return rec_output_commit(output, REC_OK, NULL, error);
}

/* The window with a filter that is not applied: A is its picture, B the reference. */
static rec_status show(char **names, rec_error *error)
{
    const rec_stencil stencil = {.width = 1, .height = 1, .scale = 1, .weights = {1}};
    rec_operator nothing;
    rec_settings settings = {
        .run.problem = {.operators = &nothing, .operator_count = 1}, .reading.role = REC_SAMPLES,
        .writing.maxval = 255, .shown = REC_TONE_AUTO, .original = names[1], .shards = 1,
        .begin = rec_now()};
    rec_jobs jobs;
    rec_operator_filter(&nothing, &stencil);
    REC_TRY(rec_solver_find("cpu", &settings.run.solver, error));
    REC_TRY(rec_jobs_make(&jobs, &settings, names, 1, error));
    const rec_status status = rec_view_show(&jobs, error);
    rec_jobs_destroy(&jobs);
    return status;
}

/* Else nothing says why all differs. Floats may be anything: where they look unlike the others. */
static void print_whites(char **names, const rec_image *const images[2],
                         const rec_image_info info[2], int floats)
{
    double most[2];
    for (size_t i = 0; i < 2; i++)
        most[i] = info[i].format->samples == REC_FLOATS
                      ? rec_image_survey(images[i], 255).high : info[i].maxval;
    const double least = fmin(most[0], most[1]), largest = fmax(most[0], most[1]);
    const int alike = info[0].format->samples == info[1].format->samples; /* else it is .dat */
    if (floats ? least > 0 && 16 * least < largest : alike && least < largest)
        rec_say(stderr, "note: white%s is %g in %s and %g in %s; samples are compared as they "
                "are%s\n", floats ? ", or the largest of floats," : "", most[0], names[0], most[1],
                names[1], floats ? "; --white V says what is white in floats" : "");
}

/* Floats whose white is given become samples of the other file. */
static void scale_floats(rec_image *image, rec_image_info *info, const rec_image_info *other,
                         double white)
{
    if (!(white > 0) || info->format->samples != REC_FLOATS || !rec_has_tones(other->format))
        return;
    info->maxval = other->maxval;
    for (size_t i = 0; i < image->planes * image->height; i++)
        for (size_t x = 0; x < image->width; x++)
            image->data[i * image->stride + x] *= (float)(other->maxval / white);
}

static rec_status compare_files(const command_line *line, const rec_write_options *writing,
                                rec_image *a, rec_image *b, rec_error *error)
{
    const rec_read_options reading = {.role = REC_SAMPLES};
    const option_value *given = line->option, *relative = &given[OPTION_RELATIVE];
    const char *output = given[OPTION_OUTPUT].text, *report = given[OPTION_REPORT].text;
    const int quiet = given[OPTION_QUIET].given;
    char **names = line->operands;
    rec_image_info info[2] = {0};
    rec_difference difference = {0};
    REC_TRY(rec_image_read(names[0], &reading, a, &info[0], error));
    REC_TRY(rec_image_read(names[1], &reading, b, &info[1], error));
    scale_floats(a, &info[0], &info[1], given[OPTION_WHITE].number);
    scale_floats(b, &info[1], &info[0], given[OPTION_WHITE].number);
    if (rec_image_compare(a, b, info[0].maxval, &difference, error)) {
        char both[512];
        snprintf(both, sizeof both, "%.200s and %.200s", names[0], names[1]);
        return rec_fail_in(error, both);
    }
    if (rec_is_stopped()) /* large images take a second for each step */
        return rec_fail(error, REC_SIGNALLED, "stopped by a signal");
    const int floats =
        info[0].format->samples == REC_FLOATS || info[1].format->samples == REC_FLOATS;
    if (!quiet && !(floats && given[OPTION_WHITE].given)) /* a becomes the difference */
        print_whites(names, (const rec_image *const[]){a, b}, info, floats);
    rec_image_subtract(a, b, option_number(relative, 1), &difference);
    const int taken =
        option_is_stdout(&given[OPTION_OUTPUT]) || option_is_stdout(&given[OPTION_REPORT]);
    for (size_t i = 0; i < 2; i++)
        rec_notes_print(names[i], &info[i], !quiet);
    if (!quiet)
        rec_difference_print(taken ? stderr : stdout, &difference, floats, names[0], names[1]);
    if (output)
        REC_TRY(rec_image_write(output, a, writing, error));
    if (report)
        REC_TRY(write_report(report, names, &difference, relative, error));
    if (given[OPTION_SHOW].given)
        REC_TRY(show(names, error));
    /* By --max-difference and --relative; without them by bits. */
    const option_value *most = &given[OPTION_MAX_DIFFERENCE];
    rec_status status = REC_OK;
    if (relative->given && difference.beyond)
        status = rec_fail(error, REC_NO, "%zu sample%s the relative tolerance %.9g",
                          difference.beyond, difference.beyond == 1 ? " exceeds" : "s exceed",
                          relative->number);
    else if (!relative->given || most->given)
        status = rec_difference_judge(&difference, option_number(most, -1), error);
    return quiet ? rec_fail(error, status, "%s", "") : status; /* the exit code is the answer */
}

rec_status command_compare(const command_line *line, rec_error *error)
{
    /* The largest difference is white. */
    rec_write_options writing = {.maxval = 255, .tone = REC_TONE_STRETCH, .stops = 1};
    rec_owned_image a = {0}, b = {0};
    char **names = line->operands;
    const int shows = line->option[OPTION_SHOW].given;
    if (line->operand_count != 2)
        return rec_fail(error, REC_USAGE, "compare takes two images, not %zu", line->operand_count);
    if (shows && (rec_path_is_standard(names[0]) || rec_path_is_standard(names[1])))
        return rec_fail(error, REC_USAGE, "--show reads its images twice: name files");
    if (shows && !rec_view_has_display())
        return rec_fail(error, REC_UNAVAILABLE, "--show: no display, or a build without a window");
    REC_TRY(choose_format(line, &writing, error));
    REC_TRY(conflicts_check_files(line, &writing, error));
    return compare_files(line, &writing, &a, &b, error);
}
