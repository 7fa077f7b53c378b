/* For the files of this folder alone: the problem of a job, its images from their files, and the
 * records of what is done. */
#ifndef REC_JOB_PROBLEM_H
#define REC_JOB_PROBLEM_H

#include "job/job.h"

/* ---- problem.c ---- */

/* Reads the edges and the start unless they are there; balances or checks them. */
rec_status rec_problem_load(rec_job *job, rec_error *error);
/* The same for a problem that was loaded before: REC_BAD_INPUT if it has changed since. */
rec_status rec_problem_load_again(rec_job *job, rec_error *error);

/* Frees the images, but for those that are needed again and may not be there then: of a comparison,
 * and in the window those of a pipe, which gives its data once. */
void rec_problem_release(rec_job *job);
void rec_problem_drop(rec_job *job); /* frees all of them */

/* A hash of what decides the bits of iterate N and of the limit: edges, start, boundary. */
uint64_t rec_problem_identity(const rec_job *job);

/* "pgm", "ppm", ...: the ending of a name in a folder. */
const char *rec_output_ending(const rec_format *format, size_t planes);

/* ---- done.c ---- */

void rec_done_describe(const rec_job *job, char text[64]); /* while the problem is loaded */
int rec_done_is_there(const rec_job *job);
rec_status rec_done_write(const rec_job *job, rec_error *error);

/* ---- original.c ---- */

/* *path: the picture that the settings mean by the original of this input, a new string. */
rec_status rec_original_find(const rec_job *job, char **path, rec_error *error);

#endif
