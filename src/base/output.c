/* Outputs that are whole or absent. A temporary file beside the target takes the data and is
 * renamed to it once everything is on the disk; until then the target stays what it was. What is no
 * regular file (a device, a pipe, standard output) has nothing to keep and is written to
 * directly. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct rec_output {
    FILE *stream;
    const char *name; /* for messages: path, or standard output */
    char *path;       /* as the caller has it */
    char *target;     /* path with symlinks followed; NULL: standard output */
    int regular;      /* it becomes a file, by way of a temporary one */
    char *temporary;  /* the name of that, NULL while it has none */
    struct stat old;  /* of the target */
    int exists;
};

rec_status rec_write_failed(const char *name, int number, rec_error *error)
{
    return rec_fail(error, rec_status_of(number, REC_IO), "%s: cannot be written: %s", name,
                    strerror(number ? number : EIO));
}

/* ---- where it goes ---- */

static rec_status cannot_create(const rec_output *output, int number, rec_error *error)
{
    return rec_fail(error, rec_status_of(number, REC_NO_OUTPUT), "%s: cannot be created: %s", output->name,
                    strerror(number));
}

/* The length of the folder's part, with its slash; 0 for a bare name. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Follows the symlinks at the end of output->target, also to what does not exist yet. Those within
 * the folder's part are the system's work. Returns 0 or an errno. */
static int follow_links(rec_output *output)
{
    for (int depth = 0; depth < 40; depth++) { /* the kernel's own limit */
        char link[PATH_MAX];
        const ssize_t length = readlink(output->target, link, sizeof link - 1);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno;
        link[length] = '\0';
        char *next;
        const size_t folder = link[0] == '/' ? 0 : folder_length(output->target);
        if (asprintf(&next, "%.*s%s", (int)folder, output->target, link) < 0)
            return ENOMEM;
        free(output->target);
        output->target = next;
    }
    return ELOOP;
}

