/* From inputs to jobs: where each one's files go, and that none of them is in another's way. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "commands/job.h"

/* "a/b.c.pgm" -> "b.c"; standard input is "stdin". A new string, NULL without memory. */
static char *stem_of(const char *path)
{
    if (!strcmp(path, "-"))
        return strdup("stdin");
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static int is_folder(const char *path)
{
    struct stat about;
    const size_t length = strlen(path);
    return (length && path[length - 1] == '/') ||
           (!stat(path, &about) && S_ISDIR(about.st_mode));
}

static rec_status make_folder(const char *path, rec_error *error)
{
    struct stat about;
    if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &about) && S_ISDIR(about.st_mode)))
        return REC_OK;
    return rec_fail(error, REC_NO_OUTPUT, "%s: cannot make the folder: %s", path,
                    errno == EEXIST ? "a file of that name is there" : strerror(errno));
}

/* "folder/stem", with a suffix. */
static rec_status join(char **path, const char *folder, const char *stem, const char *suffix,
                       rec_error *error)
{
    const size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    if (asprintf(path, "%s%s%s%s", folder, slash, stem, suffix) >= 0)
        return REC_OK;
    *path = NULL;
    return rec_fail(error, REC_LIMIT, "out of memory for a file name");
}

static rec_status set_paths(rec_job *job, int into_folder, rec_error *error)
{
    const option_value *given = job->settings->line->option;
    const option_value *output = &given[OPTION_OUTPUT], *checkpoint = &given[OPTION_CHECKPOINT];
    char *stem = stem_of(job->input);
    rec_status status = stem ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for a name");
    if (!status && output->given) {
        job->output_needs_ending = into_folder;
        status = into_folder ? join(&job->output, output->text, stem, "", error) : REC_OK;
        if (!into_folder)
            job->output = strdup(output->text);
    }
    if (!status && checkpoint->given) {
        if (job->settings->several)
            status = join(&job->checkpoint, checkpoint->text, stem, ".checkpoint", error);
        if (!status && job->settings->several)
            status = join(&job->finished, checkpoint->text, stem, ".finished", error);
        if (!job->settings->several)
            job->checkpoint = strdup(checkpoint->text);
    }
    if (!status && given[OPTION_FRAMES].given)
        status = join(&job->frames, given[OPTION_FRAMES].text, stem, "-", error);
    free(stem);
    return status;
}

/* Nothing that is read must be written to. */
static rec_status check_input(const rec_job *job, const char *output, rec_error *error)
{
    const rec_settings *settings = job->settings;
    const char *start = settings->line->option[OPTION_START].text;
    if (is_one_file(output, job->input) ||
        (settings->start == START_FILE && is_one_file(output, start)))
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

static rec_status check_outputs(const rec_job *jobs, const rec_settings *settings, int into_folder,
                                rec_error *error)
{
    const option_value *given = settings->line->option;
    const size_t count = settings->line->operand_count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if ((jobs[i].output && !strcmp(jobs[i].output, jobs[j].output)) ||
                (jobs[i].checkpoint && !strcmp(jobs[i].checkpoint, jobs[j].checkpoint)) ||
                (jobs[i].frames && !strcmp(jobs[i].frames, jobs[j].frames)))
                return rec_fail(error, REC_USAGE, "%s and %s would have the same output name",
                                jobs[j].input, jobs[i].input);
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = check_inputs(&jobs[i], error);
        if (!status)
            status = check_distinct(&jobs[i], error);
    }
    if (status)
        return status;
    rec_format format;
    if (given[OPTION_OUTPUT].given && into_folder)
        status = make_folder(given[OPTION_OUTPUT].text, error);
    else if (given[OPTION_OUTPUT].given) {
        if (settings->writing.format == REC_FORMAT_NONE)
            status = rec_format_of_path(jobs->output, 0, &format, error);
        if (!status)
            status = rec_output_check(jobs->output, error);
    }
    if (!status && given[OPTION_FRAMES].given)
        status = make_folder(given[OPTION_FRAMES].text, error);
    if (!status && given[OPTION_CHECKPOINT].given)
        status = settings->several ? make_folder(given[OPTION_CHECKPOINT].text, error)
                                   : rec_output_check(jobs->checkpoint, error);
    if (!status && given[OPTION_REPORT].given)
        status = rec_output_check(given[OPTION_REPORT].text, error);
    return status;
}

rec_status jobs_make(rec_job **jobs, const rec_settings *settings, rec_error *error)
{
    const command_line *line = settings->line;
    const size_t count = line->operand_count;
    const option_value *output = &line->option[OPTION_OUTPUT];
    const int into_folder = output->given && (settings->several || is_folder(output->text));
    rec_job *made = calloc(count, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count);
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < count; i++) {
        made[i].settings = settings;
        made[i].input = made[i].report.input = line->operands[i];
        made[i].begin = rec_now();
        status = set_paths(&made[i], into_folder, error);
    }
    if (!status)
        status = check_outputs(made, settings, into_folder, error);
    if (status)
        jobs_destroy(made, count);
    else
        *jobs = made;
    return status;
}

void jobs_destroy(rec_job *jobs, size_t count)
{
    for (size_t i = 0; jobs && i < count; i++) {
        job_close(&jobs[i]);
        free(jobs[i].output);
        free(jobs[i].checkpoint);
        free(jobs[i].frames);
        free(jobs[i].finished);
    }
    free(jobs);
}
