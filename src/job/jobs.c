/* From inputs to jobs: where each one's files go, and that none of them is in another's way. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/output.h"
#include "job/files.h"
#include "job/job.h"

/* ---- one job ---- */

static rec_status copy(char **copied, const char *text, rec_error *error)
{
    *copied = strdup(text);
    return *copied ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for a file name");
}

/* One that was dropped has what lies in folders alone: the files named are the first input's. */
static rec_status set_paths(rec_job *job, const rec_jobs *jobs, int dropped, rec_error *error)
{
    const option_value *given = job->settings->line->option;
    const option_value *output = &given[OPTION_OUTPUT], *checkpoint = &given[OPTION_CHECKPOINT];
    const int several = job->settings->several;
    const char *stem = job->stem;
    rec_status status = REC_OK;
    if (output->given && jobs->into_folder) {
        job->output_needs_ending = 1;
        status = join_path(&job->output, output->text, stem, "", error);
    } else if (output->given && !dropped)
        status = copy(&job->output, output->text, error);
    if (!status && checkpoint->given && several) {
        status = join_path(&job->checkpoint, checkpoint->text, stem, ".checkpoint", error);
        if (!status)
            status = join_path(&job->finished, checkpoint->text, stem, ".finished", error);
    } else if (!status && checkpoint->given && !dropped)
        status = copy(&job->checkpoint, checkpoint->text, error);
    if (!status && given[OPTION_FRAMES].given)
        status = join_path(&job->frames, given[OPTION_FRAMES].text, stem, "-", error);
    if (!status && given[OPTION_REFERENCE].given)
        status = job_find_reference(job, &job->reference_path, error);
    return status;
}

static void destroy_job(rec_job *job)
{
    if (!job)
        return;
    job_close(job);
    free(job->input);
    free(job->stem);
    free(job->output);
    free(job->checkpoint);
    free(job->frames);
    free(job->finished);
    free(job->reference_path);
    free(job);
}

static rec_status create_job(rec_job **made, const rec_jobs *jobs, const char *input, int dropped,
                             rec_error *error)
{
    rec_job *job = calloc(1, sizeof *job);
    *made = job;
    if (job) {
        job->input = strdup(input);
        job->stem = file_stem(input);
    }
    if (!job || !job->input || !job->stem)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", input);
    job->settings = jobs->settings;
    job->report.input = job->input;
    job->begin = rec_now();
    return set_paths(job, jobs, dropped, error);
}

/* Nothing that is read must be written to. */
static rec_status check_input(const rec_job *job, const char *output, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const char *start = settings->line->option[OPTION_START].text;
    if (is_one_file(output, job->input) ||
        (settings->start == START_FILE && is_one_file(output, start)) ||
        (job->reference_path && is_one_file(output, job->reference_path)))
        return rec_fail(error, REC_USAGE, "%s is input and output; name another output", output);
    return REC_OK;
}

/* In a folder an input can only meet the output that has its own stem. */
static rec_status check_inputs(const rec_job *job, rec_error *error)
{
    const option_value *report = &job->settings->line->option[OPTION_REPORT];
    rec_status status = report->given ? check_input(job, report->text, error) : REC_OK;
    if (!status && job->output && !job->output_needs_ending)
        status = check_input(job, job->output, error);
    for (size_t planes = 1; !status && job->output_needs_ending && planes <= 3; planes += 2) {
        char *path;
        status = job_output_path(job, planes, &path, error);
        if (!status)
            status = check_input(job, path, error);
        free(path);
    }
    return status;
}

/* Output, report and checkpoint are three files. */
static rec_status check_distinct(const rec_job *job, rec_error *error)
{
    const char *names[] = {job->output_needs_ending ? NULL : job->output, job->checkpoint,
                           job->settings->line->option[OPTION_REPORT].text};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < i; j++)
            if (names[i] && names[j] && is_one_file(names[i], names[j]))
                return rec_fail(error, REC_USAGE,
                                "%s and %s are one file; output, checkpoint and report need "
                                "one each", names[j], names[i]);
    return REC_OK;
}

