/* The thread that owns the run: it opens the inputs, steps the batches, begins snapshots and obeys
 * the user's actions, so that the window's thread never waits for a batch, nor a batch for the
 * window. Knows nothing of SDL. */
#ifndef REC_VIEW_WORKER_H
#define REC_VIEW_WORKER_H

#include "view/worker/exchange.h"
#include "view/view.h"

typedef struct rec_worker rec_worker;

/* Starts with input 0. `options` and `exchange` outlive the worker. REC_LIMIT. */
rec_status rec_worker_create(rec_worker **worker, const rec_view_options *options,
                             rec_exchange *exchange, rec_error *error);

/* Waits for the thread, which ends after REC_ACTION_LEAVE or a signal, and destroys the worker. The
 * first failure of all that it did. */
rec_status rec_worker_join(rec_worker *worker, rec_error *error);

#endif
