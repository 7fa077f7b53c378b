#include "job/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/output.h"
#include "base/paths.h"
#include "job/names.h"

/* ---- what identifies a line ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return rec_hash(hash, text ? text : "", text ? strlen(text) + 1 : 0);
}

/* Everything that decides the bytes of an output, except the input. All stencil solvers have the
 * same bits, so a list may continue with another one of them. */
static uint64_t hash_settings(const rec_settings *settings)
{
    const rec_run_options *run = &settings->run;
    const uint64_t counts[] = {run->iterations,
                               run->tolerance > 0 || settings->film ? run->every : 0,
                               rec_solver_type_jumps(run->solver) != 0,
                               settings->start,
                               settings->reading.role == REC_PICTURE,
                               settings->balance != 0,
                               settings->makes_edges != 0,
                               settings->against,
                               settings->frames,
                               settings->writing.maxval,
                               settings->writing.tone,
                               settings->reading.zero_level_given != 0};
    const double numbers[] = {run->tolerance, settings->start_value, settings->max_difference,
                              settings->reading.zero_level};
    uint64_t hash = rec_hash(REC_HASH_START, counts, sizeof counts);
    hash = rec_hash(hash, numbers, sizeof numbers);
    const rec_edit *edit = &settings->edit;
    const uint64_t edits[] = {edit->kind, edit->rule, (uint64_t)edit->x, (uint64_t)edit->y,
                              settings->own_white != 0};
    if (edit->kind)
        hash = rec_hash(hash, edits, sizeof edits);
    hash = rec_hash(hash, settings->frames_at, settings->frames_count * sizeof(uint64_t));
    hash = hash_text(hash, settings->writing.format ? settings->writing.format->name : NULL);
    const char *const files[] = {settings->start_file, settings->original, edit->mask, edit->onto,
                                 edit->source};
    for (size_t i = 0; i < (edit->kind ? 5 : 2); i++) {
        rec_file_mark mark;
        hash = hash_text(hash, files[i]);
        if (files[i] && rec_file_note(files[i], &mark))
            hash = rec_hash(hash, &mark, sizeof mark);
    }
    hash = hash_text(hash, settings->film);
    return rec_run_hash(run, hash);
}

static uint64_t hash_name(const char *name) { return hash_text(REC_HASH_START, name); }

/* ---- reading lines ---- */

/* The number after "name": in a line. Texts have a backslash before each quote, so that no text can
 * be taken for a name. */
static int find_number(const char *line, const char *name, int base, uint64_t *value)
{
    char pattern[32], *end;
    snprintf(pattern, sizeof pattern, ", \"%s\": %s", name, base == 16 ? "\"" : "");
    const char *at = strstr(line, pattern);
    if (!at)
        return 0;
    at += strlen(pattern);
    *value = strtoull(at, &end, base);
    return end > at;
}

/* "finished": "2026-11-24T16:10:05.123Z" as 20261124161005123. */
static uint64_t find_time(const char *line)
{
    static const char name[] = ", \"finished\": \"";
    const char *at = strstr(line, name);
    uint64_t digits = 0;
    for (at = at ? at + strlen(name) : "\""; *at && *at != '"'; at++)
        digits = *at >= '0' && *at <= '9' ? 10 * digits + (uint64_t)(*at - '0') : digits;
    return digits;
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t left = ((const rec_done *)a)->id, right = ((const rec_done *)b)->id;
    return (left > right) - (left < right);
}

static rec_status take_line(rec_journal *journal, const char *line, rec_error *error)
{
    uint64_t status, planes;
    rec_done done = {0};
    const char *end = strrchr(line, '}');
    if (!end || end[1 + strspn(end + 1, "\r\n")] || !find_number(line, "id", 16, &done.id) ||
        !find_number(line, "status", 10, &status))
        return REC_OK; /* the torn line of a killed run, or of something else */
    done.known = find_number(line, "settings", 16, &done.settings) &&
                 find_number(line, "input_bytes", 10, &done.input.bytes) &&
                 find_number(line, "input_time", 10, &done.input.time);
    done.finished = find_time(line);
    done.status = (rec_status)status;
    done.planes = find_number(line, "planes", 10, &planes) ? (size_t)planes : 0;
    find_number(line, "output_bytes", 10, &done.output.bytes);
    find_number(line, "output_time", 10, &done.output.time);
    find_number(line, "output_id", 16, &done.output_id);
    rec_done *made = malloc(sizeof *made), **there;
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for the journal");
    *made = done;
    there = tsearch(made, &journal->done, compare_ids);
    if (!there || *there != made)
        free(made);
    if (!there)
        return rec_fail(error, REC_LIMIT, "out of memory for the journal");
    if (done.finished >= (*there)->finished) /* journals come in any order */
        **there = done;
    return REC_OK;
}

