#include "job/jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"

/* Up to this number of inputs, each is checked for links to its own output before the work. */
#define FEW_INPUTS 1000

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const rec_entry *)a)->name, ((const rec_entry *)b)->name);
}

static int compare_stems(const void *a, const void *b)
{
    return strcmp(((const rec_entry *)a)->stem, ((const rec_entry *)b)->stem);
}

static int compare_folders(const void *a, const void *b) { return strcmp(a, b); }

static rec_status add_stem(rec_jobs *jobs, rec_entry *entry, rec_error *error)
{
    rec_entry *other = rec_set_find(&jobs->stems, entry);
    if (!other)
        return rec_set_put(&jobs->stems, entry, error);
    if (jobs->settings->files_from) {
        other->refused = entry->refused = 1;
        return REC_OK;
    }
    size_t length;
    const ptrdiff_t folder = rec_path_stem(entry->name, &length) - entry->name;
    if (!strcmp(other->name, entry->name))
        return rec_fail(error, REC_USAGE, "%s is given twice", entry->name);
    const int one_folder = rec_path_stem(other->name, &length) - other->name == folder &&
                           !strncmp(other->name, entry->name, (size_t)folder);
    return rec_fail(error, REC_USAGE,
                    jobs->settings->parents || one_folder
                        ? "%s and %s would have the same output name"
                        : "%s and %s would have the same output name\v"
                          "--parents keeps their folders", other->name, entry->name);
}

static void forget(rec_jobs *jobs, rec_entry *entry)
{
    rec_set_remove(&jobs->names, entry);
    rec_set_remove(&jobs->stems, entry);
    free(entry);
}

/* One bad name of a list does not refuse the others; a name that comes again is done once. */
static rec_status add_name(rec_jobs *jobs, const char *name, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    const int from_file = settings->files_from != NULL;
    const int in_folders =
        settings->output_is_folder || settings->checkpoint_is_folder || settings->film;
    rec_entry *entry;
    if (from_file && rec_set_find(&jobs->names, &(const rec_entry){.name = name}))
        return REC_OK;
    rec_status status = rec_entry_create(&entry, name, settings->parents, error);
    if (!entry)
        return status;
    if (status == REC_USAGE && from_file)
        status = REC_OK;
    else if (!status && in_folders) /* there files must not meet */
        status = add_stem(jobs, entry, error);
    if (!status && from_file)
        status = rec_set_put(&jobs->names, entry, error);
    if (status)
        forget(jobs, entry);
    else
        jobs->entries[jobs->all++] = entry;
    return status;
}

/* ---- outputs ---- */

/* Checks that the files can be created; removes what killed runs have left in their folders. */
static rec_status check_outputs(rec_jobs *jobs, const rec_settings *settings, rec_error *error)
{
    const struct {
        const char *path;
        int is_folder;
    } places[] = {{settings->output, settings->output_is_folder},
                  {settings->film, 1},
                  {settings->checkpoint, settings->checkpoint_is_folder},
                  {settings->report, 0}};
    if (settings->output && !settings->output_is_folder)
        REC_TRY(rec_write_check(settings->output, 0, &settings->writing, error));
    for (size_t i = 2; i < sizeof places / sizeof *places; i++) /* once for the run, not by input */
        if (places[i].path)
            REC_TRY(rec_files_ask(jobs, places[i].path, places[i].path, error));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = places[i].path;
        rec_owned char *file = NULL;
        if (path && places[i].is_folder) {
            REC_TRY(rec_path_make_folder(path, 0, error));
            REC_TRY(rec_path_join(&file, path, "000001", NULL, error));
        }
        if (path)
            REC_TRY(rec_output_check(file ? file : path, 1, error));
    }
    return REC_OK;
}

/* Removes it in folders that --parents puts below those of check_outputs, too; once for each. */
static void sweep_folders(rec_jobs *jobs, const char *stem)
{
    const rec_settings *settings = jobs->settings;
    const char *const places[] = {settings->output_is_folder ? settings->output : NULL,
                                  settings->checkpoint_is_folder ? settings->checkpoint : NULL,
                                  settings->film};
    char *folder = strchr(stem, '/') ? rec_path_folder(stem) : NULL;
    if (!folder)
        return;
    pthread_mutex_lock(&jobs->lock);
    const int known = rec_set_find(&jobs->swept, folder) != NULL;
    const int is_new = !known && !rec_set_put(&jobs->swept, folder, NULL);
    pthread_mutex_unlock(&jobs->lock);
    for (size_t i = 0; is_new && i < sizeof places / sizeof *places; i++) {
        rec_owned char *path = NULL;
        if (places[i] && !rec_path_join(&path, places[i], folder, NULL, NULL))
            rec_temporary_sweep(path);
    }
    if (known)
        free(folder);
}

