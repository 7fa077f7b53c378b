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
    REC_STOP_ITERATIONS, /* the asked for number was reached */
    REC_STOP_TOLERANCE,  /* the distance fell to the tolerance */
    REC_STOP_STANDSTILL, /* float32 moves no more: M_N = M_(N-2) */
    REC_STOP_SIGNAL,     /* the caller's stop flag was set */
    REC_STOP_LIMIT,      /* it is the limit of the iteration: the exact picture */
    REC_STOP_DIVERGED    /* it moves no more, because its values are not finite */
} rec_stop;

typedef struct rec_run_options {
    uint64_t iterations;           /* the total, resumed ones included; REC_ENDLESS: as many as it
                                      takes, or, for a solver that jumps, the limit */
    double tolerance;              /* of the distance, grey levels RMS; 0: none */
    uint64_t every;                /* K, iterations between two looks; 0: REC_DEFAULT_EVERY where a
                                      tolerance decides at every look, else by the clock, which
                                      changes no bit */
    const rec_solver_type *solver;
    rec_solver_options solver_options;
    rec_problem problem;           /* but for its images; the operators outlive the run */
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
    double device_start, load, plan, upload, iterate, download, save, wall;
} rec_seconds;

typedef struct rec_run_state {
    uint64_t iterations; /* done, resumed ones included; at the limit, those that led to no jump */
    uint64_t resumed;    /* of these, taken over from a checkpoint */
    int jumped;          /* rec_run_jump was called, here or before the checkpoint */
    uint64_t jumped_to;  /* the iterate that it last went to, or REC_LIMIT_ITERATION */
    uint64_t begin;      /* iterations at the creation of the solver, which counts from there */
    rec_stop stop;
    rec_look look;       /* the newest numbers of each kind; NaN before the first */
    rec_seconds seconds; /* device_start, plan, upload, iterate, download: by the run */
    double updates_per_second; /* of this process: pixels * planes * iterations / seconds.iterate;
                                  NaN after a jump */
} rec_run_state;

typedef struct rec_run rec_run;

/* Creates the solver, and resumes from the checkpoint where there is one: REC_BAD_INPUT when it is
 * damaged or another's. `edges` and `start` (NULL: the edges) may be destroyed afterwards. */
rec_status rec_run_create(rec_run **run, const rec_run_options *options, const rec_image *edges,
                          const rec_image *start, rec_error *error);
void rec_run_destroy(rec_run *run); /* NULL is fine; leaves the checkpoint */

/* For rec_run_step: skip the look after these iterations, and with it the stop rules and the
 * checkpoint, unless they are the last ones or a tolerance is set; a later step looks. A look costs
 * two iterations that pass over memory, on the H200 at 16384 x 16384 as much as 40 others. */
#define REC_LOOK_LATER 0x100u

/* Does one batch of `most` iterations (0: up to the next multiple of K), a look, the stop rules,
 * and a checkpoint when it is due. A batch of more than half a second is done in pieces, one a
 * call, and only the last piece is followed by the look, so that the caller's flag is seen in time.
 * The batch is shorter if the requested number is reached, if a tolerance must be looked at (at the
 * multiples of K, however they are cut into batches), and at standstill. looks: REC_LOOK_DISTANCE
 * adds the distance, which is otherwise computed only for the tolerance; the change is always
 * there. Does nothing once the state says stop. */
rec_status rec_run_step(rec_run *run, uint64_t most, unsigned looks, rec_error *error);

/* The iterations of a batch now, for callers that want some batches shorter. */
uint64_t rec_run_batch(const rec_run *run);

/* Continues from iterate `iteration`, or REC_LIMIT_ITERATION, which is `image`: a new solver starts
 * from it, and iterations count on from its number; the limit has none, so they count on from those
 * done before. If the requested number of iterations is reached already, there is no such number
 * any more. A solver that jumps by itself stays there. `edges` are those of the run. After a
 * failure its solver is gone, and NULL. */
rec_status rec_run_jump(rec_run *run, uint64_t iteration, const rec_image *edges,
                        const rec_image *image, rec_error *error);

/* Continues after a stop by iterations, tolerance or standstill, for so many iterations more. */
void rec_run_continue(rec_run *run, uint64_t iterations);

const rec_run_state *rec_run_get_state(const rec_run *run);
rec_solver *rec_run_solver(rec_run *run); /* for snapshots and reads, from the owner's thread */

/* The current iterate into an image that this call creates; timed as download. */
rec_status rec_run_read_image(rec_run *run, rec_image *image, rec_error *error);

/* Writes the checkpoint now; after REC_STOP_SIGNAL the last thing before leaving. */
rec_status rec_run_save_checkpoint(rec_run *run, rec_error *error);

/* ---- checkpoints: checkpoint.c ----
 *
 * An iterate on disk, from which the same command goes on. The file is text of five lines (magic
 * and version, iterations, jumped, identity, checksum) and then the iterate as PFM, so that
 * `head -5` and any PFM reader behind it can look inside. It becomes real by a rename, like every
 * output. */

/* Writes the iterate `image` of a run in that state. Every rank writes its rows of a part: the file
 * is the same for every number of ranks. */
rec_status rec_checkpoint_write(const char *path, const rec_run_state *state, uint64_t identity,
                                const rec_image *image, rec_error *error);

