/* The temporary files of outputs. If the file system allows it, a file has no name until it is
 * complete: a killed process leaves nothing behind. Otherwise, and just before the rename, it is
 * called ".NAME.rec-HOST-PID-N" and is locked as long as its writer lives. */
#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/paths.h"

#define MARK ".rec-"
enum { MOST_NAMES = 10000 };

static void get_host(char host[65])
{
    if (gethostname(host, 64))
        *host = 0;
    host[64] = 0;
    for (char *at = host; (at = strchr(at, '/'));)
        *at = '_';
}

static void name_of_file(int file, char name[64]) { snprintf(name, 64, "/proc/self/fd/%d", file); }

/* Returns a file that can be linked to a name later, or -1 if the file system has no such files. */
static int open_unnamed(const char *target, mode_t mode)
{
    char link[64];
    rec_owned char *folder = rec_path_folder(target);
    const int file = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
    name_of_file(file, link);
    if (file >= 0 && !access(link, F_OK))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

static int create_file(const char *name, mode_t mode, int *file)
{
    struct stat about;
    *file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (*file < 0)
        return errno;
    /* Another process may have removed it as a leftover before the lock was taken. */
    if (flock(*file, LOCK_EX), !fstat(*file, &about) && about.st_nlink)
        return 0;
    close(*file);
    *file = -1;
    return EEXIST;
}

static int link_file(int file, const char *target)
{
    char link[64];
    name_of_file(file, link);
    return linkat(AT_FDCWD, link, AT_FDCWD, target, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/* Gives *file a name beside the target, *name, with the beginning of the target's; creates the
 * file if it is -1. Returns 0 or an errno. */
static int make_name(const char *target, char **name, mode_t mode, int *file)
{
    const char *base = rec_path_name(target);
    char host[65];
    int number = EEXIST, length = (int)strnlen(base, 120);
    while (base[length] && length > 116 && (base[length] & 0xc0) == 0x80)
        length--; /* many file systems have whole characters */
    get_host(host);
    for (unsigned n = 0; number == EEXIST && n < MOST_NAMES; n++) {
        if (asprintf(name, "%.*s.%.*s" MARK "%s-%ld-%u", (int)(base - target), target,
                     length, base, host, (long)getpid(), n) < 0)
            *name = NULL;
        number = !*name      ? ENOMEM
                 : *file < 0 ? create_file(*name, mode, file)
                             : link_file(*file, *name);
        if (number) {
            free(*name);
            *name = NULL;
        }
    }
    return number;
}

int rec_temporary_open(const char *target, mode_t mode, int named, char **name, int *file)
{
    *name = NULL;
    *file = named ? -1 : open_unnamed(target, mode);
    return *file < 0 ? make_name(target, name, mode, file) : 0;
}

int rec_temporary_give_name(const char *target, char **name, int file)
{
    flock(file, LOCK_EX | LOCK_NB);
    return make_name(target, name, 0, &file);
}

#ifndef __GLIBC__ /* musl has no name for it */
#define RENAME_NOREPLACE 1
static int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
}
#endif

int rec_temporary_place(const char *from, int file, const char *to)
{
    if (!from)
        return link_file(file, to);
    if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (!link(from, to)) /* NFS */
        return unlink(from) ? errno : 0;
    return errno == EEXIST ? EEXIST : rename(from, to) ? errno : 0; /* FAT has no links */
}

/* ---- rights ---- */

/* Copies the attributes that users set, and the ACL if `acl`; without one, an ACL that the folder
 * gives to its new files goes. Returns 0 if the file has lost its ACL. */
static int copy_attributes(const char *from, int file, int acl)
{
    static const char acl_name[] = "system.posix_acl_access";
    char *names = malloc(2 * XATTR_SIZE_MAX), *value = names ? names + XATTR_SIZE_MAX : NULL;
    const ssize_t length = names ? listxattr(from, names, XATTR_SIZE_MAX) : 0;
    int kept = names != NULL;
    fremovexattr(file, acl_name);
    const char *const end = names + (length > 0 ? length : 0);
    for (const char *name = names; name < end; name += strlen(name) + 1) {
        const int is_acl = !strcmp(name, acl_name);
        if (!is_acl && strncmp(name, "user.", 5))
            continue;
        const ssize_t size = is_acl && !acl ? -1 : getxattr(from, name, value, XATTR_SIZE_MAX);
        if ((size < 0 || fsetxattr(file, name, value, (size_t)size, 0)) && is_acl)
            kept = 0;
    }
    free(names);
    return kept;
}

int rec_temporary_copy_rights(int file, const char *from, const struct stat *old)
{
    struct stat now = {0};
    mode_t mode = old->st_mode & 07777;
    if (fchown(file, old->st_uid, old->st_gid) && fchown(file, (uid_t)-1, old->st_gid))
        errno = 0; /* not ours to give: it becomes the writer's, as a new file does */
    fstat(file, &now);
    const int same_group = now.st_gid == old->st_gid;
    if (!copy_attributes(from, file, same_group) || !same_group)
        mode &= ~(mode_t)02077 | (mode & mode >> 3 & 07);
    if (now.st_uid != old->st_uid)
        mode &= ~(mode_t)04000;
    if (fstat(file, &now) || (now.st_mode & 07777) == mode) /* where modes are fixed, none is set */
        return 0;
    return fchmod(file, mode) ? errno : 0;
}

/* ---- leftovers ---- */

/* If the lock is free the writer is dead, even if another process has its number now. */
static void remove_left_over(int folder, const char *name)
{
    struct stat ours, named;
    const int file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (!fstat(file, &ours) && S_ISREG(ours.st_mode) && !flock(file, LOCK_EX | LOCK_NB) &&
        !fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) && named.st_dev == ours.st_dev &&
        named.st_ino == ours.st_ino)
        unlinkat(folder, name, 0);
    close(file);
}

void rec_temporary_sweep(const char *folder)
{
    char host[65], pattern[96];
    DIR *entries = opendir(folder);
    get_host(host);
    snprintf(pattern, sizeof pattern, ".*" MARK "%s-[0-9]*-[0-9]*", host);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (!fnmatch(pattern, entry->d_name, 0))
            remove_left_over(dirfd(entries), entry->d_name);
    if (entries)
        closedir(entries);
}
