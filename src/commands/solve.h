/* One job without a window, between reading and writing. */
#ifndef REC_COMMANDS_SOLVE_H
#define REC_COMMANDS_SOLVE_H

#include "job/job.h"
#include "run/progress.h"

/* Solves a job that is loaded, and takes its result; prints what a person wants to know unless it
 * is one of a list. REC_NO if the answer is no: the result is there all the same. The run is
 * closed. */
rec_status solve_job(rec_job *job, rec_progress *progress, rec_error *error);

#endif
