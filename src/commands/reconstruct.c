/* The default command: reconstruct the picture, in a window or headless. */
#include "base/ranks.h"
#include "commands/commands.h"
#include "commands/run_settings.h"
#include "run/signals.h"
#include "view/view.h"

/* A window may be opened without an input, which is dropped on it later. */
static rec_status check_place(const command_line *line, int headless, rec_error *error)
{
    if (rec_ranks_count() > 1 && (!headless || line->operand_count != 1 ||
                                  line->option[OPTION_FILES_FROM].given))
        return rec_fail(error, REC_USAGE,
                        "%zu ranks share one image: --headless and one input; a list is done in "
                        "shards by as many tasks of reconstruct", rec_ranks_count());
    const int window = !headless && rec_view_has_display();
    if (window || (headless && (line->operand_count || line->option[OPTION_FILES_FROM].given)))
        return REC_OK;
    if (!line->operand_count)
        return rec_fail(error, REC_USAGE, "no input: name an edge image");
    return rec_fail(error, REC_UNAVAILABLE,
                    rec_view_available()
                        ? "no display for a window; use --headless"
                        : "this build has no window (SDL2); use --headless");
}

static rec_status show(rec_jobs *jobs, rec_error *error)
{
    const rec_status status = rec_view_show(jobs, error);
    return !status && rec_signal_received ? rec_fail(error, REC_SIGNALLED, "stopped by a signal")
                                          : status;
}

rec_status command_run(const command_line *line, rec_error *error)
{
    rec_settings settings;
    rec_jobs jobs;
    rec_names names = {0};
    rec_status status =
        line->operand_count ? command_refuse_misspelled(line->operands[0], error) : REC_OK;
    if (!status)
        status = check_place(line, line->option[OPTION_HEADLESS].given, error);
    if (!status)
        status = settings_parse(&settings, line, error);
    if (status)
        return status;
    if (settings.files_from) {
        const char end = line->option[OPTION_NULL].given ? 0 : '\n';
        status = rec_names_read(&names, settings.files_from, end, error);
    } else {
        names = (rec_names){.at = line->operands, .count = line->operand_count};
    }
    if (!status)
        status = rec_jobs_make(&jobs, &settings, names.at, names.count, error);
    if (settings.files_from)
        rec_names_free(&names);
    if (!status) {
        /* What needs the whole image is done by the first rank. */
        if (settings.reading.shared || !rec_ranks_own())
            status = settings.headless ? headless_run(&jobs, error) : show(&jobs, error);
        const rec_error failure = *error;
        if (status == REC_LIMIT && !settings.reading.shared && rec_ranks_count() > 1)
            status = rec_fail(error, status, "%.900s; -n N makes an iterate that all ranks share",
                              failure.message);
        rec_jobs_destroy(&jobs);
    }
    settings_destroy(&settings);
    return status;
}
