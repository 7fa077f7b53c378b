/* What the files of the worker share: for this folder alone. Each calls those above it only. */
#ifndef REC_VIEW_WORKER_TYPE_H
#define REC_VIEW_WORKER_TYPE_H

#include "view/worker/session.h"
#include "view/worker/worker.h"

/* An input that was left: its run is where it was. */
typedef struct rec_kept {
    rec_session session; /* without a run: none is kept */
    rec_phase phase;
    int active;
    uint64_t stamp;
} rec_kept;

struct rec_worker {
    rec_jobs *jobs;
    rec_exchange *exchange;
    pthread_t thread;
    rec_session session;
    unsigned run;       /* number of the session's run */
    rec_view_state now; /* what is published next */
    int active;         /* it iterates */
    unsigned stepping;  /* batches until it rests; 0: it does not rest by itself */
    int singly;         /* these are of one iteration */
    rec_wanted wanted;  /* what the window wants to see, as it was last looked at */
    unsigned due;       /* bits (1 << layer): the screen lacks what they are now */
    double probe_time;  /* rec_now() of the last look at the pixel under the cursor */
    double values_time; /* ... at the values of the pixels */
    rec_values values;
    double look_time;   /* ... at the input's file */
    uint64_t stamp;     /* of that file when the input was opened, 0: none; */
    uint64_t new_stamp; /* and when it was looked at the last time */
    int goes_on;        /* it iterated before the jump that is shown ... */
    rec_phase before;   /* ... and was in this phase */
    rec_kept *kept;     /* by input: runs that were left, to go on with */
    size_t kept_count;
    rec_error failure;  /* the first one; status REC_OK: none */
};

/* ---- worker_state.c ---- */

void rec_worker_publish(rec_worker *worker);
__attribute__((format(printf, 3, 4)))
void rec_worker_tell(rec_worker *worker, int is_bad, const char *format, ...);
/* The first failure of all is what the worker ends with. */
void rec_worker_keep_failure(rec_worker *worker, const rec_error *error);
void rec_worker_note_numbers(rec_worker *worker);
void rec_worker_close(rec_worker *worker); /* nothing is written */
/* So are those that were left. */
void rec_worker_close_kept(rec_worker *worker);
/* The input cannot be shown any more; the others, and another try, can. */
void rec_worker_give_up(rec_worker *worker, const rec_error *error);

/* ---- worker_show.c ---- */

/* The window polls the solvers of what is shown now, and all of it is due. */
void rec_worker_show_solvers(rec_worker *worker);
/* What the scene shows is due; moving: only what changes while it iterates. */
void rec_worker_make_due(rec_worker *worker, int moving);
/* Begins the snapshots that are due; where both buffers are busy they stay due. */
void rec_worker_show(rec_worker *worker);
/* What is under the cursor. */
void rec_worker_probe(rec_worker *worker);
/* Something else is wanted: rec_changed. */
void rec_worker_take_wanted(rec_worker *worker, unsigned changed);
void rec_worker_publish_history(rec_worker *worker);
/* Iterating stops for now: the last picture and the last numbers shall be those of this iterate. */
void rec_worker_rest(rec_worker *worker);

/* ---- worker_inputs.c ---- */

int rec_worker_is_signalled(const rec_worker *worker);
/* 0 when it cannot be opened, which the window shows. */
int rec_worker_open(rec_worker *worker, size_t index, int restart);
/* The result is written, or the checkpoint when a signal ended it: then how that went is what
 * counts, whatever failed before. */
void rec_worker_leave(rec_worker *worker);
void rec_worker_change_input(rec_worker *worker, int forward);
/* Only what can be read is added, and may take the place of what is shown. */
void rec_worker_add(rec_worker *worker, const char *path, int show);
/* The input's file: once it is another one, and has been for a while, it is loaded again. */
void rec_worker_look_after_file(rec_worker *worker);

/* ---- worker_jumps.c ---- */

/* Shows iterate `iteration`, or REC_LIMIT_ITERATION. What does not fit is a message. */
void rec_worker_seek(rec_worker *worker, uint64_t iteration);
/* From the jump back to the run as it was. */
void rec_worker_go_back(rec_worker *worker);
/* The run goes on from what the jump shows; 0 when it does not. */
int rec_worker_play(rec_worker *worker);

#endif
