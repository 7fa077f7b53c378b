/* An input of the window: its run, cut into pieces short enough to answer the user between two of
 * them, and its numbers. When another input is shown its run stays as it is. */
#pragma once

#include "view/worker/worker.h"

/* What is painted, and what the solver and the window know of it. */
typedef struct rec_paint {
    rec_brush brush;     /* on the job's mask; mask NULL: nothing can be painted */
    rec_guidance guidance;
    rec_area changed;    /* since the solver was told */
    int moved;           /* so has the source, or its rule */
    int aims;            /* heal: Ctrl+click chose (x, y); the next stroke fixes the offset from
                            it */
    ptrdiff_t x, y;
    int aiming;          /* a Ctrl+drag has begun */
    int paints;          /* a stroke has begun, and has its label */
    uint16_t drags;      /* the label whose source is dragged, from (x, y) on; 0: none */
    uint16_t label;      /* the last one that was painted or dragged; 0: none */
    ptrdiff_t at_x, at_y; /* a pixel of it: where the stroke ended, or the drag began */
    rec_area seen;       /* what may differ from the whole picture that the window has */
    unsigned strokes;    /* changes of the mask */
    int of_source;       /* of a clone: it is only painted, and nothing solved */
    unsigned saved;      /* those of them that are in a file */
    rec_run *waiting;    /* while Jacobi's iteration is the run: the exact one; else NULL */
} rec_paint;

typedef struct rec_session {
    rec_job *job;             /* open while `run` is */
    rec_run *run;             /* NULL: none is open */
    rec_phase phase;          /* of the run, also while a jump or another input is shown: iterating,
                                 paused or stopped */
    rec_size size;            /* of the input, pixels */
    size_t planes;            /* of the input */
    rec_numbers numbers;
    uint64_t stamp;           /* rec_job_stamp when the input was opened; 0: none */
    uint64_t new_stamp;       /* rec_job_stamp when the file was last tested */
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
    double next_look;         /* rec_now() when a look is due, if K is automatic */
    double next_distance;     /* likewise for the distance */
    double next_levels;       /* likewise for the levels; 0: now, in any case */
    double pace_time;         /* rec_now() when the pace was set, or iterating began */
    double pace_from;         /* the iterations done at pace_time, at least 1 */
    rec_limits limits;        /* of the tone auto; they move towards the levels' limits ... */
    double limits_time;       /* ... as of this rec_now(), during iterations */
    uint64_t shown_at;        /* the iterations done when the last snapshot was begun */
    uint64_t between;         /* iterations from the snapshot before; at least 1 */
    double shown_time;        /* rec_now() of the last snapshot; 0: none */
    double shown_seconds;     /* to begin it; nearly 0 on a device */
    double device_seconds;    /* on a device: the extra time of the piece after a snapshot */
    int just_shown;           /* that piece is the next one */
    int recovers;             /* its files are named so */
    double peak;              /* the largest value that its samples can have, for the PSNR */
    rec_paint paint;
} rec_session;

/* ---- opened, measured, described: session.c ---- */

/* The source of what was last painted or moved when healing. */
const rec_patch *rec_session_patch(const rec_session *session);

/* Starts over with a job: reads its input. */
rec_status rec_session_load(rec_session *session, rec_job *job, rec_error *error);
/* Creates its run; restart: from the beginning, whatever its checkpoint has. */
rec_status rec_session_open(rec_session *session, int restart, rec_error *error);
void rec_session_close(rec_session *session); /* nobody polls its solvers; without a run: nothing */
void rec_session_close_jumper(rec_session *session); /* nobody may poll it any more */

/* Gives a solver the picture of --reference, if there is one; after a failure it has none. */
rec_status rec_session_give_reference(rec_session *session, rec_solver *solver, rec_error *error);
/* Measures the PSNR of what is shown to the reference. */
rec_status rec_session_compare(rec_session *session, rec_error *error);
/* Counts the pixels that equal those of the reference after rounding, if its samples are integers;
 * reads its file again. */
void rec_session_count_equal(rec_session *session);

/* The solver of the shown iterate. */
rec_solver *rec_session_solver(const rec_session *session);
/* The session's solver that can show the layer; NULL: none. */
rec_solver *rec_session_solver_of(const rec_session *session, rec_layer layer);
/* 1: the mask is painted, and the exact run shown. */
int rec_session_paints(const rec_session *session);
/* 1: something is painted that is in no file. */
int rec_session_is_unsaved(const rec_session *session);
/* What is seen of it: empty, failed, jumped, or that of the run. */
rec_phase rec_session_phase(const rec_session *session);

/* The iterate that is shown and saved, or REC_LIMIT_ITERATION. */
uint64_t rec_session_iterate(const rec_session *session);

/* The rule of its gradients in a retoucher's words: a healing has no SOURCE. */
const char *rec_session_rule(const rec_session *session);
/* The part of the state that follows from the session. */
void rec_session_describe(const rec_session *session, rec_view_state *now);

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

/* Marks the iterate at the begin of a batch whose change is shown. */
rec_status rec_session_mark(rec_session *session, rec_error *error);
/* One piece: a batch, or a part of a batch that takes about a tenth of a second, and at most up to
 * the next frame. *ended: the piece ended a batch, and the next batch begins. *rests: it was the
 * last step, or the end of the run. */
rec_status rec_session_advance(rec_session *session, int *ended, int *rests, rec_error *error);

/* Measures the current iterate. */
rec_status rec_session_measure(rec_session *session, rec_error *error);
/* Iterating stops for now; can_go_on: also at the end of the run it is only paused. */
rec_status rec_session_rest(rec_session *session, int can_go_on, rec_error *error);
