/* A job takes one input from file to file: its files get their names, its images are loaded, a run
 * is opened and iterates, and the result is taken and written. rec_job_close and rec_job_destroy
 * end it after any of these steps. */
#pragma once

#include "base/output.h"
#include "image/image_files.h"
#include "image/survey.h"
#include "job/settings.h"
#include "run/progress.h"
#include "run/report.h"

typedef struct rec_entry { /* an input of the run */
    const char *name; /* as it was given; "-": standard input */
    int refused;      /* of --files-from: its output collides with another file, so that it fails
                         when its turn comes */
    char stem[];      /* names its files in folders */
} rec_entry;

/* Which iterates of a run are frames, and the names of the frames' files. The headless loop and the
 * window end a batch at each frame, so that no frame is skipped.
 *
 * A frame's number follows from its iterate alone: a run that is stopped and resumed goes on with
 * the same numbers. The frames between its checkpoint and its end are written again, with the same
 * bits. */
typedef struct rec_film {
    char *prefix;           /* of the paths of the frames: "film/edges"; NULL: no film */
    const char *ending;     /* of these paths: "pgm"; NULL: no iterate is a frame on the way */
    uint64_t every;         /* its multiples are frames, and iterate 0. 0: log-spaced, 0 to 10 and
                               then in steps of at least 10% */
    uint64_t next;          /* no iterate below this one is a frame any more */
    uint64_t first, last;   /* numbers of the frames written so far; 0: none */
} rec_film;

typedef struct rec_files rec_files;     /* those that no output may overwrite: files.c */
typedef struct rec_journal rec_journal; /* of a list: jobs.h */