static rec_status find_target(rec_output *output, const char *path, rec_error *error)
{
    *output = (rec_output){.name = path};
    if (!strcmp(path, "-")) {
        output->name = "standard output";
        return REC_OK;
    }
    if (!*path)
        return rec_fail(error, REC_NO_OUTPUT, "the output's name is empty");
    output->path = strdup(path);
    output->target = strdup(path);
    if (!output->path || !output->target)
        return cannot_create(output, ENOMEM, error);
    output->name = output->path;

    output->exists = !stat(path, &output->old);
    if (!output->exists && errno != ENOENT)
        return cannot_create(output, errno, error);
    if (output->exists && S_ISDIR(output->old.st_mode))
        return rec_fail(error, REC_NO_OUTPUT, "%s: is a folder: name a file in it", path);
    if (output->exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
        return rec_fail(error, REC_NO_OUTPUT, "%s: cannot be overwritten: %s", path,
                        strerror(errno));
    if (output->exists && !S_ISREG(output->old.st_mode))
        return REC_OK; /* /dev/stdout may lead to a pipe, whose link no path describes */
    const int number = follow_links(output);
    if (number)
        return cannot_create(output, number, error);
    if (!output->target[folder_length(output->target)])
        return rec_fail(error, REC_NO_OUTPUT, "%s: is the name of a folder: name a file", path);
    return REC_OK;
}

/* ---- the temporary file ---- */

/* ".NAME.WHO-N" beside the target. 200 characters of its name are enough to know it by, and short enough
 * for any system. */
static char *temporary_name(const rec_output *output, const char *who, unsigned n)
{
    char *name;
    const size_t folder = folder_length(output->target);
    return asprintf(&name, "%.*s.%.200s.%s-%u", (int)folder, output->target,
                    output->target + folder, who, n) < 0
               ? NULL
               : name;
}

/* A whole file has a temporary name for a moment, and a process that is killed just then leaves it: the
 * next one removes it. Who lives has it locked. */
static void remove_leftover(const rec_output *output)
{
    char *const name = temporary_name(output, "whole", 0);
    const int file = name ? open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    struct stat locked, named;
    if (file >= 0 && !flock(file, LOCK_EX | LOCK_NB) && !fstat(file, &locked) &&
        !lstat(name, &named) && locked.st_ino == named.st_ino && locked.st_dev == named.st_dev)
        unlink(name);
    if (file >= 0)
        close(file);
    free(name);
}

/* Gives the temporary file a name; *file < 0: creates it by that. The system applies the umask, and the
 * name must be new: another process of that number, here or on another machine, only makes N count
 * on. Returns 0 or an errno. */
static int name_temporary(rec_output *output, int *file, mode_t mode)
{
    char nameless[32], who[32] = "whole";
    snprintf(nameless, sizeof nameless, "/proc/self/fd/%d", *file);
    if (*file < 0)
        snprintf(who, sizeof who, "%ld", (long)getpid());
    else
        flock(*file, LOCK_EX | LOCK_NB);
    for (unsigned n = 0; n < 10000; n++) {
        output->temporary = temporary_name(output, who, n);
        if (!output->temporary)
            return ENOMEM;
        if (*file >= 0) {
            if (!linkat(AT_FDCWD, nameless, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW))
                return 0;
        } else {
            *file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
            if (*file >= 0)
                return 0;
        }
        const int number = errno;
        free(output->temporary);
        output->temporary = NULL;
        if (number != EEXIST)
            return number;
    }
    return EEXIST;
}

/* Where the file system can, the file has no name until it is whole: a process that is killed leaves
 * nothing. */
static rec_status create_temporary(rec_output *output, int *file, rec_error *error)
{
    const mode_t mode = output->exists ? output->old.st_mode & 0777 : 0666;
    const size_t length = folder_length(output->target);
    char *folder;
    output->regular = 1;
    if (asprintf(&folder, "%.*s", (int)length, output->target) < 0)
        return cannot_create(output, ENOMEM, error);
    *file = access("/proc/self/fd", X_OK)
                ? -1
                : open(length ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    free(folder);
    if (*file >= 0)
        remove_leftover(output);
    const int number = *file < 0 ? name_temporary(output, file, mode) : 0;
    return number ? cannot_create(output, number, error) : REC_OK;
}

/* An existing file keeps its mode, and its owner where we may give files away. */
static int keep_mode(const rec_output *output, int file)
{
    if (!output->exists)
        return 0;
    if (fchown(file, output->old.st_uid, output->old.st_gid))
        errno = 0; /* not ours to give: it becomes the writer's, as a new file does */
    return fchmod(file, output->old.st_mode & 07777) ? errno : 0;
}

static void drop(rec_output *output)
{
    if (output->stream && output->stream != stdout)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    free(output->path);
}

/* ---- the interface ---- */

rec_status rec_output_check(const char *path, rec_error *error)
{
    rec_output output;
    rec_status status = find_target(&output, path, error);
    if (!status && output.target && (!output.exists || S_ISREG(output.old.st_mode))) {
        int file;
        status = create_temporary(&output, &file, error);
        if (!status)
            close(file);
    }
    drop(&output);
    return status;
}

static rec_status open_stream(rec_output *output, rec_error *error)
{
    if (!output->target) {
        output->stream = stdout;
        return REC_OK;
    }
    int file;
    if (output->exists && !S_ISREG(output->old.st_mode)) {
        file = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (file < 0)
            return cannot_create(output, errno, error);
    } else {
        const rec_status status = create_temporary(output, &file, error);
        if (status)
            return status;
    }
    const int number = output->regular ? keep_mode(output, file) : 0;
    output->stream = number ? NULL : fdopen(file, "w");
    if (output->stream)
        return REC_OK;
    const rec_status status = cannot_create(output, number ? number : errno, error);
    close(file);
    return status;
}

rec_status rec_output_open(rec_output **output, const char *path, rec_error *error)
{
    void *memory;
    *output = NULL;
    rec_status status = rec_allocate(&memory, 1, sizeof **output, "an output", error);
    if (status)
        return status;
    rec_output *opened = memory;
    status = find_target(opened, path, error);
    if (!status)
        status = open_stream(opened, error);
    if (status) {
        drop(opened);
        rec_free(opened);
    } else {
        *output = opened;
    }
    return status;
}

FILE *rec_output_stream(rec_output *output) { return output->stream; }

/* The rename is only sure to survive a power cut once the folder is on the disk too; a system that
 * cannot do that has still renamed. */
static void sync_folder(const char *target)
{
    char *folder;
    const size_t length = folder_length(target);
    if (asprintf(&folder, "%.*s", (int)length, length ? target : "") < 0)
        return;
    const int file = open(length ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(folder);
}

/* Brings everything that was written to where it belongs. Returns 0 or an errno. */
static int finish(rec_output *output)
{
    errno = 0;
    if (fflush(output->stream) || ferror(output->stream))
        return errno ? errno : EIO;
    /* EINVAL: the file system has no fsync. */
    int file = fileno(output->stream);
    if (output->regular && fsync(file) && errno != EINVAL)
        return errno;
    const int number = output->regular && !output->temporary ? name_temporary(output, &file, 0) : 0;
    if (number)
        return number;
    FILE *stream = output->stream;
    output->stream = NULL;
    const int held = output->regular ? dup(file) : -1; /* locked until it has its name */
    int result = stream != stdout && fclose(stream) ? errno : 0;
    if (!result && output->regular && rename(output->temporary, output->target))
        result = errno;
    if (held >= 0)
        close(held);
    if (result || !output->regular)
        return result;
    free(output->temporary);
    output->temporary = NULL;
    sync_folder(output->target);
    return 0;
}

rec_status rec_output_commit(rec_output *output, rec_error *error)
{
    const int number = finish(output);
    const rec_status status =
        number ? rec_write_failed(output->name, number, error) : REC_OK;
    rec_output_abandon(output);
    return status;
}

void rec_output_abandon(rec_output *output)
{
    if (!output)
        return;
    drop(output);
    rec_free(output);
}
