#include "job/jobs.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/paths.h"
#include "base/temporary.h"
#include "job/names.h"

/* Up to this number of inputs, each is checked for links to its own output before the work. */
#define FEW_INPUTS 1000

/* ---- names ---- */

/* Files in folders must not meet. */
static int uses_folders(const rec_settings *settings)
{
    return settings->output_is_folder || settings->checkpoint_is_folder || settings->film;
}

const char *rec_jobs_name(const rec_jobs *jobs, const char *stem)
{
    size_t i = 0;
    while (jobs->stems[i] != stem)
        i++;
    return jobs->names[i];
}

static rec_status refuse(rec_jobs *jobs, const char *stem, rec_error *error)
{
    return tsearch(stem, &jobs->refused, rec_stem_compare)
               ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", jobs->all);
}

static rec_status add_stem(rec_jobs *jobs, const char *name, size_t number, rec_error *error)
{
    char *stem = jobs->stems[number], **used = tsearch(stem, &jobs->used, rec_stem_compare);
    if (!used)
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", number);
    if (*used == stem)
        return REC_OK;
    if (jobs->settings->files_from)
        return refuse(jobs, stem, error);
    const char *other = rec_jobs_name(jobs, *used);
    size_t length;
    const ptrdiff_t folder = rec_path_stem(name, &length) - name;
    if (!strcmp(other, name))
        return rec_fail(error, REC_USAGE, "%s is given twice", name);
    return rec_fail(error, REC_USAGE, "%s and %s would have the same output name%s", other, name,
                    jobs->settings->parents ||
                            (rec_path_stem(other, &length) - other == folder &&
                             !strncmp(other, name, (size_t)folder))
                        ? "" : "; --parents keeps their folders");
}

/* One bad name of a list does not refuse the others; a name that comes again is done once. */
static rec_status add_name(rec_jobs *jobs, const char *name, rec_error *error)
{
    const size_t number = jobs->all;
    const int from_file = jobs->settings->files_from != NULL;
    const char *const *known = from_file ? tsearch(name, &jobs->listed, rec_stem_compare) : NULL;
    if (from_file && !known)
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", number);
    if (from_file && *known != name)
        return REC_OK;
    jobs->names[number] = name;
    rec_status status =
        rec_stem_make(&jobs->stems[number], name, jobs->settings->parents, error);
    if (status == REC_USAGE && from_file) {
        status = rec_path_copy(&jobs->stems[number], name, error);
        if (!status)
            status = refuse(jobs, jobs->stems[number], error);
    } else if (!status && uses_folders(jobs->settings))
        status = add_stem(jobs, name, number, error);
    if (status)
        free(jobs->stems[number]);
    else
        jobs->all++;
    return status;
}

static size_t count_own(const rec_jobs *jobs)
{
    const rec_settings *settings = jobs->settings;
    if (settings->shards <= 1)
        return jobs->all;
    return jobs->all > settings->shard
               ? (jobs->all - settings->shard - 1) / settings->shards + 1 : 0;
}

/* ---- outputs ---- */

/* Checks that the file, or any file in the folder, can be created; removes what killed runs have
 * left there. */
static rec_status check_place(const char *path, int is_folder, rec_error *error)
{
    char *file = NULL;
    if (!path || !is_folder)
        return path ? rec_output_check(path, error) : REC_OK;
    REC_TRY(rec_path_make_folder(path, 0, error));
    REC_TRY(rec_path_join(&file, path, "000001", NULL, error));
    const rec_status status = rec_output_check(file, error);
    free(file);
    return status;
}

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
    for (size_t i = 2; i < sizeof places / sizeof *places; i++) /* no matter of a single input */
        if (places[i].path)
            REC_TRY(rec_files_ask(&jobs->files, places[i].path, places[i].path, REC_USAGE, error));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        REC_TRY(check_place(places[i].path, places[i].is_folder, error));
    return REC_OK;
}

