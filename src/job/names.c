#include "job/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Names become strings; the file's last one may lack its end. */
static rec_status read_names(rec_names *names, FILE *stream, const char *path, char end,
                             rec_error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    rec_status status = REC_OK;
    while (!status && (length = getdelim(&line, &room, end, stream)) > 0) {
        if (line[length - 1] == end)
            line[--length] = 0;
        if (!length)
            continue;
        if (memchr(line, 0, (size_t)length)) {
            status = rec_fail(error, REC_BAD_INPUT,
                              "%s: name %zu has a zero byte in it; names that end with one want "
                              "--null", rec_input_name(path), names->count + 1);
            break;
        }
        const size_t count = names->count;
        char **at = count & (count - 1) ? names->at /* it doubles at powers of two */
                                        : realloc(names->at, (2 * count + 1) * sizeof *at);
        names->at = at ? at : names->at;
        if (!at || !(at[count] = strdup(line)))
            status = rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count + 1);
        else
            names->count++;
    }
    free(line);
    return status;
}

rec_status rec_names_read(rec_names *names, const char *path, char end, rec_error *error)
{
    *names = (rec_names){0};
    const int standard = !strcmp(path, "-");
    FILE *stream = standard ? stdin : fopen(path, "r");
    if (!stream)
        return rec_fail_system(error, REC_NO_INPUT, errno, "%s: cannot be opened", path);
    rec_status status = read_names(names, stream, path, end, error);
    if (!status && ferror(stream))
        status = rec_fail_system(error, REC_IO, errno, "%s: cannot be read", rec_input_name(path));
    if (!standard)
        fclose(stream);
    if (status)
        rec_names_free(names);
    return status;
}

void rec_names_free(rec_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->at[i]);
    free(names->at);
    *names = (rec_names){0};
}
