/* A run: one input iterated in batches of K until a stop rule holds. The headless command and the
 * window both drive this one piece; neither counts iterations or writes checkpoints itself. */
#ifndef REC_RUN_RUN_H
#define REC_RUN_RUN_H

#include <signal.h>
#include <stdint.h>

#include "base/status.h"
#include "solver/solver.h"

typedef enum rec_stop {
    REC_STOP_NONE,       /* still iterating */
    REC_STOP_ITERATIONS, /* the asked for number was reached */
    REC_STOP_TOLERANCE,  /* the distance fell to the tolerance */
    REC_STOP_STANDSTILL, /* float32 moves no more: M_N = M_(N-2) */
    REC_STOP_SIGNAL,     /* the caller's stop flag was set */
    REC_STOP_LIMIT       /* it is the limit of the iteration: the exact picture */
} rec_stop;
const char *rec_stop_name(rec_stop stop); /* "iterations", ... as in the report; "none" */

typedef struct rec_run_options {
    uint64_t iterations;           /* the total, resumed ones included; REC_ENDLESS: as many as it
                                      takes, or, for a solver that jumps, the limit */
    double tolerance;              /* of the distance, grey levels RMS; 0: none */
    uint64_t every;                /* K, iterations between two looks; 0: REC_DEFAULT_EVERY where a
                                      tolerance decides at every look, else at least as many and
                                      as take a fifth of a second, which changes no bit */
    const rec_solver_type *solver;
    rec_solver_options solver_options;
    rec_boundary boundary;
    const rec_operator *operators; /* of a convolution, which outlive the run; NULL */
    size_t operator_count;
    const char *checkpoint;        /* file, NULL: none */
    double checkpoint_every;       /* seconds between two checkpoints */
    int fresh;                     /* start from the beginning: a checkpoint is not read */
    uint64_t identity;             /* of the input and the options that decide the result: a
                                      checkpoint of another identity is refused */
    rec_solver **kept; /* the solver of an earlier run of the same options, or NULL, to be used
                          again; takes the run's when that is destroyed. NULL: none */
    const volatile sig_atomic_t *stop; /* becomes non-zero when the run shall stop; may be NULL */
} rec_run_options;

#define REC_ENDLESS UINT64_MAX
#define REC_DEFAULT_EVERY 100

typedef struct rec_seconds { /* where the time went, as in the report */
    double device_start, load, plan, upload, iterate, snapshots, download, save, wall;
} rec_seconds;

typedef struct rec_run_state {
    uint64_t iterations; /* done, resumed ones included; at the limit, those that led to no jump */
    uint64_t resumed;    /* of these, taken over from a checkpoint */
    int jumped;          /* not all were done: rec_run_jump, here or before the checkpoint ... */
    uint64_t jumped_to;  /* ... went to this iterate, or REC_LIMIT_ITERATION, the last time */
    uint64_t begin;      /* iterations at the creation of the solver, which counts from there */
    rec_stop stop;
    rec_look look;       /* the newest numbers of each kind; NaN before the first */
    rec_seconds seconds; /* device_start, plan, upload, iterate, snapshots, download: by the run */
    double updates_per_second; /* of this process: pixels * planes * iterations / seconds.iterate;
                                  NaN after a jump */
} rec_run_state;

typedef struct rec_run rec_run;

/* Creates the solver, and resumes from the checkpoint where there is one: REC_BAD_INPUT when it is
 * damaged or another's. `edges` and `start` (NULL: the edges) may be destroyed afterwards. */
rec_status rec_run_create(rec_run **run, const rec_run_options *options, const rec_image *edges,
                          const rec_image *start, rec_error *error);
void rec_run_destroy(rec_run *run); /* NULL is fine; leaves the checkpoint */

/* For rec_run_step: no look after these iterations, no stop rule and no checkpoint either, unless
 * they are the last or a tolerance is there; another step looks later. A look costs two iterations
 * that pass over memory, on the H200 at 16384 x 16384 as much as 40 others. */
#define REC_LOOK_LATER 0x100u

/* One batch of `most` iterations (0: to the next multiple of K), a look, the stop rules, and a
 * checkpoint when it is time. What would take longer than about a second is done in pieces, one a
 * call, and only the last of them is followed by the look: the caller's flag is seen in time. It
 * is shorter where the number asked for is reached, where a tolerance is looked at (the multiples
 * of K, however they are cut into batches), and once it stands still. looks: REC_LOOK_DISTANCE
 * adds the distance, which is otherwise only worked out where the tolerance needs it; the change
 * is always there. Does nothing once the state says stop. */
rec_status rec_run_step(rec_run *run, uint64_t most, unsigned looks, rec_error *error);

/* How many iterations a batch of K has now; for a caller who wants some of them shorter. */
uint64_t rec_run_batch(const rec_run *run);

/* Goes on from iterate `iteration`, or REC_LIMIT_ITERATION, which is `image`: a new solver starts
 * from it, and iterations count on from its number; from the limit, which has none, from those done
 * before. Where as many as were asked for are there already there is no number to reach any more. A
 * solver that jumps by itself stays there. `edges` are those of the run. Its solver is gone, and
 * NULL, after a failure. */
rec_status rec_run_jump(rec_run *run, uint64_t iteration, const rec_image *edges,
                        const rec_image *image, rec_error *error);

/* Continues after a stop by iterations, tolerance or standstill: "one more batch" in the window. */
void rec_run_continue(rec_run *run, uint64_t iterations);

const rec_run_state *rec_run_get_state(const rec_run *run);
rec_solver *rec_run_solver(rec_run *run); /* for snapshots and reads, from the owner's thread */

/* The current iterate into an image that this call creates; timed as download. */
rec_status rec_run_read_image(rec_run *run, rec_image *image, rec_error *error);

/* Writes the checkpoint now; with REC_STOP_SIGNAL the last thing before leaving. */
rec_status rec_run_save_checkpoint(rec_run *run, rec_error *error);

#endif