/* Removes what killed runs have left in the folders of an input's files, if --parents puts them
 * below those of check_place; once for each folder. */
static void sweep_folders(rec_jobs *jobs, const char *stem)
{
    const rec_settings *settings = jobs->settings;
    const char *const places[] = {settings->output_is_folder ? settings->output : NULL,
                                  settings->checkpoint_is_folder ? settings->checkpoint : NULL,
                                  settings->film};
    char *folder = strchr(stem, '/') ? rec_path_folder(stem) : NULL, *path;
    if (!folder)
        return;
    pthread_mutex_lock(&jobs->journal.lock);
    char *const *known = tsearch(folder, &jobs->swept, rec_stem_compare);
    const int is_new = known && *known == folder;
    pthread_mutex_unlock(&jobs->journal.lock);
    for (size_t i = 0; is_new && i < sizeof places / sizeof *places; i++)
        if (places[i] && !rec_path_join(&path, places[i], folder, NULL, NULL)) {
            rec_temporary_sweep(path);
            free(path);
        }
    if (!is_new)
        free(folder);
}

/* ---- jobs ---- */

static rec_status create_job(rec_jobs *jobs, size_t number, int dropped, rec_job **job,
                             rec_error *error)
{
    return rec_job_create(job, jobs->settings, jobs->warmup, &jobs->files, jobs->names[number],
                          jobs->stems[number], dropped, error);
}

rec_status rec_jobs_create_job(rec_jobs *jobs, size_t index, rec_job **job, rec_error *error)
{
    const size_t number = rec_jobs_number(jobs, index);
    const rec_status status = create_job(jobs, number, 0, job, error);
    if (!status) {
        (*job)->list_locks = jobs->journal.locks;
        (*job)->refused = tfind((*job)->stem, &jobs->refused, rec_stem_compare) != NULL;
        sweep_folders(jobs, (*job)->stem);
    }
    if (!status && !index) { /* charge start-up time to the first job */
        (*job)->begin = jobs->settings->begin;
        (*job)->wait_seconds = jobs->settings->find_seconds;
    }
    return status;
}

int rec_jobs_pass(const rec_jobs *jobs, size_t index, rec_status *verdict)
{
    const rec_settings *settings = jobs->settings;
    const size_t number = rec_jobs_number(jobs, index);
    const char *stem = jobs->stems[number];
    const rec_done *done =
        tfind(stem, &jobs->refused, rec_stem_compare)
            ? NULL : rec_journal_find(&jobs->journal, settings, jobs->names[number], stem);
    char *path;
    if (!done || (done->status != REC_OK && done->status != REC_NO))
        return 0;
    *verdict = done->status;
    if (settings->output) {
        if (!done->output.bytes || rec_output_path(settings, stem, done->planes, &path, NULL))
            return 0;
        const int there = rec_journal_has_output(done, path);
        free(path);
        if (!there)
            return 0;
    }
    /* A run may have been killed before it removed it. */
    if (!rec_checkpoint_path(settings, stem, &path, NULL) && path)
        unlink(path);
    free(path);
    return 1;
}

/* Creates all jobs of the window. Headless it creates the first few, to see that they can be. */
static rec_status create_first_jobs(rec_jobs *jobs, rec_error *error)
{
    const int headless = jobs->settings->headless;
    for (size_t i = 0; i < jobs->count && (!headless || i < FEW_INPUTS); i++) {
        rec_job *job;
        REC_TRY(rec_jobs_create_job(jobs, i, &job, error));
        rec_status status = job->refused ? REC_OK : rec_job_check_files(job, error);
        if (status == REC_USAGE && jobs->settings->files_from)
            status = refuse(jobs, job->stem, error);
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
    const char **names = realloc(jobs->names, (count + 1) * sizeof *names);
    jobs->names = names ? names : jobs->names;
    char **stems = realloc(jobs->stems, (count + 1) * sizeof *stems);
    jobs->stems = stems ? stems : jobs->stems;
    rec_job **at = jobs->settings->headless ? NULL : realloc(jobs->at, (count + 1) * sizeof *at);
    jobs->at = at ? at : jobs->at;
    return names && stems && (at || jobs->settings->headless)
               ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count);
}

