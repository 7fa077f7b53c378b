/* What the files of the worker share. A session is an input of the window: its run, cut into pieces
 * short enough to answer the user between two of them, and its numbers; when another input is shown
 * its run stays as it is. Everything but the exchange belongs to the worker's thread. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "job/job.h"
#include "view/worker/worker.h"

/* What the window and the solver know of what is painted. */
typedef struct rec_paint {
    rec_area unseen;     /* what was changed since the last snapshot */
    unsigned measured;   /* changes whose levels are known, once they are filled */
    rec_run *waiting;    /* while Jacobi's iteration is the run: the exact one; else NULL */
    int of_source;       /* of a clone: the mask of its SOURCE is painted, and nothing solved */
} rec_paint;

typedef struct rec_session {
    rec_job *job;             /* open while `run` is */
    rec_run *run;             /* NULL: none is open */
    rec_phase phase;          /* of the run, whatever is shown: iterating, paused or stopped */
    rec_size size;            /* of the input, pixels */
    size_t planes;            /* of the input */
    rec_numbers numbers;
    uint64_t stamp, new_stamp; /* rec_job_stamp when it was opened, 0: none; when last tested */
    rec_solver *jumper;       /* NULL: no jump yet */
    int begins_at_limit;      /* a photograph: it is seen at once, not after all iterations */
    int jumped;               /* the jumper's iterate is shown, and saved */
    uint64_t jump;            /* the number of that iterate */
    uint64_t every;           /* the user's K; 0: automatic */
    uint64_t single;          /* iterations of the current step; 0: no step */
    unsigned steps;           /* to do, this one included */
    uint64_t batch_left;      /* iterations to the end of this batch of K */
    int fresh_batch;          /* no iteration of the batch is done yet */
    int marked;               /* the run's solver has a mark, for REC_LAYER_CHANGE */
    int marking;              /* the change is shown: each batch begins with a mark */
    double speed;             /* iterations a second, in the last piece without a look */
    double next_look, next_distance; /* rec_now() when they are due; a look if K is automatic */
    double next_levels;       /* likewise for the levels; 0: now, in any case */
    double pace_time, pace_from; /* rec_now() when the pace began, and the iterations, at least 1 */
    rec_limits limits;        /* of the tone auto, which move towards those of the levels, */
    double limits_time;       /* as of this rec_now() */
    uint64_t shown_at;        /* the iterations done when the last snapshot was begun */
    uint64_t between;         /* iterations from the snapshot before; at least 1 */
    double shown_time, shown_seconds; /* rec_now() of the last snapshot, 0: none; to begin it */
    double device_seconds;    /* on a device: the extra time of the piece after a snapshot */
    int just_shown;           /* that piece is the next one */
    const char *folder;       /* while it is recovered: for its files; else NULL */
    rec_paint paint;
} rec_session;

/* ---- what is shown of it: session.c ---- */

void rec_session_close_jumper(rec_session *session); /* nobody may poll it any more */

/* The jumper, with its reference if there is room. */
rec_status rec_session_open_jumper(rec_session *session, rec_error *error);

/* Gives a solver the picture of --reference, if there is one; after a failure it has none. */
rec_status rec_session_give_reference(rec_session *session, rec_solver *solver, rec_error *error);
/* Measures the PSNR of what is shown to the reference. */
rec_status rec_session_compare(rec_session *session, rec_error *error);
/* Counts the pixels that equal the reference's after rounding; reads its file again. */
void rec_session_count_equal(rec_session *session);

/* The solver of the shown iterate. */
rec_solver *rec_session_solver(const rec_session *session);
/* The session's solver that can show the layer; NULL: none. */
rec_solver *rec_session_solver_of(const rec_session *session, rec_layer layer);
/* What is painted, while a run is open; NULL: nothing can be. */
rec_edit *rec_session_edit(const rec_session *session);
unsigned rec_session_strokes(const rec_session *session); /* changes of it */
/* 1: it is shown filled by the exact run. */
int rec_session_paints(const rec_session *session);
static inline int rec_session_clones(const rec_session *session)
{
    return session->job->settings->edit.kind == REC_EDIT_CLONE;
}
/* 1: something is painted that is in no file. */
int rec_session_is_unsaved(const rec_session *session);
/* What is seen of it: empty, failed, jumped, or that of the run. */
rec_phase rec_session_phase(const rec_session *session);

