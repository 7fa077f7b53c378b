/* Checkpoints: an iterate on disk, from which the same command goes on.
 *
 * The file is text of four lines (magic and version, iterations, identity, checksum) and then the
 * iterate as PFM, so that `head -4` and any PFM reader behind it can look inside. It becomes real by
 * a rename, like every output. */
#ifndef REC_RUN_CHECKPOINT_H
#define REC_RUN_CHECKPOINT_H

#include <stdint.h>

#include "base/status.h"
#include "image/image.h"

/* Writes `image` as iterate number `iterations` of the problem `identity` (a hash of the input and
 * of the options that decide the result). */
rec_status rec_checkpoint_write(const char *path, uint64_t iterations, uint64_t identity,
                                const rec_image *image, rec_error *error);

/* *found = 0 when there is no such file. Otherwise creates `image`; REC_BAD_INPUT when the file is
 * no checkpoint, is damaged, is of another version or of another identity. */
rec_status rec_checkpoint_read(const char *path, uint64_t identity, int *found,
                               uint64_t *iterations, rec_image *image, rec_error *error);

#endif
