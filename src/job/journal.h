/* The journal of a list: a line of JSON for every input that was worked on, by one write, after its
 * output is in its place. It belongs to one run at a time (lock.c). Journals of shards can be
 * concatenated; of several lines of an input the newest counts. */
#pragma once

#include "job/job.h"

typedef struct rec_done { /* the newest line of an input */
    uint64_t id;            /* the hash of its name */
    uint64_t finished;      /* digits of its date and time; 0: of an earlier version */
    uint64_t settings;
    int known;              /* all that is compared was in the line */
    rec_status status;
    rec_file_mark input;
    uint64_t output_id;     /* the hash of its path */
    rec_file_mark output;   /* 0: none was written */
    size_t planes;
} rec_done;

typedef struct rec_journal {
    int file[REC_JOURNALS]; /* the report and, if the report cannot be read again (a pipe), a
                               second journal beside the checkpoints */
    const char *path[REC_JOURNALS];
    rec_lock *locks[REC_JOURNALS];
    int regular[REC_JOURNALS];
    int torn[REC_JOURNALS]; /* the last line has no end */
    size_t count;
    char *own_path;         /* the path of the second file; owned */
    void *done;             /* a tree (tsearch) of rec_done: from earlier lines */
    uint64_t settings;      /* a hash of what decides the bytes of an output */
    pthread_mutex_t lock;   /* of the files */
} rec_journal;

/* Reads the journals of a list that is resumed, and opens those that are written. */
rec_status rec_journal_open(rec_journal *journal, const rec_settings *settings, rec_error *error);
void rec_journal_close(rec_journal *journal);

/* The newest line of the input `name`; NULL if there is none, or if the settings or files that were
 * read have changed since. `stem`: the input's. */
const rec_done *rec_journal_find(const rec_journal *journal, const rec_settings *settings,
                                 const char *name, const char *stem);

/* 1: the output of that line is there as it was. */
int rec_journal_has_output(const rec_done *done, const char *path);

/* Gives a sign of life if one is due; whether another run has taken it over. */
void rec_journal_renew(rec_journal *journal);
int rec_journal_is_lost(const rec_journal *journal);

/* Removes its locks: REC_IO. */
rec_status rec_journal_unlock(rec_journal *journal, rec_error *error);

/* Writes the job's line; from any thread. */
rec_status rec_journal_write(rec_journal *journal, rec_job *job, rec_error *error);
