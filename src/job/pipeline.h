/* A list of jobs on its way. Each of several threads takes an input from file to file: it reads it,
 * solves it, and writes its picture and its line of the journal, so that one waits for the disk
 * while others compute. Images that a team of threads is worth are solved by the caller's. How many
 * images there are at a time is bounded, by number and by memory. */
#ifndef REC_JOB_PIPELINE_H
#define REC_JOB_PIPELINE_H

#include "job/job.h"

typedef struct rec_item { /* a job, or what is left of one */
    size_t index;
    rec_job *job;      /* NULL: it was passed over, or could not be created */
    int passed;        /* over: an earlier run did it, with this status */
    int wrote;         /* the status is that of its output or its line in the journal */
    int solved;        /* the thread that has it goes on */
    int finished;      /* it has been through all of it */
    rec_status status;
    rec_error error;
    size_t samples;    /* of its image; 0: it was not read */
    size_t bytes;      /* of memory that its images take */
    struct rec_item *next;
} rec_item;

/* Who wants the list done. */
typedef struct rec_pipeline_owner {
    void *context;
    /* Solves a job that was read, and takes its result; others: in a thread beside others. */
    rec_status (*solve)(void *context, rec_job *job, int others, rec_error *error);
    /* In the caller's thread: what is finished, or NULL about each tenth of a second. 1: no further
     * job is begun or solved, and what is not solved yet is left untouched. */
    int (*take)(void *context, const rec_item *item);
} rec_pipeline_owner;

/* Returns when all is taken. threads: that compute, at most; 1: everything happens in the caller's
 * thread. */
rec_status rec_pipeline_run(rec_jobs *jobs, size_t threads, const rec_pipeline_owner *owner,
                            rec_error *error);

#endif
