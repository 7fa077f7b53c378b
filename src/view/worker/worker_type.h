/* What the files of the worker share: for this folder alone. Everything but the exchange belongs to
 * the worker's thread. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "view/worker/worker.h"

/* Locks are only held to copy something, never during a batch or while the screen is drawn. */
typedef struct rec_exchange {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t posted;
    rec_request queue[REC_QUEUED_REQUESTS];
    size_t queued;
    uint64_t requests;    /* the number of requests so far */
    rec_wanted wanted;
    int changed;          /* since the worker read `wanted` */
    int resting;          /* the worker waits for the next action */
    rec_view_state state;

    atomic_int leave;     /* the window has asked for it */
    atomic_int reading;   /* the worker reads what may be a pipe that nobody writes to */

    pthread_mutex_t handover; /* held by the window while it polls the solvers, by the worker to
                                 replace them or to keep their snapshots */
    rec_solver *solver[2];    /* the shown solver, and the run's if that is another one; or NULL */
    rec_size image;           /* of the solvers, pixels */
    const rec_mask *mask;     /* that is painted; NULL: none */
    rec_view whole;           /* of the picture: the last one that was not narrowed ... */
    int whole_taken;          /* ... and the window has it */
    rec_snapshot preview;     /* of an input without a solver; without pixels: none */
} rec_exchange;

/* What is painted, and what the solver and the window know of it. */
typedef struct rec_paint {
    rec_brush brush;     /* on the job's mask; mask NULL: nothing can be painted */
    rec_guidance guidance;
    rec_area changed;    /* since the solver was told */
    int moved;           /* so has the source, or its rule */
    int aims;            /* a healing: the next stroke begins to take from (x, y) */
    ptrdiff_t x, y;
    rec_area seen;       /* what may differ from the whole picture that the window has */
    unsigned strokes;    /* changes of the mask */
    rec_run *waiting;    /* while Jacobi's iteration is the run: the exact one; else NULL */
} rec_paint;

/* One input: its run, cut into pieces short enough to answer the user between two of them, its
 * numbers, and its snapshots. When another input is shown its run stays as it is. */
typedef struct rec_session {
    rec_job *job;             /* open while `run` is */
    rec_run *run;             /* NULL: none is open */
    rec_size size;            /* of the input, pixels */
    size_t planes;            /* of the input */
    rec_numbers numbers;
    uint64_t stamp;           /* rec_job_stamp when the input was opened; 0: none */
    uint64_t new_stamp;       /* rec_job_stamp when the file was last tested */
    rec_solver *jumper;       /* NULL: no jump yet */
    int jumped;               /* the jumper's iterate is shown, and saved */
    uint64_t jump;            /* the number of that iterate */
    rec_phase before;         /* the phase before the jump, or before another input was shown */
    uint64_t every;           /* the user's K; 0: automatic */
    uint64_t single;          /* iterations of the current step; 0: no step */
    unsigned steps;           /* to do, this one included */
    uint64_t batch_left;      /* iterations to the end of this batch of K */
    int fresh_batch;          /* no iteration of the batch is done yet */
    int marked;               /* the run's solver has a mark, for REC_LAYER_CHANGE */
    int marking;              /* the change is shown: each batch begins with a mark */
    double speed;             /* iterations a second, in the last piece without a look */
    double next_look;         /* rec_now() when a look is due, if K is automatic */
    double next_distance;     /* likewise for the distance */
    double next_levels;       /* likewise for the levels; 0: now, in any case */
    double pace_time;         /* rec_now() when the pace was set, or iterating began */
    double pace_from;         /* the iterations done at pace_time, at least 1 */
    rec_limits limits;        /* of the tone auto; they move towards the levels' limits ... */
    double limits_time;       /* ... as of this rec_now(), during iterations */
    int iterates;             /* iterating when the last snapshot was wanted */
    uint64_t shown_at;        /* the iterations done when the last snapshot was begun */
    uint64_t between;         /* iterations from the snapshot before; at least 1 */
    double shown_time;        /* rec_now() of the last snapshot; 0: none */
    double shown_seconds;     /* to begin it; nearly 0 on a device */
    double device_seconds;    /* on a device: the extra time of the piece after a snapshot */
    int just_shown;           /* that piece is the next one */
    double peak;              /* the largest value that its samples can have, for the PSNR */
    rec_paint paint;
} rec_session;

