#include "job/files.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"

typedef struct known { /* a file */
    rec_file_id id;
    const char *owner; /* the input whose output it is, or the report itself; NULL: it is read */
    char path[];
} known;

static int compare(const void *a, const void *b)
{
    return memcmp(&((const known *)a)->id, &((const known *)b)->id, sizeof(rec_file_id));
}

/* The last owner of an inode counts: files that are replaced leave theirs to others. */
static rec_status put(rec_files *files, rec_file_id id, const char *path, const char *owner,
                      rec_error *error)
{
    const size_t length = strlen(path) + 1, whole = length + (owner ? strlen(owner) + 1 : 0);
    known *made = malloc(sizeof *made + whole), **there = NULL;
    if (made) {
        made->id = id;
        memcpy(made->path, path, length);
        made->owner = owner ? strcpy(made->path + length, owner) : NULL;
        there = tsearch(made, &files->tree, compare);
    }
    if (!there) {
        free(made);
        return rec_fail(error, REC_LIMIT, "out of memory for the names of files");
    }
    if (*there != made) {
        free(*there);
        *there = made;
    }
    return REC_OK;
}

static rec_status put_path(rec_files *files, const char *path, const char *owner,
                           rec_error *error)
{
    rec_file_id id;
    return path && rec_file_identify(path, &id) ? put(files, id, path, owner, error) : REC_OK;
}

/* Puts what is not there yet into the tree. */
static rec_status list(rec_files *files, rec_error *error)
{
    const rec_settings *settings = files->settings;
    const char *const kept[] = {settings->report,
                                settings->checkpoint_is_folder ? NULL : settings->checkpoint};
    const char *const read[] = {settings->files_from, settings->start_file, settings->original,
                                settings->edit.mask, settings->edit.onto, settings->edit.source};
    for (size_t i = 0; !files->has_others && i < settings->journal_count; i++)
        REC_TRY(put_path(files, settings->journals[i], NULL, error));
    for (size_t i = 0; !files->has_others && i < sizeof kept / sizeof *kept; i++)
        if (kept[i] && strcmp(kept[i], "-")) /* may be one of the journals */
            REC_TRY(put_path(files, kept[i], kept[i], error));
    for (size_t i = 0; !files->has_others && i < sizeof read / sizeof *read; i++)
        REC_TRY(put_path(files, read[i], NULL, error));
    for (size_t i = 0; !files->has_others && i < settings->stencil_count; i++)
        REC_TRY(put_path(files, settings->stencils[i], NULL, error));
    files->has_others = 1;
    for (; files->listed < files->count; files->listed++)
        REC_TRY(put_path(files, files->names[files->listed], NULL, error));
    return REC_OK;
}

/* A known file counts while its path is still that file. */
static rec_status ask(rec_files *files, rec_file_id id, const char *path, const char *owner,
                      rec_status status, rec_error *error)
{
    REC_TRY(list(files, error));
    known *const *found = tfind(&(const known){.id = id}, &files->tree, compare);
    rec_file_id now;
    if (!found || ((*found)->owner && !strcmp((*found)->owner, owner)) ||
        !rec_file_identify((*found)->path, &now) || memcmp(&now, &id, sizeof id))
        return REC_OK;
    if ((*found)->owner)
        return rec_fail(error, status, "%s is one file with %s (%s); each needs its own", path,
                        (*found)->path, rec_input_name((*found)->owner));
    if (!strcmp((*found)->path, path) || !strcmp((*found)->path, owner))
        return rec_fail(error, status, "%s is input and output; use another output", path);
    return rec_fail(error, status, "%s is input and output: it is %s; use another output", path,
                    rec_input_name((*found)->path));
}

void rec_files_take(rec_files *files, const rec_settings *settings, const char *const *names,
                    size_t count)
{
    pthread_mutex_lock(&files->lock);
    files->settings = settings;
    files->names = names;
    files->count = count;
    files->fresh = settings->headless && settings->output_is_folder && settings->output &&
                   access(settings->output, F_OK);
    if (!settings->headless)
        list(files, NULL);
    pthread_mutex_unlock(&files->lock);
}

rec_status rec_files_add(rec_files *files, const char *path, rec_error *error)
{
    pthread_mutex_lock(&files->lock);
    const rec_status status = put_path(files, path, NULL, error);
    pthread_mutex_unlock(&files->lock);
    return status;
}

rec_status rec_files_ask(rec_files *files, const char *path, const char *owner, rec_status status,
                         rec_error *error)
{
    rec_file_id id;
    if (!strcmp(path, "-") || !rec_file_identify(path, &id))
        return REC_OK;
    pthread_mutex_lock(&files->lock);
    status = ask(files, id, path, owner, status, error);
    pthread_mutex_unlock(&files->lock);
    return status;
}

static rec_status claim(const rec_output_guard *guard, const char *target, rec_file_id made,
                        int *exists, rec_error *error)
{
    const rec_claim *claimed = (const rec_claim *)guard;
    rec_file_id id;
    rec_status status = REC_OK;
    for (size_t i = 0; i < sizeof claimed->locks / sizeof *claimed->locks; i++)
        REC_TRY(rec_lock_check(claimed->locks[i], error));
    pthread_mutex_lock(&claimed->files->lock);
    *exists = *exists && rec_file_identify(target, &id);
    if (*exists)
        status = ask(claimed->files, id, target, claimed->owner, REC_NO_OUTPUT, error);
    if (!status && *exists)
        status = put(claimed->files, id, target, claimed->owner, error);
    if (!status)
        status = put(claimed->files, made, target, claimed->owner, error);
    pthread_mutex_unlock(&claimed->files->lock);
    return status;
}

rec_claim rec_files_claim(rec_files *files, const char *owner)
{
    return (rec_claim){.guard = {.claim = claim}, .files = files, .owner = owner};
}

void rec_files_free(rec_files *files)
{
    tdestroy(files->tree, free);
    pthread_mutex_destroy(&files->lock);
}