/* *torn: its last line has no end. */
static rec_status read_journal(rec_journal *journal, const char *path, int *torn, rec_error *error)
{
    FILE *stream;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    rec_status status = rec_path_open(&stream, path, NULL, error);
    if (status)
        return status;
    while (!status && (length = getline(&line, &room, stream)) > 0) {
        status = take_line(journal, line, error);
        *torn = line[length - 1] != '\n';
    }
    free(line);
    if (!status && !feof(stream))
        status = rec_read_failed(path, error);
    if (stream != stdin)
        fclose(stream);
    return status;
}

/* The file, or each *.jsonl of the folder. */
static rec_status read_journals(rec_journal *journal, const char *path, rec_error *error)
{
    int torn;
    rec_status status = REC_OK;
    DIR *entries = rec_path_is_folder(path) ? opendir(path) : NULL;
    if (!entries)
        return read_journal(journal, path, &torn, error);
    for (struct dirent *entry; !status && (entry = readdir(entries));) {
        char *file = NULL;
        if (fnmatch("*.jsonl", entry->d_name, FNM_PERIOD))
            continue;
        status = rec_path_join(&file, path, entry->d_name, NULL, error);
        if (!status && rec_path_is_regular(file))
            status = read_journal(journal, file, &torn, error);
        free(file);
    }
    closedir(entries);
    return status;
}

/* ---- opening ---- */

/* In one write, and without a way back: another run may append, too, if it has just taken over. */
static rec_status append(rec_journal *journal, size_t i, const char *text, size_t length,
                         rec_error *error)
{
    const int file = journal->file[i];
    for (size_t done = 0; done < length;) {
        const ssize_t written = write(file, text + done, length - done);
        if (written < 0 && errno == EINTR && (journal->regular[i] || !rec_signal_received))
            continue;
        if (written < 0)
            return rec_write_failed(rec_output_name(journal->path[i]), errno, error);
        done += (size_t)written;
        journal->torn[i] = text[done - 1] != '\n';
    }
    return REC_OK;
}

static rec_status open_file(rec_journal *journal, const char *path, int goes_on, int torn,
                            rec_error *error)
{
    const int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | (goes_on ? 0 : O_TRUNC);
    const int file = strcmp(path, "-") ? open(path, how, 0666) : STDOUT_FILENO;
    struct stat about;
    if (file < 0)
        return rec_fail_system(error, REC_NO_OUTPUT, errno, "%s: cannot be created", path);
    const size_t i = journal->count++;
    journal->path[i] = path;
    journal->file[i] = file;
    journal->regular[i] = !fstat(file, &about) && S_ISREG(about.st_mode);
    journal->torn[i] = goes_on && torn;
    return journal->torn[i] ? append(journal, i, "\n", 1, error) : REC_OK;
}

rec_status rec_journal_open(rec_journal *journal, const rec_settings *settings, rec_error *error)
{
    const char *paths[2] = {settings->report, NULL};
    int torn[2] = {0};
    rec_status status = REC_OK;
    journal->settings = hash_settings(settings);
    /* Only a regular file can be read again. */
    if (settings->list && settings->checkpoint &&
        !(settings->report && rec_path_is_regular(settings->report))) {
        char name[64] = "journal";
        if (settings->shards > 1)
            snprintf(name, sizeof name, "journal-%zu-of-%zu", settings->shard, settings->shards);
        status = rec_path_join(&journal->own_path, settings->checkpoint, name, "jsonl", error);
        paths[1] = journal->own_path;
    }
    for (size_t i = 0; !status && settings->list && i < REC_JOURNALS; i++)
        if (paths[i] && rec_path_is_regular(paths[i]))
            status = rec_lock_take(&journal->locks[i], paths[i], error);
    /* All are read before a new line is written. */
    for (size_t i = 0; !status && settings->resume && i < settings->journal_count; i++)
        status = read_journals(journal, settings->journals[i], error);
    for (size_t i = 0; !status && settings->resume && i < 2; i++)
        if (paths[i] && rec_path_is_regular(paths[i]) && !access(paths[i], F_OK))
            status = read_journal(journal, paths[i], &torn[i], error);
    for (size_t i = 0; !status && i < 2; i++)
        if (paths[i])
            status = open_file(journal, paths[i], settings->resume, torn[i], error);
    return status;
}