struct rec_worker {
    rec_exchange exchange;
    rec_jobs *jobs;
    pthread_t thread;
    rec_session *session;  /* of the input that is shown; never NULL */
    rec_session *sessions; /* by input, and one more */
    rec_view_state now;    /* what is published next; run, numbers and the like follow from the
                              session then */
    rec_wanted wanted;     /* what the window wants to see, as it was last looked at */
    unsigned due;          /* bits (1 << layer): their snapshots are still to be begun */
    double values_time;    /* rec_now() of the last look at the values of the pixels */
    double look_time;      /* the same at the input's file */
    rec_error failure;     /* the first one; status REC_OK: none */
};

/* ---- session.c ---- */

/* Starts over with a job: reads its input. */
rec_status rec_session_load(rec_session *session, rec_job *job, rec_error *error);
/* Creates its run; restart: from the beginning, whatever its checkpoint has. */
rec_status rec_session_open(rec_session *session, int restart, rec_error *error);
void rec_session_close(rec_session *session); /* without a run: nothing */
void rec_session_close_jumper(rec_session *session); /* nobody may poll it any more */

/* Gives a solver the picture of --reference, if there is one; after a failure it has none. */
rec_status rec_session_give_reference(rec_session *session, rec_solver *solver, rec_error *error);

/* Begins a new batch: iterating starts or goes on. A batch has `single` iterations, or K if that is
 * 0; an automatic K is half of what a picture takes. */
void rec_session_begin_batch(rec_session *session, uint64_t single);
/* One step, also beyond the end of the run: a batch, or a single iteration. Steps of one kind add
 * up; a step of the other kind replaces them. */
void rec_session_step(rec_session *session, int singly);

/* 1 while iterating waits for the pace. */
int rec_session_is_early(const rec_session *session);

/* Marks the iterate at the begin of a batch whose change is shown. */
rec_status rec_session_mark(rec_session *session, rec_error *error);
/* One piece: a batch, or a part of a batch that takes about a tenth of a second, and at most up to
 * the next frame. *ended: the piece ended a batch, and the next batch begins. *rests: it was the
 * last step, or the end of the run. */
rec_status rec_session_advance(rec_session *session, int *ended, int *rests, rec_error *error);

/* Measures the last iterate before a rest. */
rec_status rec_session_look(rec_session *session, rec_error *error);
/* Measures the PSNR of what is shown to the reference. */
rec_status rec_session_compare(rec_session *session, rec_error *error);
/* Counts its pixels that are the reference's, where that has integers: reads that again. */
void rec_session_count_equal(rec_session *session);

/* The solver of the shown iterate. */
rec_solver *rec_session_solver(const rec_session *session);
/* The iterate that is shown and saved, or REC_LIMIT_ITERATION. */
uint64_t rec_session_iterate(const rec_session *session);
/* The iterate of one of the session's solvers, counted as in snapshots: from the solver's creation.
 * */
uint64_t rec_session_shown_by(const rec_session *session, const rec_solver *solver);

/* ---- exchange.c ---- */

/* Publishes worker->now as the newest state: before each request, and before anything that takes a
 * while. */
void rec_worker_publish(rec_worker *worker);

/* Gives the window other solvers to poll, and a preview to show once until there are solvers; takes
 * ownership of preview->pixels (malloc). Each may be NULL. Afterwards the window holds no snapshot
 * of the old solvers. */
void rec_worker_hand_over(rec_worker *worker, rec_solver *shown, rec_solver *other,
                          const rec_snapshot *preview);

/* The next request; the caller frees its path. Without an act if none came within `seconds`, or if
 * the wishes of the window changed. resting: the worker has nothing else to do. */
rec_request rec_worker_next(rec_worker *worker, double seconds, int resting);

