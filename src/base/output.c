/* The target does not change until all data is on the disk and the temporary file is renamed. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/temporary.h"

enum { BUFFER = 1 << 16 }; /* bytes: a small image takes few calls of the system */

struct rec_output {
    FILE *stream;
    char *buffer;     /* of the stream; NULL: its own */
    const char *name; /* for messages: as the caller has it, or standard output */
    int descriptor;   /* that the name stands for; -1: none */
    char *target;     /* the same with symlinks followed; NULL: a descriptor */
    int replaces;     /* 1: data goes to a temporary file, which the commit renames; 0: it goes to a
                         pipe, a device or standard output directly */
    char *temporary;  /* its name; NULL: it has none, or none any more */
    struct stat old;  /* of the target */
    int exists;
    int shared;       /* by all ranks; the first alone replaces the target */
};

const char *rec_output_name(const char *path)
{
    return rec_path_is_standard(path) ? "standard output" : path;
}

rec_status rec_write_failed(const char *name, int number, rec_error *error)
{
    return rec_fail_system(error, REC_IO, number, "%s: cannot be written", name);
}

/* ---- the target ---- */

static rec_status cannot_create(const rec_output *output, int number, rec_error *error)
{
    return rec_fail_system(error, REC_NO_OUTPUT, number, "%s: cannot be created", output->name);
}

/* In a sticky folder only the owner of a file, or of the folder, can replace it. */
static int may_replace(const rec_output *output)
{
    struct stat about;
    const uid_t me = geteuid();
    rec_owned char *folder = rec_path_folder(output->target);
    const int sticky = folder && !stat(folder, &about) && about.st_mode & S_ISVTX;
    return !sticky || !me || me == output->old.st_uid || me == about.st_uid;
}

