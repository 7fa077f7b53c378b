/* Works through a list of jobs with several threads. A thread takes an input from file to file:
 * reads it, solves, writes the picture and the journal's line. So one thread waits for the disk
 * while others compute. Large images (worth a team of threads) are solved by the caller's thread.
 * The number of images at a time is bounded, and their memory. */
#pragma once

#include "job/jobs.h"

typedef struct rec_item { /* a job, or what is left of one */
    rec_gate gate;        /* where it waits for memory */
    struct rec_pipeline *pipeline;
    size_t index;
    rec_job *job;      /* NULL: passed over, or not created */
    int passed;        /* done by an earlier run; `status` is that run's */
    int solved;        /* the solver is done (status says how); its thread may continue */
    int waits;         /* `thread` may be waiting for a pipe */
    pthread_t thread;
    rec_status status;
    rec_error error;
    size_t samples;    /* of the image; 0: not known */
    size_t bytes;      /* of memory, for the images */
    rec_solver *kept;  /* of its seat, while it is solved there */
    struct rec_item *next;
} rec_item;

typedef struct rec_pipeline rec_pipeline;

/* threads: at most this number compute; 1: all work is done in the caller's thread. Progress is
 * shown for inputs that the caller's thread solves. REC_LIMIT. */
rec_status rec_pipeline_create(rec_pipeline **made, rec_jobs *jobs, size_t threads,
                               rec_progress *progress, rec_error *error);

/* Works until an item is finished, a job is solved, or about a tenth of a second is over. *item: a
 * finished item, valid until the next call, or NULL. Returns 0 after the last item. */
int rec_pipeline_next(rec_pipeline *pipeline, const rec_item **item);

/* From now on no job is begun or solved; unsolved jobs are left untouched. To be repeated before
 * each rec_pipeline_next, as a thread may just have begun to wait for a pipe. */
void rec_pipeline_stop(rec_pipeline *pipeline);

void rec_pipeline_destroy(rec_pipeline *pipeline); /* after the last item */