/* The iterate that is shown and saved, or REC_LIMIT_ITERATION. */
uint64_t rec_session_iterate(const rec_session *session);

/* The rule of its gradients in a retoucher's words: a healing has no SOURCE. */
const char *rec_session_rule(const rec_session *session);

/* ---- iterating: batches.c ---- */

/* Before the first iteration of a run. */
void rec_session_begin(rec_session *session);
/* Begins a new batch: iterating starts or goes on. A batch has `single` iterations, or K if that is
 * 0; an automatic K is half of what a picture takes. */
void rec_session_begin_batch(rec_session *session, uint64_t single);
/* One step, also beyond the end of the run: a batch, or a single iteration. Steps of one kind add
 * up; a step of the other kind replaces them. */
void rec_session_step(rec_session *session, int singly);

/* Takes the run up again after a jump or another input, but for steps, which these end. */
void rec_session_resume(rec_session *session);

/* 1 while iterating waits for the pace. */
int rec_session_is_early(const rec_session *session);
/* A piece of a batch; or, while it waits for the pace, the picture of the last one. */
rec_outcome rec_worker_iterate(rec_worker *worker);

/* Measures the current iterate. */
rec_status rec_session_measure(rec_session *session, rec_error *error);

/* ---- the worker ---- */

/* Locks are only held to copy something, never during a batch or while the screen is drawn. */
typedef struct rec_exchange {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t posted;
    rec_request queue[REC_QUEUED_REQUESTS];
    size_t queued;
    uint64_t requests;    /* the number of requests so far */
    rec_act *saves;       /* what leaving waits for */
    rec_wanted wanted;
    int changed;          /* since the worker read `wanted` */
    rec_watch *watch;     /* of the shown input's files; NULL: none */
    int saved;            /* one of them was, and the worker does not know it */
    int resting;          /* the worker waits for the next action */
    rec_view_state state;

    atomic_int leave;     /* the window has asked for it */
    atomic_int reading;   /* the worker reads what may be a pipe that nobody writes to */

    pthread_mutex_t handover; /* held by the window while it polls the solvers, by the worker to
                                 replace them or to keep their snapshots */
    rec_solver *solver[2];    /* the shown solver, and the run's if that is another one; or NULL */
    rec_size image;           /* of the solvers, pixels */
    const rec_mask *mask;     /* that is painted; NULL: none */
    rec_snapshot preview;     /* of an input without a solver; without pixels: none */
} rec_exchange;

/* Of files that have changed. */
typedef struct rec_reading {
    pthread_t thread;
    size_t place;         /* of the session whose files they are */
    rec_job *fresh;       /* NULL: nothing is read */
    uint64_t stamp;       /* of the files when reading began */
    int at_once;          /* one was saved just before */
    atomic_int done;
    rec_error error;      /* its status: REC_OK until reading failed */
} rec_reading;

struct rec_worker {
    rec_exchange exchange;
    rec_jobs *jobs;
    pthread_t thread;
    rec_session *session;  /* of the input that is shown; never NULL */
    rec_session *sessions; /* by input two, that of its job and that of its brush, and two more */
    rec_view_state now;    /* what is published next, with the session's part */
    rec_wanted wanted;     /* what the window wants to see, as it was last looked at */
    unsigned due;          /* bits (1 << layer): their snapshots are still to be begun */
    double values_time;    /* rec_now() of the last look at the values of the pixels */
    double file_time;      /* the same at the input's files */
    int saved;             /* one of them was since that look */
    rec_reading reading;
    rec_error failure;     /* the first one; status REC_OK: none */
};

/* ---- what is to follow an act: worker_acts.c applies it ---- */

enum {
    REC_SHOW_NEWEST = 1, /* the iterate is another one; other solvers are seen without it */
    REC_REST = 2,        /* iterating stops: picture and numbers become those of it, ... */
    REC_PAUSE = 4,       /* ... and also at the end of the run it can go on */
    REC_TELL = 8,        /* there is a message; "" takes the last one away */
    REC_BAD = 16         /* it says what could not be done */
};

struct rec_outcome {
    unsigned follow;
    rec_error error; /* with a status: the input cannot be shown any more */
};

/* ---- worker_acts.c ---- */

/* Does what is to follow; also begins the snapshots that are due. */
void rec_worker_apply(rec_worker *worker, rec_outcome outcome);
extern const rec_request rec_to_limit; /* a seek */
/* The run goes on from what a jump shows. */
rec_outcome rec_worker_play(rec_worker *worker);

