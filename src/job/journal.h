/* The journal of a list: a line of JSON for every input that was worked on, by one write, after its
 * output is in its place. Journals of shards can be concatenated; an input's last line counts. */
#pragma once

#include "job/job.h"

typedef struct rec_done { /* the last line of an input */
    uint64_t id;            /* the hash of its name */
    int known;              /* the line has the same settings */
    rec_status status;
    rec_file_mark input;
    uint64_t output_bytes;  /* 0: none was written */
    size_t planes;
} rec_done;

typedef struct rec_journal {
    int file[2];            /* the report and, if the report cannot be read again (a pipe), a
                               second journal beside the checkpoints */
    const char *path[2];
    size_t count;
    char *own_path;         /* the path of the second file; owned */
    void *done;             /* a tree (tsearch) of rec_done: from earlier lines */
    uint64_t settings;      /* a hash of what decides the bytes of an output */
    pthread_mutex_t lock;   /* of the files */
} rec_journal;

/* Reads the journals of a list that is resumed, and opens those that are written. */
rec_status rec_journal_open(rec_journal *journal, const rec_settings *settings, rec_error *error);
void rec_journal_close(rec_journal *journal);

/* The last line of the input `name`; NULL if there is none, or if the settings or the input's file
 * have changed since. */
const rec_done *rec_journal_find(const rec_journal *journal, const char *name);

/* Writes the job's line; from any thread. */
rec_status rec_journal_write(rec_journal *journal, rec_job *job, rec_error *error);
