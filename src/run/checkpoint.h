/* Checkpoints: an iterate on disk, from which the same command goes on.
 *
 * The file is text of five lines (magic and version, iterations, jumped, identity, checksum) and
 * then the iterate as PFM, so that `head -5` and any PFM reader behind it can look inside. It
 * becomes real by a rename, like every output. */
#ifndef REC_RUN_CHECKPOINT_H
#define REC_RUN_CHECKPOINT_H

#include <stdint.h>

#include "base/status.h"
#include "image/image.h"

typedef struct rec_checkpoint {
    uint64_t iterations; /* the iterate's number */
    int jumped;          /* not all of them were done: they were counted on from a jump ... */
    uint64_t jumped_to;  /* ... to this iterate, or REC_LIMIT_ITERATION */
    uint64_t identity;   /* a hash of the input and of the options that decide the result */
} rec_checkpoint;

/* Of a part every rank writes its rows: the file is the same for every number of ranks. */
rec_status rec_checkpoint_write(const char *path, const rec_checkpoint *checkpoint,
                                const rec_image *image, rec_error *error);

/* *found = 0 when there is no such file. Otherwise fills *checkpoint and creates `image`, if it is
 * shared a part, which is collective; REC_BAD_INPUT when the file is no checkpoint, is damaged, is
 * of another version or identity. */
rec_status rec_checkpoint_read(const char *path, uint64_t identity, int shared, int *found,
                               rec_checkpoint *checkpoint, rec_image *image, rec_error *error);

/* ---- a lock beside a checkpoint: checkpoint_lock.c ----
 *
 * Two runs that kept theirs in one file would overwrite each other's. The file CHECKPOINT.lock
 * names its holder, who keeps a lock on it that the system drops when he dies, and changes its
 * time now and then: of a holder on another host, where the lock may not be seen, that is the
 * sign of life. A dead run's lock is taken over, and so is that of the same Slurm job, which was
 * requeued to another host. */

typedef struct rec_checkpoint_lock rec_checkpoint_lock;

/* REC_NO_OUTPUT if another run that is alive has it, naming that, or if the file cannot be made. */
rec_status rec_checkpoint_lock_take(rec_checkpoint_lock **lock, const char *checkpoint,
                                    rec_error *error);

/* A sign of life, if it is time for one; NULL is fine. */
void rec_checkpoint_lock_renew(rec_checkpoint_lock *lock);

/* Removes it; NULL is fine. */
void rec_checkpoint_lock_release(rec_checkpoint_lock *lock);

#endif
