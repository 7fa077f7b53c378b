#include "job/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static rec_status read_text(FILE *stream, const char *path, char **text, size_t *length,
                            rec_error *error)
{
    size_t capacity = 1 << 16, used = 0, got;
    char *read = malloc(capacity);
    while (read && (got = fread(read + used, 1, capacity - used - 1, stream))) {
        used += got;
        if (used + 1 < capacity)
            continue;
        char *grown = realloc(read, capacity *= 2);
        if (!grown)
            free(read);
        read = grown;
    }
    if (!read)
        return rec_fail(error, REC_LIMIT, "%s: out of memory for a list of names", path);
    if (ferror(stream)) {
        const int number = errno;
        free(read);
        return rec_fail_system(error, REC_IO, number, "%s: cannot be read", path);
    }
    read[used] = 0;
    *text = read;
    *length = used;
    return REC_OK;
}

/* Names become strings; the file's last one may lack its end. */
static rec_status split(rec_names *names, size_t length, char end, rec_error *error)
{
    size_t most = 1;
    for (const char *at = names->text; (at = memchr(at, end, (size_t)(names->text + length - at)));
         at++)
        most++;
    names->at = malloc(most * sizeof *names->at);
    if (!names->at)
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", most);
    for (char *at = names->text, *stop = at + length; at < stop;) {
        char *behind = memchr(at, end, (size_t)(stop - at));
        if (!behind)
            behind = stop;
        *behind = 0;
        if (behind > at)
            names->at[names->count++] = at;
        at = behind + 1;
    }
    return REC_OK;
}

rec_status rec_names_read(rec_names *names, const char *path, char end, rec_error *error)
{
    *names = (rec_names){0};
    const int standard = !strcmp(path, "-");
    FILE *stream = standard ? stdin : fopen(path, "r");
    size_t length = 0;
    if (!stream)
        return rec_fail_system(error, REC_NO_INPUT, errno, "%s: cannot be opened", path);
    rec_status status = read_text(stream, rec_input_name(path), &names->text, &length, error);
    if (!standard)
        fclose(stream);
    if (!status)
        status = split(names, length, end, error);
    if (status)
        rec_names_free(names);
    return status;
}

void rec_names_free(rec_names *names)
{
    free(names->text);
    free(names->at);
    *names = (rec_names){0};
}