/* A message, which is published at once. */
__attribute__((format(printf, 3, 4)))
void rec_worker_tell(rec_worker *worker, int is_bad, const char *format, ...);
/* Keeps the first failure, which the worker ends with. */
void rec_worker_keep_failure(rec_worker *worker, const rec_error *error);
/* Ends the window's polling of the session's solvers. */
void rec_worker_detach(rec_worker *worker);
/* rec_worker_detach, and closes the session's run. */
void rec_worker_close(rec_worker *worker);
/* The input cannot be shown any more; other inputs, and another try, are possible. */
void rec_worker_give_up(rec_worker *worker, const rec_error *error);

/* ---- worker_show.c ---- */

/* Gives the window the session's solvers to poll; all layers are due. */
void rec_worker_show_solvers(rec_worker *worker);
/* Shows the edges before there is a solver: starting a device may take seconds. */
void rec_worker_preview(rec_worker *worker, const rec_job *job);
/* The scene's layers are due; moving: without the edges, which iterating does not change. */
void rec_worker_make_due(rec_worker *worker, int moving);
/* While iterating: whether the screen wants a new picture after this piece. */
int rec_worker_wants_picture(const rec_worker *worker, int batch_ended);
/* Begins the snapshots that are due; where both buffers are busy they stay due. */
void rec_worker_show(rec_worker *worker);
/* Reads the pixel under the cursor. */
void rec_worker_probe(rec_worker *worker);
/* The iterate is another one: its snapshots, and its pixel. */
void rec_worker_show_newest(rec_worker *worker);
/* Takes over what the window wants to see now. */
void rec_worker_take_wanted(rec_worker *worker);
/* Iterating stops for now: picture and numbers become those of this iterate. */
void rec_worker_rest(rec_worker *worker);

/* The session's solver that can show the layer; NULL: none. */
rec_solver *rec_session_solver_of(const rec_session *session, rec_layer layer);
/* 1: no solver has edges to show: the reference is in their place. */
int rec_session_is_plain(const rec_session *session);
/* Begins a snapshot of a layer, which some solver can show, for an area that is not empty; what was
 * asked for goes to *view. *begun = 0: both buffers are busy. worker: of a picture that is painted
 * it needs the changes alone; NULL: all is shown. */
rec_status rec_session_show(rec_session *session, rec_worker *worker, const rec_wanted *wanted,
                            rec_layer layer, rec_view *view, int *begun, rec_error *error);

/* ---- worker_paint.c ---- */

/* If the job's mask can change it will be painted. REC_LIMIT. */
rec_status rec_session_begin_painting(rec_session *session, rec_error *error);
void rec_session_end_painting(rec_session *session); /* nobody polls its solver any more */
void rec_session_describe_painting(const rec_session *session, rec_view_state *now);
/* The option that takes from the same place; "--at 3,4", "--from 3,4". Returns text. */
char *rec_session_write_place(const rec_session *session, char text[64]);
/* 1: the mask is painted, and the exact run shown. */
int rec_session_paints(const rec_session *session);
/* What has been painted goes to the solver, which goes on for a picture's time. */
void rec_worker_fill(rec_worker *worker);
/* The same until the mask is filled. */
void rec_worker_finish_filling(rec_worker *worker);
/* The run is the exact one again; without another one: nothing. */
void rec_worker_end_iterating(rec_worker *worker);
/* Leaves of a view of the picture what may differ from the last one that the window got whole. */
void rec_worker_narrow(rec_worker *worker, rec_view *view);
/* At rest: the next view is whole, since parts become larger, and boxes of a reduced part may begin
 * a pixel beside those of the whole. */
void rec_worker_renew(rec_worker *worker);

/* ---- worker_inputs.c ---- */

int rec_worker_is_signalled(const rec_worker *worker);
/* A jump or another input interrupts the session: remembers its phase, and takes it up again. */
void rec_worker_interrupt(rec_worker *worker);
void rec_worker_resume(rec_worker *worker);
/* Opens an input with a new run. 0 when it cannot be opened, which the window shows, or when the
 * worker is to leave and nobody wants a result. */
int rec_worker_open(rec_worker *worker, size_t index, int restart);
/* Writes the result; after a signal the checkpoint instead, and a failure of that is the worker's
 * failure. */
void rec_worker_leave(rec_worker *worker);
