/* A job takes one input from file to file: files get names, images are loaded, a run iterates, the
 * result is taken and written. rec_job_close and rec_job_destroy end it after any of them. */
#pragma once

#include <pthread.h>

#include "base/file_watch.h"
#include "base/output.h"
#include "image/image_files.h"
#include "image/survey.h"
#include "job/settings.h"
#include "run/progress.h"
#include "run/report.h"

typedef struct rec_entry { /* an input of the run */
    const char *name; /* as it was given; "-": standard input */
    int refused;      /* of --files-from: its output collides with another file: it will fail */
    char stem[];      /* names its files in folders */
} rec_entry;

/* Which iterates of a run are frames, and the names of the frames' files. The headless loop and the
 * window end a batch at each frame, so that no frame is skipped.
 *
 * A frame's number follows from its iterate alone: a resumed run goes on with the same numbers, and
 * writes the frames behind its checkpoint again, with the same bits. */
typedef struct rec_film {
    char *prefix;           /* of the paths of the frames: "film/edges"; NULL: no film */
    uint64_t every;         /* its multiples are frames. 0: 0 to 10, then steps of at least 10% */
    uint64_t next;          /* no iterate below this one is a frame any more; UINT64_MAX: none is */
    uint64_t first, last;   /* numbers of the frames written so far; 0: none */
} rec_film;

typedef struct rec_jobs rec_jobs; /* jobs.h */

/* Memory for the images of a list: who finds too little waits before it reads. */
typedef struct rec_budget {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t samples, most; /* those of their inputs; as many at a time, or one alone */
    int closed;           /* nobody gets more */
} rec_budget;

typedef struct rec_job {
    /* From its creation on: what it is to do, and the jobs of the run. */
    const rec_settings *settings; /* theirs, or a brush's */
    rec_jobs *jobs;
    rec_budget *budget;           /* of its list; NULL: none */
    rec_solver **kept;            /* of the run, as in its options */

    struct rec_job *brush;        /* heals the same input in the window; NULL: none yet */

    /* From its creation on: names and paths, NULL: none. */
    const rec_entry *entry;       /* outlives it, */
    const char *input, *name;     /* and so does its name; for messages: "standard input" */
    int dropped;                  /* it has files only in folders */
    char *output;                 /* in a folder known once the planes are: after loading */
    char *checkpoint;
    char *original_path;          /* the picture to measure the distance from, or REC_LIMIT_NAME */
    char *mask_path, *onto_path;  /* of the settings' edit */
    rec_film film;                /* those of REC_FRAMES_AT are none on the way */
    uint64_t others;              /* rec_hash_folder_files */

    /* From loading on. */
    rec_read_options reading;     /* the settings'; the role, not REC_EITHER, may differ */
    rec_image_info info;
    rec_doubt doubt;              /* what is odd about its edges */
    rec_write_options writing;    /* the settings', with the maxval and the extras of the picture */
    rec_image_origin origin;      /* the picture's file, of which the output may be a copy */
    rec_extras extras;
    rec_edit *edit;               /* until the job's end; NULL: the whole picture is solved */
    rec_file_samples samples[2];  /* an edit's picture and a clone's source, if in files */
    size_t held;                  /* samples of the budget, until the job's end */
    int puts;                     /* writing puts what it is filled with into a copy of the file */
    rec_problem problem;          /* the settings'; from opening on with images: an edit's, or */

    /* From loading until rec_job_release_images, which keeps those that are needed again. */
    rec_image loaded, start;

    /* From loading until rec_job_close; of an input that is a picture until somebody takes it. */
    rec_image original;
    double peak;                  /* once it was read: the largest value that it can have */

    int stays;                    /* closing drops no image: it may be opened again */

    /* From opening until rec_job_close. */
    rec_run *run;
    uint64_t identity;            /* of the input as it was opened; 0: not known */
    rec_lock *lock;               /* on the checkpoint, until that is removed or left */

    /* From taking until writing. */
    rec_image result;

    /* For the line in the journal; complete when the job is written. */
    double begin;                 /* rec_now() */
    double load_seconds, wait_seconds, save_seconds; /* wait: for the device */
    rec_report report;
} rec_job;

/* A job for that entry. An input that was dropped on the window has files only in folders. */
rec_status rec_job_create(rec_job **made, rec_jobs *jobs, const rec_settings *settings,
                          const rec_entry *entry, int dropped, rec_error *error);

/* Reads the input, the start and the original, unless they are loaded; from any thread. */
rec_status rec_job_load(rec_job *job, rec_error *error);

