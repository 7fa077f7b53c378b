/* Files that would overwrite others. */
#pragma once

#include "job/jobs.h"

/* REC_USAGE if an output or a frame would overwrite a file that is read, or another output; checks
 * the inputs from number `first` on. */
rec_status rec_clashes_check(const rec_jobs *jobs, size_t first, rec_error *error);
