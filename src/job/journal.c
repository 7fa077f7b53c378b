#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "job/jobs.h"

/* The report and, if that cannot be read again (a pipe), a second one beside the checkpoints. */
enum { JOURNALS = 2 };

typedef struct done { /* the newest line of an input */
    uint64_t id;            /* the hash of its name */
    uint64_t finished;      /* digits of its date and time; 0: of an earlier version */
    uint64_t settings;
    int known;              /* all that is compared was in the line */
    rec_status status;
    rec_file_mark input;
    uint64_t output_id;     /* the hash of its path */
    rec_file_mark output;   /* 0: none was written */
    size_t planes;
} done;

struct file {
    const char *path; /* NULL: there is none */
    int file;         /* -1: not open */
    int regular;
    int torn;         /* the last line has no end */
    rec_lock *lock;
};

struct rec_journal {
    const rec_settings *settings;
    uint64_t hash;         /* of the settings */
    struct file files[JOURNALS];
    char *own_path;        /* of the second */
    rec_set done;          /* from earlier lines */
    pthread_mutex_t lock;  /* of the files */
};

/* ---- what identifies a line ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return rec_hash(hash, text ? text : "", text ? strlen(text) + 1 : 0);
}

/* All stencil solvers have the same bits, so a list may continue with another one of them. */
uint64_t rec_settings_hash(const rec_settings *settings)
{
    const rec_run_options *run = &settings->run;
    const uint64_t counts[] = {run->iterations,
                               run->tolerance > 0 || settings->film ? run->every : 0,
                               run->solver->jumps != 0, settings->start,
                               settings->reading.role == REC_PICTURE, settings->balance != 0,
                               settings->makes_edges != 0, settings->against, settings->frames,
                               settings->writing.maxval, settings->writing.tone,
                               settings->reading.zero_level_given != 0};
    const double numbers[] = {run->tolerance, settings->start_value, settings->max_difference,
                              settings->reading.zero_level};
    uint64_t hash = rec_hash(REC_HASH_START, counts, sizeof counts);
    hash = rec_hash(hash, numbers, sizeof numbers);
    const rec_edit_wish *edit = &settings->edit;
    const uint64_t edits[] = {edit->kind, edit->rule, (uint64_t)edit->x, (uint64_t)edit->y,
                              settings->own_white != 0};
    if (edit->kind)
        hash = rec_hash(hash, edits, sizeof edits);
    const double edited[] = {edit->white, edit->keep, edit->holes, edit->hole};
    if (edit->white > 0 || edit->keep > 0 || edit->holes)
        hash = rec_hash(hash, edited, sizeof edited);
    if (edit->grow)
        hash = rec_hash(hash, &edit->grow, sizeof edit->grow);
    if (edit->from == REC_FROM_AUTO) /* the usual one has this rule and no place */
        hash = rec_hash(hash, &edit->from, sizeof edit->from);
    hash = rec_hash(hash, settings->frames_at, settings->frames_count * sizeof(uint64_t));
    hash = hash_text(hash, settings->writing.format ? settings->writing.format->name : NULL);
    const char *const files[] = {settings->start_file, settings->original, edit->mask, edit->onto,
                                 edit->source, edit->sources};
    for (size_t i = 0; i < (edit->kind ? edit->sources ? 6 : 5 : 2); i++) {
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

/* The number after "name": in a line. Quotes in texts have a backslash: none looks like a name. */
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

static int compare_ids(const void *a, const void *b)
{
    return memcmp(&((const done *)a)->id, &((const done *)b)->id, sizeof(uint64_t));
}

static rec_status read_line(rec_journal *journal, const char *line, rec_error *error)
{
    static const char finished[] = ", \"finished\": \"";
    uint64_t status, planes;
    done now = {0};
    const char *end = strrchr(line, '}');
    if (!end || end[1 + strspn(end + 1, "\r\n")] || !find_number(line, "id", 16, &now.id) ||
        !find_number(line, "status", 10, &status))
        return REC_OK; /* the torn line of a killed run, or of something else */
    now.known = find_number(line, "settings", 16, &now.settings) &&
                find_number(line, "input_bytes", 10, &now.input.bytes) &&
                find_number(line, "input_time", 10, &now.input.time);
    /* "finished": "2026-11-24T16:10:05.123Z" as 20261124161005123. */
    const char *at = strstr(line, finished);
    for (at = at ? at + strlen(finished) : "\""; *at && *at != '"'; at++)
        if (*at >= '0' && *at <= '9')
            now.finished = 10 * now.finished + (uint64_t)(*at - '0');
    now.status = (rec_status)status;
    now.planes = find_number(line, "planes", 10, &planes) ? (size_t)planes : 0;
    find_number(line, "output_bytes", 10, &now.output.bytes);
    find_number(line, "output_time", 10, &now.output.time);
    find_number(line, "output_id", 16, &now.output_id);
    const done *other = rec_set_find(&journal->done, &now);
    if (other && other->finished > now.finished) /* journals come in any order */
        return REC_OK;
    done *kept = malloc(sizeof *kept);
    if (kept)
        *kept = now;
    return rec_set_put(&journal->done, kept, error);
}

/* *torn: its last line has no end. */
static rec_status read_journal(rec_journal *journal, const char *path, int *torn, rec_error *error)
{
    rec_owned_lines from = {.name = path};
    REC_TRY(rec_path_open(&from.stream, path, NULL, error));
    for (;;) {
        REC_TRY(rec_lines_next(&from, error));
        if (!from.length)
            return REC_OK;
        REC_TRY(read_line(journal, from.line, error));
        *torn = from.line[from.length - 1] != '\n';
    }
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
        rec_owned char *file = NULL;
        if (fnmatch("*.jsonl", entry->d_name, FNM_PERIOD))
            continue;
        status = rec_path_join(&file, path, entry->d_name, NULL, error);
        if (!status && rec_path_is_regular(file))
            status = read_journal(journal, file, &torn, error);
    }
    closedir(entries);
    return status;
}

/* ---- opening ---- */

/* In one write, and without a way back: another run may append, too, if it has just taken over. */
static rec_status append(struct file *to, const char *text, size_t length, rec_error *error)
{
    for (size_t begin = 0; begin < length;) {
        const ssize_t written = write(to->file, text + begin, length - begin);
        if (written < 0 && errno == EINTR && (to->regular || !rec_signal_received))
            continue;
        if (written < 0)
            return rec_write_failed(rec_output_name(to->path), errno, error);
        begin += (size_t)written;
        to->torn = text[begin - 1] != '\n';
    }
    return REC_OK;
}

/* What a full disk or a kill left of a line gets an end first. */
static rec_status append_line(struct file *to, const char *line, size_t length, rec_error *error)
{
    if (to->torn)
        REC_TRY(append(to, "\n", 1, error));
    return append(to, line, length, error);
}

static rec_status open_file(struct file *opened, int goes_on, rec_error *error)
{
    const int how = (opened->regular ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND | O_CLOEXEC |
                    O_NOCTTY | (goes_on ? 0 : O_TRUNC);
    struct stat about;
    const int descriptor = rec_path_descriptor(opened->path);
    opened->file = descriptor < 0 ? open(opened->path, how, 0666)
                                  : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (opened->file < 0)
        return rec_fail_system(error, REC_NO_OUTPUT, errno, "%s: cannot be created", opened->path);
    opened->regular = !fstat(opened->file, &about) && S_ISREG(about.st_mode);
    opened->torn = opened->torn && goes_on;
    return append_line(opened, "", 0, error);
}

/* If somebody has removed or replaced it: what it had goes into the file of that name. */
static rec_status restore(struct file *to, rec_error *error)
{
    const int lost = to->file;
    struct stat about;
    char bytes[4096];
    ssize_t count = 0;
    if (!to->regular || rec_path_descriptor(to->path) >= 0 || fstat(lost, &about) || about.st_nlink)
        return REC_OK;
    rec_say(stderr, "warning: %s was removed meanwhile: it is written again\n", to->path);
    rec_status status = open_file(to, 1, error);
    for (off_t at = 0; !status && (count = pread(lost, bytes, sizeof bytes, at)) > 0; at += count)
        status = append(to, bytes, (size_t)count, error);
    close(lost);
    return status;
}

rec_status rec_journal_open(rec_journal **opened, const rec_settings *settings, rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(opened, 1, sizeof **opened, "a journal", error));
    rec_journal *journal = *opened;
    *journal = (rec_journal){.settings = settings, .hash = rec_settings_hash(settings),
                             .files = {{.path = settings->report, .file = -1}, {.file = -1}},
                             .done = {compare_ids, free, NULL}, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct file *files = journal->files;
    /* Only a regular file can be read again. */
    if (settings->list && settings->checkpoint &&
        !(settings->report && rec_path_is_regular(settings->report))) {
        char name[64] = "journal";
        if (settings->shards > 1)
            snprintf(name, sizeof name, "journal-%zu-of-%zu", settings->shard, settings->shards);
        REC_TRY(rec_path_join(&journal->own_path, settings->checkpoint, name, "jsonl", error));
        files[1].path = journal->own_path;
    }
    for (struct file *file = files; file < files + JOURNALS; file++) {
        file->regular = file->path && rec_path_is_regular(file->path);
        if (file->regular && settings->list)
            REC_TRY(rec_lock_acquire(&file->lock, file->path, error));
    }
    /* All are read before a new line is written. */
    for (size_t i = 0; settings->resume && i < settings->journal_count; i++)
        REC_TRY(read_journals(journal, settings->journals[i], error));
    for (size_t i = 0; settings->resume && i < JOURNALS; i++)
        if (files[i].regular && !access(files[i].path, F_OK))
            REC_TRY(read_journal(journal, files[i].path, &files[i].torn, error));
    for (size_t i = 0; i < JOURNALS; i++)
        if (files[i].path)
            REC_TRY(open_file(&files[i], settings->resume, error));
    return REC_OK;
}

void rec_journal_close(rec_journal *journal)
{
    if (!journal)
        return;
    for (size_t i = 0; i < JOURNALS; i++)
        if (journal->files[i].file >= 0 && !restore(&journal->files[i], NULL))
            close(journal->files[i].file);
    rec_journal_unlock(journal, NULL);
    free(journal->own_path);
    rec_set_clear(&journal->done);
    rec_free(journal);
}

void rec_journal_renew(const rec_journal *journal)
{
    for (size_t i = 0; journal && i < JOURNALS; i++)
        rec_lock_renew(journal->files[i].lock);
}

rec_status rec_journal_check(const rec_journal *journal, rec_error *error)
{
    for (size_t i = 0; journal && i < JOURNALS; i++)
        REC_TRY(rec_lock_check(journal->files[i].lock, error));
    return REC_OK;
}

static rec_status claim(const rec_output_guard *guard, const char *target, rec_file_id made,
                        int *exists, rec_error *error)
{
    const rec_claim *asks = (const rec_claim *)guard;
    REC_TRY(rec_lock_check(asks->job->lock, error));
    REC_TRY(rec_journal_check(asks->job->jobs->journal, error));
    return rec_files_claim(asks->job->jobs, target, asks->owner, made, exists, error);
}

rec_claim rec_job_claim(const rec_job *job, const char *owner)
{
    return (rec_claim){.guard = {.claim = claim}, .job = job, .owner = owner};
}

rec_status rec_journal_unlock(rec_journal *journal, rec_error *error)
{
    rec_status status = REC_OK;
    for (size_t i = 0; i < JOURNALS; i++) {
        const rec_status unlocked =
            rec_lock_release(&journal->files[i].lock, status ? NULL : error);
        status = status ? status : unlocked;
    }
    return status;
}

/* Of the settings, and of the files that belong to that input alone. */
static uint64_t hash_all(const rec_journal *journal, uint64_t others)
{
    return others ? rec_hash(journal->hash, &others, sizeof others) : journal->hash;
}

static int is_file(const char *path, const rec_file_mark *as)
{
    rec_file_mark now;
    return rec_file_note(path, &now) && !memcmp(&now, as, sizeof now);
}

int rec_journal_is_done(const rec_journal *journal, const rec_entry *entry, rec_status *verdict)
{
    const rec_settings *settings = journal->settings;
    const done *line = rec_set_find(&journal->done, &(const done){.id = hash_name(entry->name)});
    const rec_format *format = settings->writing.format;
    int same = 0;
    if (!line || !line->known || (line->status != REC_OK && line->status != REC_NO) ||
        !is_file(entry->name, &line->input) ||
        line->settings != hash_all(journal, rec_hash_folder_files(settings, entry)))
        return 0;
    *verdict = line->status;
    if (!settings->output)
        return 1;
    for (size_t i = 0; line->output.bytes && !same && (!i || format); i++) {
        rec_owned char *path = NULL;
        same = !rec_output_path(settings, format, entry->stem, line->planes, &path, NULL) &&
               is_file(path, &line->output) && line->output_id == hash_name(path);
        do /* of an edit it may have the ending of any format */
            format = settings->writing.format || !settings->edit.kind ? NULL : rec_format_at(i);
        while (format && !format->ending && ++i);
    }
    return same;
}

rec_status rec_journal_write(rec_journal *journal, rec_job *job, rec_error *error)
{
    rec_owned char *line = NULL;
    size_t length;
    if (!journal->files[0].path && !journal->files[1].path)
        return REC_OK;
    FILE *stream = open_memstream(&line, &length);
    job->report.id = hash_name(job->input);
    job->report.settings = hash_all(journal, job->others);
    job->report.output_id = job->report.output ? hash_name(job->report.output) : 0;
    rec_seconds *seconds = &job->report.state.seconds;
    seconds->load = job->load_seconds;
    seconds->device_start += job->wait_seconds;
    seconds->save += job->save_seconds;
    seconds->wall = rec_now() - job->begin;
    if (stream)
        rec_report_write(stream, &job->report);
    const int failed = !stream || ferror(stream);
    if (!stream || fclose(stream) || failed || !line) /* the last growth fails in silence */
        return rec_fail(error, REC_LIMIT, "out of memory for a line of the report");
    REC_HOLD(&journal->lock);
    for (struct file *to = journal->files; to < journal->files + JOURNALS; to++) {
        REC_TRY(rec_lock_check(to->lock, error));
        if (!to->path)
            continue;
        REC_TRY(restore(to, error));
        REC_TRY(append_line(to, line, length, error));
    }
    return REC_OK;
}
