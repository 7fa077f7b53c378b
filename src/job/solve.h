/* One job without a window, between reading and writing. */
#pragma once

#include "job/job.h"

/* Solves a loaded job and takes its result; prints a summary unless it is one of a list. REC_NO if
 * a check failed: the result is there all the same. Closes the run. */
rec_status rec_job_solve(rec_job *job, rec_progress *progress, rec_error *error);

/* The edges of its picture instead, by the settings' problem: job_edges.c. */
rec_status rec_job_make_edges(rec_job *job, rec_error *error);
