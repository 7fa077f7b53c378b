/* Jobs, one for each input, which take it from file to file; and the list of jobs. The headless
 * command and the window drive the same pieces: settings, jobs and lists of them, films. */
#pragma once

#include <pthread.h>

#include "run/run.h"

/* ---- settings ----
 *
 * What a job is to do, the same for every input: options fully parsed and checked. The texts are
 * names of files and folders, which outlive the settings. */

typedef enum rec_start { REC_START_EDGES, REC_START_VALUE, REC_START_FILE } rec_start;

/* What a result is compared with: the bits of the reference solver, or the limit. */
typedef enum rec_against { REC_AGAINST_NOTHING, REC_AGAINST_BITS, REC_AGAINST_LIMIT } rec_against;

typedef enum rec_frames {
    REC_FRAMES_NONE,
    REC_FRAMES_EVERY, /* the multiples of run.every */
    REC_FRAMES_LOG,   /* log-spaced */
    REC_FRAMES_AT     /* those of a list, by jumps */
} rec_frames;

#define REC_PACE_USUAL (-1.0)

typedef struct rec_settings {
    rec_run_options run;        /* but for checkpoint, fresh and identity, which differ by input */
    rec_read_options reading;
    rec_write_options writing;  /* format NULL: by each output's name */
    rec_tone shown;             /* the window's tone at first */
    int headless;
    double pace;                /* the window's: seconds in which the iterations become ten times as
                                   many; 0: full speed; REC_PACE_USUAL: a run takes about 20 s */
    FILE *progress;             /* NULL: quiet */

    rec_start start;
    float start_value;
    const char *start_file;

    int balance;                /* the mean of the edges is subtracted */

    const char *output;         /* file, or folder; NULL: none */
    int output_is_folder;
    const char *checkpoint;     /* file, or folder; NULL: none */
    int checkpoint_is_folder;
    const char *report;         /* the journal; NULL: none */
    const char *original;       /* the picture to measure the distance from, or a folder of such
                                   pictures; NULL: none */
    int list;                   /* a list of inputs, even of one or none */
    int parents;                /* files in folders keep the relative path of their input */
    const char *files_from;     /* where the names of inputs come from; NULL: the command line */
    size_t shard, shards;       /* this process does inputs shard, shard + shards, ... */
    int resume;                 /* inputs that a journal calls done are passed over */
    const char *const *journals; /* to read beside the report */
    size_t journal_count;
    size_t threads;             /* of the process, at most; 0: as many as there are processors */

    rec_against against;
    double max_difference;      /* so large ones are no failure; below 0: no bit may differ */

    rec_frames frames;
    const char *film;           /* folder of the frames; NULL: none */
    uint64_t *frames_at;        /* REC_FRAMES_AT: the iterates; REC_LIMIT_ITERATION is the limit */
    size_t frames_count;

    double begin;               /* rec_now() when the program started */
    double find_seconds;        /* to find the solver, which may start a driver */
} rec_settings;

/* ---- a device's warm-up ---- */

/* The device gets ready in a thread of its own while the first input is read. */
typedef struct rec_warmup {
    pthread_t thread;
    pthread_mutex_t lock; /* of the next */
    int running;          /* nobody has waited for it yet */
    const rec_solver_type *solver;
    rec_solver_options options;
} rec_warmup;

void rec_warmup_start(rec_warmup *warmup, const rec_run_options *options);
void rec_warmup_await(rec_warmup *warmup); /* from any thread; NULL is fine */

/* ---- films: film.c ----
 *
 * Which iterates of a run are frames, the names of their files, and writing them. The headless loop
 * and the window end a batch at each frame, so that none is skipped.
 *
 * A frame's number follows from its iterate alone: a run that is stopped and resumed goes on with
 * the same numbers. The frames between its checkpoint and its end are written again, with the same
 * bits. */

typedef struct rec_film {
    char *prefix;           /* of the paths of the frames: "film/edges"; NULL: no film */
    const char *ending;     /* of these paths: "pgm"; NULL: no iterate is a frame on the way */
    uint64_t every;         /* the multiples of it are frames, 0 included; 0: log-spaced, 0 to 10
                               and then in steps of at least 10% */
    uint64_t next;          /* iterates before this one are no frames any more */
    uint64_t first, last;   /* numbers of the frames written so far; 0: none */
} rec_film;

/* The first iterate from `iteration` on that is a frame and is not written yet; UINT64_MAX:
 * none. */
uint64_t rec_film_next(const rec_film *film, uint64_t iteration);

/* The number of the frame that iterate `iteration` is: the start is number 1. */
uint64_t rec_film_number(const rec_film *film, uint64_t iteration);

/* Prints one line about the frames that were written, if any; it warns if frames of an older film
 * follow them. */
void rec_film_print(const rec_film *film, FILE *stream, const char *input);

