/* From inputs to jobs: where each one's files go, and that none of them is in another's way. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/output.h"
#include "base/paths.h"
#include "job/problem.h"

/* ---- one job ---- */

static rec_status copy(char **copied, const char *text, rec_error *error)
{
    *copied = strdup(text);
    return *copied ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for a file name");
}

/* What was dropped on the window has files in folders only: a file that is named is the first
 * input's. */
static rec_status set_paths(rec_job *job, int dropped, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const char *stem = job->stem;
    rec_status status = REC_OK;
    job->output_needs_ending = settings->output && settings->output_is_folder;
    if (job->output_needs_ending)
        status = rec_path_join(&job->output, settings->output, stem, "", error);
    else if (settings->output && !dropped)
        status = copy(&job->output, settings->output, error);
    if (!status && settings->checkpoint && settings->list) {
        status = rec_path_join(&job->checkpoint, settings->checkpoint, stem, ".checkpoint", error);
        if (!status)
            status = rec_path_join(&job->done_path, settings->checkpoint, stem, ".finished", error);
    } else if (!status && settings->checkpoint && !dropped)
        status = copy(&job->checkpoint, settings->checkpoint, error);
    if (!status && settings->film)
        status = rec_path_join(&job->film_prefix, settings->film, stem, "-", error);
    if (!status && settings->original)
        status = rec_original_find(job, &job->original_path, error);
    return status;
}

static void destroy_job(rec_job *job)
{
    if (!job)
        return;
    rec_job_close(job);
    rec_problem_drop(job);
    free(job->input);
    free(job->stem);
    free(job->output);
    free(job->checkpoint);
    free(job->film_prefix);
    free(job->done_path);
    free(job->original_path);
    free(job);
}

static rec_status create_job(rec_job **made, rec_jobs *jobs, const char *input, int dropped,
                             rec_error *error)
{
    rec_job *job = calloc(1, sizeof *job);
    *made = job;
    if (!job)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", input);
    size_t length;
    const char *stem = rec_path_stem(strcmp(input, "-") ? input : "stdin", &length);
    job->settings = jobs->settings;
    job->warmup = &jobs->warmup;
    job->input = strdup(input);
    job->stem = strndup(stem, length);
    if (!job->input || !job->stem)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", input);
    job->report.input = job->input;
    job->begin = rec_now();
    return set_paths(job, dropped, error);
}

/* ---- files that are in the way of others ---- */

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

/* In a folder an input can only meet the output that has its own stem. */
static rec_status check_outputs_of(const rec_job *job, rec_error *error)
{
    const char *report = job->settings->report;
    rec_status status = report ? check_written(job, report, error) : REC_OK;
    if (!status && job->output && !job->output_needs_ending)
        status = check_written(job, job->output, error);
    for (size_t planes = 1; !status && job->output_needs_ending && planes <= 3; planes += 2) {
        char *path;
        status = rec_job_output_path(job, planes, &path, error);
        if (!status)
            status = check_written(job, path, error);
        free(path);
    }
    return status;
}

/* Output, report and checkpoint are three files. */
static rec_status check_distinct(const rec_job *job, rec_error *error)
{
    const char *names[] = {job->output_needs_ending ? NULL : job->output, job->checkpoint,
                           job->settings->report};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < i; j++)
            if (names[i] && names[j] && rec_path_is_one_file(names[i], names[j]))
                return rec_fail(error, REC_USAGE,
                                "%s and %s are the same file; output, checkpoint and report "
                                "need different files", names[j], names[i]);
    return REC_OK;
}

/* What is in the way of a job that comes behind the first `before`. */
static rec_status check_job(const rec_jobs *jobs, size_t before, const rec_job *job,
                            rec_error *error)
{
    const int in_folders = job->output_needs_ending || job->done_path || job->film_prefix;
    for (size_t i = 0; in_folders && i < before; i++)
        if (!strcmp(job->stem, jobs->at[i]->stem))
            return rec_fail(error, REC_USAGE, "%s and %s would have the same output name",
                            jobs->at[i]->input, job->input);
    const rec_status status = check_outputs_of(job, error);
    return status ? status : check_distinct(job, error);
}

/* ---- all of them ---- */

/* A film begins with its first frame, which must find a place. */
static rec_status check_film(const char *folder, rec_error *error)
{
    char *path = NULL;
    rec_status status = rec_path_make_folder(folder, 0, error);
    if (!status)
        status = rec_path_join(&path, folder, "000001", "", error);
    if (!status)
        status = rec_output_check(path, error);
    free(path);
    return status;
}

static rec_status check_output(const rec_settings *settings, rec_error *error)
{
    if (settings->output_is_folder)
        return rec_path_make_folder(settings->output, 0, error);
    const rec_status status = rec_write_check(settings->output, 0, &settings->writing, error);
    return status ? status : rec_output_check(settings->output, error);
}

static rec_status check_outputs(const rec_jobs *jobs, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < jobs->count; i++)
        status = check_job(jobs, i, jobs->at[i], error);
    if (!status && settings->output)
        status = check_output(settings, error);
    if (!status && settings->film)
        status = check_film(settings->film, error);
    if (!status && settings->checkpoint)
        status = settings->list ? rec_path_make_folder(settings->checkpoint, 0, error)
                                : rec_output_check(settings->checkpoint, error);
    if (!status && settings->report)
        status = rec_output_check(settings->report, error);
    return status;
}

rec_status rec_jobs_make(rec_jobs *jobs, const rec_settings *settings, char *const *inputs,
                         size_t count, rec_error *error)
{
    *jobs = (rec_jobs){.settings = settings};
    rec_status status = REC_OK;
    jobs->at = calloc(count + 1, sizeof *jobs->at);
    if (!jobs->at)
        status = rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count);
    while (!status && jobs->count < count) {
        status = create_job(&jobs->at[jobs->count], jobs, inputs[jobs->count], 0, error);
        jobs->count++;
    }
    if (!status)
        status = check_outputs(jobs, error);
    if (status) {
        rec_jobs_destroy(jobs);
        return status;
    }
    if (count) {
        jobs->at[0]->begin = settings->begin;
        jobs->at[0]->wait_seconds = settings->find_seconds;
    }
    rec_warmup_start(&jobs->warmup, &settings->run);
    return REC_OK;
}

void rec_jobs_destroy(rec_jobs *jobs)
{
    rec_warmup_await(&jobs->warmup);
    for (size_t i = 0; i < jobs->count; i++)
        destroy_job(jobs->at[i]);
    free(jobs->at);
    *jobs = (rec_jobs){0};
}

/* ---- more of them ---- */

static rec_status append(rec_jobs *jobs, rec_job *job, rec_error *error)
{
    rec_job **grown = realloc(jobs->at, (jobs->count + 1) * sizeof *grown);
    if (!grown)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", job->input);
    jobs->at = grown;
    jobs->at[jobs->count++] = job;
    return REC_OK;
}

rec_status rec_jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (!strcmp(jobs->at[i]->input, path) || rec_path_is_one_file(jobs->at[i]->input, path)) {
            *index = i;
            return rec_job_check(jobs->at[i], error);
        }
    rec_job *job;
    rec_status status = create_job(&job, jobs, path, 1, error);
    if (!status)
        status = check_job(jobs, jobs->count, job, error);
    if (!status)
        status = rec_job_check(job, error);
    if (!status)
        status = append(jobs, job, error);
    if (status)
        destroy_job(job);
    else
        *index = jobs->count - 1;
    return status;
}