static inline int rec_job_is_loaded(const rec_job *job)
{
    return job->loaded.data || (job->edit && rec_edit_target(job->edit)->width);
}

/* The result is what the edit is filled with, not an iterate of a run. */
static inline int rec_job_fills(const rec_job *job)
{
    return job->edit && job->settings->run.solver->jumps;
}

/* Waits until the device is there that was started for it. */
void rec_job_await_device(rec_job *job);

/* Loads the job and creates its run; fresh: without the checkpoint. */
rec_status rec_job_open(rec_job *job, int fresh, rec_error *error);

/* 1: the run goes on with another solver, by rec_job_hand_over. To be asked before each step: warns
 * on stderr if the device cannot be used, and frees images that only a handover needs. */
int rec_job_can_hand_over(rec_job *job);
/* The run's solver is destroyed, unless the other one cannot be created. */
void rec_job_hand_over(rec_job *job);

/* Frees the run and the images; keeps what the report needs. */
void rec_job_close(rec_job *job);
void rec_job_destroy(rec_job *job); /* NULL is fine */

/* ---- one job without a window: solve.c ---- */

/* Solves a job, takes its result, closes the run; prints a summary unless it is one of a list.
 * REC_NO if a check failed: the result is there all the same. */
rec_status rec_job_solve(rec_job *job, rec_progress *progress, rec_error *error);

/* ---- what it reads: job_images.c ---- */

/* Reads, balances or checks what is to be loaded. A picture becomes the original of its edges. */
rec_status rec_job_read_images(rec_job *job, rec_error *error);

/* 1: the input is a picture, and the problem has its edges. Of REC_EITHER known once it is read. */
int rec_job_reads_picture(const rec_job *job);

/* The input is a pipe, or the start: it cannot be read again. */
int rec_job_is_piped(const rec_job *job);

/* 1: the original is the exact picture. */
static inline int rec_job_has_limit(const rec_job *job)
{
    return job->original_path && !strcmp(job->original_path, REC_LIMIT_NAME);
}

/* The original, an image that this call creates, or takes if it is loaded; and job->peak. The input
 * must have been opened; REC_BAD_INPUT if its size is another one. */
rec_status rec_job_read_original(rec_job *job, rec_image *original, rec_error *error);

/* Frees the images, except those of an edit and those that may not be readable again: the ones of a
 * comparison, and in the window those that come from a pipe, which gives its data once. */
void rec_job_release_images(rec_job *job);
void rec_job_drop_images(rec_job *job); /* frees all of them */

/* The problem gets its images, or becomes that of its edit. */
rec_status rec_job_set_problem(rec_job *job, rec_error *error);
/* A hash of what then decides the bits of iterate N and of the limit: edges, start, boundary. */
uint64_t rec_job_identify(const rec_job *job);

/* The window's jumps. Creates a spectral solver for the job's problem and original start, on the
 * run's device if there is one. Loads freed images again: REC_BAD_INPUT if a file has changed. */
rec_status rec_job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error);
/* Continues the run from iterate `iteration`, which is `image`, as rec_run_jump does. */
rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image, rec_error *error);

/* ---- a file that it reads, and memory for its image: job_read.c ---- */

/* It holds so many samples of its budget, if it has one, from now on; from any thread. */
void rec_job_hold(rec_job *job, size_t samples);

typedef struct rec_job_file {
    const char *path; /* NULL: there is none */
    rec_image *image;
    rec_read_options reading;
    rec_job *job;     /* whose input it is, which must fit into memory; NULL: nobody asks */
    int is_read;      /* that made: */
    rec_image_info info;
    rec_status status;
    rec_error error;
} rec_job_file;
enum { REC_FILE_INPUT, REC_FILE_OTHER /* of --onto, or the source */, REC_FILE_MASK, REC_FILES };

/* Reads it, unless that was done before its turn. `error` may be NULL. */
rec_status rec_job_read_file(rec_job_file *file, rec_error *error);
/* Its image, after all, if its samples stayed in the file. */
rec_status rec_job_read_whole(rec_job_file *file, rec_error *error);
/* Reads those side by side that one thread decodes. */
void rec_job_read_files(rec_job_file files[REC_FILES]);

/* Nothing needs the whole picture, if the output is a copy of its file. */
int rec_job_may_put(const rec_job *job);

/* ---- its edit: job_edit.c ---- */

/* A number that changes with the files that it reads; 0: one is gone, or the input no file. */
uint64_t rec_job_stamp(const rec_job *job);
/* Of those files, as rec_watch_open. */
rec_watch *rec_job_watch(const rec_job *job);

