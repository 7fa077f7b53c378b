/* Lists of inputs: from the command line or a file, and dropped on the window. */
#pragma once

#include <pthread.h>

#include "base/set.h"
#include "image/image_files.h"
#include "job/job.h"

/* ---- a list of names from a file: files.c ---- */

typedef struct rec_names {
    char **at; /* without empty names */
    size_t count;
} rec_names;

/* Adds those of a file; path "-": standard input. They end with a newline, or with a NUL.
 * REC_NO_INPUT, REC_IO, REC_LIMIT; REC_BAD_INPUT if one that ends with a newline contains a NUL. */
rec_status rec_names_read(rec_names *names, const char *path, int nul, rec_error *error);
void rec_names_free(rec_names *names);

/* ---- the journal: journal.c ----
 *
 * A line of JSON for every input that was worked on, by one write, once its output is in place. It
 * is one run's at a time (lock.c). Shards' can be concatenated; an input's newest line counts. */

typedef struct rec_journal rec_journal;

/* Everything that decides the bytes of an output, except the input. */
uint64_t rec_settings_hash(const rec_settings *settings);

/* Reads the journals of a list that is resumed, and opens those that are written. */
rec_status rec_journal_open(rec_journal **opened, const rec_settings *settings, rec_error *error);
void rec_journal_close(rec_journal *journal); /* NULL is fine */

/* 1: by its newest line the input was done (REC_OK or REC_NO), and it, settings and output stay. */
int rec_journal_is_done(const rec_journal *journal, const rec_entry *entry, rec_status *verdict);

/* Gives a sign of life if one is due. From any thread; NULL is fine. */
void rec_journal_renew(const rec_journal *journal);
/* REC_IN_USE if another run has taken it over. From any thread; NULL is fine. */
rec_status rec_journal_check(const rec_journal *journal, rec_error *error);

/* What an output asks before it replaces its target: the job's locks, and rec_files_claim. */
typedef struct rec_claim {
    rec_output_guard guard;
    const rec_job *job;
    const char *owner; /* the input's name, or the film's */
} rec_claim;
rec_claim rec_job_claim(const rec_job *job, const char *owner);

/* Removes its locks: REC_IO. */
rec_status rec_journal_unlock(rec_journal *journal, rec_error *error);

/* Writes the job's line; from any thread. */
rec_status rec_journal_write(rec_journal *journal, rec_job *job, rec_error *error);

/* ---- the list: jobs.c ----
 *
 * A job is created when it is needed, so that millions of names take little memory. */

struct rec_jobs {
    const rec_settings *settings;
    rec_entry **entries;   /* of all inputs, of all shards */
    size_t all, typed;     /* their number; behind the first `typed` their names are ours, too */
    rec_set names;         /* of the entries of a list from a file */
    rec_set stems;         /* of the entries, if files go to folders */
    rec_job **at;          /* the window's: all jobs, which stay in place; NULL: headless */
    rec_settings brush;    /* of rec_jobs_create_brush */
    rec_entry *source;     /* of a clone's brush, or NULL */
    size_t count;          /* of this shard's inputs */
    rec_journal *journal;
    rec_warmup *warmup;    /* the starting device of the successor, or of the solver, which waits */
    int fresh;             /* the outputs' folder was created by this run: no file can be in it */
    pthread_mutex_t lock;  /* of what follows */
    rec_set swept;         /* the folders that sweep_folders has been to */
    rec_set known;         /* files that no output may overwrite: */
    size_t listed;         /* so many inputs are among them, */
    int has_others;        /* and those that the settings name */
};

/* Refuses what can be refused before the work (REC_USAGE for an output that is also another output
 * or an input), creates folders, reads and opens the journal, and starts the device of a solver
 * without a successor. `inputs`: of all shards; the names must outlive the jobs. In the window all
 * jobs are created. Free with rec_jobs_destroy; after a failure there is nothing to free. */
rec_status rec_jobs_make(rec_jobs *jobs, const rec_settings *settings, char *const *inputs,
                         size_t count, rec_error *error);
/* 1: the successor's device is still starting: the process must leave by _exit. */
int rec_jobs_destroy(rec_jobs *jobs);

/* Creates job `index`, for the caller to destroy; NULL after a failure. From any thread. */
rec_status rec_jobs_create_job(rec_jobs *jobs, size_t index, rec_job **job, rec_error *error);

/* The window's: a job, owned by that of input `index`, to paint it, or of a clone SOURCE's mask. */
rec_status rec_jobs_create_brush(rec_jobs *jobs, size_t index, rec_job **job, rec_error *error);

/* rec_journal_is_done of job `index`, without a checkpoint: what has its name is another run's. */
int rec_jobs_pass(const rec_jobs *jobs, size_t index, rec_status *verdict);

/* Adds an input, test-read, while others may be open; *index: its number, also if it is there
 * already. Output and checkpoint must be in folders or absent. A failure changes nothing. */
rec_status rec_jobs_add(rec_jobs *jobs, const char *path, size_t *index, rec_error *error);

/* ---- the list's threads: pipeline.c ----
 *
 * A thread takes an input from file to file: reads it, solves, writes the picture and the journal's
 * line. So one thread waits for the disk while others compute. Large images (worth a team of
 * threads) are solved by the caller's thread. The images' number and memory are bounded. */

typedef struct rec_item { /* a job, or what is left of one */
    size_t index;
    rec_job *job;      /* NULL: passed over, or not created */
    int passed;        /* done by an earlier run; `status` is that run's */
    double begin;      /* rec_now() when a seat began to solve it; 0: none did */
    int solved;        /* the solver is done (status says how); its thread may continue */
    int waits;         /* `thread` may be waiting for a pipe */
    pthread_t thread;
    rec_status status;
    rec_error error;
    rec_solver *kept;  /* of its seat, while it is solved there */
    struct rec_item *next;
} rec_item;

/* In the caller's thread: with an item that is finished, or about ten times a second with NULL. 1:
 * from now on no job is begun or solved; unsolved jobs are left untouched. */
typedef int rec_turn(void *user, const rec_item *item);

/* threads: at most this number compute; 1: all work is done in the caller's thread. Progress is
 * shown for inputs that the caller's thread solves. REC_LIMIT. */
rec_status rec_jobs_run(rec_jobs *jobs, size_t threads, rec_progress *progress, rec_turn *turn,
                        void *user, rec_error *error);
