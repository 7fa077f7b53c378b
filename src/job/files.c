#include "job/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *file_stem(const char *path)
{
    if (!strcmp(path, "-"))
        return strdup("stdin");
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

int is_folder(const char *path)
{
    struct stat about;
    const size_t length = strlen(path);
    return (length && path[length - 1] == '/') ||
           (!stat(path, &about) && S_ISDIR(about.st_mode));
}

rec_status create_folder(const char *path, rec_error *error)
{
    struct stat about;
    if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &about) && S_ISDIR(about.st_mode)))
        return REC_OK;
    return rec_fail(error, REC_NO_OUTPUT, "%s: cannot make the folder: %s", path,
                    errno == EEXIST ? "a file of that name is there" : strerror(errno));
}

rec_status join_path(char **path, const char *folder, const char *stem, const char *suffix,
                     rec_error *error)
{
    const size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    if (asprintf(path, "%s%s%s%s", folder, slash, stem, suffix) >= 0)
        return REC_OK;
    *path = NULL;
    return rec_fail(error, REC_LIMIT, "out of memory for a file name");
}

/* The name with its folder's links resolved, for a file that is not there yet; NULL where the
 * folder is not there either. */
static char *resolve(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL, *resolved = NULL;
    if (real && asprintf(&resolved, "%s/%s", real, slash ? slash + 1 : path) < 0)
        resolved = NULL;
    free(folder);
    free(real);
    return resolved;
}

int is_one_file(const char *a, const char *b)
{
    struct stat one, other;
    const int there = !stat(a, &one), other_there = !stat(b, &other);
    if (there && other_there)
        return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    if (there || other_there || !strcmp(a, "-") || !strcmp(b, "-"))
        return 0;
    char *first = resolve(a), *second = resolve(b);
    const int same = first && second && !strcmp(first, second);
    free(first);
    free(second);
    return same;
}