/* Creates the edit; the job gets the picture's maxval. Errors of rec_edit_create and reading. */
rec_status rec_job_make_edit(rec_job *job, rec_job_file files[REC_FILES], rec_error *error);

/* Fills it. *result: the whole picture, an image that this call creates; NULL: nobody wants it.
 * format: it is for that one; NULL: for that of the output. Headless REC_SIGNALLED. */
rec_status rec_job_fill(rec_job *job, const rec_format *format, rec_image *result,
                        rec_error *error);

/* Writes the copy of the picture's file. */
rec_status rec_job_put(rec_job *job, rec_write_options *options, rec_error *error);

/* ---- what it writes: job_output.c ---- */

/* The next unwritten frame from `iteration` on, UINT64_MAX: none; *number: its number from 1 on. */
uint64_t rec_film_next(const rec_film *film, uint64_t iteration, uint64_t *number);

/* Prints a line about the frames that were written, if any, and those of an older film behind. */
void rec_job_print_film(const rec_job *job, const rec_film *film);

/* Before the first batch and after each: renews the locks, writes a frame. As rec_image_write. */
rec_status rec_job_between_batches(rec_job *job, rec_error *error);
/* Writes the frames of REC_FRAMES_AT, by jumps; the run then goes on from its start. */
rec_status rec_job_write_frames(rec_job *job, rec_error *error);

int rec_job_is_lossy(const rec_job *job); /* 1: edges were read, and a lossy format had them */

/* The doubt as a sentence, with what the user can do about it; "": there is none. */
#define REC_DOUBT_TEXT 128
const char *rec_job_doubt(const rec_job *job, char text[REC_DOUBT_TEXT]);

/* Reads the result, if there is an output: from the solver, or by filling the edit. */
rec_status rec_job_read_result(rec_job *job, rec_error *error);
/* Writes it, and removes the checkpoint, which keeps the work if that fails; from any thread. */
rec_status rec_job_write(rec_job *job, rec_error *error);
rec_status rec_job_save(rec_job *job, rec_error *error); /* both */

/* After a stop by a signal: writes the checkpoint (REC_STOPPED); REC_SIGNALLED without one. */
rec_status rec_job_interrupt(rec_job *job, rec_error *error);

/* ---- names of files, and what no output may overwrite: files.c ---- */

/* An entry to be freed, for a name that outlives it. The stem is the name's last part without its
 * extension, or with --parents the relative path. REC_USAGE for a relative path that leaves its
 * folder (..): the entry is refused then, and its stem is the name. *made: NULL after REC_LIMIT. */
rec_status rec_entry_create(rec_entry **made, const char *name, int parents, rec_error *error);

/* "pgm", "ppm", ...: the ending of a name in a folder. */
static inline const char *rec_output_ending(const rec_format *format, size_t planes)
{
    return format ? format->ending : rec_format_default(planes)->ending;
}

/* A number that changes with the input's files in folders of the settings; 0: no such folders. */
uint64_t rec_hash_folder_files(const rec_settings *settings, const rec_entry *entry);

/* *path: the output of `stem` with so many planes, the settings' file or in their folder. */
rec_status rec_output_path(const rec_settings *settings, const rec_format *format,
                           const char *stem, size_t planes, char **path, rec_error *error);

/* *path: `given`, a new string, or if it is a folder the image of the input's stem in it. */
rec_status rec_job_find_file(rec_job *job, char **path, const char *given, rec_error *error);

/* No output may overwrite what the run reads, the report, and the outputs of other inputs. Files
 * are compared by device and inode, so links do not matter. The promise holds against files that
 * exist when an output gets its name, not against a program that makes links at that moment.
 *
 * Adds the inputs. Headless they are looked at when an output exists for the first time. */
void rec_files_add(rec_jobs *jobs);
/* REC_USAGE if the file exists, and the run reads it or writes it for another one than `owner`. */
rec_status rec_files_ask(rec_jobs *jobs, const char *path, const char *owner, rec_error *error);
/* The same of an output that is about to get its name, REC_NO_OUTPUT: as a guard's claim. From then
 * on the file belongs to `owner`: the input's name, or the film's. */
rec_status rec_files_claim(rec_jobs *jobs, const char *path, const char *owner, rec_file_id made,
                           int *exists, rec_error *error);

/* Before the work: REC_USAGE if one of output, report and checkpoint is read, or is another one. */
rec_status rec_job_check_files(const rec_job *job, rec_error *error);

/* The failure of a refused job. */
rec_status rec_job_refuse(const rec_job *job, rec_error *error);
