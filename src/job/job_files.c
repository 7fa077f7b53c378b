/* What a job may write: no file of the run, and nothing once another run has its locks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "job/job.h"
#include "job/names.h"

/* Files that exist are asked for by rec_files_ask; others are one by their names alone. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

rec_status rec_job_check_files(const rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    char *paths[4] = {NULL}; /* output and first frame: grey, and in colour */
    const int folder = settings->output_is_folder && !job->files->fresh;
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < 2; i++) {
        const char *ending = rec_output_ending(job->writing.format, 2 * i + 1);
        status = rec_output_path(settings, job->stem, 2 * i + 1, &paths[i], error);
        if (job->film.prefix &&
            asprintf(&paths[i + 2], "%s-000001.%s", job->film.prefix, ending) < 0)
            paths[i + 2] = NULL;
    }
    const struct {
        const char *path, *owner;
    } written[] = {{paths[0], job->input}, {paths[1], job->input},
                   {paths[2], job->film.prefix}, {paths[3], job->film.prefix},
                   {settings->report, settings->report}, {job->checkpoint, job->checkpoint}};
    for (size_t i = 0; !status && i < sizeof written / sizeof *written; i++) {
        const char *path = written[i].path;
        if (path && !settings->headless && rec_path_is_one_file(path, job->input)) /* dropped */
            status = rec_fail(error, REC_USAGE, "%s is input and output; use another output", path);
        else if (path && i != 4 && (i > 1 || job->output || folder))
            status = rec_files_ask(job->files, path, written[i].owner, REC_USAGE, error);
        for (size_t j = 0; !status && path && i > 1 && j < i; j++)
            if (written[j].path && written[j].owner != written[i].owner &&
                !strcmp(last_part(path), last_part(written[j].path)) &&
                rec_path_is_one_file(path, written[j].path))
                status = rec_fail(error, REC_USAGE,
                                  "%s and %s are the same file; output, checkpoint and report "
                                  "need different files", written[j].path, path);
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        free(paths[i]);
    return status;
}

rec_status rec_job_refuse(const rec_job *job, rec_error *error)
{
    char *stem = NULL;
    REC_TRY(rec_job_check_files(job, error));
    REC_TRY(rec_stem_make(&stem, job->input, job->settings->parents, error));
    free(stem);
    return rec_fail(error, REC_USAGE, "%s: another input of the list would have the same output "
                    "name%s", job->input,
                    job->settings->parents ? "" : "; --parents keeps their folders");
}

rec_claim rec_job_claim(const rec_job *job)
{
    rec_claim claim = rec_files_claim(job->files, job->input);
    claim.locks[0] = job->lock;
    for (size_t i = 0; job->list_locks && i < REC_JOURNALS; i++)
        claim.locks[i + 1] = job->list_locks[i];
    return claim;
}

void rec_job_renew_locks(rec_job *job)
{
    rec_lock_renew(job->lock);
    for (size_t i = 0; job->list_locks && i < REC_JOURNALS; i++)
        rec_lock_renew(job->list_locks[i]);
}
