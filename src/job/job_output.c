/* What a job writes: the frames of its film on the way, and its result at the end. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "job/jobs.h"

/* ---- its film ---- */

/* 0, 1, 2, ... 10, 11, 13, 15, 17, 19, 21, 24, ...: some 24 frames a decade. They are so few that
 * they are counted from the start each time. *number: that of the frame found. */
static uint64_t spaced_from(uint64_t iteration, uint64_t *number)
{
    uint64_t at = 0;
    for (*number = 1; at < iteration; ++*number) {
        const uint64_t tenth = at / 10 + (at % 10 > 0), step = tenth ? tenth : 1;
        if (step > UINT64_MAX - at)
            return UINT64_MAX;
        at += step;
    }
    return at;
}

uint64_t rec_film_next(const rec_film *film, uint64_t iteration, uint64_t *number)
{
    const uint64_t least = iteration > film->next ? iteration : film->next;
    *number = 0;
    if (least == UINT64_MAX)
        return least;
    if (!film->every)
        return spaced_from(least, number);
    const uint64_t before = least / film->every + (least % film->every > 0);
    *number = before + 1;
    return before <= UINT64_MAX / film->every ? before * film->every : UINT64_MAX;
}

static char *frame_path(const rec_job *job, uint64_t number)
{
    char *path;
    const char *ending = rec_output_ending(job->settings->writing.format, job->report.planes);
    return asprintf(&path, "%s-%06" PRIu64 ".%s", job->film.prefix, number, ending) < 0 ? NULL
                                                                                       : path;
}

void rec_job_print_film(const rec_job *job, const rec_film *film)
{
    const uint64_t count = film->last - film->first + 1;
    rec_owned char *first = frame_path(job, film->first), *behind = frame_path(job, film->last + 1);
    if (!film->first || !first)
        return;
    rec_say(stderr, "%s: %" PRIu64 " frame%s, %s to %06" PRIu64, job->name, count,
            rec_plural(count), first, film->last);
    if (behind && !access(behind, F_OK))
        fputs("; later frames there are from another run", stderr);
    fputc('\n', stderr);
}

/* The run's current iterate; reading it back is timed by the run. */
static rec_status write_frame(rec_job *job, uint64_t number, rec_error *error)
{
    rec_owned_image image = {0};
    rec_owned char *path = frame_path(job, number);
    if (!path)
        return rec_fail(error, REC_LIMIT, "out of memory for a file name");
    REC_TRY(rec_run_read_image(job->run, &image, error));
    const double before = rec_now();
    /* An output of its input is another file. */
    rec_claim claim = rec_job_claim(job, job->film.prefix);
    rec_write_options writing = job->writing;
    writing.guard = &claim.guard;
    const rec_status status = rec_image_write(path, &image, &writing, error);
    job->save_seconds += rec_now() - before;
    return status;
}

rec_status rec_job_between_batches(rec_job *job, rec_error *error)
{
    rec_film *film = &job->film;
    const uint64_t iteration = rec_run_get_state(job->run)->iterations;
    rec_lock_renew(job->lock);
    rec_journal_renew(job->jobs->journal);
    uint64_t number;
    if (rec_film_next(film, iteration, &number) != iteration)
        return REC_OK;
    const rec_status status = write_frame(job, number, error);
    if (status == REC_SIGNALLED) /* the run ends with its checkpoint, if there is one */
        return REC_OK;
    REC_TRY(status);
    film->next = iteration + 1;
    film->last = number;
    if (!film->first)
        film->first = number;
    return REC_OK;
}

rec_status rec_job_write_frames(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    for (size_t i = 0; i < settings->frames_count; i++) {
        if (rec_is_stopped())
            return rec_fail(error, REC_SIGNALLED, "%s: stopped by a signal after %zu of %zu frames",
                            job->name, i, settings->frames_count);
        REC_TRY(rec_solver_jump(rec_run_solver(job->run), settings->frames_at[i], error));
        REC_TRY(write_frame(job, i + 1, error));
    }
    if (settings->progress)
        rec_job_print_film(job, &(rec_film){.first = 1, .last = settings->frames_count});
    return REC_OK;
}

/* ---- its result ---- */

rec_status rec_job_read_result(rec_job *job, rec_error *error)
{
    rec_status status = REC_OK;
    if (rec_job_fills(job)) {
        if (job->output || !job->run)
            status = rec_job_fill(job, NULL, job->output ? &job->result : NULL, error);
    } else if (job->output && job->report.info.in_place) {
        job->result = job->loaded;
        job->loaded = (rec_image){0};
    } else if (job->output) {
        status = rec_run_read_image(job->run, &job->result, error);
        if (!status && job->edit)
            rec_edit_restore(job->edit, &job->result);
    }
    if (job->run)
        job->report.state = *rec_run_get_state(job->run);
    if (status || !job->settings->run.problem.operators || !job->result.data ||
        isfinite(rec_image_largest(&job->result)))
        return status;
    rec_image_destroy(&job->result);
    const int inverse = job->settings->run.problem.operators->is_inverse;
    return rec_fail(error, REC_BAD_INPUT, "%s: the result is not finite: each iteration makes it "
                    "larger\vtake fewer (-n), or %s", job->name,
                    inverse ? "a smaller --omega" : "--normalise");
}

