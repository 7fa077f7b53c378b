/* A lock appears whole, by a link, so that no other run sees one without its text. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/paths.h"
#include "base/temporary.h"

#define MAGIC "reconstruct lock"
#define RENEW_SECONDS 15 /* between two signs of life */
#define DEAD_SECONDS 60  /* without one: the holder is dead */
enum { TEXT = 256, TRIES = 100 };

struct rec_lock {
    const char *target; /* the checkpoint or the journal that is locked */
    char *path, text[TEXT];
    int file;
    rec_file_id id;
    _Atomic double renewed; /* rec_now() */
};

rec_origin rec_origin_get(void)
{
    rec_origin origin = {.process = (long)getpid()};
    const char *const names[] = {"SLURM_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_PROCID"};
    char *const texts[] = {origin.job, origin.task, origin.rank};
    if (gethostname(origin.host, sizeof origin.host - 1) || !origin.host[0])
        snprintf(origin.host, sizeof origin.host, "unknown");
    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        snprintf(texts[i], sizeof origin.job, "%s", value && *value ? value : "-");
    }
    return origin;
}

static rec_status broken(const rec_lock *lock, int number, rec_error *error)
{
    return rec_fail_system(error, REC_NO_OUTPUT, number, "%s: cannot be created", lock->path);
}

/* The file, or -1 with an errno; never what a link leads to. Another user's can only be read,
 * perhaps. */
static int open_lock(const char *path, struct stat *about, char text[TEXT])
{
    const int how = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int file = open(path, O_RDWR | how);
    if (file < 0 && (errno == EACCES || errno == EROFS))
        file = open(path, O_RDONLY | how);
    memset(text, 0, TEXT);
    if (file < 0 || (!fstat(file, about) && pread(file, text, TEXT - 1, 0) >= 0))
        return file;
    const int number = errno;
    close(file);
    errno = number;
    return -1;
}

/* ---- the lock of another run ---- */

typedef enum knowledge { FREE, HELD, UNKNOWN } knowledge; /* of the system: UNKNOWN without locks */

/* With `takes` this process has the file's lock if that was FREE, and may write the file. */
static knowledge ask_system(int file, int takes)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!fcntl(file, takes ? F_OFD_SETLK : F_OFD_GETLK, &whole))
        return takes || whole.l_type == F_UNLCK ? FREE : HELD;
    if (errno == EBADF && takes) /* open for reading */
        return ask_system(file, 0);
    return errno == EAGAIN || errno == EACCES ? HELD : UNKNOWN;
}

/* Seconds since the last sign of life, by the clock of the file system: this host's may differ. */
static time_t age_of(const rec_lock *lock, const struct stat *about)
{
    struct stat now;
    rec_owned char *name;
    int file;
    if (rec_temporary_open(lock->path, 0600, 0, &name, &file))
        return time(NULL) - about->st_mtime;
    futimens(file, NULL); /* as rec_lock_renew does */
    const time_t age = (fstat(file, &now) ? time(NULL) : now.st_mtime) - about->st_mtime;
    if (name)
        unlink(name);
    close(file);
    return age;
}

/* Whether a living run has it, as far as this host can tell. */
static int is_held(const rec_lock *lock, const rec_origin *by, knowledge known,
                   const struct stat *about)
{
    const rec_origin me = rec_origin_get();
    const int here = !strcmp(by->host, me.host);
    if (here && known != UNKNOWN)
        return known == HELD;
    const int gone = here ? kill((pid_t)by->process, 0) && errno == ESRCH
                          : strcmp(me.job, "-") && !strcmp(by->job, me.job) &&
                                !strcmp(by->task, me.task) && !strcmp(by->rank, me.rank);
    return !gone && age_of(lock, about) < DEAD_SECONDS;
}

/* Refuses what a living run has. `takes`: removes the lock of a dead run; else what is no lock, or
 * this process's own, is fine. */
static rec_status clear(const rec_lock *lock, int takes, rec_error *error)
{
    struct stat about, now;
    char text[TEXT];
    rec_origin by;
    rec_status status = REC_OK;
    const int file = open_lock(lock->path, &about, text);
    const int number = file < 0 ? errno : 0;
    const int is_lock = file >= 0 && S_ISREG(about.st_mode) &&
                        sscanf(text, MAGIC " 1 %71s %ld %31s %31s %31s", by.host, &by.process,
                               by.job, by.task, by.rank) == 5;
    if (number == ENOENT || (!takes && (!is_lock || !strcmp(text, lock->text))))
        status = REC_OK;
    else if (number && number != ELOOP)
        status = rec_fail_system(error, REC_NO_OUTPUT, number, "%s: cannot be read", lock->path);
    else if (!is_lock)
        status = rec_fail(error, REC_NO_OUTPUT,
                          "%s: is not a lock of this version; remove it if an earlier version made "
                          "it, or use another name for %s", lock->path, lock->target);
    else if (is_held(lock, &by, ask_system(file, takes), &about))
        status = rec_fail(error, REC_IN_USE, "%s: process %ld on %s%s%s works with this file; "
                          "wait for it, or name another file",
                          lock->target, by.process, by.host, strcmp(by.job, "-") ? ", job " : "",
                          strcmp(by.job, "-") ? by.job : "");
    else if (takes && !stat(lock->path, &now) && now.st_ino == about.st_ino &&
             now.st_dev == about.st_dev && unlink(lock->path))
        status = broken(lock, errno, error);
    if (file >= 0)
        close(file);
    return status;
}

