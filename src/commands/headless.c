/* The run command without a window: each input from file to file, one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/output.h"
#include "commands/commands.h"
#include "commands/run_settings.h"
#include "run/progress.h"
#include "run/signals.h"

/* A batch of K, or to the next frame where that is nearer. */
static rec_status step(rec_job *job, rec_error *error)
{
    const uint64_t done = rec_run_get_state(job->run)->iterations;
    const uint64_t frame = rec_film_next(&job->film, done + 1) - done;
    const uint64_t batch = rec_run_batch(job->run);
    const rec_status status = rec_run_step(job->run, frame < batch ? frame : 0, 0, error);
    return status ? rec_fail_in(error, job->input) : REC_OK;
}

static rec_status iterate(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const rec_run_state *state = rec_run_get_state(job->run);
    rec_progress progress = rec_progress_begin(settings->progress, job->input,
                                               settings->run.iterations, settings->run.tolerance);
    rec_status status = rec_job_record(job, error);
    while (!status && !state->stop) {
        rec_progress_update(&progress, state);
        status = step(job, error);
        if (!status)
            status = rec_job_record(job, error);
    }
    rec_progress_end(&progress);
    if (!status && settings->progress)
        rec_film_print(&job->film, settings->progress, job->input);
    return status;
}

/* What a person wants to know at the end, in one line. */
static void print_summary(const rec_job *job)
{
    const rec_run_state *state = rec_run_get_state(job->run);
    char rate[32];
    if (!job->settings->progress)
        return;
    fprintf(stderr, "%s: ", job->input);
    if (state->stop == REC_STOP_LIMIT)
        fputs("the limit", stderr);
    else
        fprintf(stderr, "%llu iterations", (unsigned long long)state->iterations);
    if (isnan(state->updates_per_second))
        fprintf(stderr, " in %.3g s", state->seconds.iterate);
    else
        fprintf(stderr, ", %s updates/s", rec_format_rate(rate, state->updates_per_second));
    fprintf(stderr, " on %s (%s, %s)", job->report.info.device, job->report.info.solver,
            job->report.info.kernel);
    if (state->stop == REC_STOP_STANDSTILL && state->look.alternating)
        fprintf(stderr, "; standstill: %zu pixels alternate between two values",
                state->look.alternating);
    else if (state->stop == REC_STOP_STANDSTILL)
        fputs("; standstill: no pixel changes", stderr);
    if (!isnan(state->look.distance_rms))
        fprintf(stderr, "; at most %.3g grey levels RMS from the limit", state->look.distance_rms);
    const rec_difference *difference = job->report.reference;
    if (difference && !difference->differing)
        fprintf(stderr, "; equal to %s, bit for bit", job->original_path);
    else if (difference)
        fprintf(stderr, "; %.3g grey levels RMS from %s, PSNR %.2f dB", difference->rms,
                job->original_path, difference->psnr);
    fputc('\n', stderr);
}

static rec_status judge_tolerance(const rec_job *job, rec_error *error)
{
    const rec_run_state *state = rec_run_get_state(job->run);
    const double tolerance = job->settings->run.tolerance;
    if (!(tolerance > 0) || state->stop == REC_STOP_TOLERANCE ||
        (state->stop == REC_STOP_LIMIT && state->look.distance_rms <= tolerance))
        return REC_OK;
    if (state->stop == REC_STOP_STANDSTILL)
        return rec_fail(error, REC_NO,
                        "%s: standstill %.3g grey levels from the limit, the tolerance is %.3g; "
                        "float32 comes no closer; --solver spectral without -n and -t gives the "
                        "limit itself",
                        job->input, state->look.distance_rms, tolerance);
    return rec_fail(error, REC_NO,
                    "%s: %.3g grey levels from the limit after %llu iterations, the tolerance is "
                    "%.3g; more iterations come closer", job->input, state->look.distance_rms,
                    (unsigned long long)state->iterations, tolerance);
}

