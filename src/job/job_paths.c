/* The files of one job: where they are, and that none of them is its own input. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "job/parts.h"

rec_status rec_output_path(const rec_settings *settings, const char *stem, size_t planes,
                           char **path, rec_error *error)
{
    return settings->output_is_folder
               ? rec_path_join(path, settings->output, stem,
                               rec_output_ending(settings->writing.format, planes), error)
               : rec_path_copy(path, settings->output, error);
}

rec_status rec_jobs_checkpoint(const rec_jobs *jobs, size_t number, char **path,
                               rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    *path = NULL;
    if (!settings->checkpoint)
        return REC_OK;
    return settings->checkpoint_is_folder
               ? rec_path_join(path, settings->checkpoint, jobs->stems[number], "checkpoint",
                               error)
               : rec_path_copy(path, settings->checkpoint, error);
}

/* What was dropped on the window has files in folders only: a file that is named is the first
 * input's. */
static rec_status set_paths(rec_job *job, const rec_jobs *jobs, size_t number, int dropped,
                            rec_error *error)
{
    const rec_settings *settings = job->settings;
    rec_status status = REC_OK;
    if (settings->output && !settings->output_is_folder && !dropped)
        status = rec_path_copy(&job->output, settings->output, error);
    if (!status && (settings->checkpoint_is_folder || !dropped))
        status = rec_jobs_checkpoint(jobs, number, &job->checkpoint, error);
    if (!status && settings->film)
        status = rec_path_join(&job->film.prefix, settings->film, job->stem, NULL, error);
    if (!status && settings->original)
        status = rec_original_find(job, &job->original_path, error);
    return status;
}

/* Nothing that is read must be written to. */
static rec_status check_written(const rec_job *job, const char *written, rec_error *error)
{
    const rec_settings *settings = job->settings;
    if (rec_path_is_one_file(written, job->input) ||
        (settings->start_file && rec_path_is_one_file(written, settings->start_file)) ||
        (job->original_path && rec_path_is_one_file(written, job->original_path)))
        return rec_fail(error, REC_USAGE, "%s is input and output; use another output", written);
    return REC_OK;
}

static rec_status check_outputs(const rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const char *report = settings->report;
    const int writes = settings->output && (job->output || settings->output_is_folder);
    rec_status status = report ? check_written(job, report, error) : REC_OK;
    for (size_t planes = 1; !status && writes && planes <= 3; planes += 2) {
        char *path;
        status = rec_output_path(settings, job->stem, planes, &path, error);
        if (!status)
            status = check_written(job, path, error);
        free(path);
    }
    return status;
}

/* Output, report and checkpoint are three files. */
static rec_status check_distinct(const rec_job *job, rec_error *error)
{
    const char *names[] = {job->output, job->checkpoint, job->settings->report};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < i; j++)
            if (names[i] && names[j] && rec_path_is_one_file(names[i], names[j]))
                return rec_fail(error, REC_USAGE,
                                "%s and %s are the same file; output, checkpoint and report "
                                "need different files", names[j], names[i]);
    return REC_OK;
}

void rec_job_destroy(rec_job *job)
{
    if (!job)
        return;
    rec_job_close(job);
    rec_job_unlock(job);
    rec_problem_drop(job);
    rec_image_destroy(&job->result);
    free(job->output);
    free(job->checkpoint);
    free(job->film.prefix);
    free(job->original_path);
    free(job);
}

rec_status rec_job_create(rec_job **made, rec_jobs *jobs, size_t number, int dropped,
                          rec_error *error)
{
    rec_job *job = calloc(1, sizeof *job);
    *made = NULL;
    if (!job)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", jobs->names[number]);
    job->settings = jobs->settings;
    job->warmup = &jobs->warmup;
    job->begin = rec_now();
    job->report.input = job->input = jobs->names[number];
    job->stem = jobs->stems[number];
    rec_status status = set_paths(job, jobs, number, dropped, error);
    if (!status)
        status = check_outputs(job, error);
    if (!status)
        status = check_distinct(job, error);
    if (status)
        rec_job_destroy(job);
    else
        *made = job;
    return status;
}
