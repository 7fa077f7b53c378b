/* The inputs: those of the command line or of a list, and in the window those that were dropped on
 * it. A job is created when it is needed, so that millions of names take little memory. */
#pragma once

#include "job/journal.h"

typedef struct rec_jobs {
    const rec_settings *settings;
    const char **names;           /* of all inputs, those of other shards too */
    char **stems;                 /* what their files in folders are called */
    size_t all, given;            /* the number of names, of which the first are the caller's */
    void *used;                   /* a tree (tsearch) of the stems, if files go to folders */
    void *swept;                  /* a tree of the folders that sweep_folders has been to */
    rec_job **at;                 /* the window's: all of them; NULL: headless. A job stays where it
                                     is while they become more */
    size_t count;
    rec_journal journal;
    rec_warmup warmup;
} rec_jobs;

/* Refuses what can be refused before the work, with REC_USAGE if two files that are read or written
 * would be one; creates folders, reads and opens the journal, and starts the warm-up. `inputs`: of
 * all shards; the names must outlive the jobs. The window's jobs are all created. Free with
 * rec_jobs_destroy; after a failure there is nothing to free. `jobs` must not move. */
rec_status rec_jobs_make(rec_jobs *jobs, const rec_settings *settings, char *const *inputs,
                         size_t count, rec_error *error);
void rec_jobs_destroy(rec_jobs *jobs);

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

/* Adds an input while others may be open: *index is its number, its old one if it is an input
 * already. Either way it is read once, to see that it can be. Its output and its checkpoint must be
 * in folders, or there are none. Changes nothing after a failure. */
rec_status rec_jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error);
