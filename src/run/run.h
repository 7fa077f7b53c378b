/* A run: one input, iterated in batches of K until a stop rule holds. The headless command and the
 * window both drive it; neither counts iterations or writes checkpoints itself. */
#pragma once

#include <stdint.h>

#include "base/lock.h"
#include "solver/solver.h"

/* ---- a device that gets ready while a run has begun without it: warmup.c ----
 *
 * All functions from any thread. NULL stands for a device that is not there. */

typedef struct rec_warmup rec_warmup;

typedef enum rec_warmth {
    REC_COLD,    /* not started */
    REC_WARMING, /* starting, in a thread of its own */
    REC_WARM,    /* the start has ended; what failed then, creating a solver reports */
    REC_ABSENT   /* this machine has no device */
} rec_warmth;

rec_status rec_warmup_create(rec_warmup **warmup, const rec_solver_type *solver,
                             const rec_solver_options *options, rec_error *error);
/* 1: the device is still starting, and may do so for ever: the process must leave by _exit. */
int rec_warmup_destroy(rec_warmup *warmup);

void rec_warmup_start(rec_warmup *warmup); /* once: later calls do nothing */
void rec_warmup_await(rec_warmup *warmup); /* until a start has ended */
rec_warmth rec_warmup_warmth(rec_warmup *warmup);
const rec_solver_type *rec_warmup_solver(const rec_warmup *warmup);

/* Why a run does not use the device. rec_warmup_complains is 1 once if there is such a reason, or
 * if a start takes longer than `patience` seconds. */
void rec_warmup_refuse(rec_warmup *warmup, const rec_error *error);
int rec_warmup_complains(rec_warmup *warmup, double patience, rec_error *error);

/* ---- the run ---- */

typedef enum rec_stop {
    REC_STOP_NONE,       /* still iterating */
    REC_STOP_ITERATIONS, /* the requested number was reached */
    REC_STOP_TOLERANCE,  /* the distance fell to the tolerance */
    REC_STOP_STANDSTILL, /* nothing changes in float32: M_N = M_(N-2) */
    REC_STOP_SIGNAL,     /* a signal asked the program to stop */
    REC_STOP_LIMIT,      /* the limit of the iteration: the exact picture */
    REC_STOP_DIVERGED    /* a standstill with values that are not finite */
} rec_stop;

typedef struct rec_run_options {
    uint64_t iterations;           /* the total, resumed ones included; REC_ENDLESS: until another
                                      stop rule holds; for a solver that jumps: the limit */
    double tolerance;              /* of the distance, grey levels RMS; 0: none */
    uint64_t every;                /* K, iterations from look to look; 0: with a tolerance
                                      REC_DEFAULT_EVERY, or a multiple while that is far, since the
                                      looks decide; else by the clock, which changes no bit */
    const rec_solver_type *solver;
    rec_warmup *successor;         /* its solver takes over once its device is ready; NULL: none */
    rec_solver_options solver_options;
    rec_problem problem;           /* but for its images; the operators outlive the run */
    const char *checkpoint;        /* file, NULL: none */
    const rec_lock *lock;          /* on it; NULL: none */
    double checkpoint_every;       /* seconds between two checkpoints */
    int fresh;                     /* start from the beginning: a checkpoint is not read */
    uint64_t identity;             /* of the input and the options that decide the result: a
                                      checkpoint of another identity is refused */
    rec_solver **kept;             /* the solver of an earlier run with the same options, to be
                                      used again, or NULL; holds this run's solver once the run is
                                      destroyed. NULL: none */
} rec_run_options;

#define REC_ENDLESS UINT64_MAX
#define REC_DEFAULT_EVERY 100

typedef struct rec_seconds { /* how long each part took, as in the report */
    double device_start, load, plan, upload, iterate, download, save, wall;
} rec_seconds;

typedef struct rec_run_state {
    uint64_t iterations; /* done, incl. resumed ones; a jump to the limit does not change it */
    uint64_t resumed;    /* of these, done before the checkpoint */
    int jumped;          /* rec_run_jump was called, here or before the checkpoint */
    uint64_t jumped_to;  /* the target of the last jump, or REC_LIMIT_ITERATION */
    uint64_t begin;      /* iterations at the creation of the solver, which counts from there */
    uint64_t handover;   /* the iterate from which the successor went on; 0: none */
    rec_stop stop;
    rec_look look;       /* the newest value of each norm; NaN before the first look */
    rec_seconds seconds; /* device_start, plan, upload, iterate, download: by the run */
    uint64_t expected;   /* about the iterations at which the tolerance is reached; 0: not known */
    double limit_seconds; /* that the exact picture took beside the run; 0: there is none */
    double updates_per_second; /* of this process: pixels * planes * iterations / seconds.iterate;
                                  NaN after a jump */
} rec_run_state;

/* Everything in them that decides the bits of iterate N, but for the images. */
uint64_t rec_run_hash(const rec_run_options *options, uint64_t hash);

typedef struct rec_run rec_run;