/* ---- one job ---- */

typedef struct rec_job {
    const rec_settings *settings;
    rec_warmup *warmup;           /* to wait for before the solver is created; NULL: none */
    const char *input;            /* its name, and the stem that names its files in folders; both */
    const char *stem;             /* belong to the list of jobs */
    char *output, *checkpoint;    /* paths; NULL: none. In a folder the output has one when its
                                     planes are known */
    rec_film film;                /* those of REC_FRAMES_AT are none on the way */
    char *original_path;          /* the picture to measure the distance from; NULL: none */
    double begin;                 /* rec_now() */
    double load_seconds, wait_seconds, save_seconds; /* wait: for the device */
    rec_image edges, start;       /* kept after loading only where they are needed again: by a
                                     comparison, or by the window if they come from a pipe */
    rec_image result;             /* taken from the run, not yet written */
    rec_image original;           /* headless, and the largest value of its samples */
    double peak;
    uint64_t identity;            /* of the input as it was opened; 0: not known */
    rec_image_info info;
    rec_run *run;                 /* NULL: not open */
    rec_solver **kept;            /* of the run, as in its options */
    rec_checkpoint_lock *lock;    /* on the checkpoint, until it is removed or left; NULL: none */
    rec_report report;
    const char *doubt;            /* what is odd about its edges, for a note; or NULL */
} rec_job;

/* Reads the input, the start and the original, unless they are loaded; from any thread. */
rec_status rec_job_load(rec_job *job, rec_error *error);

/* Loads the job and creates its run; fresh: without the checkpoint. */
rec_status rec_job_open(rec_job *job, int fresh, rec_error *error);

void rec_job_destroy(rec_job *job); /* NULL is fine */

/* Frees the run and the images; keeps what the report needs. */
void rec_job_close(rec_job *job);

/* Reads the input and drops it again, to see whether it can be opened. Does not change an open
 * job. */
rec_status rec_job_check(const rec_job *job, rec_error *error);

/* A number that changes with the input's file; 0 if that is no regular file, or is gone. */
uint64_t rec_job_stamp(const rec_job *job);

/* Writes the run's current iterate if it is a frame of the film, and renews the checkpoint's lock.
 * Errors as of rec_image_write: film.c. */
rec_status rec_job_record(rec_job *job, rec_error *error);
/* Writes the frames of REC_FRAMES_AT, by jumps; the run then goes on from its start. */
rec_status rec_job_write_frames(rec_job *job, rec_error *error);

/* Reads the result from the solver, if there is an output. */
rec_status rec_job_take_result(rec_job *job, rec_error *error);
/* Writes that result to the output, and removes the checkpoint; from any thread. If that fails, the
 * work is kept in the checkpoint. */
rec_status rec_job_write(rec_job *job, rec_error *error);
rec_status rec_job_save(rec_job *job, rec_error *error); /* both */

/* After a stop by a signal: writes the checkpoint (REC_STOPPED) if there is one, else
 * REC_SIGNALLED. */
rec_status rec_job_interrupt(rec_job *job, rec_error *error);

/* ---- what a result is measured against: comparison.c ---- */

/* The original, an image that this call creates, and the largest value that its samples can have.
 * REC_BAD_INPUT if its size is not the input's, which must have been opened. */
rec_status rec_job_read_original(const rec_job *job, rec_image *original, double *peak,
                                 rec_error *error);

/* Puts the distance of the run's iterate from the original into the report. */
rec_status rec_job_measure(rec_job *job, rec_error *error);

/* Runs the reference solver from the same start for the same N, or finds the limit, and compares
 * the result with it; fills the comparison of the report. */
rec_status rec_job_compare(rec_job *job, rec_error *error);

/* ---- the window's jumps: problem.c ---- */

int rec_jumper_available(const rec_settings *settings); /* there are no jumps of filters */

/* Creates a spectral solver for the job's problem from its original start, on the run's device if
 * it has one. Loads the problem again if it was dropped; REC_BAD_INPUT if it has changed since. */
rec_status rec_job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error);

/* Continues the run from iterate `iteration`, which is `image`, as rec_run_jump does. */
rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image,
                        rec_error *error);

/* ---- the journal of a list: journal.c ---- */

/* A line of JSON for every input that was worked on, by one write, after its output is in its
 * place. Journals of shards can be concatenated; the last line of an input counts. */
typedef struct rec_done { /* the last line of an input */
    uint64_t id;            /* the hash of its name */
    int known;              /* the line is of the same settings */
    rec_status status;
    rec_file_mark input;
    uint64_t output_bytes;  /* 0: none was written */
    size_t planes;
} rec_done;

