/* A lock beside a checkpoint: two runs that kept theirs in one file would overwrite each other's.
 *
 * The file CHECKPOINT.lock names its holder, who keeps a lock on it that the system drops when he
 * dies, and changes its time now and then: of a holder on another host, where the lock may not be
 * seen, that is the sign of life. A dead run's lock is taken over, and so is that of the same Slurm
 * job, which was requeued to another host. */
#ifndef REC_RUN_CHECKPOINT_LOCK_H
#define REC_RUN_CHECKPOINT_LOCK_H

#include "base/status.h"

typedef struct rec_checkpoint_lock rec_checkpoint_lock;

/* REC_NO_OUTPUT if another run that is alive has it, naming that, or if the file cannot be made. */
rec_status rec_checkpoint_lock_take(rec_checkpoint_lock **lock, const char *checkpoint,
                                    rec_error *error);

/* A sign of life, if it is time for one; NULL is fine. */
void rec_checkpoint_lock_renew(rec_checkpoint_lock *lock);

/* Removes it; NULL is fine. */
void rec_checkpoint_lock_release(rec_checkpoint_lock *lock);

#endif