typedef struct rec_job {
    /* From its creation on: what it is to do, and what it shares with the other jobs of the run. */
    const rec_settings *settings;
    rec_files *files;
    rec_journal *journal;         /* whose locks it needs; NULL: none */
    rec_warmup *warmup;           /* the device that is starting: the successor's, or that of
                                     run.solver, which rec_job_open waits for */
    const rec_gate *gate;         /* to pass before the image is read; NULL: none */
    rec_solver **kept;            /* of the run, as in its options */

    struct rec_job *brush;        /* heals the same input in the window; NULL: none yet */

    /* From its creation on: names and paths, NULL: none. */
    const char *input, *stem;     /* of its entry, which outlives it */
    int refused;
    char *output;                 /* in a folder known once the planes are: after loading */
    char *checkpoint;
    char *original_path;          /* the picture to measure the distance from */
    char *mask_path, *onto_path;  /* of the settings' edit */
    rec_film film;                /* those of REC_FRAMES_AT are none on the way */
    uint64_t others;              /* rec_hash_folder_files */

    /* From loading on. */
    rec_read_options reading;     /* the settings'; the role may be another one in the window, and
                                     is no longer REC_EITHER */
    rec_image_info info;
    rec_doubt doubt;              /* what is odd about its edges */
    rec_write_options writing;    /* the settings', with the maxval and the extras of the picture */
    rec_problem problem;          /* the settings', with the mask; without images */

    /* From loading until rec_job_release_images: later only where they are needed again, by a
     * comparison, by an edit in the window, or since they come from a pipe. */
    rec_image given, start;       /* as the problem has them */
    rec_image source;             /* of REC_EDIT_CLONE, and what its samples are multiplied by */
    double source_scale;
    rec_image mass;               /* where an edit keeps colours: of the problem */

    /* From loading until rec_job_close. */
    rec_image original;           /* headless, or of an input that is a picture until somebody
                                     takes it; and the largest value of its samples */
    double peak;
    rec_mask mask;                /* of an edit; until the job is destroyed, since the output may
                                     be a copy of: */
    rec_image_origin origin;      /* the picture's file */
    rec_mask hidden, source_hidden; /* transparent pixels of the picture around it and of the
                                     source: alpha below a half; `unknown` is NULL: none */
    rec_mask filled;              /* what the problem has: the mask, and what is hidden beside it;
                                     unused where nothing is hidden */
    rec_sources sources;          /* of a healing that looked for them; else there are none */
    size_t unsearched;            /* of them, for which no work was left */
    rec_mask shape;               /* of a clone in the window: the mask in the source's own frame,
                                     also where that leaves the picture */
    rec_extras extras;
    size_t overlap;               /* source pixels of a healing that lie in the mask */

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
rec_status rec_job_create(rec_job **made, const rec_settings *settings, rec_files *files,
                          const rec_entry *entry, int dropped, rec_error *error);

/* Reads the input, the start and the original, unless they are loaded; from any thread. */
rec_status rec_job_load(rec_job *job, rec_error *error);

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

/* Test-reads the input; an open job is not changed. */
rec_status rec_job_check(const rec_job *job, rec_error *error);

/* A number that changes with the input's file; 0 if that is no regular file, or is gone. */
uint64_t rec_job_stamp(const rec_job *job);

/* ---- one job without a window: solve.c ---- */

/* Solves a job and takes its result; prints a summary unless it is one of a list. REC_NO if a check
 * failed: the result is there all the same. Closes the run. */
rec_status rec_job_solve(rec_job *job, rec_progress *progress, rec_error *error);

/* ---- its end ---- */

/* Reads the result from the solver, if there is an output. */
rec_status rec_job_take_result(rec_job *job, rec_error *error);
/* Writes that result to the output, and removes the checkpoint; from any thread. If that fails, the
 * work is kept in the checkpoint. */
rec_status rec_job_write(rec_job *job, rec_error *error);
rec_status rec_job_save(rec_job *job, rec_error *error); /* both */

/* After a stop by a signal: writes the checkpoint (REC_STOPPED) if there is one, else
 * REC_SIGNALLED. */
rec_status rec_job_interrupt(rec_job *job, rec_error *error);

/* ---- its images: job_images.c ---- */

/* The original, an image that this call creates, or takes if it is loaded, and the largest value
 * that its samples can have. The input must have been opened; REC_BAD_INPUT if its size is another
 * one. */
rec_status rec_job_take_original(rec_job *job, rec_image *original, double *peak, rec_error *error);

/* Reads the given image and the start unless they are there; balances or checks them. If the input
 * is a picture, it becomes the original, and its edges are taken. */
rec_status rec_job_read_images(rec_job *job, rec_error *error);

/* 1: the input is a picture, and the problem has its edges. Of REC_EITHER known once it is read. */
int rec_job_takes_edges(const rec_job *job);

int rec_job_is_lossy(const rec_job *job); /* 1: edges were read, and a lossy format had them */

/* The doubt as a sentence, with what the user can do about it; "": there is none. */
#define REC_DOUBT_TEXT 128
const char *rec_job_doubt(const rec_job *job, char text[REC_DOUBT_TEXT]);

/* The input is a pipe, or the start: it cannot be read again. */
int rec_job_is_piped(const rec_job *job);

/* Frees the images, except those that may not be readable again: the ones of a comparison, and in
 * the window those that come from a pipe, which gives its data once, and those of an edit. */
void rec_job_release_images(rec_job *job);
void rec_job_drop_images(rec_job *job); /* frees all of them */

/* A hash of what decides the bits of iterate N and of the limit: edges, start, boundary. */
uint64_t rec_job_identify(const rec_job *job);

/* ---- a change inside a mask alone: edit.c ---- */

typedef struct rec_edit_file {
    const char *path; /* NULL: there is none */
    rec_image *image;
    rec_read_options reading;
    int is_read;      /* that made: */
    rec_image_info info;
    rec_status status;
    rec_error error;
} rec_edit_file;
enum { REC_FILE_INPUT, REC_FILE_OTHER /* of --onto, or the source */, REC_FILE_MASK, REC_FILES };

/* Reads it, unless that was done before its turn. */
static inline rec_status rec_edit_read(rec_edit_file *file, rec_error *error)
{
    if (file->path && !file->is_read++)
        file->status =
            rec_image_read(file->path, &file->reading, file->image, &file->info, &file->error);
    if (file->status && error)
        *error = file->error;
    return file->status;
}

/* Reads what the settings' edit names; the input has been read. *around: where the picture is, or
 * comes. The job gets its mask, its edges, and the picture's maxval.
 * REC_BAD_INPUT for a mask of another size, that looks like a picture, or that leaves nothing
 * unknown or nothing known. */
rec_status rec_edit_prepare(rec_job *job, rec_edit_file files[REC_FILES],
                            const rec_image *around, rec_error *error);

/* Its mask, from its file or the shape of the source: edit_mask.c. */
rec_status rec_edit_read_mask(rec_job *job, rec_edit_file files[REC_FILES],
                              const rec_image *around, rec_error *error);

/* Where a healing takes its gradients from: edit_sources.c. Finds the sources of the parts of its
 * mask, if it shall, and tells them on stderr. */
rec_status rec_edit_find_sources(rec_job *job, const rec_image *around, rec_error *error);
void rec_edit_print_sources(const rec_job *job);
/* In the window: labels for what is painted; of a clone its place, the first source. */
rec_status rec_edit_begin_sources(rec_job *job, rec_error *error);
/* The source of the next stroke, and the search for that of one. */
rec_patch rec_edit_new_patch(const rec_job *job);
rec_status rec_edit_seek(rec_job *job, uint16_t label, rec_error *error);
int rec_edit_has_sources(const rec_job *job); /* when healing; 0: all is filled smoothly */
/* As --from FILE reads them. */
rec_status rec_edit_write_sources(rec_job *job, const char *path, rec_error *error);

/* The edit's guidance, whose target is the picture: what made the job's edges, and makes those of
 * another mask or place (rec_guidance_make). The job must have its images. */
rec_guidance rec_edit_guidance(const rec_job *job, const rec_image *around);

/* After a change of the job's mask: what the problem has. REC_LIMIT. */
rec_status rec_edit_grow(rec_job *job, rec_error *error);

/* Hidden pixels around the mask, and those in it that nobody sees at all, get the picture's samples
 * again, from the start. */
void rec_edit_restore(const rec_job *job, const rec_image *result);

/* The job's start gets the picture's samples where pixels are known, or is the picture if there is
 * none. May take the picture. */
void rec_edit_surround(rec_job *job, rec_image *around);

/* ---- its frames: film.c ---- */

/* The next frame that is not written yet, from `iteration` on; UINT64_MAX: none. */
uint64_t rec_film_next(const rec_film *film, uint64_t iteration);

/* The number of the frame of iterate `iteration`, a frame; the start is number 1. */
uint64_t rec_film_number(const rec_film *film, uint64_t iteration);

/* Prints one line about the frames that were written, if any; it warns if frames of an older film
 * follow them. */
void rec_film_print(const rec_film *film, FILE *stream, const char *input);

/* The film of the run, from its iterate on, unless its frames are those of a list. */
void rec_job_begin_film(rec_job *job);
/* Before the first batch and after each: renews the locks, and writes the run's iterate if it is a
 * frame of the film. Errors as of rec_image_write. */
rec_status rec_job_between_batches(rec_job *job, rec_error *error);
/* Writes the frames of REC_FRAMES_AT, by jumps; the run then goes on from its start. */
rec_status rec_job_write_frames(rec_job *job, rec_error *error);

/* ---- the window's jumps, by the spectral solver, which computes any iterate: job_images.c ---- */

/* The name of the solver of exact pictures: inside a mask it is another one. */
const char *rec_limit_solver(const rec_settings *settings);

int rec_jumper_available(const rec_settings *settings); /* there are no jumps of filters */

/* Creates a spectral solver for the job's problem and original start, on the run's device if there
 * is one. Loads the images again if they were freed; REC_BAD_INPUT if a file has changed since. */
rec_status rec_job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error);

