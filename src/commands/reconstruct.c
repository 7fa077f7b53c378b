/* The default command: reconstruct the picture, in a window or headless; `heal` and `clone`, which
 * do so inside a mask; and `convolve`, which is the same with filters. */
#include <math.h>
#include <unistd.h>

#include "base/team.h"
#include "base/text.h"
#include "commands/commands.h"
#include "view/view.h"

/* ---- without a window: if an input fails the others go on, unless all would fail ---- */

enum { MOST_WARNINGS = 10 }; /* of a list: one a line */
enum outcome { DONE, MISSED /* by a check: REC_NO */, PASSED, STOPPED, IN_USE, FAILED, OUTCOMES };

struct tally {
    const rec_jobs *jobs;
    rec_progress progress;
    size_t count[OUTCOMES], all;
    rec_status verdict;       /* REC_NO if a check failed, now or in an earlier run */
    size_t first;             /* index of the first FAILED */
    rec_status first_status;  /* its status; REC_OK: there is none */
    rec_error error;          /* of a single input, for main to print */
    size_t refused;           /* with REC_USAGE */
    size_t warned;            /* pictures that were cut off */
    size_t largest;           /* samples of the largest input that was solved */
    int ended;                /* the others are left untouched */
};

static void count_failure(struct tally *tally, const rec_item *item)
{
    const int stopped = item->status == REC_STOPPED || item->status == REC_SIGNALLED;
    const enum outcome outcome = item->status == REC_NO       ? MISSED
                                 : stopped                    ? STOPPED
                                 : item->status == REC_IN_USE ? IN_USE
                                                              : FAILED;
    tally->count[outcome]++;
    if (outcome == FAILED && (!tally->first_status || item->index < tally->first)) {
        tally->first = item->index;
        tally->first_status = item->status;
    }
    /* A start or a journal that cannot be read or written fails every input. */
    const int again = !strcmp(tally->error.message, item->error.message) || tally->ended ||
                      (item->status == REC_USAGE && tally->refused++ >= MOST_WARNINGS);
    tally->error = item->error;
    /* The others would fail as well: a device or the outputs' folder is gone, the disk is full,
     * another run has the journal, memory is short for a size that fitted before. */
    const rec_settings *settings = tally->jobs->settings;
    const size_t samples = item->job ? item->job->held : 0; /* 0: none were read */
    tally->ended |= (item->status == REC_UNAVAILABLE && samples) ||
                    (item->status == REC_IO && item->solved) ||
                    (outcome == IN_USE && rec_journal_check(tally->jobs->journal, NULL)) ||
                    (item->status == REC_NO_OUTPUT && settings->output &&
                     settings->output_is_folder && access(settings->output, W_OK)) ||
                    (item->status == REC_LIMIT && samples && samples <= tally->largest);
    if (!settings->list)
        return;
    rec_progress_end(&tally->progress);
    if (item->error.message[0] && !again)
        fprintf(stderr, "reconstruct: %s%s\n", item->error.message,
                tally->ended && tally->all + 1 < tally->jobs->count
                    ? "; the remaining inputs are not processed" : "");
}

/* Not hidden by -q: such a picture may be mistaken for a correct one. The last line counts all. */
static void warn(struct tally *tally, const rec_job *job)
{
    const rec_survey *survey = &job->report.written.survey;
    char doubt[REC_DOUBT_TEXT];
    const double percent = 100 * (double)job->report.written.clipped / (double)survey->samples;
    const int edits = job->settings->edit.kind != REC_EDIT_NONE;
    const int one = edits && job->report.written.clipped == 1;
    if (!(percent >= 0.1 || (edits && percent > 0)) || tally->warned++ >= MOST_WARNINGS)
        return;
    rec_progress_end(&tally->progress);
    fputs("warning: ", stderr);
    if (job->settings->list)
        rec_say(stderr, "%s: ", job->name);
    if (edits)
        fprintf(stderr, "%zu sample%s", job->report.written.clipped, one ? "" : "s");
    else
        fprintf(stderr, "%s%.*f%% of the pixels",
                percent < 50 ? "" : "almost nothing is visible: ", percent < 1, percent);
    fprintf(stderr, " lie%s outside 0..%u (%.6g to %.6g) and %s cut off; ", one ? "s" : "",
            job->writing.maxval, round(survey->low) + 0.0, round(survey->high) + 0.0,
            one ? "was" : "were");
    if (*rec_job_doubt(job, doubt)) {
        rec_say(stderr, "%s\n", doubt);
    } else if (edits) {
        fputs("PFM keeps them\n", stderr);
    } else if (survey->low > -0.5f && survey->high < 65535.5f) {
        rec_write_options wider = job->settings->writing;
        wider.maxval = (unsigned)ceilf(survey->high);
        if (rec_write_check(job->output, 0, &wider, NULL))
            wider.maxval = 65535; /* of PNG */
        if (rec_write_check(job->output, 0, &wider, NULL))
            fputs("PNG keeps them with --maxval 65535\n", stderr);
        else
            fprintf(stderr, "--maxval %u keeps them\n", wider.maxval);
    } else
        fputs("--tone stretch keeps them\n", stderr);
}

