/* Names of files that would overwrite others; files that exist are the business of files.h. */
#pragma once

#include "job/jobs.h"

/* Checks the inputs from number `first` on. REC_USAGE if an output or a frame would overwrite
 * another output, or a file that is read. */
rec_status rec_clashes_check(const rec_jobs *jobs, size_t first, rec_error *error);
