/* The thread that owns the run: it opens the inputs, steps the batches, begins snapshots and
 * obeys the user's actions, so that the window's thread never waits for a batch, nor a batch for
 * the window. Knows nothing of SDL. The window sends actions and what it wants to see; the worker
 * sends its state and snapshots. */
#pragma once

#include "job/jobs.h"
#include "view/worker/history.h"
#include "view/worker/scene.h"

/* ---- requests ---- */

typedef struct rec_worker rec_worker;
typedef struct rec_request rec_request;
typedef struct rec_outcome rec_outcome;

/* Does what a request asks for, on the worker's thread, and returns what is to follow. */
typedef rec_outcome rec_act(rec_worker *worker, const rec_request *request);

rec_act rec_worker_play_pause;   /* pauses, goes on, or goes on from where a jump is */
rec_act rec_worker_step;         /* then pause; 0: one batch, 1: one iteration */
rec_act rec_worker_restart;
rec_act rec_worker_save;         /* 0: the picture, 1: the view; never over a file */
rec_act rec_worker_change_input; /* 1: the next, -1: the one before */
rec_act rec_worker_make_edges;   /* of the input, which is a picture; or no more */
rec_act rec_worker_change_every; /* 1: K doubles, from 100; 0: that of -k, or automatic */
rec_act rec_worker_change_pace;  /* 1: it halves, -1: doubles, 0: full speed */
rec_act rec_worker_add;          /* another input; 1: it is also shown */
rec_act rec_worker_seek;         /* show an iterate by a jump; what does not fit is a message */
rec_act rec_worker_go_back;      /* from a jump to the run as it was */

rec_act rec_worker_turn;         /* from the input to its brush, or back; of a clone to SOURCE */
rec_act rec_worker_ask;          /* leaves, unless something is unsaved: then the state asks */
rec_act rec_worker_save_and_leave; /* or stays with a message */

/* What is painted, where a mask can change: worker_paint.c. The rest of the stroke: */
rec_act rec_worker_paint;
rec_act rec_worker_lift;         /* the stroke has ended */
rec_act rec_worker_undo;         /* a stroke; 1: do it again */
rec_act rec_worker_clear;        /* the whole mask */
rec_act rec_worker_move_source;  /* of a clone, by the stroke; of a healing, to its end */
rec_act rec_worker_next_source; /* of the places for the last stroke, the next best */
rec_act rec_worker_change_rule;  /* of the gradients, to the next one */
rec_act rec_worker_toggle_jacobi; /* the mask is filled by Jacobi's iteration; or no more */

struct rec_request {
    rec_act *act;       /* NULL: nothing */
    int argument;       /* of the act */
    uint64_t iteration; /* of a seek alone; REC_LIMIT_ITERATION: the limit */
    char *path;         /* of an input to add; else NULL */
    rec_stroke stroke;  /* to paint, or how the source moves; pixels of the image */
    uint64_t number;    /* by rec_worker_post: 1, 2, ... */
};

/* ---- the state ---- */

typedef enum rec_phase {
    REC_PHASE_EMPTY,     /* there is no input yet */
    REC_PHASE_LOADING,
    REC_PHASE_ITERATING,
    REC_PHASE_PAUSED,
    REC_PHASE_PREPARING, /* the first jump: the edges are transformed */
    REC_PHASE_JUMPED,    /* the run waits while `jump` is shown */
    REC_PHASE_STOPPED,   /* by a stop rule: run.stop says which */
    REC_PHASE_FAILED,    /* this input cannot be shown: `failure` says why */
    REC_PHASE_LEAVING,   /* results are being written */
    REC_PHASE_LEFT       /* the worker's thread is about to end */
} rec_phase;

/* The pixel under the cursor. */
typedef struct rec_probed {
    int known;
    size_t column, row;
    rec_probe values;   /* NaN: there is none */
} rec_probed;

/* What is measured while a run is shown. */
typedef struct rec_numbers {
    double distance;       /* to the limit, grey levels RMS, as history.measured has it; or NaN */
    double psnr;           /* of the shown iterate, dB; INFINITY; NaN: no reference */
    uint64_t measured_at;  /* the iterate of this distance */
    double measured_time;  /* rec_now() when it was measured */
    double equal;          /* pixels of an end that are the original's, rounded; NaN: not known */
    double pace;           /* seconds a decade of iterations; 0: full speed */
    double end;            /* about the iterations at the end of the run; 0: not known */
    int fitted;            /* the tone auto fits the contrast to the levels */
    rec_levels levels;     /* of the picture, a few times a second while they are needed */
    rec_history history;
} rec_numbers;

