/* A list of jobs on its way: readers ahead of the caller, who solves, and writers behind. Jobs are
 * created when a reader takes them and freed when the caller drops them; how many there are at a
 * time is bounded, by number and by memory. */
#ifndef REC_JOB_PIPELINE_H
#define REC_JOB_PIPELINE_H

#include "job/job.h"

typedef struct rec_pipeline rec_pipeline;

typedef struct rec_item { /* a job, or what is left of one */
    size_t index;
    rec_job *job;      /* NULL: it was passed over, or could not be created */
    int passed;        /* over: an earlier run did it, with this status */
    int wrote;         /* the status is that of its output or its line in the journal */
    rec_status status;
    rec_error error;
    struct rec_item *next;
} rec_item;

/* threads: of the process, at most; 1: everything happens in the caller's thread. */
rec_status rec_pipeline_create(rec_pipeline **made, rec_jobs *jobs, size_t threads,
                               rec_error *error);

/* The next job that was read, to be solved; NULL: there are no more. */
rec_item *rec_pipeline_take(rec_pipeline *pipeline);

/* It is solved, or failed: its result is written unless `status` is a failure, then its line of the
 * journal. */
void rec_pipeline_give(rec_pipeline *pipeline, rec_item *item);

/* An item that has been through all of it; NULL: none now, or, with `wait`, none any more. Drop
 * it. */
rec_item *rec_pipeline_finished(rec_pipeline *pipeline, int wait);
void rec_pipeline_drop(rec_pipeline *pipeline, rec_item *item);

/* No further job is begun. */
void rec_pipeline_stop(rec_pipeline *pipeline);

/* Waits for the writers. NULL is fine. */
void rec_pipeline_destroy(rec_pipeline *pipeline);

#endif
