/* The images of a job's problem: its edges and its start. */
#pragma once

#include "job/job.h"

/* Reads the edges and the start unless they are there; balances or checks them. If the input is a
 * picture, it becomes the original, and its edges are taken. */
rec_status rec_job_read_images(rec_job *job, rec_error *error);

/* The input is a pipe, or the start: it cannot be read again. */
int rec_job_is_piped(const rec_job *job);

/* Frees the images, except those that may not be readable again: the ones of a comparison, and in
 * the window those that come from a pipe, which gives its data once, and those of an edit. */
void rec_job_release_images(rec_job *job);
void rec_job_drop_images(rec_job *job); /* frees all of them */

/* A hash of what decides the bits of iterate N and of the limit: edges, start, boundary. */
uint64_t rec_job_identify(const rec_job *job);