void rec_journal_close(rec_journal *journal)
{
    for (size_t i = 0; i < journal->count; i++)
        if (journal->file[i] != STDOUT_FILENO)
            close(journal->file[i]);
    rec_journal_unlock(journal, NULL);
    free(journal->own_path);
    tdestroy(journal->done, free);
}

void rec_journal_renew(rec_journal *journal)
{
    for (size_t i = 0; i < REC_JOURNALS; i++)
        rec_lock_renew(journal->locks[i]);
}

int rec_journal_is_lost(const rec_journal *journal)
{
    int lost = 0;
    for (size_t i = 0; i < REC_JOURNALS; i++)
        lost |= rec_lock_check(journal->locks[i], NULL) == REC_NO_OUTPUT;
    return lost;
}

rec_status rec_journal_unlock(rec_journal *journal, rec_error *error)
{
    rec_status status = REC_OK;
    for (size_t i = 0; i < REC_JOURNALS; i++) {
        const rec_status unlocked = rec_lock_release(journal->locks[i], status ? NULL : error);
        status = status ? status : unlocked;
        journal->locks[i] = NULL;
    }
    return status;
}

/* Of the settings, and of the files that belong to that input alone. */
static uint64_t hash_all(const rec_journal *journal, uint64_t others)
{
    return others ? rec_hash(journal->settings, &others, sizeof others) : journal->settings;
}

const rec_done *rec_journal_find(const rec_journal *journal, const rec_settings *settings,
                                 const char *name, const char *stem)
{
    const rec_done wanted = {.id = hash_name(name)};
    rec_done *const *found = tfind(&wanted, &journal->done, compare_ids);
    rec_file_mark mark;
    return found && (*found)->known && rec_file_note(name, &mark) &&
                   !memcmp(&mark, &(*found)->input, sizeof mark) &&
                   (*found)->settings == hash_all(journal, rec_hash_folder_files(settings, stem))
               ? *found : NULL;
}

int rec_journal_has_output(const rec_done *done, const char *path)
{
    rec_file_mark mark;
    return rec_file_note(path, &mark) && !memcmp(&mark, &done->output, sizeof mark) &&
           done->output_id == hash_name(path);
}

/* ---- writing lines ---- */

/* What a full disk left of a line gets an end first. */
static rec_status append_line(rec_journal *journal, size_t i, const char *line, size_t length,
                              rec_error *error)
{
    REC_TRY(rec_lock_check(journal->locks[i], error));
    if (journal->torn[i])
        REC_TRY(append(journal, i, "\n", 1, error));
    return append(journal, i, line, length, error);
}

rec_status rec_journal_write(rec_journal *journal, rec_job *job, rec_error *error)
{
    char *line = NULL;
    size_t length;
    rec_status status = REC_OK;
    FILE *stream = journal->count ? open_memstream(&line, &length) : NULL;
    if (!journal->count)
        return REC_OK;
    job->report.id = hash_name(job->input);
    job->report.settings = hash_all(journal, job->others);
    job->report.output_id = job->report.output ? hash_name(job->report.output) : 0;
    rec_seconds *seconds = &job->report.state.seconds;
    seconds->save += job->save_seconds;
    seconds->wall = rec_now() - job->begin;
    if (stream)
        rec_report_write(stream, &job->report);
    const int failed = !stream || ferror(stream);
    if (!stream || fclose(stream) || failed || !line) /* the last growth fails in silence */
        status = rec_fail(error, REC_LIMIT, "out of memory for a line of the report");
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; !status && i < journal->count; i++)
        status = append_line(journal, i, line, length, error);
    pthread_mutex_unlock(&journal->lock);
    free(line);
    return status;
}
