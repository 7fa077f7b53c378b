/* Works through a list of jobs with several threads. Each takes an input from file to file: it
 * reads, solves, and writes the picture and the line of the journal, so that one waits for the disk
 * while others compute. Images that a team of threads is worth are solved by the caller's. The
 * number of images at a time is bounded, and so is their memory. */
#pragma once

#include "job/jobs.h"

typedef struct rec_item { /* a job, or what is left of one */
    size_t index;
    rec_job *job;      /* NULL: it was passed over, or could not be created */
    int passed;        /* done by an earlier run; `status` is that run's */
    int solved;        /* the solver is done (status says how); its thread may continue */
    int waits;         /* `thread` may wait for a pipe */
    pthread_t thread;
    rec_status status;
    rec_error error;
    size_t samples;    /* of its image; 0: it was not read */
    size_t bytes;      /* of memory that its images take */
    struct rec_item *next;
} rec_item;

/* The caller of the pipeline. */
typedef struct rec_pipeline_owner {
    void *context;
    /* Solves a job that was read, and takes its result; others: other threads solve at the same
     * time. */
    rec_status (*solve)(void *context, rec_job *job, int others, rec_error *error);
    /* Called in the caller's thread with a finished item, or with NULL about every tenth of a
     * second. Returns 1 to stop: no further job is begun or solved, and what is not solved yet is
     * left untouched. */
    int (*take)(void *context, const rec_item *item);
} rec_pipeline_owner;

/* Returns when all items are taken. threads: the most that compute; 1: everything happens in the
 * caller's thread. */
rec_status rec_pipeline_run(rec_jobs *jobs, size_t threads, const rec_pipeline_owner *owner,
                            rec_error *error);
