/* A run: one input, iterated in batches of K until a stop rule holds. The headless command and the
 * window both drive it; neither counts iterations or writes checkpoints itself. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/paths.h"
#include "solver/solver.h"

typedef enum rec_stop {
    REC_STOP_NONE,       /* still iterating */
    REC_STOP_ITERATIONS, /* the requested number was reached */
    REC_STOP_TOLERANCE,  /* the distance fell to the tolerance */
    REC_STOP_STANDSTILL, /* nothing changes in float32: M_N = M_(N-2) */
    REC_STOP_SIGNAL,     /* the caller's stop flag was set */
    REC_STOP_LIMIT,      /* the limit of the iteration: the exact picture */
    REC_STOP_DIVERGED    /* a standstill with values that are not finite */
} rec_stop;

typedef struct rec_warmup rec_warmup; /* below */

typedef struct rec_run_options {
    uint64_t iterations;           /* the total, resumed ones included; REC_ENDLESS: until another
                                      stop rule holds; for a solver that jumps: the limit */
    double tolerance;              /* of the distance, grey levels RMS; 0: none */
    uint64_t every;                /* K, iterations from look to look; 0: with a tolerance
                                      REC_DEFAULT_EVERY, since the looks decide; else by the clock,
                                      which changes no bit */
    const rec_solver_type *solver;
    rec_warmup *successor; /* its solver takes over once its device is ready
                                      (rec_run_hand_over); NULL: none */
    rec_solver_options solver_options;
    rec_problem problem;           /* but for its images; the operators outlive the run */
    const char *checkpoint;        /* file, NULL: none */
    const struct rec_lock *lock;   /* on it; NULL: none */
    double checkpoint_every;       /* seconds between two checkpoints */
    int fresh;                     /* start from the beginning: a checkpoint is not read */
    uint64_t identity;             /* of the input and the options that decide the result: a
                                      checkpoint of another identity is refused */
    rec_solver **kept; /* the solver of an earlier run with the same options, to be used again, or
                          NULL; holds this run's solver once the run is destroyed. NULL: none */
    const volatile sig_atomic_t *stop; /* becomes non-zero when the run shall stop; may be NULL */
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
 * call, so that the caller's flag is seen in time; the look comes after the last piece. A batch
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

/* ---- its successor: handover.c ----
 *
 * All stencil solvers have the same bits: the run begins on one that is ready at once, and goes on
 * with another one. Counts, norms and stop rules go on as after a checkpoint. */

/* 1: the successor is ready, and there is enough work left for it. Starts it as soon as there is.
 * To be asked before each step. */
int rec_run_can_hand_over(rec_run *run);

/* 1: it may come to that, and the edges must be kept. */
int rec_run_has_successor(const rec_run *run);

/* Goes on with a solver of the successor. `edges`: the run's. If that solver cannot be created,
 * says so (rec_warmup_refuse), and the run stays as it is for good. The old solver is destroyed. */
rec_status rec_run_hand_over(rec_run *run, const rec_image *edges, rec_error *error);

/* The number of iterations at which a run of its size stands still, about: 16 / (1 - rho), where
 * rho is the spectral radius of the iteration matrix: rounding hides what is left of the start. */
double rec_run_usual_end(const rec_run *run);

/* Continues after a stop by iterations, tolerance or standstill, for `iterations` more. */
void rec_run_continue(rec_run *run, uint64_t iterations);

const rec_run_state *rec_run_get_state(const rec_run *run);
rec_solver *rec_run_solver(rec_run *run); /* for snapshots and reads, from the owner's thread */

/* The current iterate into an image that this call creates; timed as download. */
rec_status rec_run_read_image(rec_run *run, rec_image *image, rec_error *error);

/* Writes the checkpoint now; the last call after REC_STOP_SIGNAL. */
rec_status rec_run_save_checkpoint(rec_run *run, rec_error *error);

/* ---- a device that gets ready: warmup.c ----
 *
 * All functions from any thread. NULL stands for a device that is not there. */

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

/* ---- checkpoints: checkpoint.c ----
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

/* ---- a lock beside a checkpoint or a journal: lock.c ----
 *
 * Two runs with one such file would do each other's work again. FILE.lock names the run that has
 * FILE. The run keeps an advisory lock on it, which the system drops when the run dies, and updates
 * its time now and then: a sign of life for other hosts, which may not see the lock. The lock of a
 * dead run is taken over, and so is that of the same task of the same Slurm job, requeued to
 * another host. A run that was only thought dead sees that at rec_lock_check. */

typedef struct rec_lock rec_lock;

/* `path` outlives the lock. REC_NO_OUTPUT if a living run has the lock (named), if something else
 * has its name, or if it cannot be created. */
rec_status rec_lock_take(rec_lock **lock, const char *path, rec_error *error);

/* REC_NO_OUTPUT if another run has taken it over. From any thread; NULL is fine. */
rec_status rec_lock_check(const rec_lock *lock, rec_error *error);

/* Gives a sign of life if one is due. From any thread; NULL is fine. */
void rec_lock_renew(rec_lock *lock);

/* Removes and frees the lock; NULL is fine. REC_IO if the file stays. */
rec_status rec_lock_release(rec_lock *lock, rec_error *error);

/* Where a run is: "-" for what is not of Slurm. */
typedef struct rec_origin {
    char host[72];
    long process;
    char job[32], task[32], rank[32]; /* the job's number, the array's task, the step's task */
} rec_origin;
rec_origin rec_origin_get(void);

/* ---- the report: one JSON object an input, one object a line: report.c ---- */

typedef struct rec_comparison {
    rec_difference difference;
    double solver_seconds, reference_seconds; /* iterating alone */
} rec_comparison;

typedef struct rec_report {
    const char *input;
    rec_status status;              /* of this input, the exit code that it alone would give */
    const char *message;            /* what failed; NULL when nothing did */
    const char *output;             /* the written file; NULL: none */
    uint64_t output_bytes, output_time; /* its size and time; 0: it is no file */
    uint64_t id, settings, output_id; /* hashes of the input's name, of what decides the bytes of
                                         the output but for the input, and of the output's path */
    rec_file_mark file;             /* the input; 0 and 0: it is none */
    size_t width, height, planes;   /* 0: it was not read */
    rec_solver_info info;           /* solver NULL: none was created */
    size_t unknown;                 /* pixels of a mask; 0: there is none */
    const rec_problem *problem;     /* whose stencils are named */
    rec_run_state state;
    rec_difference reference;       /* from the picture of --reference; samples 0: none, or not
                                       looked at */
    double means[3];                /* of a picture whose edges do not contain them */
    size_t mean_count;
    rec_comparison comparison;      /* samples 0: none was asked for */
    rec_written written;            /* samples 0: no picture was written */
} rec_report;

/* Writes the object and a newline. Unknown numbers are null. The caller checks ferror. */
void rec_report_write(FILE *stream, const rec_report *report);

/* The items of a difference, for an object that the caller opens and closes. */
void rec_report_write_difference(rec_json *json, const rec_difference *difference);

/* Notes on stderr about an input, such as transparency that was removed. */
void rec_notes_print(const char *input, const rec_image_info *info);

/* Prints a comparison for a person; `a` and `b` name its two sides. floats: their distance in units
 * of the last place, too. */
void rec_difference_print(FILE *stream, const rec_difference *difference, int floats,
                          const char *a, const char *b);

/* REC_NO and a message if a difference exceeds `most`; below 0: if a bit differs. */
rec_status rec_difference_judge(const rec_difference *difference, double most, rec_error *error);

/* ---- progress: progress.c ----
 *
 * A bar that redraws itself on a terminal, a line every few seconds in a log. */

typedef struct rec_progress {
    FILE *stream;        /* NULL: quiet */
    int terminal;        /* the line can be redrawn */
    int columns;         /* of the terminal */
    const char *name;    /* of the input */
    uint64_t target;     /* iterations in all, or REC_ENDLESS */
    double tolerance;    /* 0: none */
    double last;         /* rec_now() of the last line */
    double begin;        /* rec_now() and iterations of the first */
    uint64_t first;
    int drawn;           /* a bar is on the screen */
    size_t inputs, done; /* inputs of the list (0: no list), and the inputs done */
    size_t passed;       /* of those, done by an earlier run */
    size_t taken;        /* inputs begun: the last is shown, the one before may still be being
                            written */
    double list_begin;   /* rec_now() */
} rec_progress;

/* `inputs`: the length of a list (its line also shows the current input once that takes long); 0:
 * a single input. stream NULL: nothing is written. */
rec_progress rec_progress_begin(FILE *stream, size_t inputs);

/* The next or only input begins; `name` must stay valid until the next call. */
void rec_progress_take(rec_progress *progress, const char *name, uint64_t target,
                       double tolerance);

/* Writes when it is time: 10 times a second on a terminal, every 5 seconds in a log. */
void rec_progress_update(rec_progress *progress, const rec_run_state *state);

/* Clears the bar. */
void rec_progress_end(rec_progress *progress);

/* For a list: `done` inputs are done, `passed` of them by an earlier run. Writes if it is time. */
void rec_progress_count(rec_progress *progress, size_t done, size_t passed);

/* "12.3 G", for rates. */
char *rec_format_rate(char text[32], double per_second);
/* "4:05", "2:03:45" */
char *rec_format_seconds(char text[32], double seconds);

/* ---- signals: signals.c ----
 *
 * SIGINT, SIGTERM, SIGUSR1 (which batch systems send ahead of the end), SIGHUP and SIGXCPU end a
 * run in good order. The handler only sets a flag, which is tested between two batches. Signal
 * dispositions belong to the whole process, so this is the one place with global state. */

/* Installs the handlers. A signal that the parent had ignored (nohup) stays ignored. A second
 * signal, a second or more after the first, kills at once. A write to a closed pipe or over a size
 * limit fails with an error instead of killing the process. */
void rec_signals_install(void);

/* Interrupts another thread's blocking system call, such as a read of a pipe, with EINTR. */
void rec_signals_interrupt(pthread_t thread);

/* Dies of the received signal, with its default disposition, so that the parent sees the reason.
 * Returns if there was none. */
void rec_signals_die(void);
