/* The thread that owns the run: it opens the inputs, steps the batches, begins snapshots and obeys
 * the user's actions, so that the window's thread never waits for a batch, nor a batch for the
 * window. Knows nothing of SDL. */
#ifndef REC_VIEW_WORKER_H
#define REC_VIEW_WORKER_H

#include "job/job.h"
#include "view/worker/exchange.h"

typedef struct rec_worker rec_worker;

/* Starts with input 0. Until it has ended the jobs are the worker's; they and the exchange outlive
 * it. REC_LIMIT. */
rec_status rec_worker_create(rec_worker **worker, rec_jobs *jobs, rec_exchange *exchange,
                             rec_error *error);

/* Waits for the thread, which ends after REC_ACTION_LEAVE or a signal, and destroys the worker. The
 * first failure of all that it did. */
rec_status rec_worker_join(rec_worker *worker, rec_error *error);

#endif
