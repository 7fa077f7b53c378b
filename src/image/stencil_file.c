/* libvips' matrix text: "width height [scale [offset]]" and a line for each row. Unlike libvips,
 * what follows the last weight must be empty: a number too many is a mistake. */
#include "image/stencil.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"

#define SEPARATORS " \t,;\"\r\n"
#define MOST_WEIGHT 1e30

/* Fails for the line that was read last. */
#define DAMAGED(from, error, format, ...)                                                          \
    rec_fail(error, REC_BAD_INPUT, "%s, line %zu: " format, (from)->name, (from)->number,          \
             ##__VA_ARGS__)

/* Its length is 0 at the end of the file. */
static rec_status next_line(rec_lines *from, rec_error *error)
{
    REC_TRY(rec_lines_next(from, error));
    if (from->length && strlen(from->line) != from->length)
        return DAMAGED(from, error, "has a byte 0; a stencil is text");
    return REC_OK;
}

/* The numbers of a line: at least `least` and at most `most`. */
static rec_status read_numbers(const rec_lines *from, size_t least, size_t most, double *numbers,
                               rec_error *error)
{
    size_t count = 0;
    for (const char *at = from->line + strspn(from->line, SEPARATORS); *at;
         at += strspn(at, SEPARATORS), count++) {
        const size_t length = strcspn(at, SEPARATORS);
        char *end;
        if (count == most)
            return DAMAGED(from, error, "more than %zu number%s", most, rec_plural(most));
        numbers[count] = strtod(at, &end);
        if (strspn(at, "0123456789+-.eE") < length || end != at + length ||
            !(fabs(numbers[count]) <= MOST_WEIGHT))
            return DAMAGED(from, error, "'%.*s' is not a number of at most %g",
                           length < 40 ? (int)length : 40, at, MOST_WEIGHT);
        at += length;
    }
    if (count >= least)
        return REC_OK;
    return DAMAGED(from, error, "%zu number%s instead of %zu", count, rec_plural(count), least);
}

static rec_status read_all(rec_lines *from, rec_stencil *stencil, rec_error *error)
{
    double numbers[4] = {0, 0, 1, 0};
    REC_TRY(next_line(from, error));
    if (!from->length)
        return DAMAGED(from, error, "the file is empty");
    REC_TRY(read_numbers(from, 2, 4, numbers, error));
    for (int i = 0; i < 2; i++)
        if (!(numbers[i] >= 1 && numbers[i] <= REC_STENCIL_SIDE) || fmod(numbers[i], 2) != 1)
            return DAMAGED(from, error, "a %s of %g; it must be an odd number up to %d",
                           i ? "height" : "width", numbers[i], REC_STENCIL_SIDE);
    if ((float)numbers[2] == 0)
        return DAMAGED(from, error, "a scale of 0");
    stencil->width = (size_t)numbers[0];
    stencil->height = (size_t)numbers[1];
    stencil->scale = numbers[2];
    stencil->offset = numbers[3];
    for (size_t y = 0; y < stencil->height; y++) {
        REC_TRY(next_line(from, error));
        if (!from->length)
            return DAMAGED(from, error, "the file ends before row %zu of %zu", y + 1,
                           stencil->height);
        REC_TRY(read_numbers(from, stencil->width, stencil->width,
                             stencil->weights + y * stencil->width, error));
    }
    do { /* blank lines may follow */
        REC_TRY(next_line(from, error));
        if (from->length && from->line[strspn(from->line, SEPARATORS)])
            return DAMAGED(from, error, "more rows than the first line says");
    } while (from->length);
    return REC_OK;
}

rec_status rec_stencil_read(rec_stencil *stencil, const char *path, rec_error *error)
{
    rec_lines from = {.name = path};
    if (access(path, F_OK) && errno == ENOENT)
        return rec_fail(error, REC_NO_INPUT, "%s: no stencil and no file has that name\v--stencil "
                        "list shows the stencils", path);
    REC_TRY(rec_path_open(&from.stream, path, NULL, error));
    rec_status status = read_all(&from, stencil, error);
    free(from.line);
    fclose(from.stream);
    return status;
}