const char *rec_job_doubt(const rec_job *job, char text[REC_DOUBT_TEXT])
{
    static const char *const doubts[] = {
        [REC_DOUBT_NONE] = "",
        [REC_DOUBT_PICTURE] = "this is a picture, not edges: ",
        [REC_DOUBT_UNSIGNED] = "edges without sign cannot be rebuilt; if this is a picture, ",
        [REC_DOUBT_LEVEL] = "the mean of the edges is far from 0: they need another --zero-level",
    };
    const rec_operator *operators = job->settings->run.problem.operators;
    const char *doubt = doubts[job->doubt];
    if (rec_job_is_lossy(job))
        doubt = "edges do not survive JPEG; if this is a picture, ";
    else if (job->doubt && operators && !rec_stencil_loses_mean(&operators->stencil))
        doubt = job->info.zero_level > 0
                    ? "this looks like a picture; one that a filter made needs --zero-level 0"
                    : "";
    const int goes_on = *doubt && doubt[strlen(doubt) - 1] == ' ';
    snprintf(text, REC_DOUBT_TEXT, "%s%s", doubt,
             !goes_on                  ? ""
             : job->settings->headless ? "--picture takes its edges"
                                       : "e takes its edges");
    return text;
}

int rec_job_is_lossy(const rec_job *job)
{
    return job->reading.role == REC_EDGES && job->info.format && job->info.format->lossy;
}

/* Keeps the work in the checkpoint when the output failed, and says so in the message. Returns the
 * status; REC_STOPPED instead of REC_SIGNALLED if the checkpoint was written. */
static rec_status keep_work(const rec_job *job, rec_error *error)
{
    const rec_error failure = *error;
    rec_error ignored;
    if (!job->checkpoint || job->settings->run.solver->jumps ||
        rec_lock_check(job->lock, NULL) ||
        rec_checkpoint_write(job->checkpoint, &job->report.state, job->identity, &job->result,
                             &ignored))
        return failure.status;
    return rec_fail(error, failure.status == REC_SIGNALLED ? REC_STOPPED : failure.status,
                    "%.700s; the work is kept in %s, the same command continues from there",
                    failure.message, job->checkpoint);
}

rec_status rec_job_write(rec_job *job, rec_error *error)
{
    const double before = rec_now();
    rec_write_options writing = job->writing;
    rec_status status = REC_OK;
    rec_claim claim = rec_job_claim(job, job->input);
    char doubt[REC_DOUBT_TEXT], advice[REC_DOUBT_TEXT + 32];
    if (job->settings->headless && !job->settings->force &&
        !(job->settings->edit.kind && rec_has_tones(job->origin.format)) &&
        job->report.state.stop == REC_STOP_LIMIT) { /* an iterate may be on its way */
        snprintf(advice, sizeof advice, "%s; --force writes it", *rec_job_doubt(job, doubt) ? doubt
                 : job->edit ? "TIFF, NumPy and PFM hold any value"
                 : rec_job_reads_picture(job) ? "--maxval 65535 or --tone stretch keeps more"
                 : "--maxval 65535 or --tone stretch keeps more; --picture takes a picture's "
                   "edges");
        writing.if_cut = advice;
    }
    claim.guard.mark = &job->report.output_file;
    writing.guard = &claim.guard;
    writing.written = writing.exact ? NULL : &job->report.written; /* nothing is cut off */
    if (job->settings->edit.kind && !job->settings->report && rec_has_tones(job->origin.format) &&
        job->extras.maxval <= writing.maxval) /* nobody asks for the range */
        writing.alone = &rec_edit_mask(job->edit)->box;
    const int written = job->result.data || job->puts;
    if (job->puts)
        status = rec_job_put(job, &writing, error);
    else if (job->result.data)
        status = rec_image_write(job->output, &job->result, &writing, error);
    if (status) {
        job->report.written = (rec_written){0};
        status = keep_work(job, error);
    } else {
        if (written) {
            job->report.output = job->output;
            rec_written_print(job->output, &job->report.written,
                              job->settings->progress && !job->settings->list);
        }
        if (job->checkpoint)
            rec_checkpoint_remove(job->checkpoint, job->identity);
        if (job->settings->headless) /* before its line in the journal: a kill leaves nothing */
            status = rec_lock_release(&job->lock, error);
    }
    rec_image_destroy(&job->result);
    job->save_seconds += rec_now() - before;
    return status;
}

rec_status rec_job_save(rec_job *job, rec_error *error)
{
    const rec_status status = rec_job_read_result(job, error);
    return status ? status : rec_job_write(job, error);
}

rec_status rec_job_interrupt(rec_job *job, rec_error *error)
{
    const unsigned long long iterations = rec_run_get_state(job->run)->iterations;
    if (!job->checkpoint)
        return rec_fail(error, REC_SIGNALLED, "%s: stopped by a signal after %llu iteration%s; "
                        "nothing was written (--checkpoint keeps the work)", job->name, iterations,
                        rec_plural(iterations));
    REC_TRY(rec_run_save_checkpoint(job->run, error));
    return rec_fail(error, REC_STOPPED, "%s: stopped by a signal after %llu iteration%s; the "
                    "checkpoint %s is written, the same command continues from there", job->name,
                    iterations, rec_plural(iterations), job->checkpoint);
}
