/* Outputs that are complete or absent: a file gets its name when all its bytes are on the disk. */
#pragma once

#include <stdio.h>

#include "base/paths.h"
#include "base/status.h"

/* A temporary file beside the target, renamed by rec_output_commit. Symlinks are followed. A device
 * or a pipe is written directly; "-" is standard output, and /dev/fd/N the open descriptor. An
 * existing file keeps its rights; an unwritable one is refused, and so is what another, living run
 * has locked (lock.h). */
typedef struct rec_output rec_output;

/* REC_NO_OUTPUT if the target cannot be replaced or, with `creates`, created: asked before the
 * work. Leaves nothing behind; `creates` removes the temporary files of killed processes of this
 * host from the folder. */
rec_status rec_output_check(const char *path, int creates, rec_error *error);

/* `path` must outlive the output. shared: one file into which each rank writes its rows.
 * Collective, as rec_output_commit is then: it succeeds on all ranks or on none. */
rec_status rec_output_open(rec_output **output, const char *path, int shared, rec_error *error);
/* Says whether the new file may become `target`. *exists: 0 as long as nobody saw a file there, and
 * then none is replaced; else it is set to whether a regular file is there. A target that appears
 * meanwhile is asked for again. */
typedef struct rec_output_guard {
    rec_status (*claim)(const struct rec_output_guard *guard, const char *target,
                        rec_file_id made, int *exists, rec_error *error);
    rec_file_mark *mark; /* of the file once it is there; NULL: not wanted */
} rec_output_guard;
FILE *rec_output_stream(rec_output *output);
/* Flushes, checks, syncs, closes and renames; frees `output` in every case. REC_IO leaves the old
 * file as it was, and so does a failed writer's `status`, which is returned. guard: NULL: none. */
rec_status rec_output_commit(rec_output *output, rec_status status, const rec_output_guard *guard,
                             rec_error *error);
/* Removes the temporary file; NULL is fine. */
void rec_output_abandon(rec_output *output);

const char *rec_output_name(const char *path); /* for messages: "standard output" for "-" */

/* REC_IO with the system's reason `number`, an errno, or 0 if it is unknown. */
rec_status rec_write_failed(const char *name, int number, rec_error *error);
