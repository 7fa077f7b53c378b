/* What a job may write: no file of the run, and nothing once another run has its locks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/jobs.h"

struct rec_files {
    pthread_mutex_t lock;
    const rec_settings *settings;
    rec_entry *const *entries;
    size_t count, listed; /* of these entries, and those that are among the known */
    int fresh;            /* the outputs' folder was created by this run: no file can be in it */
    int has_others;       /* the files that the settings name are among the known */
    rec_set known;
};

typedef struct known { /* a file */
    rec_file_id id;
    const char *owner; /* the input whose output it is, or the report itself; NULL: it is read */
    char path[];
} known;

static int compare(const void *a, const void *b)
{
    return memcmp(&((const known *)a)->id, &((const known *)b)->id, sizeof(rec_file_id));
}

rec_status rec_files_create(rec_files **made, const rec_settings *settings, rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(made, 1, sizeof **made, "the names of files", error));
    (*made)->settings = settings;
    (*made)->known = (rec_set){compare, free, NULL};
    pthread_mutex_init(&(*made)->lock, NULL);
    return REC_OK;
}

void rec_files_destroy(rec_files *files)
{
    if (!files)
        return;
    rec_set_clear(&files->known);
    pthread_mutex_destroy(&files->lock);
    rec_free(files);
}

/* The last owner of an inode counts: files that are replaced leave theirs to others. */
static rec_status put(rec_files *files, rec_file_id id, const char *path, const char *owner,
                      rec_error *error)
{
    const size_t length = strlen(path) + 1, whole = length + (owner ? strlen(owner) + 1 : 0);
    known *made = malloc(sizeof *made + whole);
    if (made) {
        made->id = id;
        memcpy(made->path, path, length);
        made->owner = owner ? strcpy(made->path + length, owner) : NULL;
    }
    return rec_set_put(&files->known, made, error);
}

static rec_status put_path(rec_files *files, const char *path, const char *owner, rec_error *error)
{
    rec_file_id id;
    return path && rec_file_identify(path, &id) ? put(files, id, path, owner, error) : REC_OK;
}

/* Puts what is not there yet among the known. */
static rec_status list(rec_files *files, rec_error *error)
{
    const rec_settings *settings = files->settings;
    const char *const kept[] = {settings->report,
                                settings->checkpoint_is_folder ? NULL : settings->checkpoint};
    const char *const read[] = {settings->files_from, settings->start_file, settings->original,
                                settings->edit.mask, settings->edit.onto, settings->edit.source,
                                settings->edit.sources};
    for (size_t i = 0; !files->has_others && i < settings->journal_count; i++)
        REC_TRY(put_path(files, settings->journals[i], NULL, error));
    for (size_t i = 0; !files->has_others && i < sizeof kept / sizeof *kept; i++)
        if (kept[i] && !rec_path_is_standard(kept[i])) /* may be one of the journals */
            REC_TRY(put_path(files, kept[i], kept[i], error));
    for (size_t i = 0; !files->has_others && i < sizeof read / sizeof *read; i++)
        REC_TRY(put_path(files, read[i], NULL, error));
    for (size_t i = 0; !files->has_others && i < settings->stencil_count; i++)
        REC_TRY(put_path(files, settings->stencils[i], NULL, error));
    files->has_others = 1;
    for (; files->listed < files->count; files->listed++)
        REC_TRY(put_path(files, files->entries[files->listed]->name, NULL, error));
    return REC_OK;
}

/* A known file counts while its path is still that file. */
static rec_status ask(rec_files *files, rec_file_id id, const char *path, const char *owner,
                      rec_status status, rec_error *error)
{
    REC_TRY(list(files, error));
    const known *found = rec_set_find(&files->known, &(const known){.id = id});
    rec_file_id now;
    if (!found || (found->owner && !strcmp(found->owner, owner)) ||
        !rec_file_identify(found->path, &now) || memcmp(&now, &id, sizeof id))
        return REC_OK;
    if (found->owner)
        return rec_fail(error, status, "%s is one file with %s (%s); each needs its own", path,
                        found->path, rec_input_name(found->owner));
    if (!strcmp(found->path, path) || !strcmp(found->path, owner))
        return rec_fail(error, status, "%s is input and output; use another output", path);
    return rec_fail(error, status, "%s is input and output: it is %s; use another output", path,
                    rec_input_name(found->path));
}

void rec_files_take(rec_files *files, rec_entry *const *entries, size_t count)
{
    const rec_settings *settings = files->settings;
    REC_HOLD(&files->lock);
    files->entries = entries;
    files->count = count;
    files->fresh = settings->headless && settings->output_is_folder && settings->output &&
                   access(settings->output, F_OK);
    if (!settings->headless)
        list(files, NULL);
}

rec_status rec_files_add(rec_files *files, const char *path, rec_error *error)
{
    REC_HOLD(&files->lock);
    return put_path(files, path, NULL, error);
}

rec_status rec_files_ask(rec_files *files, const char *path, const char *owner, rec_error *error)
{
    rec_file_id id;
    if (rec_path_is_standard(path) || !rec_file_identify(path, &id))
        return REC_OK;
    REC_HOLD(&files->lock);
    return ask(files, id, path, owner, REC_USAGE, error);
}

/* ---- the files of a job ---- */

/* Files that exist are asked for by rec_files_ask; others are one by their names alone. */
rec_status rec_job_check_files(const rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    char *paths[4] = {NULL}; /* output and first frame: grey, and in colour */
    const int folder = settings->output_is_folder && !job->files->fresh;
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < 2; i++) {
        const char *ending = rec_output_ending(job->writing.format, 2 * i + 1);
        status = rec_output_path(settings, job->writing.format, job->stem, 2 * i + 1, &paths[i],
                                 error);
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
            status = rec_files_ask(job->files, path, written[i].owner, error);
        for (size_t j = 0; !status && path && i > 1 && j < i; j++)
            if (written[j].path && written[j].owner != written[i].owner &&
                !strcmp(rec_path_name(path), rec_path_name(written[j].path)) &&
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
    rec_owned rec_entry *entry = NULL;
    REC_TRY(rec_job_check_files(job, error));
    REC_TRY(rec_entry_create(&entry, job->input, job->settings->parents, error));
    return rec_fail(error, REC_USAGE,
                    job->settings->parents
                        ? "%s: another input of the list would have the same output name"
                        : "%s: another input of the list would have the same output name\v"
                          "--parents keeps their folders",
                    job->input);
}

static rec_status claim(const rec_output_guard *guard, const char *target, rec_file_id made,
                        int *exists, rec_error *error)
{
    const rec_job *job = ((const rec_claim *)guard)->job;
    const char *owner = ((const rec_claim *)guard)->owner;
    rec_files *files = job->files;
    rec_file_id id;
    REC_TRY(rec_lock_check(job->lock, error));
    REC_TRY(rec_journal_check(job->journal, error));
    REC_HOLD(&files->lock);
    *exists = *exists && rec_file_identify(target, &id);
    if (*exists) {
        REC_TRY(ask(files, id, target, owner, REC_NO_OUTPUT, error));
        REC_TRY(put(files, id, target, owner, error));
    }
    return put(files, made, target, owner, error);
}

rec_claim rec_job_claim(const rec_job *job, const char *owner)
{
    return (rec_claim){.guard = {.claim = claim}, .job = job, .owner = owner};
}
