/* The run command: its options, parsed once, and its jobs without a window. */
#ifndef REC_COMMANDS_RUN_SETTINGS_H
#define REC_COMMANDS_RUN_SETTINGS_H

#include "commands/options.h"
#include "job/job.h"
#include "run/run.h"

/* Everything that can be refused before an input is opened. The settings stay where they are, and
 * the command line's texts outlive them. After a failure there is nothing to destroy. */
rec_status settings_parse(rec_settings *made, const command_line *line, rec_error *error);
void settings_destroy(rec_settings *settings);

/* REC_USAGE for options that need another one or exclude each other: conflicts.c. */
rec_status conflicts_check(const command_line *line, rec_error *error);

/* The iterates of --frames-at, an array to be freed: frames_at.c. */
rec_status frames_at_parse(const char *text, uint64_t **iterates, size_t *count,
                           rec_error *error);

/* Runs the jobs without a window; the exit code is that of all: headless.c. */
rec_status headless_run(rec_jobs *jobs, rec_error *error);

/* Solves a job that is loaded, and takes its result; prints what a person wants to know unless it
 * is one of a list. REC_NO if the answer is no: the result is there all the same. The run is
 * closed: solve.c. */
rec_status solve_job(rec_job *job, rec_progress *progress, rec_error *error);

#endif