/* ---- jobs ---- */

/* The entry of job `index`, among all inputs. */
static rec_entry *entry_of(const rec_jobs *jobs, size_t index)
{
    return jobs->entries[jobs->settings->shard + index * jobs->settings->shards];
}

rec_status rec_jobs_create_job(rec_jobs *jobs, size_t index, rec_job **job, rec_error *error)
{
    const rec_entry *entry = entry_of(jobs, index);
    REC_TRY(rec_job_create(job, jobs, jobs->settings, entry, 0, error));
    sweep_folders(jobs, entry->stem);
    if (!index) { /* charge start-up time to the first job */
        (*job)->begin = jobs->settings->begin;
        (*job)->wait_seconds = jobs->settings->find_seconds;
    }
    return REC_OK;
}

int rec_jobs_pass(const rec_jobs *jobs, size_t index, rec_status *verdict)
{
    const rec_entry *entry = entry_of(jobs, index);
    return !entry->refused && rec_journal_is_done(jobs->journal, entry, verdict);
}

/* Creates all jobs of the window. Headless it creates the first few, to see that they can be. */
static rec_status create_first_jobs(rec_jobs *jobs, rec_error *error)
{
    const int headless = jobs->settings->headless;
    for (size_t i = 0; i < jobs->count && (!headless || i < FEW_INPUTS); i++) {
        rec_job *job;
        REC_TRY(rec_jobs_create_job(jobs, i, &job, error));
        rec_status status = job->entry->refused ? REC_OK : rec_job_check_files(job, error);
        if (status == REC_USAGE && jobs->settings->files_from) {
            entry_of(jobs, i)->refused = 1;
            status = REC_OK;
        }
        if (!headless)
            jobs->at[i] = job;
        else
            rec_job_destroy(job);
        REC_TRY(status);
    }
    return REC_OK;
}

/* Makes room for `count` inputs. */
static rec_status reserve(rec_jobs *jobs, size_t count, rec_error *error)
{
    rec_entry **entries = realloc(jobs->entries, (count + 1) * sizeof *entries);
    jobs->entries = entries ? entries : jobs->entries;
    rec_job **at = jobs->settings->headless ? NULL : realloc(jobs->at, (count + 1) * sizeof *at);
    jobs->at = at ? at : jobs->at;
    return entries && (at || jobs->settings->headless)
               ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count);
}

rec_status rec_jobs_make(rec_jobs *jobs, const rec_settings *settings, char *const *inputs,
                         size_t count, rec_error *error)
{
    *jobs = (rec_jobs){.settings = settings, .names = {.compare = compare_names},
                       .stems = {.compare = compare_stems}, .swept = {compare_folders, free, NULL},
                       .lock = PTHREAD_MUTEX_INITIALIZER};
    const rec_solver_type *device = settings->successor ? settings->successor
                                                        : settings->run.solver;
    rec_status status = reserve(jobs, count, error);
    REC_THEN(status,
             rec_warmup_create(&jobs->warmup, device, &settings->run.solver_options, error));
    if (jobs->at)
        memset(jobs->at, 0, (count + 1) * sizeof *jobs->at);
    for (size_t i = 0; !status && i < count; i++)
        status = add_name(jobs, inputs[i], error);
    jobs->typed = jobs->all;
    jobs->count = (jobs->all + settings->shards - settings->shard - 1) / settings->shards;
    if (!status) {
        rec_files_add(jobs);
        status = create_first_jobs(jobs, error);
    }
    REC_THEN(status, check_outputs(jobs, settings, error));
    REC_THEN(status, rec_journal_open(&jobs->journal, settings, error));
    if (status)
        rec_jobs_destroy(jobs);
    else if (jobs->count && !settings->successor)
        rec_warmup_start(jobs->warmup);
    return status;
}

