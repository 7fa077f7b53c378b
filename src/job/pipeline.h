/* A list of jobs on its way. Each of several threads takes an input from file to file: it reads it,
 * solves it, and writes its picture and its line of the journal, so that one waits for the disk
 * while others compute. Images that a team of threads is worth go to the caller to be solved. How
 * many images there are at a time is bounded, by number and by memory. */
#ifndef REC_JOB_PIPELINE_H
#define REC_JOB_PIPELINE_H

#include "job/job.h"

typedef struct rec_pipeline rec_pipeline;

typedef struct rec_item { /* a job, or what is left of one */
    size_t index;
    rec_job *job;      /* NULL: it was passed over, or could not be created */
    int passed;        /* over: an earlier run did it, with this status */
    int wrote;         /* the status is that of its output or its line in the journal */
    int solved;        /* the thread that has it goes on */
    int finished;      /* it has been through all of it */
    rec_status status;
    rec_error error;
    size_t bytes;      /* of memory that its images take */
    struct rec_item *next;
} rec_item;

/* Solves a job that was read, and takes its result; for a thread of the pipeline. */
typedef rec_status rec_solve(rec_job *job, rec_error *error);

/* threads: that compute, at most; 1: everything happens in the caller's thread. */
rec_status rec_pipeline_create(rec_pipeline **made, rec_jobs *jobs, size_t threads,
                               rec_solve *solve, rec_error *error);

/* What is next: *item is finished, for rec_pipeline_drop, or is to be solved by the caller with all
 * threads, for rec_pipeline_solved; NULL: nothing for a tenth of a second. Returns 0 at the end. */
int rec_pipeline_next(rec_pipeline *pipeline, rec_item **item);

/* It is solved, or failed: its result is written unless `status` is a failure, then its line of the
 * journal. */
void rec_pipeline_solved(rec_pipeline *pipeline, rec_item *item);
void rec_pipeline_drop(rec_pipeline *pipeline, rec_item *item);

/* No further job is begun or solved: what is not solved yet is left untouched. */
void rec_pipeline_stop(rec_pipeline *pipeline);

/* Waits for the threads. NULL is fine. */
void rec_pipeline_destroy(rec_pipeline *pipeline);

#endif
