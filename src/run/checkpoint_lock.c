#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define RENEW_SECONDS 15 /* between two signs of life */
#define DEAD_SECONDS 60  /* without one: the holder is dead */

struct rec_checkpoint_lock {
    char *path;
    int file;
    double renewed; /* rec_now() */
};

typedef struct holder {
    char host[72], job[64]; /* job: of Slurm, with its array task; "-": none */
    long process;
} holder;

static holder make_holder(void)
{
    holder me = {.process = (long)getpid()};
    const char *job = getenv("SLURM_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
    if (gethostname(me.host, sizeof me.host - 1) || !me.host[0])
        snprintf(me.host, sizeof me.host, "unknown");
    snprintf(me.job, sizeof me.job, "%.30s%s%.30s", job && *job ? job : "-", task ? "." : "",
             task ? task : "");
    return me;
}

/* Whether a living run holds the file, and which, as far as this host can tell; `locked`: this
 * process has the lock. */
static int is_held(int file, int locked, const struct stat *about, holder *found)
{
    const holder me = make_holder();
    char text[256] = "";
    if (pread(file, text, sizeof text - 1, 0) <= 0 ||
        sscanf(text, "%71s %ld %63s", found->host, &found->process, found->job) != 3) {
        *found = (holder){.host = "an unknown host"};
        return !locked;
    }
    if (!strcmp(found->host, me.host)) /* the system knows */
        return !locked;
    const int same_job = strcmp(me.job, "-") && !strcmp(found->job, me.job);
    return !same_job && time(NULL) - about->st_mtime < DEAD_SECONDS;
}

/* *file: locked and ours, or -1 if another process replaced it meanwhile: try again. */
static rec_status try_to_take(const char *path, const char *checkpoint, int *file,
                              rec_error *error)
{
    struct stat about, now;
    holder found = {.host = "an unknown host"};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*file < 0)
        return rec_fail(error, REC_NO_OUTPUT, "%s: cannot be created: %s", path, strerror(errno));
    /* A file system without locks leaves the signs of life. */
    const int locked =
        !fcntl(*file, F_OFD_SETLK, &whole) || (errno != EAGAIN && errno != EACCES);
    if (fstat(*file, &about) || is_held(*file, locked, &about, &found)) {
        close(*file);
        return rec_fail(error, REC_NO_OUTPUT, "%s: process %ld on %s works with this checkpoint; "
                        "wait for it, or name another file", checkpoint, found.process, found.host);
    }
    if (!locked) /* of a dead holder elsewhere: another file takes its place */
        unlink(path);
    if (!locked || stat(path, &now) || now.st_ino != about.st_ino || now.st_dev != about.st_dev) {
        close(*file);
        *file = -1;
    }
    return REC_OK;
}

rec_status rec_checkpoint_lock_take(rec_checkpoint_lock **made, const char *checkpoint,
                                    rec_error *error)
{
    rec_checkpoint_lock *taken = calloc(1, sizeof *taken);
    rec_status status = REC_OK;
    *made = NULL;
    if (!taken || asprintf(&taken->path, "%s.lock", checkpoint) < 0) {
        free(taken);
        return rec_fail(error, REC_LIMIT, "out of memory for a checkpoint");
    }
    taken->file = -1;
    for (int tries = 0; !status && taken->file < 0 && tries < 100; tries++)
        status = try_to_take(taken->path, checkpoint, &taken->file, error);
    if (!status && taken->file < 0)
        status = rec_fail(error, REC_NO_OUTPUT, "%s: other runs kept taking it; try again",
                          taken->path);
    if (status) {
        free(taken->path);
        free(taken);
        return status;
    }
    char text[256];
    const holder me = make_holder();
    const int length = snprintf(text, sizeof text, "%s %ld %s\n", me.host, me.process, me.job);
    if (ftruncate(taken->file, 0) || pwrite(taken->file, text, (size_t)length, 0) != length)
        errno = 0; /* a full disk: the lock holds, and names nobody */
    taken->renewed = rec_now();
    *made = taken;
    return REC_OK;
}

void rec_checkpoint_lock_renew(rec_checkpoint_lock *taken)
{
    if (!taken || rec_now() - taken->renewed < RENEW_SECONDS)
        return;
    futimens(taken->file, NULL);
    taken->renewed = rec_now();
}

void rec_checkpoint_lock_release(rec_checkpoint_lock *taken)
{
    struct stat mine, now;
    if (!taken)
        return;
    /* Not that of a run that has taken it over. */
    if (!fstat(taken->file, &mine) && !stat(taken->path, &now) && mine.st_ino == now.st_ino &&
        mine.st_dev == now.st_dev)
        unlink(taken->path);
    close(taken->file);
    free(taken->path);
    free(taken);
}
