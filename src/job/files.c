/* Names of files: lists of inputs, the files of an input, and what no output may overwrite. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "job/jobs.h"

/* ---- a list of names from a file ---- */

enum { MOST_BYTES = 2 * PATH_MAX }; /* of a name */

static rec_status add_name(rec_names *names, const char *name, size_t length, rec_error *error)
{
    const size_t count = names->count;
    char **at = count & (count - 1) ? names->at /* it doubles at powers of two */
                                    : realloc(names->at, (2 * count + 1) * sizeof *at);
    names->at = at ? at : names->at;
    if (!at || !(at[count] = strndup(name, length)))
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count + 1);
    names->count++;
    return REC_OK;
}

/* The file's last name may lack its end. */
rec_status rec_names_read(rec_names *names, const char *path, int nul, rec_error *error)
{
    rec_owned_lines lines = {.name = rec_input_name(path), .nul = nul};
    REC_TRY(rec_path_open(&lines.stream, path, NULL, error));
    for (;;) {
        REC_TRY(rec_lines_next(&lines, error));
        if (!lines.length)
            return REC_OK;
        const char *name = lines.line;
        size_t length = strcspn(name, nul ? "" : "\n");
        if (length > MOST_BYTES)
            return rec_fail(error, REC_BAD_INPUT, "%s: name %zu is longer than %d bytes",
                            lines.name, names->count + 1, MOST_BYTES);
        if (strlen(name) < lines.length && !nul)
            return rec_fail(error, REC_BAD_INPUT, "%s: name %zu has a zero byte in it; names that "
                            "end with one need --null", lines.name, names->count + 1);
        if (!nul && length && name[length - 1] == '\r') /* a list from Windows */
            length--;
        if (length)
            REC_TRY(add_name(names, name, length, error));
    }
}

void rec_names_free(rec_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->at[i]);
    free(names->at);
    *names = (rec_names){0};
}

/* ---- the files of an input ---- */

/* The folders of the path but for ".", and the last part without its ending. 0: there is a "..". */
static int join_parts(char *made, const char *name, const char *last, size_t last_length)
{
    char *to = made;
    for (const char *at = name; at < last;) {
        const size_t length = strcspn(at, "/");
        if (length == 2 && !strncmp(at, "..", 2))
            return 0;
        if (length && !(length == 1 && *at == '.')) {
            memcpy(to, at, length);
            to += length;
            *to++ = '/';
        }
        at += length + 1;
    }
    memcpy(to, last, last_length);
    to[last_length] = 0;
    return 1;
}

rec_status rec_entry_create(rec_entry **made, const char *name, int parents, rec_error *error)
{
    size_t length;
    const char *from = rec_path_is_standard(name) ? "stdin" : name;
    const char *last = rec_path_stem(from, &length);
    rec_entry *entry = *made = malloc(sizeof *entry + strlen(from) + 1);
    if (!entry)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", name);
    entry->name = name;
    entry->refused = !join_parts(entry->stem, parents ? from : last, last, length);
    if (!entry->refused)
        return REC_OK;
    strcpy(entry->stem, from);
    return rec_fail(error, REC_USAGE, "%s: --parents keeps a relative path, which cannot have ..",
                    name);
}

rec_status rec_output_path(const rec_settings *settings, const rec_format *format,
                           const char *stem, size_t planes, char **path, rec_error *error)
{
    const char *ending = rec_output_ending(format, planes);
    *path = NULL;
    return !settings->output            ? REC_OK
           : settings->output_is_folder ? rec_path_join(path, settings->output, stem, ending, error)
                                        : rec_path_copy(path, settings->output, error);
}

/* *path: a file that is read beside the input, or of a folder the image of its stem; without such
 * an image it has the input's ending, for the message of reading it. */
static rec_status find(char **path, const char *given, const rec_entry *entry, rec_error *error)
{
    if (!rec_path_is_folder(given))
        return rec_path_copy(path, given, error);
    const rec_format *format;
    const char *stem = entry->stem, *own = strrchr(rec_path_name(entry->name), '.');
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        if (!format->read || !format->ending)
            continue;
        const rec_status status = rec_path_join(path, given, stem, format->ending, error);
        if (status || !access(*path, F_OK))
            return status;
        free(*path);
    }
    return rec_path_join(path, given, stem, own ? own + 1 : rec_format_default(1)->ending, error);
}

uint64_t rec_hash_folder_files(const rec_settings *settings, const rec_entry *entry)
{
    const char *const given[] = {settings->original, settings->edit.mask, settings->edit.onto};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        rec_owned char *path = NULL;
        rec_file_mark mark;
        if (!given[i] || !rec_path_is_folder(given[i]) || find(&path, given[i], entry, NULL))
            continue;
        rec_file_note(path, &mark);
        hash = rec_hash(hash ? hash : REC_HASH_START, &mark, sizeof mark);
    }
    return hash;
}