/* The folders of this run's checkpoints, and those above them, in which nothing is left. */
static void remove_empty_folders(const rec_jobs *jobs)
{
    const rec_settings *settings = jobs->settings;
    const char *before = NULL;
    for (size_t i = 0; settings->checkpoint_is_folder && i < jobs->count; i++) {
        const char *stem = entry_of(jobs, i)->stem, *name = strrchr(stem, '/');
        const size_t length = name ? (size_t)(name - stem) + 1 : 0;
        rec_owned char *path = NULL;
        if (before && !strncmp(before, stem, length) && !strchr(before + length, '/'))
            continue;
        before = stem;
        if (rec_path_join(&path, settings->checkpoint, stem, NULL, NULL))
            return;
        const size_t top = strlen(path) - strlen(stem) - 1;
        for (size_t end = strlen(path); end-- > top;)
            if (path[end] == '/') {
                path[end] = 0;
                if (rmdir(path) && errno != ENOENT)
                    break;
            }
    }
}

int rec_jobs_destroy(rec_jobs *jobs)
{
    if (!jobs->settings->successor)
        rec_warmup_await(jobs->warmup);
    for (size_t i = 0; jobs->at && i < jobs->count; i++)
        rec_job_destroy(jobs->at[i]);
    remove_empty_folders(jobs);
    rec_set_clear(&jobs->names);
    rec_set_clear(&jobs->stems);
    rec_set_clear(&jobs->swept);
    for (size_t i = jobs->typed; i < jobs->all; i++)
        free((char *)jobs->entries[i]->name);
    for (size_t i = 0; i < jobs->all; i++)
        free(jobs->entries[i]);
    rec_journal_close(jobs->journal);
    rec_set_clear(&jobs->known);
    free(jobs->entries);
    free(jobs->at);
    free(jobs->source);
    const int starting = rec_warmup_destroy(jobs->warmup);
    *jobs = (rec_jobs){0};
    return starting;
}

rec_status rec_jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (!strcmp(jobs->at[i]->input, path) || rec_path_is_one_file(jobs->at[i]->input, path)) {
            *index = i;
            return REC_OK;
        }
    const size_t number = jobs->all;
    rec_job *job = NULL;
    char *name;
    REC_TRY(rec_path_copy(&name, path, error));
    rec_status status = reserve(jobs, number + 1, error);
    REC_THEN(status, add_name(jobs, name, error));
    REC_THEN(status, rec_job_create(&job, jobs, jobs->settings, jobs->entries[number], 1, error));
    REC_THEN(status, rec_job_check_files(job, error));
    REC_THEN(status, rec_path_is_standard(job->input) ? REC_OK : rec_job_load(job, error));
    if (status) {
        rec_job_destroy(job);
        if (jobs->all > number)
            forget(jobs, jobs->entries[--jobs->all]);
        free(name);
        return status;
    }
    jobs->at[jobs->count++] = job;
    rec_files_add(jobs);
    *index = number;
    return REC_OK;
}

/* Settings that heal the same inputs. */
static rec_status set_brush(rec_settings *made, const rec_settings *from, rec_error *error)
{
    *made = (rec_settings){
        .run = {.iterations = REC_ENDLESS, .solver_options = from->run.solver_options,
                .problem.boundary.kind = REC_BOUNDARY_MIRROR},
        .reading.role = REC_PICTURE,
        .writing = {.maxval = 255, .tone = REC_TONE_CLAMP, .format = from->writing.format,
                    .stops = from->writing.stops},
        .own_white = 1,
        .edit = {.kind = REC_EDIT_HEAL, .white = from->edit.white, .stroke_grow = 2},
        .shown = REC_TONE_AUTO, .progress = from->progress, .shards = 1, .begin = from->begin};
    made->run.solver_options.kernel = NULL;
    made->run.solver_options.slabs = 0;
    return rec_solver_find(rec_limit_solver(made), &made->run.solver, error);
}

rec_status rec_jobs_create_brush(rec_jobs *jobs, size_t index, rec_job **job, rec_error *error)
{
    const rec_settings *settings = jobs->settings;
    const char *source = settings->edit.source;
    if (!jobs->brush.begin)
        REC_TRY(set_brush(&jobs->brush, settings, error));
    if (source && !jobs->source)
        REC_TRY(rec_entry_create(&jobs->source, source, 0, error));
    *job = jobs->at[index]->brush;
    if (*job)
        return REC_OK;
    const rec_entry *entry = source ? jobs->source : entry_of(jobs, index);
    const rec_status status = rec_job_create(job, jobs, &jobs->brush, entry, 1, error);
    jobs->at[index]->brush = *job;
    return status;
}