/* What is in the way of a job that comes behind the first `before`. */
static rec_status check_job(const rec_jobs *jobs, size_t before, const rec_job *job,
                            rec_error *error)
{
    const int in_folders = jobs->into_folder || job->finished || job->frames;
    for (size_t i = 0; in_folders && i < before; i++)
        if (!strcmp(job->stem, jobs->at[i]->stem))
            return rec_fail(error, REC_USAGE, "%s and %s would have the same output name",
                            jobs->at[i]->input, job->input);
    const rec_status status = check_inputs(job, error);
    return status ? status : check_distinct(job, error);
}

/* ---- all of them ---- */

/* A film is begun with its first frame, which must find a place. */
static rec_status check_frames(const rec_jobs *jobs, rec_error *error)
{
    char *path;
    const char *folder = jobs->settings->line->option[OPTION_FRAMES].text;
    rec_status status = create_folder(folder, error);
    if (!status)
        status = join_path(&path, folder, "000001", "", error);
    if (status)
        return status;
    status = rec_output_check(path, error);
    free(path);
    return status;
}

static rec_status check_outputs(const rec_jobs *jobs, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    const option_value *given = settings->line->option;
    const rec_format *format;
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < jobs->count; i++)
        status = check_job(jobs, i, jobs->at[i], error);
    if (!status && given[OPTION_OUTPUT].given && jobs->into_folder)
        status = create_folder(given[OPTION_OUTPUT].text, error);
    else if (!status && given[OPTION_OUTPUT].given) {
        if (!settings->writing.format)
            status = rec_format_of_path(given[OPTION_OUTPUT].text, 0, &format, error);
        if (!status)
            status = rec_output_check(given[OPTION_OUTPUT].text, error);
    }
    if (!status && given[OPTION_FRAMES].given)
        status = check_frames(jobs, error);
    if (!status && given[OPTION_CHECKPOINT].given)
        status = settings->several ? create_folder(given[OPTION_CHECKPOINT].text, error)
                                   : rec_output_check(given[OPTION_CHECKPOINT].text, error);
    if (!status && given[OPTION_REPORT].given)
        status = rec_output_check(given[OPTION_REPORT].text, error);
    return status;
}

rec_status jobs_make(rec_jobs *jobs, const rec_settings *settings, rec_error *error)
{
    const command_line *line = settings->line;
    const option_value *output = &line->option[OPTION_OUTPUT];
    *jobs = (rec_jobs){.settings = settings,
                       .into_folder = output->given &&
                                      (settings->several || is_folder(output->text))};
    pthread_mutex_init(&jobs->lock, NULL);
    rec_status status = REC_OK;
    jobs->at = calloc(line->operand_count + 1, sizeof *jobs->at);
    if (!jobs->at)
        status = rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", line->operand_count);
    while (!status && jobs->count < line->operand_count) {
        status = create_job(&jobs->at[jobs->count], jobs, line->operands[jobs->count], 0, error);
        jobs->count++;
    }
    if (!status)
        status = check_outputs(jobs, error);
    if (status)
        jobs_destroy(jobs);
    return status;
}

void jobs_destroy(rec_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        destroy_job(jobs->at[i]);
    free(jobs->at);
    pthread_mutex_destroy(&jobs->lock);
    *jobs = (rec_jobs){0};
}

/* ---- more of them ---- */

static rec_status append(rec_jobs *jobs, rec_job *job, rec_error *error)
{
    pthread_mutex_lock(&jobs->lock);
    rec_job **grown = realloc(jobs->at, (jobs->count + 1) * sizeof *grown);
    if (grown) {
        jobs->at = grown;
        jobs->at[jobs->count++] = job;
    }
    pthread_mutex_unlock(&jobs->lock);
    return grown ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for %s", job->input);
}

rec_status jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (!strcmp(jobs->at[i]->input, path) || is_one_file(jobs->at[i]->input, path)) {
            *index = i;
            return job_check_again(jobs->at[i], error);
        }
    rec_job *job;
    rec_status status = create_job(&job, jobs, path, 1, error);
    if (!status)
        status = check_job(jobs, jobs->count, job, error);
    if (!status)
        status = job_check(job, error);
    if (!status)
        status = append(jobs, job, error);
    if (status)
        destroy_job(job);
    else
        *index = jobs->count - 1;
    return status;
}

rec_job *jobs_at(rec_jobs *jobs, size_t index)
{
    pthread_mutex_lock(&jobs->lock);
    rec_job *job = jobs->at[index];
    pthread_mutex_unlock(&jobs->lock);
    return job;
}
