/* What the files of the worker share: for worker.c and worker_jumps.c alone. */
#ifndef REC_VIEW_WORKER_TYPE_H
#define REC_VIEW_WORKER_TYPE_H

#include "view/session.h"
#include "view/worker.h"

struct rec_worker {
    const rec_view_options *options;
    rec_exchange *exchange;
    pthread_t thread;
    rec_session session;
    unsigned run;       /* number of the session's run */
    rec_view_state now; /* what is published next */
    int active;         /* it iterates */
    unsigned stepping;  /* batches until it rests; 0: it does not rest by itself */
    int due;            /* the screen lacks the current iterate */
    int goes_on;        /* it iterated before the jump that is shown ... */
    rec_phase before;   /* ... and was in this phase */
    rec_error failure;  /* the first one; status REC_OK: none */
};

void rec_worker_publish(rec_worker *worker);
__attribute__((format(printf, 3, 4)))
void rec_worker_tell(rec_worker *worker, int is_bad, const char *format, ...);
/* The input cannot be shown any more; the others, and another try, can. */
void rec_worker_give_up(rec_worker *worker, const rec_error *error);
void rec_worker_note_numbers(rec_worker *worker);
/* Begins a snapshot, unless both buffers are busy: then it stays due. */
void rec_worker_show(rec_worker *worker);
/* Iterating stops for now: the last picture and the last numbers shall be those of this iterate. */
void rec_worker_rest(rec_worker *worker);

/* ---- worker_jumps.c ---- */

/* Shows iterate `iteration`, or REC_LIMIT_ITERATION. What does not fit is a message. */
void rec_worker_seek(rec_worker *worker, uint64_t iteration);
/* From the jump back to the run as it was. */
void rec_worker_go_back(rec_worker *worker);
/* The run goes on from what the jump shows; 0 when it does not. */
int rec_worker_play(rec_worker *worker);

#endif