static void collect(struct tally *tally, const rec_item *item)
{
    if (item->job)
        warn(tally, item->job);
    const rec_settings *settings = tally->jobs->settings;
    const char *output = item->job ? item->job->report.output : NULL;
    if (output && settings->progress && !settings->list && !settings->makes_edges &&
        rec_path_descriptor(output) < 0)
        rec_say(stderr, "written to %s\n", output);
    if (item->status && !item->passed)
        count_failure(tally, item);
    else
        tally->count[item->passed ? PASSED : DONE]++;
    if (item->status == REC_NO)
        tally->verdict = REC_NO;
    if (!item->status && item->job)
        tally->largest = rec_larger(tally->largest, item->job->held);
    tally->all++;
}

static void print_tally(const struct tally *tally)
{
    const rec_settings *settings = tally->jobs->settings;
    static const char *const words[] = {NULL, "of them did not pass the check", "done before",
                                        "stopped", "in use by another run", "failed"};
    const size_t *count = tally->count;
    if (settings->list && tally->warned)
        fprintf(stderr, "warning: pixels were cut off in %zu of %zu pictures\n", tally->warned,
                tally->all);
    if (!settings->progress || !settings->list)
        return;
    fprintf(stderr, "%zu %s", count[DONE] + count[MISSED], settings->output ? "written" : "done");
    for (size_t i = MISSED; i < OUTCOMES; i++)
        if (count[i])
            fprintf(stderr, ", %zu %s", count[i], words[i]);
    if (count[MISSED] + count[STOPPED] + count[FAILED] && settings->report &&
        rec_path_descriptor(settings->report) < 0)
        rec_say(stderr, " (see %s)", settings->report);
    fputc('\n', stderr);
}

static int count_item(void *user, const rec_item *item)
{
    struct tally *tally = user;
    if (item)
        collect(tally, item);
    rec_journal_renew(tally->jobs->journal);
    rec_progress_count(&tally->progress, tally->all,
                       tally->all - tally->count[DONE] - tally->count[MISSED]);
    return tally->ended || rec_signal_received;
}

/* Runs the jobs without a window; returns the exit code for all of them. */
static rec_status run_headless(rec_jobs *jobs, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    struct tally tally = {.jobs = jobs};
    if (settings->threads)
        rec_team_limit(settings->threads);
    const size_t threads = settings->threads ? settings->threads : rec_team_size() + 1;
    tally.progress = rec_progress_begin(settings->progress, settings->list ? jobs->count : 0);
    REC_TRY(rec_jobs_run(jobs, threads, &tally.progress, count_item, &tally, error));
    rec_progress_end(&tally.progress);
    print_tally(&tally);
    /* The exit code of the whole list, and the message that main prints. */
    rec_status status = tally.first_status               ? tally.first_status
                        : !tally.count[IN_USE]           ? tally.verdict
                        : tally.ended || !settings->list ? REC_IN_USE
                                                         : REC_STOPPED; /* and can go on */
    *error = tally.error;
    if (settings->list)
        *error = (rec_error){.status = status};
    if (rec_signal_received && tally.all < jobs->count && !tally.count[STOPPED])
        status = rec_fail(error, REC_SIGNALLED, "stopped by a signal after %zu of %zu inputs",
                          tally.all, jobs->count);
    if (tally.count[STOPPED])
        status = REC_SIGNALLED;
    return status ? status : rec_journal_unlock(jobs->journal, error);
}

/* ---- the command ---- */

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
                    REC_HAVE_SDL
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
        settings->headless ? run_headless(&jobs, error) : rec_view_show(&jobs, error);
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