/* Continues the run from iterate `iteration`, which is `image`, as rec_run_jump does. */
rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image, rec_error *error);

/* ---- names of files: names.c ---- */

/* An entry to be freed, for a name that outlives it. The stem is the name's last part without its
 * extension, or with --parents the relative path. REC_USAGE for a relative path that leaves its
 * folder (..): the entry is refused then, and its stem is the name. *made: NULL after REC_LIMIT. */
rec_status rec_entry_create(rec_entry **made, const char *name, int parents, rec_error *error);

/* "pgm", "ppm", ...: the ending of a name in a folder. */
const char *rec_output_ending(const rec_format *format, size_t planes);

/* *path: a file that is read beside the input `stem`, a new string: `given`, or if that is a folder
 * the image of that stem in it. */
rec_status rec_path_find(char **path, const char *given, const char *stem, rec_error *error);

/* A number that changes with the files that folders in the settings have for the input of that
 * stem; 0: there are no such folders. */
uint64_t rec_hash_folder_files(const rec_settings *settings, const char *stem);

/* *path: the output of the input `stem` with `planes` planes: the file that the settings name, or
 * one in the folder that they name; NULL: none. */
rec_status rec_output_path(const rec_settings *settings, const char *stem, size_t planes,
                           char **path, rec_error *error);

/* ---- what no output may overwrite: files.c ----
 *
 * What the run reads, the report, and the outputs of other inputs. Files are compared by device and
 * inode, so links do not matter. The promise holds against files that exist when an output gets its
 * name, not against a program that makes links at that moment. */

rec_status rec_files_create(rec_files **made, const rec_settings *settings, rec_error *error);
void rec_files_destroy(rec_files *files); /* NULL is fine */

/* The inputs are entries[0..count-1]. Headless they are looked at when an output exists for the
 * first time, otherwise at once: the array may move later. */
void rec_files_take(rec_files *files, rec_entry *const *entries, size_t count);

/* A file that the run reads, beside those in the settings; NULL: none. */
rec_status rec_files_add(rec_files *files, const char *path, rec_error *error);

/* REC_USAGE if the file exists, and the run reads it or has it as the output of an input that is
 * not `owner`. */
rec_status rec_files_ask(rec_files *files, const char *path, const char *owner, rec_error *error);

/* REC_USAGE if its output, report or checkpoint is a file that the run reads, or is another of
 * these: for a refusal before the work. */
rec_status rec_job_check_files(const rec_job *job, rec_error *error);

/* The failure of a refused job. */
rec_status rec_job_refuse(const rec_job *job, rec_error *error);

/* What an output of the job asks before it replaces its target: whether the job still has its
 * locks, and as rec_files_ask, REC_NO_OUTPUT. From then on the target belongs to `owner`. */
typedef struct rec_claim {
    rec_output_guard guard;
    const rec_job *job;
    const char *owner; /* the input's name, or the film's */
} rec_claim;
rec_claim rec_job_claim(const rec_job *job, const char *owner);