rec_status rec_jobs_make(rec_jobs *jobs, const rec_settings *settings, char *const *inputs,
                         size_t count, rec_error *error)
{
    *jobs = (rec_jobs){.settings = settings};
    pthread_mutex_init(&jobs->journal.lock, NULL);
    pthread_mutex_init(&jobs->files.lock, NULL);
    const rec_solver_type *device = settings->successor ? settings->successor
                                                        : settings->run.solver;
    rec_status status = reserve(jobs, count, error);
    if (!status)
        status = rec_warmup_create(&jobs->warmup, device, &settings->run.solver_options, error);
    if (jobs->at)
        memset(jobs->at, 0, (count + 1) * sizeof *jobs->at);
    for (size_t i = 0; !status && i < count; i++)
        status = add_name(jobs, inputs[i], error);
    jobs->given = jobs->all;
    jobs->count = count_own(jobs);
    rec_files_take(&jobs->files, settings, jobs->names, jobs->all);
    if (!status)
        status = create_first_jobs(jobs, error);
    if (!status)
        status = check_outputs(jobs, settings, error);
    if (!status)
        status = rec_journal_open(&jobs->journal, settings, error);
    if (status)
        rec_jobs_destroy(jobs);
    else if (jobs->count && !settings->successor)
        rec_warmup_start(jobs->warmup);
    return status;
}

static void ignore(void *stem) { (void)stem; }

int rec_jobs_destroy(rec_jobs *jobs)
{
    if (!jobs->settings->successor)
        rec_warmup_await(jobs->warmup);
    for (size_t i = 0; jobs->at && i < jobs->count; i++)
        rec_job_destroy(jobs->at[i]);
    tdestroy(jobs->used, ignore);
    tdestroy(jobs->listed, ignore);
    tdestroy(jobs->refused, ignore);
    tdestroy(jobs->swept, free);
    for (size_t i = 0; i < jobs->all; i++)
        free(jobs->stems[i]);
    for (size_t i = jobs->given; i < jobs->all; i++)
        free((char *)jobs->names[i]);
    rec_journal_close(&jobs->journal);
    rec_files_free(&jobs->files);
    free(jobs->names);
    free(jobs->stems);
    free(jobs->at);
    const int starting = rec_warmup_destroy(jobs->warmup);
    *jobs = (rec_jobs){0};
    return starting;
}

/* ---- more of them ---- */

rec_status rec_jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (!strcmp(jobs->names[i], path) || rec_path_is_one_file(jobs->names[i], path)) {
            *index = i;
            return rec_job_check(jobs->at[i], error);
        }
    const size_t number = jobs->all;
    rec_job *job = NULL;
    char *name = strdup(path);
    rec_status status = name ? reserve(jobs, number + 1, error)
                             : rec_fail(error, REC_LIMIT, "out of memory for %s", path);
    if (!status)
        status = add_name(jobs, name, error);
    if (!status)
        status = create_job(jobs, number, 1, &job, error);
    if (!status)
        status = rec_job_check_files(job, error);
    if (!status)
        status = rec_job_check(job, error);
    if (status) {
        rec_job_destroy(job);
        if (jobs->all > number) {
            tdelete(jobs->stems[number], &jobs->used, rec_stem_compare);
            free(jobs->stems[number]);
        }
        free(name);
        jobs->all = number;
        return status;
    }
    jobs->at[jobs->count++] = job;
    rec_files_take(&jobs->files, jobs->settings, jobs->names, jobs->all);
    *index = number;
    return REC_OK;
}
