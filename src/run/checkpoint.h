/* An iterate on disk, from which the same command continues. The file has five lines of text (magic
 * and version, iterations, jumped, identity, checksum) and then the iterate as PFM: `head -5` shows
 * the text, and any PFM reader reads the rest. Like every output, the file appears by a rename. */
#pragma once

#include "run/run.h"

/* Writes `image`, the iterate of a run in `state`. Of a part, every rank writes its own rows: the
 * file is the same for any number of ranks. */
rec_status rec_checkpoint_write(const char *path, const rec_run_state *state, uint64_t identity,
                                const rec_image *image, rec_error *error);

/* *found = 0 if the file does not exist. Otherwise fills in iterations and jump of the state, and
 * creates `image`; with `shared` a part (collective). REC_BAD_INPUT if the file is no checkpoint,
 * is damaged, or is of another version or identity. */
rec_status rec_checkpoint_read(const char *path, uint64_t identity, int shared, int *found,
                               rec_run_state *state, rec_image *image, rec_error *error);

/* Removes the file if it is a checkpoint of that identity: another run's work stays. */
void rec_checkpoint_remove(const char *path, uint64_t identity);
