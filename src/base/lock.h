/* A lock beside a checkpoint or a journal: two runs with one such file would do each other's work
 * again. FILE.lock names the run that has FILE, and no other output replaces FILE meanwhile. The
 * run keeps an advisory lock on it, which the system drops when the run dies, and updates its time
 * now and then: a sign of life for other hosts, which may not see the lock, and where the file
 * system has no locks. Its age is told by the clock of the file system. The lock of a dead run is
 * taken over, and so is that of the same task of the same Slurm job, requeued to another host. A
 * run that was only thought dead sees that at rec_lock_check. */
#pragma once

#include "base/status.h"

typedef struct rec_lock rec_lock;

/* `path` outlives the lock. REC_IN_USE if a living run has the lock (named); REC_NO_OUTPUT if
 * something else has its name, or if it cannot be created. */
rec_status rec_lock_acquire(rec_lock **lock, const char *path, rec_error *error);

/* REC_IN_USE if a living run, not this process, has the lock. */
rec_status rec_lock_ask(const char *path, rec_error *error);

/* REC_IN_USE if another run has taken it over. From any thread; NULL is fine. */
rec_status rec_lock_check(const rec_lock *lock, rec_error *error);

/* Gives a sign of life if one is due. From any thread; NULL is fine. */
void rec_lock_renew(rec_lock *lock);

/* Removes and frees the lock, which is NULL then, or was. REC_IO if the file stays. */
rec_status rec_lock_release(rec_lock **lock, rec_error *error);

/* Where a run is: "-" for what is not of Slurm. */
typedef struct rec_origin {
    char host[72];
    long process;
    char job[32], task[32], rank[32]; /* the job's number, the array's task, the step's task */
} rec_origin;
rec_origin rec_origin_get(void);