/* Creates the solver, of the successor if that is ready, and resumes from the checkpoint if it
 * exists: REC_BAD_INPUT if it is damaged or of another identity. `edges` and `start` (NULL: the
 * edges) may be destroyed afterwards; the edges of a run with a successor, once that has gone. */
rec_status rec_run_create(rec_run **run, const rec_run_options *options, const rec_image *edges,
                          const rec_image *start, rec_error *error);
void rec_run_destroy(rec_run *run); /* NULL is fine; leaves the checkpoint */

/* For rec_run_step: skip the look after these iterations, the stop rules and the checkpoint, unless
 * the run ends there or a tolerance is set; a later step looks. A look costs two plain iterations,
 * on the H200 at 16384 x 16384 as much time as 40 blocked ones. */
#define REC_LOOK_LATER 0x100u

/* Does one batch of `most` iterations (0: up to the next multiple of K), a look, the stop rules,
 * and a checkpoint when it is due. A batch of more than half a second is cut into pieces, one a
 * call, so that a signal is seen in time; the look comes after the last piece. A batch
 * ends early where the requested number is reached, at standstill, and, with a tolerance, at every
 * multiple of K. The look always measures the change; the distance with REC_LOOK_DISTANCE in
 * `looks` or with a tolerance. Does nothing once the state says stop. */
rec_status rec_run_step(rec_run *run, uint64_t most, unsigned looks, rec_error *error);

/* The length of the next batch, for callers that want a shorter one. */
uint64_t rec_run_batch(const rec_run *run);

/* Continues from `image`, which is iterate `iteration` or, REC_LIMIT_ITERATION, the limit. A new
 * solver starts from the image. Iterations count on from `iteration`; after the limit, from the
 * number before the jump. If the requested number of iterations is reached already, it no longer
 * holds. The run of a solver that jumps ends there. `edges`: the run's. After a failure the solver
 * is destroyed, and NULL. */
rec_status rec_run_jump(rec_run *run, uint64_t iteration, const rec_image *edges,
                        const rec_image *image, rec_error *error);

/* Continues after a stop by iterations, tolerance or standstill, for `iterations` more. */
void rec_run_continue(rec_run *run, uint64_t iterations);

const rec_run_state *rec_run_get_state(const rec_run *run);
rec_solver *rec_run_solver(rec_run *run); /* for snapshots and reads, from the owner's thread */

/* The current iterate into an image that this call creates; timed as download. */
rec_status rec_run_read_image(rec_run *run, rec_image *image, rec_error *error);

/* Writes the checkpoint now; the last call after REC_STOP_SIGNAL. */
rec_status rec_run_save_checkpoint(rec_run *run, rec_error *error);

/* ---- its checkpoint: checkpoint.c ----
 *
 * An iterate on disk, from which the same command continues. The file has five lines of text (magic
 * and version, iterations, jumped, identity, checksum) and then the iterate as PFM: `head -5` shows
 * the text, and any PFM reader reads the rest. Like every output, the file appears by a rename. */

/* Writes `image`, the iterate of a run in `state`. Of a part, every rank writes its own rows: the
 * file is the same for any number of ranks. */
rec_status rec_checkpoint_write(const char *path, const rec_run_state *state, uint64_t identity,
                                const rec_image *image, rec_error *error);

/* *found = 0 if the file does not exist. Otherwise fills in iterations and jump of the state, and
 * creates `image`; with `shared` a part (collective). REC_BAD_INPUT if the file is no checkpoint,
 * is damaged, or is of another version or identity. */
rec_status rec_checkpoint_read(const char *path, uint64_t identity, int shared, int *found,
                               rec_run_state *state, rec_image *image, rec_error *error);

/* Removes the file if it is a checkpoint of that identity: another run's work stays. */
void rec_checkpoint_remove(const char *path, uint64_t identity);

/* ---- the exact picture: limit.c ---- */

/* A spectral solver, on that device or on the host; where this build has it. */
rec_status rec_jumper_create(rec_solver **jumper, const rec_problem *problem, int on_device,
                             int device, rec_error *error);

/* ---- its successor: warmup.c ----
 *
 * All stencil solvers have the same bits: the run begins on one that is ready at once, and goes on
 * with another one. Counts, norms and stop rules go on as after a checkpoint. */

/* Goes on with a solver of the successor. `edges`: the run's. If that solver cannot be created,
 * says so (rec_warmup_refuse), and the run stays as it is for good. The old solver is destroyed. */
rec_status rec_run_hand_over(rec_run *run, const rec_image *edges, rec_error *error);

/* 1: it may come to that, and the edges must be kept. */
int rec_run_has_successor(const rec_run *run);

/* 1: the successor is ready, and there is enough work left for it. Starts it as soon as there is.
 * To be asked before each step. */
int rec_run_can_hand_over(rec_run *run);

/* The number of iterations at which a run of its size stands still, about: 16 / (1 - rho), where
 * rho is the spectral radius of the iteration matrix: rounding hides what is left of the start. */
double rec_run_usual_end(const rec_run *run);
