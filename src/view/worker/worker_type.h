/* What the worker's acts share: the worker, and what is to follow an act. Everything but the
 * exchange belongs to the worker's thread. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "view/worker/session.h"

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

struct rec_worker {
    rec_exchange exchange;
    rec_jobs *jobs;
    pthread_t thread;
    rec_session *session;  /* of the input that is shown; never NULL */
    rec_session *sessions; /* by input two, that of its job and that of its brush, and two more */
    int brushes;           /* the brush of an input is shown */
    rec_view_state now;    /* what is published next; run, numbers and the like follow from the
                              session then */
    rec_wanted wanted;     /* what the window wants to see, as it was last looked at */
    unsigned due;          /* bits (1 << layer): their snapshots are still to be begun */
    double values_time;    /* rec_now() of the last look at the values of the pixels */
    double file_time;      /* the same at the input's file */
    rec_error failure;     /* the first one; status REC_OK: none */
};

/* ---- what is to follow an act: worker.c applies it ---- */

enum {
    REC_SHOW_NEWEST = 1, /* the iterate is another one; other solvers are seen without it */
    REC_REST = 2,        /* iterating stops for now: picture and numbers become those of this
                            iterate ... */
    REC_PAUSE = 4,       /* ... and also at the end of the run it can go on */
    REC_TELL = 8,        /* there is a message; "" takes the last one away */
    REC_BAD = 16         /* it says what could not be done */
};

struct rec_outcome {
    unsigned follow;
    rec_error error; /* with a status: the input cannot be shown any more */
};

/* ---- exchange.c ---- */

extern const rec_outcome rec_nothing; /* nothing follows */
/* With a message. */
rec_outcome rec_told(unsigned follow, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Publishes the newest state, with that phase, and with the outcome's message if it has one: before
 * each request, and before anything that takes a while. */
void rec_worker_publish(rec_worker *worker, rec_phase phase, rec_outcome outcome);

int rec_worker_is_signalled(const rec_worker *worker);

/* Gives the window other solvers to poll, and a preview to show once until there are solvers; takes
 * ownership of preview->pixels (malloc). Each may be NULL. Afterwards the window holds no snapshot
 * of the old solvers. */
void rec_worker_hand_over(rec_worker *worker, rec_solver *shown, rec_solver *other,
                          const rec_snapshot *preview);
/* Ends the window's polling of the session's solvers: before one of them goes. */
void rec_worker_detach(rec_worker *worker);

/* The next request; the caller frees its path. Without an act if none came within `seconds`, or if
 * the wishes of the window changed. resting: the worker has nothing else to do. */
rec_request rec_worker_next(rec_worker *worker, double seconds, int resting);

/* How many sessions are those of inputs. */
static inline size_t rec_worker_rooms(const rec_worker *worker) { return 2 * worker->jobs->count; }

/* ---- worker_paint.c, worker_strokes.c ---- */

/* Before and after a change of what is painted: 0: nothing can be painted. Locks the mask. */
int rec_worker_begin_change(rec_worker *worker);
void rec_worker_end_change(rec_worker *worker, rec_area area);
/* The option that takes from the same place; "--at 3,4", "--from 3,4". Returns text. */
char *rec_session_write_place(const rec_session *session, char text[64]);
/* What has been painted goes to the solver, which goes on for a picture's time. */
rec_outcome rec_worker_fill(rec_worker *worker);
/* The same until the mask is filled. */
rec_outcome rec_worker_finish_filling(rec_worker *worker);
/* The run is the exact one again; without another one: nothing. */
void rec_worker_end_jacobi(rec_worker *worker);
/* The session is that of the input's job; the mask of a clone's SOURCE goes there. */
void rec_worker_leave_brush(rec_worker *worker);
/* Leaves of a view of the picture what may differ from the last one that the window got whole. */
void rec_worker_narrow(rec_worker *worker, rec_view *view);
/* At rest: the next view is whole, since parts become larger, and boxes of a reduced part may begin
 * a pixel beside those of the whole. */
rec_outcome rec_worker_renew(rec_worker *worker);

/* ---- save.c ---- */

/* What is painted and in no file goes to NAME-recovered.png and NAME-mask.png, never over a file:
 * of the inputs with an output, or of all. A line on stderr says so. */
void rec_worker_recover(rec_worker *worker, int all);

/* ---- worker_show.c ---- */

/* Gives the window the session's solvers to poll; all layers are due. */
void rec_worker_show_solvers(rec_worker *worker);
/* Shows the edges before there is a solver: starting a device may take seconds. */
void rec_worker_preview(rec_worker *worker, const rec_job *job);
/* The scene's layers are due, and the pixel under the cursor is read again; moving: without the
 * edges, which iterating does not change. */
void rec_worker_make_due(rec_worker *worker, int moving);
/* While iterating: whether the screen wants a new picture after this piece. */
int rec_session_wants_picture(const rec_session *session, int batch_ended);
/* Begins the snapshots that are due; where both buffers are busy they stay due. */
rec_status rec_worker_show(rec_worker *worker, rec_error *error);
/* Takes over what the window wants to see now. */
void rec_worker_take_wanted(rec_worker *worker);
/* Begins a snapshot of a layer, which some solver can show, for an area that is not empty; what was
 * asked for goes to *view. *begun = 0: both buffers are busy. worker: of a picture that is painted
 * it needs the changes alone; NULL: all is shown. */
rec_status rec_session_show(rec_session *session, rec_worker *worker, const rec_wanted *wanted,
                            rec_layer layer, rec_view *view, int *begun, rec_error *error);

/* ---- worker_inputs.c ---- */

/* Keeps the first failure, which the worker ends with. */
void rec_worker_keep_failure(rec_worker *worker, const rec_error *error);
/* rec_worker_detach, and closes the session's run. */
void rec_worker_close(rec_worker *worker);
/* Shows an input: with the run that it has, unless its file has changed; a file that is gone has
 * not. Else, and to restart, with a new run; none when the worker is to leave and nobody wants a
 * result. */
rec_outcome rec_worker_open(rec_worker *worker, size_t index, int restart);
/* Writes the result; after a signal the checkpoint instead, and a failure of that is the worker's
 * failure. */
void rec_worker_leave(rec_worker *worker);