/* *found = 0 if there is no such file. Otherwise fills in the state's iterations and its jump, and
 * creates `image`, a part if it is shared (then this is collective). REC_BAD_INPUT if the file is
 * no checkpoint, is damaged, or is of another version or identity. */
rec_status rec_checkpoint_read(const char *path, uint64_t identity, int shared, int *found,
                               rec_run_state *state, rec_image *image, rec_error *error);

/* ---- a lock beside a checkpoint: checkpoint_lock.c ----
 *
 * Two runs with one checkpoint would overwrite each other's work. The file CHECKPOINT.lock names
 * the run that holds it. The run keeps a lock on the file, which the system drops when it dies, and
 * updates the file's time now and then: a sign of life for other hosts, which may not see the lock.
 * The lock of a dead run is taken over, and so is that of the same Slurm job, requeued to another
 * host. */

typedef struct rec_checkpoint_lock rec_checkpoint_lock;

/* REC_NO_OUTPUT if another run that is alive has it, naming that, or if the file cannot be made. */
rec_status rec_checkpoint_lock_take(rec_checkpoint_lock **lock, const char *checkpoint,
                                    rec_error *error);

/* Gives a sign of life if one is due; NULL is fine. */
void rec_checkpoint_lock_renew(rec_checkpoint_lock *lock);

/* Removes it; NULL is fine. */
void rec_checkpoint_lock_release(rec_checkpoint_lock *lock);

/* ---- the report: one JSON object an input, one object a line: report.c ---- */

typedef struct rec_comparison {
    rec_difference difference;
    double solver_seconds, reference_seconds; /* iterating alone */
} rec_comparison;

typedef struct rec_report {
    const char *input;
    rec_status status;              /* of this input, the exit code that it alone would give */
    const char *message;            /* what failed; NULL when nothing did */
    const char *output;             /* that was written; NULL: none */
    uint64_t output_bytes;          /* its size; 0: it is no file */
    uint64_t id, settings;          /* hashes of the input's name, and of what decides the bytes of
                                       the output but for the input */
    rec_file_mark file;             /* the input; 0 and 0: it is none */
    size_t width, height, planes;   /* 0: it was not read */
    rec_solver_info info;           /* solver NULL: none was created */
    const rec_problem *problem;     /* whose stencils are named */
    rec_run_state state;
    rec_difference reference;       /* from the picture of --reference; samples 0: none, or not
                                       looked at */
    rec_comparison comparison;      /* samples 0: none was asked for */
    rec_written written;            /* samples 0: no picture was written */
} rec_report;

/* Writes the object and a newline. Numbers that are not there are null. Errors of the stream are
 * left to the caller's ferror. */
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
    int terminal;        /* it can be redrawn */
    int columns;         /* its width */
    const char *name;    /* of the input */
    uint64_t target;     /* iterations in all, or REC_ENDLESS */
    double tolerance;    /* 0: none */
    double last;         /* rec_now() of the last line */
    double begin;        /* rec_now() and iterations of the first */
    uint64_t first;
    int drawn;           /* a bar is on the screen */
    size_t inputs, done; /* of a list, and how many of them are; 0: there is no list */
    size_t passed;       /* of these, those that took no time */
    size_t taken;        /* inputs that began; each ends the one before, which may still be on its
                            way to the disk */
    double list_begin;   /* rec_now() */
} rec_progress;

/* `inputs`: the length of a list, whose line also shows the current input once that takes long; 0:
 * there is one input. stream NULL: nothing is written. */
rec_progress rec_progress_begin(FILE *stream, size_t inputs);

/* The next or only input begins; `name` must stay valid meanwhile. */
void rec_progress_take(rec_progress *progress, const char *name, uint64_t target,
                       double tolerance);

/* Writes when it is time: 10 times a second on a terminal, every 5 seconds in a log. */
void rec_progress_update(rec_progress *progress, const rec_run_state *state);

/* Clears the bar. */
void rec_progress_end(rec_progress *progress);

/* For a list: so many inputs are done, of which `passed` were done before. Writes if it is time. */
void rec_progress_count(rec_progress *progress, size_t done, size_t passed);

/* "12.3 G", for rates. */
char *rec_format_rate(char text[32], double per_second);
/* "4:05", "2:03:45" */
char *rec_format_seconds(char text[32], double seconds);

/* ---- signals: signals.c ----
 *
 * SIGINT, SIGTERM, SIGUSR1 (which batch systems send ahead of the end), SIGHUP and SIGXCPU end a
 * run in good order. The handler only sets a flag; who iterates looks at it between two batches.
 * Signal dispositions belong to the whole process, so this is the one place with global state. */

/* Installs the handlers; a signal that the parent had ignored (nohup) stays ignored, and one that
 * comes again a second or more after the first kills at once. Writing to a closed pipe or over a
 * size limit becomes an error of the write instead of a death. */
void rec_signals_install(void);

/* Interrupts another thread's blocking system call, such as a read of a pipe, with EINTR. */
void rec_signals_interrupt(pthread_t thread);

/* 0, or the number of the first signal that came. */
extern volatile sig_atomic_t rec_signal_received;

/* Dies of the signal that came, with its default disposition, so that the parent sees the reason.
 * Returns if none came. */
void rec_signals_die(void);