/* What is closed when a program begins is this program's own file. */
static int is_writable(int descriptor)
{
    const int how = fcntl(descriptor, F_GETFL);
    return how >= 0 && (how & O_ACCMODE) != O_RDONLY && !(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
}

static rec_status find_target(rec_output *output, const char *path, rec_error *error)
{
    *output = (rec_output){.name = rec_output_name(path), .descriptor = rec_path_descriptor(path)};
    if (output->descriptor >= 0)
        return is_writable(output->descriptor)
                   ? REC_OK
                   : rec_fail(error, REC_NO_OUTPUT, "%s: is not open for writing", output->name);
    if (!*path)
        return rec_fail(error, REC_NO_OUTPUT, "the output's name is empty");
    output->target = strdup(path);
    if (!output->target)
        return cannot_create(output, ENOMEM, error);

    output->exists = !stat(path, &output->old);
    if (!output->exists && errno != ENOENT)
        return cannot_create(output, errno, error);
    if (output->exists && S_ISDIR(output->old.st_mode))
        return rec_fail(error, REC_NO_OUTPUT, "%s: is a folder: name a file in it", path);
    if (output->exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
        return rec_fail(error, REC_NO_OUTPUT, "%s: cannot be overwritten: %s", path,
                        strerror(errno));
    if (output->exists && !S_ISREG(output->old.st_mode))
        return REC_OK;
    free(output->target);
    const int number = rec_path_follow(&output->target, path);
    if (number)
        return cannot_create(output, number, error);
    if (output->exists && !may_replace(output))
        return rec_fail(error, REC_NO_OUTPUT, "%s: is another user's file in a sticky folder: "
                        "name another file", path);
    if (!*rec_path_name(output->target))
        return rec_fail(error, REC_NO_OUTPUT, "%s: is the name of a folder: name a file", path);
    return output->exists ? rec_lock_ask(output->target, error) : REC_OK;
}

/* ---- the temporary file ---- */

/* A shared file has a name from the start, so that other ranks can open it. */
static rec_status create_temporary(rec_output *output, int *file, rec_error *error)
{
    const mode_t mode = output->exists ? output->old.st_mode & 0777 : 0666; /* less the umask */
    output->replaces = 1;
    const int number =
        rec_temporary_open(output->target, mode, output->shared, &output->temporary, file);
    if (!number || !output->exists)
        return number ? cannot_create(output, number, error) : REC_OK;
    rec_owned char *folder = rec_path_folder(output->target);
    return rec_fail_system(error, REC_NO_OUTPUT, number,
                           "%s: cannot be replaced: a file is created beside it, in %s",
                           output->name, folder ? folder : "its folder");
}

static void drop(rec_output *output)
{
    if (output->stream && output->stream != stdout)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    free(output->buffer);
}

/* ---- the interface ---- */

rec_status rec_output_check(const char *path, int creates, rec_error *error)
{
    REC_OWNED(drop) rec_output output = {0};
    int file;
    REC_TRY(find_target(&output, path, error));
    if (!creates || !output.target || (output.exists && !S_ISREG(output.old.st_mode)))
        return REC_OK;
    rec_owned char *folder = rec_path_folder(output.target);
    rec_temporary_sweep(folder ? folder : ".");
    REC_TRY(create_temporary(&output, &file, error));
    close(file);
    return REC_OK;
}

static rec_status open_stream(rec_output *output, int shared, rec_error *error)
{
    output->shared = shared;
    if (output->descriptor == STDOUT_FILENO) {
        output->stream = stdout;
        return REC_OK;
    }
    int file;
    if (output->descriptor >= 0 || (output->exists && !S_ISREG(output->old.st_mode))) {
        file = output->descriptor >= 0 ? fcntl(output->descriptor, F_DUPFD_CLOEXEC, 0)
                                       : open(output->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (file < 0)
            return cannot_create(output, errno, error);
    } else {
        REC_TRY(create_temporary(output, &file, error));
    }
    const int kept = output->replaces && output->exists
                         ? rec_temporary_copy_rights(file, output->target, &output->old) : 0;
    if (kept)
        rec_say(stderr, "note: %s: the mode of the old file cannot be set: %s\n", output->name,
                strerror(kept));
    output->stream = fdopen(file, "w");
    output->buffer = output->stream && output->replaces ? malloc(BUFFER) : NULL;
    if (output->buffer)
        setvbuf(output->stream, output->buffer, _IOFBF, BUFFER);
    if (output->stream)
        return REC_OK;
    const rec_status status = cannot_create(output, errno, error);
    close(file);
    return status;
}

/* The others find the first rank's temporary file by its name, and do not replace the target. */
static rec_status join_output(rec_output *output, const char *path, const char *temporary,
                              rec_error *error)
{
    const int file = open(temporary, O_WRONLY | O_CLOEXEC);
    *output = (rec_output){.name = path, .shared = 1,
                           .stream = file >= 0 ? fdopen(file, "w") : NULL};
    if (output->stream)
        return REC_OK;
    const rec_status status = rec_fail_system(error, REC_NO_OUTPUT, errno,
                                              "%s: rank %zu cannot open the first rank's temporary "
                                              "file; all ranks must see the folder",
                                              path, rec_ranks_own());
    if (file >= 0)
        close(file);
    return status;
}

rec_status rec_output_open(rec_output **output, const char *path, int shared, rec_error *error)
{
    char temporary[PATH_MAX] = "";
    const int joins = shared && rec_ranks_own();
    rec_status status = rec_allocate_zeroed(output, 1, sizeof **output, "an output", error);
    if (!joins) {
        REC_THEN(status, find_target(*output, path, error));
        REC_THEN(status, open_stream(*output, shared, error));
    }
    if (shared && !joins && !status)
        snprintf(temporary, sizeof temporary, "%s", (*output)->temporary);
    if (shared)
        status = rec_ranks_agree(status, error);
    if (shared && !status) {
        rec_ranks_share(temporary, sizeof temporary);
        if (joins)
            status = join_output(*output, path, temporary, error);
        status = rec_ranks_agree(status, error);
    }
    if (status) {
        rec_output_abandon(*output);
        *output = NULL;
    }
    return status;
}

FILE *rec_output_stream(rec_output *output) { return output->stream; }

/* By a link or a rename, and only a rename replaces another file. Returns 0 or an errno. */
static int move_in_place(rec_output *output, int file, int replacing)
{
    char **name = &output->temporary;
    if (!replacing)
        return rec_temporary_place(*name, file, output->target);
    const int number = *name ? 0 : rec_temporary_give_name(output->target, name, file);
    return number ? number : rename(*name, output->target) ? errno : 0;
}

static rec_status move_in_place_guarded(rec_output *output, const rec_output_guard *guard, int file,
                                        rec_error *error)
{
    rec_file_id made;
    rec_file_mark mark;
    int number = rec_file_look(file, &made, &mark) ? EEXIST : errno;
    int exists = !guard || output->exists;
    for (int tries = 0; number == EEXIST && tries < 100; tries++, exists = 1) {
        if (guard)
            REC_TRY(guard->claim(guard, output->target, made, &exists, error));
        if (exists) /* a run may have begun to write it meanwhile */
            REC_TRY(rec_lock_ask(output->target, error));
        number = move_in_place(output, file, exists);
    }
    if (!number && guard && guard->mark)
        *guard->mark = mark;
    return number ? rec_write_failed(output->name, number, error) : REC_OK;
}

/* First the end of the stream, then the place, when nothing else can fail any more. `file` keeps
 * the file, and its temporary name ours, until then. */
static rec_status replace_target(rec_output *output, const rec_output_guard *guard,
                                 rec_error *error)
{
    const int file = fcntl(fileno(output->stream), F_DUPFD_CLOEXEC, 0);
    int number = file < 0 ? errno : 0;
    FILE *stream = output->stream;
    output->stream = NULL;
    if (fclose(stream) && !number)
        number = errno;
    const rec_status status = number ? rec_write_failed(output->name, number, error)
                                     : move_in_place_guarded(output, guard, file, error);
    if (file >= 0)
        close(file);
    if (status)
        return status;
    free(output->temporary);
    output->temporary = NULL;
    /* Once its folder is on the disk, a rename survives a power cut, too; not every system can. */
    rec_owned char *folder = rec_path_folder(output->target);
    const int above = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (above >= 0) {
        fsync(above);
        close(above);
    }
    return REC_OK;
}

rec_status rec_output_commit(rec_output *output, rec_status status, const rec_output_guard *guard,
                             rec_error *error)
{
    FILE *stream = output->stream;
    const int shared = output->shared;
    if (status) {
        rec_output_abandon(output);
        return status;
    }
    errno = 0;
    /* EINVAL: the file system has no fsync. */
    if (fflush(stream) || ferror(stream) ||
        ((output->replaces || shared) && fsync(fileno(stream)) && errno != EINVAL))
        status = rec_write_failed(output->name, errno, error);
    if (shared)
        status = rec_ranks_agree(status, error);
    if (!status && output->replaces) {
        status = replace_target(output, guard, error);
    } else if (!status) {
        output->stream = NULL;
        if (stream != stdout && fclose(stream))
            status = rec_write_failed(output->name, errno, error);
    }
    rec_output_abandon(output);
    return shared ? rec_ranks_agree(status, error) : status;
}

void rec_output_abandon(rec_output *output)
{
    if (!output)
        return;
    drop(output);
    rec_free(output);
}
