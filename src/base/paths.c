#include "base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"

const char *rec_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *rec_path_stem(const char *path, size_t *length)
{
    const char *name = rec_path_name(path), *dot = strrchr(name, '.');
    *length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}

char *rec_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

rec_status rec_path_copy(char **copied, const char *path, rec_error *error)
{
    *copied = strdup(path);
    return *copied ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for a file name");
}

int rec_path_is_folder(const char *path)
{
    struct stat about;
    const size_t length = strlen(path);
    return (length && path[length - 1] == '/') || (!stat(path, &about) && S_ISDIR(about.st_mode));
}

int rec_path_is_standard(const char *path) { return path && !strcmp(path, "-"); }

/* Whether two names mean one file or folder. What does not exist is one if it has one name in one
 * folder. */
static int are_one(const char *a, const char *b, mode_t type);

/* N if the path is that of an open descriptor N of this process, but for links at its end. */
static int number_of(const char *path)
{
    const char *name = rec_path_name(path);
    if (name == path || !*name || name[strspn(name, "0123456789")])
        return -1;
    rec_owned char *folder = rec_path_folder(path);
    const int its = folder && are_one(folder, "/proc/self/fd", S_IFDIR);
    const long number = its ? strtol(name, NULL, 10) : -1;
    return number > INT_MAX ? INT_MAX : (int)number;
}

int rec_path_descriptor(const char *path)
{
    rec_owned char *target = NULL;
    if (!path || rec_path_is_standard(path))
        return path ? STDOUT_FILENO : -1;
    return rec_path_follow(&target, path) ? -1 : number_of(target);
}

int rec_path_is_regular(const char *path)
{
    struct stat about;
    return rec_path_descriptor(path) < 0 && (stat(path, &about) || S_ISREG(about.st_mode));
}

int rec_path_follow(char **target, const char *path)
{
    *target = strdup(path);
    for (int depth = 0; *target && depth < 40; depth++) { /* the kernel's own limit */
        char link[PATH_MAX];
        if (number_of(*target) >= 0)
            return 0;
        const ssize_t length = readlink(*target, link, sizeof link - 1);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno;
        link[length] = '\0';
        char *next;
        const ptrdiff_t folder = link[0] == '/' ? 0 : rec_path_name(*target) - *target;
        if (asprintf(&next, "%.*s%s", (int)folder, *target, link) < 0)
            next = NULL;
        free(*target);
        *target = next;
    }
    return *target ? ELOOP : ENOMEM;
}

static rec_status make_one(const char *path, rec_error *error)
{
    struct stat about;
    if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &about) && S_ISDIR(about.st_mode)))
        return REC_OK;
    if (errno == EEXIST)
        return rec_fail(error, REC_NO_OUTPUT,
                        "%s: cannot create the folder: a file of that name exists", path);
    return rec_fail_system(error, REC_NO_OUTPUT, errno, "%s: cannot create the folder", path);
}

rec_status rec_path_make_folder(const char *path, int parents, rec_error *error)
{
    rec_owned char *above = NULL;
    if (parents)
        REC_TRY(rec_path_copy(&above, path, error));
    for (char *at = above; at && (at = strchr(at + 1, '/')); *at = '/') {
        *at = 0;
        REC_TRY(make_one(above, error));
    }
    return make_one(path, error);
}

rec_status rec_path_join(char **path, const char *folder, const char *name, const char *ending,
                         rec_error *error)
{
    const size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    if (asprintf(path, "%s%s%s%s%s", folder, slash, name, ending ? "." : "",
                 ending ? ending : "") >= 0)
        return REC_OK;
    *path = NULL;
    return rec_fail(error, REC_LIMIT, "out of memory for a file name");
}

static rec_file_id id_of(const struct stat *about)
{
    return (rec_file_id){(uint64_t)about->st_dev, (uint64_t)about->st_ino};
}

static rec_file_mark mark_of(const struct stat *about)
{
    return S_ISREG(about->st_mode)
               ? (rec_file_mark){(uint64_t)about->st_size,
                                 (uint64_t)about->st_mtim.tv_sec * UINT64_C(1000000000) +
                                     (uint64_t)about->st_mtim.tv_nsec}
               : (rec_file_mark){0};
}

size_t rec_path_page(const char *path)
{
    const char *open = strrchr(path, '[');
    char *end = NULL;
    const size_t page = open && open > path && open[1] > '0' && open[1] <= '9'
                            ? strtoull(open + 1, &end, 10) : 0;
    return page && !strcmp(end, "]") && strlen(path) < PATH_MAX && access(path, F_OK) ? page : 0;
}

const char *rec_path_without_page(const char *path, char file[PATH_MAX])
{
    if (!rec_path_page(path))
        return path;
    snprintf(file, PATH_MAX, "%.*s", (int)(strrchr(path, '[') - path), path);
    return file;
}

rec_status rec_path_open(FILE **stream, const char *path, rec_file_mark *mark, rec_error *error)
{
    struct stat about;
    char file[PATH_MAX];
    *stream = rec_path_is_standard(path) ? stdin : fopen(rec_path_without_page(path, file), "re");
    if (!*stream)
        return rec_fail_system(error, REC_NO_INPUT, errno, "%s: cannot be opened", path);
    const int known = !fstat(fileno(*stream), &about);
    if (mark)
        *mark = known ? mark_of(&about) : (rec_file_mark){0};
    if (!known || *stream == stdin || !S_ISDIR(about.st_mode))
        return REC_OK;
    fclose(*stream);
    *stream = NULL;
    return rec_fail(error, REC_NO_INPUT, "%s: is a folder, not a file", path);
}