typedef struct rec_view_state {
    rec_phase phase;
    size_t index, inputs;    /* the number of the shown input; the number of inputs */
    char name[256];          /* of the input as given, for display; cut if longer */
    rec_size size;           /* of the input in pixels; 0 x 0 until the first is loaded */
    size_t planes;
    rec_solver_info info;    /* of the run's solver */
    rec_run_state run;
    rec_numbers numbers;
    uint64_t jump;           /* after a jump: the shown iterate, or REC_LIMIT_ITERATION */
    uint64_t every;          /* K; where that is automatic, the iterations between two pictures */
    int every_is_automatic;  /* it follows the screen */
    uint64_t answered;       /* the number of the last finished request */
    int plain;               /* no solver has edges to show: the reference is in their place */
    unsigned missing;        /* bits (1 << layer): layers of the scene that nothing can show now */
    rec_probed probed;
    rec_values values;
    unsigned updates;        /* of history, levels, values, or the pixel under the cursor */
    unsigned messages;       /* counts the messages; 0: there was none */
    int message_is_bad;
    char message[512];       /* the newest */
    char failure[1024];
    char doubt[REC_DOUBT_TEXT]; /* about the input; "": there is none */
    int has_original;        /* there is a picture to compare with, */
    int of_limit;            /* which is the exact one */
    rec_edit_kind painted;   /* how, or REC_EDIT_NONE: nothing can be painted */
    int turned;              /* to the brush of an input */
    int exact;               /* a mask is filled by the exact solver, else by Jacobi's iteration */
    size_t unknown;          /* pixels of the mask */
    int unsaved;             /* what is painted in some input is in no file, and -o names none */
    unsigned questions;      /* counts those whether to leave all the same */
    rec_edit_state edit;     /* of what is painted */
    const char *rule;        /* of its gradients, in a retoucher's words */
} rec_view_state;

/* A run is open and shown. */
static inline int rec_phase_is_open(rec_phase phase)
{
    return phase >= REC_PHASE_ITERATING && phase <= REC_PHASE_STOPPED;
}

/* ---- the worker ---- */

/* Requests and what is wanted can be posted before the thread starts. The jobs belong to the worker
 * until it has been joined, and outlive it. REC_LIMIT. */
rec_status rec_worker_create(rec_worker **worker, rec_jobs *jobs, rec_error *error);
void rec_worker_destroy(rec_worker *worker);

/* Starts the thread, with input 0. REC_LIMIT. */
rec_status rec_worker_start(rec_worker *worker, rec_error *error);
/* Waits for the thread to end. Returns the first failure of the worker. */
rec_status rec_worker_join(rec_worker *worker, rec_error *error);
/* That failure, of a worker in REC_PHASE_LEFT that another thread joins. */
rec_status rec_worker_failure(const rec_worker *worker, rec_error *error);

/* ---- what the window and the worker exchange: exchange.c ---- */

#define REC_QUEUED_REQUESTS 1024 /* further requests are dropped */

/* Queues a request; the path is copied. A seek replaces a seek that is still waiting. Returns the
 * request's number; 0 if it was dropped. */
uint64_t rec_worker_post(rec_worker *worker, rec_request request);

/* Overtakes all waiting requests behind the last that saves; later requests are dropped. */
void rec_worker_ask_to_leave(rec_worker *worker);

void rec_worker_want(rec_worker *worker, const rec_wanted *wanted);

/* Copies the newest state. Returns 1 if the worker rests: until the next action or another area,
 * only a snapshot in flight can arrive. To be called until the worker has left: a call also
 * notices that the input's files were saved, and while the worker is leaving it makes it give up an
 * input that it is reading. */
int rec_worker_get_state(rec_worker *worker, rec_view_state *state);

/* The mask of the shown input, and until it is given back the worker cannot change it. NULL: there
 * is none, or the worker changes it now, and nothing is to be given back. */
const rec_mask *rec_worker_borrow_mask(rec_worker *worker);
/* Also within rec_worker_accept; if it holds nothing, nothing. */
void rec_worker_give_back(rec_worker *worker);

/* Gives the newest snapshot of each solver, or the preview, to `accept`, with its input's size.
 * Never waits: does nothing while the worker has locked the snapshots. */
typedef void rec_worker_accept(void *context, const rec_snapshot *snapshot, rec_size image);
void rec_worker_poll(rec_worker *worker, rec_worker_accept *accept, void *context);
