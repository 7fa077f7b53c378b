/* A job takes one input from file to file. */
#pragma once

#include "job/files.h"
#include "job/film.h"
#include "job/settings.h"

enum { REC_JOURNALS = 2 }; /* of a list */

typedef struct rec_job {
    const rec_settings *settings;
    rec_files *files;             /* of the run */
    rec_warmup *warmup;           /* the successor's, or else to wait for before the solver is
                                     created */
    const char *input;            /* its name, and the stem that names its files in folders; both */
    const char *stem;             /* belong to the list of jobs */
    char *output, *checkpoint;    /* paths; NULL: none. In a folder the output has one when its
                                     planes are known */
    rec_film film;                /* those of REC_FRAMES_AT are none on the way */
    char *original_path;          /* the picture to measure the distance from; NULL: none */
    char *mask_path, *onto_path;  /* of the settings' edit; NULL: none */
    double begin;                 /* rec_now() */
    double load_seconds, wait_seconds, save_seconds; /* wait: for the device */
    rec_image edges, start;       /* kept after loading only where they are needed again: by a
                                     comparison, or by the window if they come from a pipe */
    rec_mask mask;                /* of an edit, as the problem has it */
    rec_mask shape;               /* in a window: the same of all of the source of a clone */
    rec_image source;             /* of REC_EDIT_CLONE, and what its samples are multiplied by */
    double source_scale;
    rec_problem problem;          /* the settings', with this mask; without images */
    size_t overlap;               /* source pixels of a healing that lie in the mask */
    rec_write_options writing;    /* the settings', with the white and the extras of the picture */
    rec_extras extras;
    rec_image result;             /* taken from the run, not yet written */
    rec_image original;           /* headless, or of an input that is a picture until somebody
                                     takes it; and the largest value of its samples */
    double peak;
    uint64_t others;              /* rec_hash_folder_files */
    const rec_gate *gate;         /* of its input; NULL: none */
    rec_read_options reading;     /* the settings'; its role may be another one in the window */
    uint64_t identity;            /* of the input as it was opened; 0: not known */
    rec_image_info info;
    rec_run *run;                 /* NULL: not open */
    rec_solver **kept;            /* of the run, as in its options */
    int refused;                  /* of a list from a file: its output would be another file, too */
    rec_lock *lock;               /* on the checkpoint, until it is removed or left; NULL: none */
    rec_lock *const *list_locks;  /* on the journals of its list, REC_JOURNALS; NULL: none */
    rec_report report;
    rec_doubt doubt;              /* what is odd about its edges */
} rec_job;

/* A job for the input of that name and stem, which outlive it, and the paths of its files; dropped:
 * on the window. */
rec_status rec_job_create(rec_job **made, const rec_settings *settings, rec_warmup *warmup,
                          rec_files *files, const char *input, const char *stem, int dropped,
                          rec_error *error);

/* REC_USAGE if its output, report or checkpoint is a file that the run reads, or is another of
 * these: for a refusal before the work. */
rec_status rec_job_check_files(const rec_job *job, rec_error *error);

/* 1: the input is a picture, and the problem has its edges. Of REC_EITHER known once it is read. */
int rec_job_takes_edges(const rec_job *job);

int rec_job_is_lossy(const rec_job *job); /* 1: edges were read, and a lossy format had them */

/* The doubt as a sentence, with what the user can do about it; "": there is none. */
#define REC_DOUBT_TEXT 128
const char *rec_job_doubt(const rec_job *job, char text[REC_DOUBT_TEXT]);

/* Reads the input, the start and the original, unless they are loaded; from any thread. */
rec_status rec_job_load(rec_job *job, rec_error *error);

/* Loads the job and creates its run; fresh: without the checkpoint. */
rec_status rec_job_open(rec_job *job, int fresh, rec_error *error);

/* 1: the run goes on with another solver, by rec_job_hand_over. To be asked before each step: says
 * on stderr why it stays with its own. */
int rec_job_can_hand_over(rec_job *job);
/* The run's solver is destroyed, unless the other one cannot be created. */
void rec_job_hand_over(rec_job *job);

void rec_job_destroy(rec_job *job); /* NULL is fine */

/* Frees the run and the images; keeps what the report needs. */
void rec_job_close(rec_job *job);

/* Test-reads the input; an open job is not changed. */
rec_status rec_job_check(const rec_job *job, rec_error *error);

/* A number that changes with the input's file; 0 if that is no regular file, or is gone. */
uint64_t rec_job_stamp(const rec_job *job);

/* The failure of a refused job. */
rec_status rec_job_refuse(const rec_job *job, rec_error *error);

/* For what it writes: job_files.c. */
rec_claim rec_job_claim(const rec_job *job);
void rec_job_renew_locks(rec_job *job);

/* ---- its frames: film.c ---- */

/* The film of the run, from its iterate on, unless its frames are those of a list. */
void rec_job_begin_film(rec_job *job);
/* Writes the run's current iterate if it is a frame of the film, and renews the checkpoint's lock.
 * Errors as of rec_image_write. */
rec_status rec_job_record(rec_job *job, rec_error *error);
/* Writes the frames of REC_FRAMES_AT, by jumps; the run then goes on from its start. */
rec_status rec_job_write_frames(rec_job *job, rec_error *error);

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
