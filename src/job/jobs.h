/* The inputs: from the command line or a list, and files dropped on the window. A job is created
 * when it is needed, so that millions of names take little memory. */
#pragma once

#include "job/journal.h"

typedef struct rec_jobs {
    const rec_settings *settings;
    const char **names;           /* of all inputs, of all shards */
    char **stems;                 /* the names of their files in folders */
    size_t all, given;            /* the number of names; the first `given` are the caller's */
    void *used;                   /* a tree (tsearch) of the stems, if files go to folders */
    void *listed;                 /* of the names of a list from a file */
    void *refused;                /* of the stems in it that no input may have */
    void *swept;                  /* a tree of the folders that sweep_folders has been to */
    rec_job **at;                 /* the window's: all jobs; NULL: headless. A job stays in place
                                     while inputs are added */
    size_t count;
    rec_files files;
    rec_journal journal;
    rec_warmup *warmup; /* of the settings' successor, or of their solver */
} rec_jobs;

/* Refuses what can be refused before the work (REC_USAGE for an output that is also another output
 * or an input), creates folders, reads and opens the journal, and starts the device of a solver
 * without a successor. `inputs`: of all shards; the names must outlive the jobs. In the window all
 * jobs are created. Free with rec_jobs_destroy; after a failure there is nothing to free. `jobs`
 * must not move. */
rec_status rec_jobs_make(rec_jobs *jobs, const rec_settings *settings, char *const *inputs,
                         size_t count, rec_error *error);
/* 1: the successor's device is still starting: the process must leave by _exit. */
int rec_jobs_destroy(rec_jobs *jobs);

/* The number among all inputs of the job `index`. */
static inline size_t rec_jobs_number(const rec_jobs *jobs, size_t index)
{
    const rec_settings *settings = jobs->settings;
    return settings->shards > 1 ? settings->shard + index * settings->shards : index;
}

/* The name of the input with this stem, one of `stems`. */
const char *rec_jobs_name(const rec_jobs *jobs, const char *stem);

/* Creates job `index`, to be destroyed by the caller; *job is NULL after a failure. From any
 * thread. */
rec_status rec_jobs_create_job(rec_jobs *jobs, size_t index, rec_job **job, rec_error *error);

/* 1 if the journal says that an earlier run of the same command has done this input, with the
 * verdict REC_OK or REC_NO, and if input and output are as they were then. Removes its
 * checkpoint. */
int rec_jobs_pass(const rec_jobs *jobs, size_t index, rec_status *verdict);

/* Adds an input while others may be open. *index: its number; of an input that exists already the
 * old one. The input is test-read in both cases. Output and checkpoint must be in folders or
 * absent. Changes nothing after a failure. */
rec_status rec_jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error);