rec_status rec_read_failed(const char *name, rec_error *error)
{
    const int number = rec_is_stopped() ? EINTR : errno;
    return rec_fail_system(error, REC_IO, number, "%s: cannot be read", name);
}

static rec_status grow(rec_lines *lines, rec_error *error)
{
    const size_t capacity = lines->capacity ? 2 * lines->capacity : 256;
    if (capacity > 2 * REC_LINE_BYTES)
        return rec_fail(error, REC_BAD_INPUT, "%s, line %zu: is longer than %d bytes; is this a "
                        "text file?", lines->name, lines->number, REC_LINE_BYTES);
    char *line = realloc(lines->line, capacity);
    if (!line)
        return rec_fail(error, REC_LIMIT, "%s: out of memory for a line", lines->name);
    lines->line = line;
    lines->capacity = capacity;
    return REC_OK;
}

rec_status rec_lines_next(rec_lines *lines, rec_error *error)
{
    lines->length = 0;
    lines->number++;
    errno = 0;
    const int end = lines->nul ? 0 : '\n';
    for (int c = !end; c != end && (c = rec_next_byte(lines->stream)) != EOF;) {
        if (lines->length + 2 > lines->capacity)
            REC_TRY(grow(lines, error));
        lines->line[lines->length++] = (char)c;
        lines->line[lines->length] = 0;
    }
    if (rec_is_stopped() || ferror(lines->stream))
        return rec_read_failed(lines->name, error);
    const size_t mark = strlen(REC_BYTE_ORDER_MARK);
    if (lines->number == 1 && lines->length && !lines->nul &&
        !strncmp(lines->line, REC_BYTE_ORDER_MARK, mark)) {
        lines->length -= mark;
        memmove(lines->line, lines->line + mark, lines->length + 1);
    }
    return REC_OK;
}

void rec_lines_close(rec_lines *lines)
{
    free(lines->line);
    rec_close_at(&lines->stream);
}

/* The name without slashes at its end, a new string. */
static char *copy_bare(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

/* Where names have no case, inodes may go by name (exFAT by FUSE): a name that its folder has not,
 * but another one that differs in case alone, is that one. A folder is read only where the name
 * with its case turned is there, too, and is another file: mostly nowhere. */
static int look_at(const char *path, struct stat *about)
{
    struct stat turned;
    const int failed = stat(path, about);
    rec_owned char *alike = strdup(path), *folder = rec_path_folder(path);
    char *name = alike ? alike + (rec_path_name(path) - path) : NULL;
    for (char *c = name; c && *c; c++)
        *c = (char)((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ? *c ^ 0x20 : *c);
    const int two = !failed && folder && name && S_ISREG(about->st_mode) && strcmp(alike, path) &&
                    !stat(alike, &turned) && turned.st_ino != about->st_ino;
    DIR *listing = two ? opendir(folder) : NULL;
    int exact = !listing, found = 0;
    for (struct dirent *entry; !exact && (entry = readdir(listing));)
        if (!strcasecmp(entry->d_name, name)) {
            exact = !strcmp(entry->d_name, rec_path_name(path));
            found = 1;
            memcpy(name, entry->d_name, strlen(name));
        }
    if (listing)
        closedir(listing);
    if (!exact && found && !stat(alike, &turned))
        *about = turned;
    return failed;
}

static int are_one(const char *a, const char *b, mode_t type)
{
    struct stat one, other;
    const int there = !look_at(a, &one), other_there = !look_at(b, &other);
    if (there || other_there)
        return there && other_there && (one.st_mode & S_IFMT) == type &&
               one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    if (!strcmp(a, b))
        return 1;
    rec_owned char *first = copy_bare(a), *second = copy_bare(b);
    rec_owned char *folder = first ? rec_path_folder(first) : NULL;
    rec_owned char *other_folder = second ? rec_path_folder(second) : NULL;
    return folder && other_folder && !strcmp(rec_path_name(first), rec_path_name(second)) &&
           are_one(folder, other_folder, S_IFDIR);
}

int rec_path_is_one_file(const char *a, const char *b)
{
    return !rec_path_is_standard(a) && !rec_path_is_standard(b) && are_one(a, b, S_IFREG);
}

int rec_file_identify(const char *path, rec_file_id *id)
{
    struct stat about;
    char file[PATH_MAX];
    if ((rec_path_is_standard(path) ? fstat(STDIN_FILENO, &about)
                                    : look_at(rec_path_without_page(path, file), &about)) ||
        !S_ISREG(about.st_mode))
        return 0;
    *id = id_of(&about);
    return 1;
}

int rec_file_note(const char *path, rec_file_mark *mark)
{
    struct stat about;
    char file[PATH_MAX];
    const int there = !rec_path_is_standard(path) &&
                      !stat(rec_path_without_page(path, file), &about) && S_ISREG(about.st_mode);
    *mark = there ? mark_of(&about) : (rec_file_mark){0};
    return there;
}

int rec_file_look(int file, rec_file_id *id, rec_file_mark *mark)
{
    struct stat about = {0};
    const int there = !fstat(file, &about);
    *id = id_of(&about);
    *mark = mark_of(&about);
    return there;
}