typedef struct rec_journal {
    int file[2];            /* the report and, where that cannot be read again, one beside the
                               checkpoints */
    const char *path[2];
    size_t count;
    char *own_path;         /* of the latter */
    void *done;             /* a tree (tsearch) of rec_done: from earlier lines */
    uint64_t settings;      /* a hash of what decides the bytes of an output */
    pthread_mutex_t lock;   /* of the files */
} rec_journal;

/* ---- a list of names from a file: names.c ---- */

typedef struct rec_names {
    char **at; /* empty ones are left out */
    size_t count;
} rec_names;

/* path "-": standard input. Names end with a newline, or if `end` is 0 with a NUL. REC_NO_INPUT,
 * REC_IO, REC_LIMIT; REC_BAD_INPUT if a name that ends with a newline contains a NUL. */
rec_status rec_names_read(rec_names *names, const char *path, char end, rec_error *error);
void rec_names_free(rec_names *names);

/* ---- the list of them ---- */

/* The inputs: those of the command line or of a list, and in the window those that were dropped on
 * it. A job is created when it is needed, so that millions of names take little memory. */
typedef struct rec_jobs {
    const rec_settings *settings;
    const char **names;           /* of all inputs, those of other shards too */
    char **stems;                 /* what their files in folders are called */
    size_t all, given;            /* the number of names, of which the first are the caller's */
    void *used;                   /* a tree (tsearch) of the stems, if files go to folders */
    void *swept;                  /* a tree of the folders that sweep_folders has been to */
    rec_job **at;                 /* the window's: all of them; NULL: headless. A job stays where it
                                     is while they become more */
    size_t count;
    rec_journal journal;
    rec_warmup warmup;
} rec_jobs;

/* Refuses what can be refused before the work, with REC_USAGE if two files that are read or written
 * would be one; creates folders, reads and opens the journal, and starts the warm-up. `inputs`: of
 * all shards; the names must outlive the jobs. The window's jobs are all created. Free with
 * rec_jobs_destroy; after a failure there is nothing to free. `jobs` must not move. */
rec_status rec_jobs_make(rec_jobs *jobs, const rec_settings *settings, char *const *inputs,
                         size_t count, rec_error *error);
void rec_jobs_destroy(rec_jobs *jobs);

/* The number among all inputs of the job `index`. */
static inline size_t rec_jobs_number(const rec_jobs *jobs, size_t index)
{
    const rec_settings *settings = jobs->settings;
    return settings->shards > 1 ? settings->shard + index * settings->shards : index;
}

/* Creates job `index`, to be destroyed by the caller; *job is NULL after a failure. From any
 * thread. */
rec_status rec_jobs_create_job(rec_jobs *jobs, size_t index, rec_job **job, rec_error *error);

/* 1 if the journal says that an earlier run of the same command has done this input, with the
 * verdict REC_OK or REC_NO, and if input and output are as they were then. Removes its
 * checkpoint. */
int rec_jobs_pass(const rec_jobs *jobs, size_t index, rec_status *verdict);

/* Writes the job's line of the journal; from any thread. */
rec_status rec_journal_write(rec_jobs *jobs, rec_job *job, rec_error *error);

/* Adds an input while others may be open: *index is its number, its old one if it is an input
 * already. Either way it is read once, to see that it can be. Its output and its checkpoint must be
 * in folders, or there are none. Changes nothing after a failure. */
rec_status rec_jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error);

/* ---- the list on its way: pipeline.c ----
 *
 * Each of several threads takes an input from file to file: it reads it, solves it, and writes
 * its picture and its line of the journal, so that one waits for the disk while others compute.
 * Images that a team of threads is worth are solved by the caller's. How many images there are
 * at a time is bounded, by number and by memory. */

typedef struct rec_item { /* a job, or what is left of one */
    size_t index;
    rec_job *job;      /* NULL: it was passed over, or could not be created */
    int passed;        /* over: an earlier run did it, with this status */
    int solved;        /* or that failed; the thread that has it goes on */
    int waits;         /* `thread` may wait for a pipe */
    pthread_t thread;
    rec_status status;
    rec_error error;
    size_t samples;    /* of its image; 0: it was not read */
    size_t bytes;      /* of memory that its images take */
    struct rec_item *next;
} rec_item;

/* The caller of the pipeline. */
typedef struct rec_pipeline_owner {
    void *context;
    /* Solves a job that was read, and takes its result; others: other threads solve at the same
     * time. */
    rec_status (*solve)(void *context, rec_job *job, int others, rec_error *error);
    /* Called in the caller's thread with a finished item, or with NULL about every tenth of a
     * second. Returns 1 to stop: no further job is begun or solved, and what is not solved yet is
     * left untouched. */
    int (*take)(void *context, const rec_item *item);
} rec_pipeline_owner;

/* Returns when all items are taken. threads: the most that compute; 1: everything happens in the
 * caller's thread. */
rec_status rec_pipeline_run(rec_jobs *jobs, size_t threads, const rec_pipeline_owner *owner,
                            rec_error *error);
