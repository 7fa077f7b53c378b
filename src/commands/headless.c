/* The run command without a window, for a list of inputs or for one. An input that fails is
 * reported and the others continue, unless the failure would meet all of them. */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "base/text.h"
#include "commands/commands.h"

enum { MOST_WARNINGS = 10 }; /* of a list: one a line */

typedef struct tally {
    const rec_jobs *jobs;
    rec_progress progress;
    size_t done, passed, failed;
    size_t no, interrupted;   /* of the failed: by a check (REC_NO), and by a signal */
    rec_status verdict;       /* REC_NO if a check failed, now or in an earlier run */
    rec_status stopped;       /* the status of the interrupted */
    size_t first;             /* index of the first other failure */
    rec_status first_status;  /* its status; REC_OK: there is none */
    rec_error error;          /* of a single input, for main to print */
    size_t warned;            /* pictures that were cut off */
    size_t solved;            /* inputs that were begun here, one after the other */
    size_t largest;           /* samples of the largest input that was solved */
    int ended;                /* the others are left untouched */
} tally;

/* Whether the other inputs would fail as well: a device that is gone, a full disk, met by a frame,
 * a checkpoint, an output or the journal, memory that is short for a size that fitted before. */
static int ends_all(const tally *of, const rec_item *item)
{
    return (item->status == REC_UNAVAILABLE && item->samples) ||
           (item->status == REC_IO && item->solved) ||
           (item->status == REC_LIMIT && item->samples && item->samples <= of->largest);
}

static void take_failure(tally *of, const rec_item *item)
{
    of->failed++;
    of->no += item->status == REC_NO;
    if (item->status == REC_NO)
        of->verdict = REC_NO;
    else if (item->status == REC_STOPPED || item->status == REC_SIGNALLED) {
        of->stopped = item->status;
        of->interrupted++;
    } else if (!of->first_status || item->index < of->first) {
        of->first = item->index;
        of->first_status = item->status;
    }
    /* A start or a journal that cannot be read or written fails every input. */
    const int again = !strcmp(of->error.message, item->error.message);
    of->error = item->error;
    of->ended |= ends_all(of, item);
    if (!of->jobs->settings->list)
        return;
    rec_progress_end(&of->progress);
    if (item->error.message[0] && !again)
        fprintf(stderr, "reconstruct: %s%s\n", item->error.message,
                of->ended && of->done + 1 < of->jobs->count
                    ? "; the remaining inputs are left untouched" : "");
}

/* Such a picture may be mistaken for a correct one, so -q does not hide this. The last line counts
 * them all. */
static void warn(tally *of, const rec_job *job)
{
    const rec_survey *survey = &job->report.written.survey;
    const double percent = 100 * (double)job->report.written.clipped / (double)survey->samples;
    if (!(percent >= 0.1) || of->warned++ >= MOST_WARNINGS)
        return;
    rec_progress_end(&of->progress);
    fputs("warning: ", stderr);
    if (job->settings->list)
        rec_say(stderr, "%s: ", rec_input_name(job->input));
    fprintf(stderr, "%.*f%% of the pixels lie outside 0..%u (%.6g to %.6g) and were cut off; ",
            percent < 1, percent, job->settings->writing.maxval, round(survey->low) + 0.0,
            round(survey->high) + 0.0);
    if (survey->low > -0.5f && survey->high < 65535.5f) {
        rec_write_options wider = job->settings->writing;
        wider.maxval = (unsigned)ceilf(survey->high);
        if (rec_write_check(job->output, 0, &wider, NULL))
            wider.maxval = 65535; /* of PNG */
        fprintf(stderr, "--maxval %u keeps them\n", wider.maxval);
    } else
        fputs("--tone stretch keeps them\n", stderr);
}

static void collect(tally *of, const rec_item *item)
{
    of->passed += item->passed != 0;
    if (item->job)
        warn(of, item->job);
    if (item->status && !item->passed)
        take_failure(of, item);
    else if (item->status)
        of->verdict = REC_NO;
    if (!item->status && item->samples > of->largest)
        of->largest = item->samples;
    of->done++;
}

/* Returns 1 to stop the list. */
static int take(void *context, const rec_item *item)
{
    tally *of = context;
    if (item)
        collect(of, item);
    rec_progress_count(&of->progress, of->done, of->passed);
    return of->ended || rec_signal_received;
}

/* One of several at a time shows no progress. Of those one after the other the last may still be on
 * its way to the disk, but counts. */
static rec_status solve(void *context, rec_job *job, int others, rec_error *error)
{
    tally *of = context;
    rec_progress quiet = {0};
    if (others)
        return solve_job(job, &quiet, error);
    if (of->progress.done < of->solved)
        of->progress.done = of->solved;
    of->solved++;
    return solve_job(job, &of->progress, error);
}

static void print_tally(const tally *of)
{
    const rec_settings *settings = of->jobs->settings;
    if (settings->list && of->warned)
        fprintf(stderr, "warning: pixels were cut off in %zu of %zu pictures\n", of->warned,
                of->done);
    if (!settings->progress || !settings->list)
        return;
    fprintf(stderr, "%zu %s", of->done - of->passed - of->failed + of->no,
            settings->output ? "written" : "done");
    if (of->no)
        fprintf(stderr, ", %zu of them did not pass the check", of->no);
    if (of->passed)
        fprintf(stderr, ", %zu done before", of->passed);
    if (of->interrupted)
        fprintf(stderr, ", %zu stopped", of->interrupted);
    if (of->failed > of->no + of->interrupted)
        fprintf(stderr, ", %zu failed", of->failed - of->no - of->interrupted);
    if (of->failed && settings->report && strcmp(settings->report, "-"))
        rec_say(stderr, " (see %s)", settings->report);
    fputc('\n', stderr);
}

/* The exit code of the whole list, and the message that main prints. */
static rec_status conclude(const tally *of, rec_error *error)
{
    const rec_settings *settings = of->jobs->settings;
    rec_status status = of->first_status ? of->first_status : of->verdict;
    *error = of->error;
    if (settings->list)
        *error = (rec_error){.status = status};
    if (rec_signal_received && of->done < of->jobs->count && !of->stopped)
        status = rec_fail(error, settings->checkpoint || settings->resume ? REC_STOPPED
                                                                          : REC_SIGNALLED,
                          "stopped by a signal after %zu of %zu inputs", of->done,
                          of->jobs->count);
    if (of->stopped)
        status = settings->resume ? REC_STOPPED : of->stopped;
    return status;
}

rec_status headless_run(rec_jobs *jobs, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    tally of = {.jobs = jobs};
    const rec_pipeline_owner owner = {&of, solve, take};
    if (settings->threads)
        rec_team_limit(settings->threads);
    const size_t threads = settings->threads ? settings->threads : rec_team_size() + 1;
    of.progress = rec_progress_begin(settings->progress, settings->list ? jobs->count : 0);
    const rec_status status = rec_pipeline_run(jobs, threads, &owner, error);
    rec_progress_end(&of.progress);
    if (status)
        return status;
    print_tally(&of);
    return conclude(&of, error);
}
