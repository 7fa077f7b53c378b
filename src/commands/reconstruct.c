/* The default command: reconstruct the picture, in a window or headless; `heal` and `clone`, which
 * do so inside a mask; and `convolve`, which is the same with filters. */
#include "commands/commands.h"
#include "view/view.h"

/* A window may open without an input, which is dropped on it later. */
static rec_status check_place(const command_line *line, int headless, rec_error *error)
{
    if (rec_ranks_count() > 1 && (!headless || line->operand_count != 1 ||
                                  line->option[OPTION_FILES_FROM].given))
        return rec_fail(error, REC_USAGE, "%zu ranks share one image: give --headless and one "
                        "input; for a list start reconstruct without MPI, once for each --shard",
                        rec_ranks_count());
    const int window = !headless && rec_view_has_display();
    if (window || (headless && (line->operand_count || line->option[OPTION_FILES_FROM].given)))
        return REC_OK;
    if (!line->operand_count)
        return rec_fail(error, REC_USAGE, "no input: name an image file");
    /* An input that cannot be read would be refused on a display as well. */
    const rec_read_options reading = {.role = REC_SAMPLES};
    rec_owned_image image = {0};
    const int waits = rec_path_is_standard(line->operands[0]); /* for whoever types it */
    if (!waits && rec_image_read(line->operands[0], &reading, &image, NULL, error))
        return error->status;
    return rec_fail(error, REC_UNAVAILABLE,
                    rec_view_available()
                        ? "no display for a window\v--headless -o FILE needs none"
                        : "this build has no window (SDL2)\vuse --headless -o FILE");
}

int command_leaves_a_thread;

/* Work that needs the whole image is done by the first of several ranks. */
static rec_status run_jobs(const rec_settings *settings, const rec_names *names, rec_error *error)
{
    rec_jobs jobs;
    const int alone = rec_ranks_count() > 1 && !settings->reading.shared;
    if (alone && rec_ranks_own())
        return REC_OK;
    REC_TRY(rec_jobs_make(&jobs, settings, names->at, names->count, error));
    rec_status status =
        settings->headless ? headless_run(&jobs, error) : rec_view_show(&jobs, error);
    command_leaves_a_thread |= rec_jobs_destroy(&jobs);
    if (alone && status == REC_LIMIT) {
        const rec_error failure = *error;
        rec_fail(error, status, "%.900s\v-n N makes an iterate, which all ranks share",
                 failure.message);
    }
    return status;
}

/* With an output no window opens if there is a mask, which else is painted in it, or no display. */
static rec_status read_line(const command_line *given, command_line *line, rec_error *error)
{
    *line = *given;
    option_value *options = line->option;
    const int clones = line->command == COMMAND_CLONE;
    if (clones && line->operand_count != 2)
        return rec_fail(error, REC_USAGE, "clone takes two pictures, SOURCE and TARGET, not %zu",
                        line->operand_count);
    if (line->command == COMMAND_CONVOLVE && !line->texts.count)
        return rec_fail(error, REC_USAGE,
                        "convolve needs --stencil NAME or FILE\v--stencil list shows the names");
    if (clones) {
        line->source = *line->operands++;
        line->operand_count--;
    }
    const int writes = ANY_GIVEN(line, OPTION_OUTPUT, OPTION_OUTPUT_DIR);
    if (clones || options[OPTION_MASK].given)
        options[OPTION_HEADLESS].given |= writes;
    else if (writes && !is_headless(line) && !rec_view_has_display())
        options[OPTION_HEADLESS].given = HEADLESS_FOR_LACK;
    return REC_OK;
}

static rec_status run_line(const command_line *line, rec_error *error)
{
    REC_OWNED(settings_destroy) rec_settings settings = {0};
    REC_OWNED(rec_names_free) rec_names listed = {0};
    rec_names names = {.at = line->operands, .count = line->operand_count};
    REC_TRY(check_place(line, is_headless(line), error));
    REC_TRY(settings_parse(&settings, line, error));
    if (line->option[OPTION_HEADLESS].given == HEADLESS_FOR_LACK && settings.progress)
        fputs("note: no display for a window; continues as with --headless\n", stderr);
    if (settings.files_from) {
        REC_TRY(
            rec_names_read(&listed, settings.files_from, line->option[OPTION_NULL].given, error));
        names = listed;
    }
    settings.run.solver_options.problems = names.count / settings.shards;
    return run_jobs(&settings, &names, error);
}

rec_status command_run(const command_line *given, rec_error *error)
{
    command_line line;
    REC_TRY(read_line(given, &line, error));
    const rec_status status = run_line(&line, error);
    /* Whatever the signal has stopped, also with nothing to keep: the same command goes on. */
    return status == REC_SIGNALLED && is_headless(&line) &&
                   ANY_GIVEN(&line, OPTION_CHECKPOINT, OPTION_RESUME)
               ? REC_STOPPED
               : status;
}

/* ---- the stencils of `convolve` ---- */

int command_wants_stencils(const command_line *line)
{
    return line->texts.count && !strcmp(line->texts.at[0], "list");
}

void command_print_stencils(FILE *stream)
{
    const rec_stencil_name *row;
    for (size_t i = 0; (row = rec_stencil_name_at(i)); i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s%s", row->name, row->parameter ? ":" : "",
                 row->parameter ? row->parameter : "");
        fprintf(stream, "%-16s%s\n", name, row->summary);
    }
}