/* ---- what no output may overwrite ---- */

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
static rec_status put(rec_jobs *jobs, rec_file_id id, const char *path, const char *owner,
                      rec_error *error)
{
    const size_t length = strlen(path) + 1, whole = length + (owner ? strlen(owner) + 1 : 0);
    known *made = malloc(sizeof *made + whole);
    if (made) {
        made->id = id;
        memcpy(made->path, path, length);
        made->owner = owner ? strcpy(made->path + length, owner) : NULL;
    }
    return rec_set_put(&jobs->known, made, error);
}

static rec_status put_path(rec_jobs *jobs, const char *path, const char *owner, rec_error *error)
{
    rec_file_id id;
    return path && rec_file_identify(path, &id) ? put(jobs, id, path, owner, error) : REC_OK;
}

/* Puts what is not there yet among the known. */
static rec_status list(rec_jobs *jobs, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    enum { KEPT = 2 }; /* so many may be one of the journals, and are their own owners */
    const char *const others[] = {
        settings->report, settings->checkpoint_is_folder ? NULL : settings->checkpoint,
        settings->files_from, settings->start_file, settings->original, settings->edit.mask,
        settings->edit.onto, settings->edit.source, settings->edit.sources};
    for (size_t i = 0; !jobs->has_others && i < settings->journal_count; i++)
        REC_TRY(put_path(jobs, settings->journals[i], NULL, error));
    for (size_t i = 0; !jobs->has_others && i < sizeof others / sizeof *others; i++)
        if (i >= KEPT || !rec_path_is_standard(others[i]))
            REC_TRY(put_path(jobs, others[i], i < KEPT ? others[i] : NULL, error));
    for (size_t i = 0; !jobs->has_others && i < settings->stencil_count; i++)
        REC_TRY(put_path(jobs, settings->stencils[i], NULL, error));
    jobs->has_others = 1;
    const size_t count = jobs->at ? jobs->count : jobs->all;
    for (; jobs->listed < count; jobs->listed++)
        REC_TRY(put_path(jobs, jobs->entries[jobs->listed]->name, NULL, error));
    return REC_OK;
}

/* A known file counts while its path is still that file. */
static rec_status ask(rec_jobs *jobs, rec_file_id id, const char *path, const char *owner,
                      rec_status status, rec_error *error)
{
    REC_TRY(list(jobs, error));
    const known *found = rec_set_find(&jobs->known, &(const known){.id = id});
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

void rec_files_add(rec_jobs *jobs)
{
    const rec_settings *settings = jobs->settings;
    REC_HOLD(&jobs->lock);
    if (!jobs->known.compare) {
        jobs->known = (rec_set){compare, free, NULL};
        jobs->fresh = settings->headless && settings->output_is_folder && settings->output &&
                      access(settings->output, F_OK);
    }
    if (!settings->headless)
        list(jobs, NULL);
}

rec_status rec_job_find_file(rec_job *job, char **path, const char *given, rec_error *error)
{
    if (!given)
        return REC_OK;
    REC_TRY(find(path, given, job->entry, error));
    REC_HOLD(&job->jobs->lock);
    return put_path(job->jobs, *path, NULL, error);
}

rec_status rec_files_ask(rec_jobs *jobs, const char *path, const char *owner, rec_error *error)
{
    rec_file_id id;
    if (rec_path_is_standard(path) || !rec_file_identify(path, &id))
        return REC_OK;
    REC_HOLD(&jobs->lock);
    return ask(jobs, id, path, owner, REC_USAGE, error);
}

rec_status rec_files_claim(rec_jobs *jobs, const char *path, const char *owner, rec_file_id made,
                           int *exists, rec_error *error)
{
    rec_file_id id;
    REC_HOLD(&jobs->lock);
    *exists = *exists && rec_file_identify(path, &id);
    if (*exists) {
        REC_TRY(ask(jobs, id, path, owner, REC_NO_OUTPUT, error));
        REC_TRY(put(jobs, id, path, owner, error));
    }
    return put(jobs, made, path, owner, error);
}

/* ---- what a job will write ---- */

/* Files that exist are asked for by rec_files_ask; others are one by their names alone. */
rec_status rec_job_check_files(const rec_job *job, rec_error *error)
{
    const rec_settings *settings = job->settings;
    char *paths[4] = {NULL}; /* output and first frame: grey, and in colour */
    const int folder = settings->output_is_folder && !job->jobs->fresh;
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < 2; i++) {
        const char *ending = rec_output_ending(job->writing.format, 2 * i + 1);
        status = rec_output_path(settings, job->writing.format, job->entry->stem, 2 * i + 1,
                                 &paths[i], error);
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
            status = rec_files_ask(job->jobs, path, written[i].owner, error);
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