/* ---- worker_files.c ---- */

/* Now and then: whether the files of the shown input have changed. Then they are read aside, and
 * what was read takes the place of the input. */
void rec_worker_look_after_file(rec_worker *worker);
/* Waits until nothing is read aside, and drops that. */
void rec_worker_end_reading(rec_worker *worker);

/* ---- exchange.c ---- */

extern const rec_outcome rec_nothing; /* nothing follows */
/* With a message. */
rec_outcome rec_told(unsigned follow, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Publishes the newest state, with that phase, and with the outcome's message if it has one: before
 * each request, and before anything that takes a while. */
void rec_worker_publish(rec_worker *worker, rec_phase phase, rec_outcome outcome);

/* Gives the window other solvers to poll, and a preview to show once until there are solvers; takes
 * ownership of preview->pixels (malloc). Each may be NULL. Afterwards the window holds no snapshot
 * of the old solvers. */
void rec_worker_hand_over(rec_worker *worker, rec_solver *shown, rec_solver *other,
                          const rec_snapshot *preview);
/* Ends the window's polling of the session's solvers: before one of them goes. */
void rec_worker_detach(rec_worker *worker);

/* Keeps the first failure, which the worker ends with. */
void rec_worker_keep_failure(rec_worker *worker, const rec_error *error);

/* The window looks at this watch instead of the one before; takes ownership. NULL: none. */
void rec_worker_watch(rec_worker *worker, rec_watch *watch);

/* The next request; the caller frees its path. Without an act if none came within `seconds`, or if
 * the wishes of the window changed. resting: the worker has nothing else to do. */
rec_request rec_worker_next(rec_worker *worker, double seconds, int resting);
int rec_worker_is_asked(rec_worker *worker); /* one waits */

/* How many sessions are those of inputs. */
static inline size_t rec_worker_rooms(const rec_worker *worker) { return 2 * worker->jobs->count; }

/* ---- worker_paint.c ---- */

/* What has been painted goes to the solver, which goes on for a picture's time. */
rec_outcome rec_worker_fill(rec_worker *worker);
/* The same until the mask is filled. */
rec_outcome rec_worker_finish_filling(rec_worker *worker);
/* The run is the exact one again; without another one: nothing. */
void rec_worker_end_jacobi(rec_worker *worker);
/* The session is that of the input's job; the mask of a clone's SOURCE goes there. */
void rec_worker_leave_brush(rec_worker *worker);

/* ---- save.c ---- */

/* What is painted and in no file goes to NAME-recovered and NAME-mask.png, in the first folder that
 * takes it: the current one, the input's, HOME, TMPDIR. Of the inputs with an output, or of all. A
 * line on stderr says so. */
void rec_worker_recover(rec_worker *worker, int all);
/* The same of the shown input, which another picture replaces; returns what is to be told. */
rec_outcome rec_worker_recover_shown(rec_worker *worker);

/* ---- worker_show.c ---- */

/* Shows the edges before there is a solver: starting a device may take seconds. */
void rec_worker_preview(rec_worker *worker, const rec_job *job);
/* The scene's layers are due, and the pixel under the cursor is read again; moving: without the
 * edges, which iterating does not change. */
void rec_worker_make_due(rec_worker *worker, int moving);
/* Begins the snapshots that are due; where both buffers are busy they stay due. */
rec_status rec_worker_show(rec_worker *worker, rec_error *error);
/* Reads what the window wants to see now. */
void rec_worker_read_wanted(rec_worker *worker);
/* Begins a snapshot of a layer, which some solver can show, for an area that is not empty; what was
 * asked for goes to *view. *begun = 0: both buffers are busy. */
rec_status rec_session_show(rec_session *session, const rec_wanted *wanted, rec_layer layer,
                            rec_view *view, int *begun, rec_error *error);

/* ---- worker_inputs.c ---- */

/* rec_worker_detach, and closes the session's run. */
void rec_worker_close(rec_worker *worker);
/* Shows an input: with the run that it has, unless its file has changed; a file that is gone has
 * not. Else, and to restart, with a new run; none when the worker is to leave and nobody wants a
 * result. */
rec_outcome rec_worker_open(rec_worker *worker, size_t index, int restart);
/* Writes the result, or after a signal the checkpoint; its failure is the worker's. */
void rec_worker_leave(rec_worker *worker);