static rec_status compare(rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    rec_status status = rec_job_compare(job, error);
    if (status)
        return status;
    /* Data on stdout has the right of way. */
    const int taken = (settings->output && !strcmp(settings->output, "-")) ||
                      (settings->report && !strcmp(settings->report, "-"));
    FILE *stream = taken ? stderr : stdout;
    const rec_comparison *comparison = &job->comparison;
    const int limit = settings->against == REC_AGAINST_LIMIT;
    const char *other = limit ? "the limit" : "reference";
    fprintf(stream, "%s, %llu iterations: ", job->input,
            (unsigned long long)rec_run_get_state(job->run)->iterations);
    print_difference(stream, &comparison->difference, job->report.info.solver, other);
    fprintf(stream, "%s %.4g s, %s %.4g s, ratio %.3g\n", job->report.info.solver,
            comparison->solver_seconds, other, comparison->reference_seconds,
            comparison->reference_seconds / comparison->solver_seconds);
    /* How far an iterate is from the limit is a number, not a question of right or wrong. */
    if (!limit || settings->tolerates)
        status = judge_difference(&comparison->difference, settings->tolerates,
                                  settings->max_difference, error);
    if (status)
        rec_fail_in(error, job->input);
    return status;
}

static rec_status run_job(rec_job *job, rec_error *error)
{
    rec_status status = rec_job_open(job, 0, error);
    if (!status && job->was_done) {
        if (job->settings->progress)
            fprintf(stderr, "%s: %s was written by an earlier run\n", job->input, job->output);
        job->report.finished_before = 1;
        return REC_OK;
    }
    if (!status && job->settings->progress)
        print_input_notes(job->input, &job->info);
    if (!status && job->settings->frames == REC_FRAMES_AT)
        status = rec_job_write_frames(job, error);
    if (!status)
        status = iterate(job, error);
    if (!status && rec_run_get_state(job->run)->stop == REC_STOP_SIGNAL)
        return rec_job_interrupt(job, error);
    if (!status && job->original_path)
        status = rec_job_measure(job, error);
    if (!status)
        print_summary(job);
    if (!status)
        status = rec_job_save(job, error);
    if (!status && job->settings->against)
        status = compare(job, error);
    if (!status)
        status = judge_tolerance(job, error);
    return status;
}

static rec_status write_report(const rec_jobs *jobs, size_t count, const char *path,
                               rec_error *error)
{
    rec_output *output;
    const rec_status status = rec_output_open(&output, path, error);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        rec_report_write(rec_output_stream(output), &jobs->at[i]->report);
    return rec_output_commit(output, error);
}

/* Every input on its own: one that fails is reported, the rest go on, the first failure is the exit
 * code. A signal ends the whole. */
rec_status headless_run(rec_jobs *jobs, rec_error *error)
{
    const size_t count = jobs->count;
    rec_status first = REC_OK;
    char **messages = calloc(count, sizeof *messages);
    if (!messages)
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count);
    size_t done = 0;
    for (; done < count; done++) {
        rec_job *job = jobs->at[done];
        rec_error failure = {0};
        if (done)
            job->begin = rec_now();
        rec_status status = rec_signal_received
                                ? rec_fail(&failure, job->checkpoint ? REC_STOPPED : REC_SIGNALLED,
                                           "stopped by a signal before %s", job->input)
                                : run_job(job, &failure);
        rec_job_close(job);
        job->report.status = status;
        if (!status)
            continue;
        messages[done] = strdup(failure.message);
        job->report.message = messages[done];
        if (first)
            fprintf(stderr, "reconstruct: %s\n", error->message);
        if (!first || status == REC_STOPPED || status == REC_SIGNALLED)
            first = status;
        *error = failure;
        if (status == REC_STOPPED || status == REC_SIGNALLED) {
            done++;
            break;
        }
    }
    if (!first)
        rec_jobs_forget_done(jobs);
    const char *report = jobs->settings->report;
    rec_error failure = {0};
    const rec_status written =
        report ? write_report(jobs, done, report, &failure) : REC_OK;
    if (written && first)
        fprintf(stderr, "reconstruct: %s\n", error->message);
    if (written) {
        *error = failure;
        first = first ? first : written;
    }
    for (size_t i = 0; i < count; i++)
        free(messages[i]);
    free(messages);
    return first;
}
