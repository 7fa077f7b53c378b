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

typedef struct rec_pipeline rec_pipeline;

/* threads: the most that compute; 1: everything happens in the caller's thread. Inputs that the
 * caller's thread solves show their progress. REC_LIMIT. */
rec_status rec_pipeline_create(rec_pipeline **made, rec_jobs *jobs, size_t threads,
                               rec_progress *progress, rec_error *error);

/* Works until an item is finished, for about a tenth of a second, or until a job is solved. *item:
 * a finished item, until the next call, or NULL. Returns 0 when all are taken. */
int rec_pipeline_next(rec_pipeline *pipeline, const rec_item **item);

/* No further job is begun or solved, and what is not solved yet is left untouched. To be repeated
 * before each rec_pipeline_next: a thread may just begin to wait for a pipe. */
void rec_pipeline_stop(rec_pipeline *pipeline);

void rec_pipeline_destroy(rec_pipeline *pipeline); /* after the last item */
