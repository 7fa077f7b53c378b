/* For the files of this folder alone: the parts that a job and a list of them are made of. */
#pragma once

#include "job/job.h"

/* ---- problem.c ---- */

/* Reads the edges and the start unless they are there; balances or checks them. */
rec_status rec_problem_load(rec_job *job, rec_error *error);

/* Frees the images, except those that may not be readable again: the ones of a comparison, and in
 * the window those that come from a pipe, which gives its data once. */
void rec_problem_release(rec_job *job);
void rec_problem_drop(rec_job *job); /* frees all of them */

/* A hash of what decides the bits of iterate N and of the limit: edges, start, boundary. */
uint64_t rec_problem_identity(const rec_job *job);

/* "pgm", "ppm", ...: the ending of a name in a folder. */
const char *rec_output_ending(const rec_format *format, size_t planes);

/* ---- film.c ---- */

/* From the run's iterate on, unless its frames are those of a list. */
void rec_film_begin(rec_job *job);

/* ---- comparison.c ---- */

/* *path: the picture that the settings name as the original of this input, a new string. */
rec_status rec_original_find(const rec_job *job, char **path, rec_error *error);

/* ---- names.c ---- */

/* The stem of an input is the name of its files in folders, without extension: the stem of its own
 * name, or with --parents its relative path. Two inputs with one stem would overwrite each other's
 * files. *stem: a new string. REC_USAGE for a relative path that leaves its folder (..). */
rec_status rec_stem_make(char **stem, const char *name, int parents, rec_error *error);
int rec_stem_compare(const void *a, const void *b); /* for the tree of jobs->used */
const char *rec_stem_name(const rec_jobs *jobs, const char *stem); /* the input of one in it */
/* *path: the output of the input with that stem and so many planes, or the checkpoint of input
 * number `number`: a file in the folder of the settings, or the one they name; NULL: none. */
rec_status rec_output_path(const rec_settings *settings, const char *stem, size_t planes,
                           char **path, rec_error *error);
rec_status rec_jobs_checkpoint(const rec_jobs *jobs, size_t number, char **path,
                               rec_error *error);

/* ---- journal.c ---- */

/* Reads the journals of a list that is resumed, and opens those that are written. */
rec_status rec_journal_open(rec_jobs *jobs, rec_error *error);
void rec_journal_close(rec_journal *journal);
/* Size and time of a file; 0 and all zeros if it is no regular file, or "-". */
int rec_file_note(const char *path, rec_file_mark *mark);

/* ---- clashes.c ---- */

/* REC_USAGE if an output or a frame would overwrite a file that is read, or another output; checks
 * the inputs from number `first` on. */
rec_status rec_clashes_check(const rec_jobs *jobs, size_t first, rec_error *error);

/* ---- job.c ---- */

/* A job for input number `number` and its paths. REC_USAGE if it would overwrite its own input. */
rec_status rec_job_create(rec_job **made, rec_jobs *jobs, size_t number, int dropped,
                          rec_error *error);
