#include "job/jobs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

enum { MOST_BYTES = 2 * PATH_MAX }; /* of a name */

static rec_status add_name(rec_names *names, const char *name, size_t length, rec_error *error)
{
    const size_t count = names->count;
    char **at = count & (count - 1) ? names->at /* it doubles at powers of two */
                                    : realloc(names->at, (2 * count + 1) * sizeof *at);
    names->at = at ? at : names->at;
    if (!at || !(at[count] = strndup(name, length)))
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count + 1);
    names->count++;
    return REC_OK;
}

/* The file's last name may lack its end. */
rec_status rec_names_read(rec_names *names, const char *path, int nul, rec_error *error)
{
    rec_owned_lines lines = {.name = rec_input_name(path), .nul = nul};
    REC_TRY(rec_path_open(&lines.stream, path, NULL, error));
    for (;;) {
        REC_TRY(rec_lines_next(&lines, error));
        if (!lines.length)
            return REC_OK;
        const char *name = lines.line;
        size_t length = strcspn(name, nul ? "" : "\n");
        if (length > MOST_BYTES)
            return rec_fail(error, REC_BAD_INPUT, "%s: name %zu is longer than %d bytes",
                            lines.name, names->count + 1, MOST_BYTES);
        if (strlen(name) < lines.length && !nul)
            return rec_fail(error, REC_BAD_INPUT,
                            "%s: name %zu has a zero byte in it; names that end with one need "
                            "--null",
                            lines.name, names->count + 1);
        if (!nul && length && name[length - 1] == '\r') /* a list from Windows */
            length--;
        if (length)
            REC_TRY(add_name(names, name, length, error));
    }
}

void rec_names_free(rec_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->at[i]);
    free(names->at);
    *names = (rec_names){0};
}

/* ---- stems ---- */

/* The folders of the path but for ".", with a slash behind each, and the last part without its
 * ending. 0: there is a "..". */
static int join_parts(char *made, const char *name, const char *last, size_t last_length)
{
    char *to = made;
    for (const char *at = name; at < last;) {
        const size_t length = strcspn(at, "/");
        if (length == 2 && !strncmp(at, "..", 2))
            return 0;
        if (length && !(length == 1 && *at == '.')) {
            memcpy(to, at, length);
            to += length;
            *to++ = '/';
        }
        at += length + 1;
    }
    memcpy(to, last, last_length);
    to[last_length] = 0;
    return 1;
}

rec_status rec_entry_create(rec_entry **made, const char *name, int parents, rec_error *error)
{
    size_t length;
    const char *from = rec_path_is_standard(name) ? "stdin" : name;
    const char *last = rec_path_stem(from, &length);
    rec_entry *entry = *made = malloc(sizeof *entry + strlen(from) + 1);
    if (!entry)
        return rec_fail(error, REC_LIMIT, "out of memory for %s", name);
    entry->name = name;
    entry->refused = !join_parts(entry->stem, parents ? from : last, last, length);
    if (!entry->refused)
        return REC_OK;
    strcpy(entry->stem, from);
    return rec_fail(error, REC_USAGE, "%s: --parents keeps a relative path, which cannot have ..",
                    name);
}

/* ---- paths ---- */

const char *rec_output_ending(const rec_format *format, size_t planes)
{
    return format ? format->ending : rec_format_default(planes)->ending;
}

rec_status rec_output_path(const rec_settings *settings, const rec_format *format,
                           const char *stem, size_t planes, char **path, rec_error *error)
{
    const char *ending = rec_output_ending(format, planes);
    *path = NULL;
    return !settings->output            ? REC_OK
           : settings->output_is_folder ? rec_path_join(path, settings->output, stem, ending, error)
                                        : rec_path_copy(path, settings->output, error);
}

/* In a folder without such an image, the first name that it could have: reading it fails with a
 * message that names it. */
rec_status rec_path_find(char **path, const char *given, const char *stem, rec_error *error)
{
    if (!rec_path_is_folder(given))
        return rec_path_copy(path, given, error);
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        if (!format->read || !format->ending)
            continue;
        const rec_status status = rec_path_join(path, given, stem, format->ending, error);
        if (status || !access(*path, F_OK))
            return status;
        free(*path);
    }
    return rec_path_join(path, given, stem, rec_format_default(1)->ending, error);
}

uint64_t rec_hash_folder_files(const rec_settings *settings, const char *stem)
{
    const char *const given[] = {settings->original, settings->edit.mask, settings->edit.onto};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        rec_owned char *path = NULL;
        rec_file_mark mark;
        if (!given[i] || !rec_path_is_folder(given[i]) ||
            rec_path_find(&path, given[i], stem, NULL))
            continue;
        rec_file_note(path, &mark);
        hash = rec_hash(hash ? hash : REC_HASH_START, &mark, sizeof mark);
    }
    return hash;
}