/* ---- our own ---- */

/* Returns 0 or an errno; EEXIST: another run was faster. */
static int create(rec_lock *lock)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    rec_owned char *name;
    const size_t length = strlen(lock->text);
    int number = rec_temporary_open(lock->path, 0666, 0, &name, &lock->file);
    if (number)
        return number;
    fcntl(lock->file, F_OFD_SETLK, &whole);
    number = pwrite(lock->file, lock->text, length, 0) == (ssize_t)length
                 ? rec_temporary_place(name, lock->file, lock->path) : errno ? errno : EIO;
    if (number && name)
        unlink(name);
    if (number)
        close(lock->file);
    return number;
}

/* Its name is that of the file itself, whatever link leads there. */
static rec_status set_names(rec_lock *lock, const char *path, rec_error *error)
{
    const rec_origin me = rec_origin_get();
    rec_owned char *target = NULL;
    const int unknown = rec_path_follow(&target, path);
    *lock = (rec_lock){.target = path};
    if (asprintf(&lock->path, "%s.lock", unknown ? path : target) < 0)
        lock->path = NULL;
    snprintf(lock->text, sizeof lock->text, MAGIC " 1 %s %ld %s %s %s\n", me.host, me.process,
             me.job, me.task, me.rank);
    return lock->path ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for a lock");
}

rec_status rec_lock_ask(const char *path, rec_error *error)
{
    rec_lock lock;
    REC_TRY(set_names(&lock, path, error));
    const rec_status status = clear(&lock, 0, error);
    free(lock.path);
    return status;
}

rec_status rec_lock_acquire(rec_lock **made, const char *path, rec_error *error)
{
    int number = EEXIST;
    *made = NULL;
    rec_lock *lock = malloc(sizeof *lock);
    rec_status status = lock ? set_names(lock, path, error)
                             : rec_fail(error, REC_LIMIT, "out of memory for a lock");
    for (int tries = 0; !status && number == EEXIST && tries < TRIES; tries++) {
        status = clear(lock, 1, error);
        number = status ? 0 : create(lock);
    }
    if (!status && number)
        status = broken(lock, number, error);
    if (status) {
        if (lock)
            free(lock->path);
        free(lock);
        return status;
    }
    rec_file_mark mark;
    rec_file_look(lock->file, &lock->id, &mark);
    lock->renewed = rec_now();
    *made = lock;
    return REC_OK;
}

rec_status rec_lock_check(const rec_lock *lock, rec_error *error)
{
    struct stat now = {0};
    char text[TEXT];
    const int file = lock ? open_lock(lock->path, &now, text) : -1;
    if (!lock)
        return REC_OK;
    int number = file < 0 ? errno : 0;
    if (file >= 0)
        close(file);
    if (number == EMFILE || number == ENFILE) { /* without a descriptor its number tells */
        number = lstat(lock->path, &now) ? errno : 0;
        memcpy(text, lock->text, TEXT);
    }
    if (number && number != ENOENT && number != ELOOP)
        return rec_fail_system(error, REC_IO, number, "%s: cannot be read", lock->path);
    return lock->id.inode == now.st_ino && lock->id.device == now.st_dev &&
                   !strcmp(text, lock->text)
               ? REC_OK
               : rec_fail(error, REC_IN_USE, "%s: another run has taken it over (%s); this one "
                          "ends", lock->target, lock->path);
}

void rec_lock_renew(rec_lock *lock)
{
    if (!lock || rec_now() - lock->renewed < RENEW_SECONDS)
        return;
    lock->renewed = rec_now();
    futimens(lock->file, NULL);
}

rec_status rec_lock_release(rec_lock **held, rec_error *error)
{
    rec_lock *lock = *held;
    rec_status status = REC_OK;
    *held = NULL;
    if (!lock)
        return REC_OK;
    if (!rec_lock_check(lock, NULL) && unlink(lock->path)) /* it may be another's by now */
        status = rec_fail_system(error, REC_IO, errno, "%s: cannot be removed", lock->path);
    close(lock->file);
    free(lock->path);
    free(lock);
    return status;
}
