/* The window's jumps: the job's problem in the spectral solver, which computes any iterate. */
#pragma once

#include "job/job.h"

/* The name of the solver of exact pictures: inside a mask it is another one. */
const char *rec_limit_solver(const rec_settings *settings);

int rec_jumper_available(const rec_settings *settings); /* there are no jumps of filters */

/* Creates a spectral solver for the job's problem and original start, on the run's device if there
 * is one. Loads the images again if they were freed; REC_BAD_INPUT if a file has changed since. */
rec_status rec_job_open_jumper(rec_job *job, rec_solver **jumper, rec_error *error);

/* Continues the run from iterate `iteration`, which is `image`, as rec_run_jump does. */
rec_status rec_job_jump(rec_job *job, uint64_t iteration, const rec_image *image,
                        rec_error *error);
