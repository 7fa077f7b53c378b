/* Creates and destroys a job, with the paths of its files, none of which may be its own input. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "job/parts.h"

/* An input that was dropped on the window has files only in folders: a file that is named on the
 * command line belongs to the first input. */
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

/* No file that is read is written, and the files that are written differ. */
static rec_status check_files(const rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const char *const read[] = {job->input, settings->start_file, job->original_path};
    char *outputs[2] = {NULL}; /* of a grey picture, and of one in colour */
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < 2 && (job->output || settings->output_is_folder); i++)
        status = rec_output_path(settings, job->stem, 2 * i + 1, &outputs[i], error);
    const char *const written[] = {outputs[0], outputs[1], settings->report, job->checkpoint};
    for (size_t i = 0; !status && i < sizeof written / sizeof *written; i++) {
        for (size_t j = 0; !status && j < sizeof read / sizeof *read; j++)
            if (written[i] && read[j] && rec_path_is_one_file(written[i], read[j]))
                status = rec_fail(error, REC_USAGE, "%s is input and output; use another output",
                                  written[i]);
        for (size_t j = 0; !status && i > 1 && j < i; j++)
            if (written[i] && written[j] && rec_path_is_one_file(written[i], written[j]))
                status = rec_fail(error, REC_USAGE,
                                  "%s and %s are the same file; output, checkpoint and report "
                                  "need different files", written[j], written[i]);
    }
    free(outputs[0]);
    free(outputs[1]);
    return status;
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
        status = check_files(job, error);
    if (status)
        rec_job_destroy(job);
    else
        *made = job;
    return status;
}
