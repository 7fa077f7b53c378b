/* Outputs that are complete or absent: a file gets its name when all its bytes are on the disk. */
#ifndef REC_BASE_OUTPUT_H
#define REC_BASE_OUTPUT_H

#include <stdio.h>

#include "base/status.h"

/* A temporary file beside the target, renamed by rec_output_commit. Symlinks are followed; what
 * exists and is no regular file (a device, a pipe) has nothing to keep and is written directly; "-"
 * is standard output. An existing file keeps its mode, and an unwritable one is refused. */
typedef struct rec_output rec_output;

/* REC_NO_OUTPUT if the target cannot be created; nothing is left behind, nor what killed processes
 * of this host have left in its folder. It is called before the work and at its end, so that a
 * mistyped folder does not cost an hour of iterations. */
rec_status rec_output_check(const char *path, rec_error *error);

/* The path outlives the output. */
rec_status rec_output_open(rec_output **output, const char *path, rec_error *error);
/* The same file for all ranks, each of which writes its part of it; then rec_output_commit is
 * collective, too, and succeeds everywhere or nowhere. Collective. */
rec_status rec_output_share(rec_output **output, const char *path, rec_error *error);
/* 1 for what is a regular file, or will be one: the first rank's answer. Collective. */
int rec_output_is_shareable(const char *path);
FILE *rec_output_stream(rec_output *output);
/* Flushes, checks, syncs, closes and renames; frees `output` in every case. REC_IO leaves the old
 * file as it was. */
rec_status rec_output_commit(rec_output *output, rec_error *error);
/* Drops what was written; NULL is fine. */
void rec_output_abandon(rec_output *output);

const char *rec_output_name(const char *path); /* for messages: it, or standard output */

/* REC_IO with the system's reason `number`, an errno, or 0 where it is not known. */
rec_status rec_write_failed(const char *name, int number, rec_error *error);

#endif
