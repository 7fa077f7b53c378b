/* An earlier run read back from its JSON. The reader is for what bench_json.c writes: it is strict
 * about JSON's grammar and knows no more of it than that (no \u: the writer has plain ASCII). */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

/* ---- grammar ---- */

typedef struct json {
    const char *at;
    size_t line;
    int depth;
} json;

static void skip_space(json *in)
{
    for (; *in->at && strchr(" \t\r\n", *in->at); in->at++)
        in->line += *in->at == '\n';
}

/* The character, after blanks; 0 where another one stands. */
static int take(json *in, char wanted)
{
    skip_space(in);
    if (*in->at != wanted)
        return 0;
    in->at++;
    return 1;
}

static int read_string(json *in, char *text, size_t size)
{
    size_t length = 0;
    if (!take(in, '"'))
        return 0;
    for (; *in->at != '"'; in->at++) {
        if ((unsigned char)*in->at < 0x20)
            return 0;
        if (*in->at == '\\' && !strchr("\"\\/bfnrt", *++in->at))
            return 0;
        if (!*in->at)
            return 0;
        if (length + 1 < size)
            text[length++] = *in->at;
    }
    in->at++;
    text[length] = 0;
    return 1;
}

static int read_number(json *in, double *value)
{
    char *end;
    skip_space(in);
    if (!isdigit((unsigned char)*in->at) && *in->at != '-')
        return 0;
    *value = strtod(in->at, &end);
    if (end == in->at || !isfinite(*value))
        return 0;
    in->at = end;
    return 1;
}

static int read_count(json *in, size_t *value)
{
    double number;
    if (!read_number(in, &number) || number < 0 || number > REC_MAX_SIDE ||
        number != floor(number))
        return 0;
    *value = (size_t)number;
    return 1;
}

/* Members of an object one by one; `member` reads the value and says whether it could. */
typedef int read_member(json *in, const char *name, void *context);

static int read_object(json *in, read_member *member, void *context)
{
    char name[64];
    if (!take(in, '{'))
        return 0;
    if (take(in, '}'))
        return 1;
    do {
        if (!read_string(in, name, sizeof name) || !take(in, ':') || !member(in, name, context))
            return 0;
    } while (take(in, ','));
    return take(in, '}');
}

static int skip_value(json *in);
static int skip_member(json *in, const char *name, void *context)
{
    (void)name, (void)context;
    return skip_value(in);
}

static int skip_value(json *in)
{
    char text[8] = "";
    double number;
    int good = 0;
    skip_space(in);
    if (++in->depth > 16) /* what we write is four deep */
        return 0;
    if (*in->at == '{')
        good = read_object(in, skip_member, NULL);
    else if (*in->at == '[') {
        in->at++;
        if (take(in, ']'))
            good = 1;
        else {
            do
                good = skip_value(in);
            while (good && take(in, ','));
            good = good && take(in, ']');
        }
    } else if (*in->at == '"')
        good = read_string(in, text, sizeof text);
    else if (!strncmp(in->at, "null", 4) || !strncmp(in->at, "true", 4)) {
        in->at += 4;
        good = 1;
    } else
        good = read_number(in, &number);
    in->depth--;
    return good;
}

/* ---- what is in it ---- */

typedef struct bench_baseline_row row;

static int read_seconds(json *in, const char *name, void *context)
{
    return strcmp(name, "median") ? skip_value(in) : read_number(in, &((row *)context)->median);
}

static int read_row_member(json *in, const char *name, void *context)
{
    row *into = context;
    if (!strcmp(name, "name"))
        return read_string(in, into->label, sizeof into->label);
    if (!strcmp(name, "width"))
        return read_count(in, &into->width);
    if (!strcmp(name, "height"))
        return read_count(in, &into->height);
    if (!strcmp(name, "seconds"))
        return read_object(in, read_seconds, into);
    return skip_value(in);
}

static int read_rows(json *in, bench_baseline *baseline)
{
    if (!take(in, '['))
        return 0;
    if (take(in, ']'))
        return 1;
    do {
        row *grown = realloc(baseline->rows, (baseline->count + 1) * sizeof *grown);
        if (!grown)
            return 0;
        baseline->rows = grown;
        row *into = &grown[baseline->count];
        *into = (row){0};
        if (!read_object(in, read_row_member, into) || !into->label[0] || !into->width ||
            !into->height || into->median < 0)
            return 0;
        baseline->count += into->median > 0; /* else it was skipped, or wrong */
    } while (take(in, ','));
    return take(in, ']');
}

typedef struct document {
    bench_baseline *baseline;
    int ours, results;
} document;

static int read_top(json *in, const char *name, void *context)
{
    document *of = context;
    char program[32] = "";
    if (!strcmp(name, "program")) {
        const int good = read_string(in, program, sizeof program);
        of->ours = good && !strcmp(program, "reconstruct bench");
        return good;
    }
    if (strcmp(name, "results"))
        return skip_value(in);
    of->results++;
    return of->results == 1 && read_rows(in, of->baseline);
}

/* The whole file with a 0 behind it. */
static rec_status read_text(const char *path, char **text, rec_error *error)
{
    enum { MOST = 1 << 24 };
    FILE *file = fopen(path, "r");
    if (!file)
        return rec_fail(error, REC_NO_INPUT, "%s: %s", path, strerror(errno));
    size_t length = 0, room = 1 << 16;
    rec_status status = REC_OK;
    *text = malloc(room);
    for (size_t got = 1; *text && got && length < MOST;) {
        got = fread(*text + length, 1, room - length - 1, file);
        length += got;
        if (length == room - 1) {
            char *grown = realloc(*text, room *= 2);
            if (!grown)
                free(*text);
            *text = grown;
        }
    }
    if (!*text)
        status = rec_fail(error, REC_LIMIT, "%s: out of memory for it", path);
    else if (ferror(file))
        status = rec_fail(error, REC_IO, "%s: %s", path, strerror(errno));
    else {
        (*text)[length] = 0;
        if (length >= MOST || strlen(*text) != length)
            status = rec_fail(error, REC_BAD_INPUT, "%s: not a baseline of this program", path);
    }
    fclose(file);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}

rec_status bench_read_baseline(const char *path, bench_baseline *baseline, rec_error *error)
{
    char *text = NULL;
    *baseline = (bench_baseline){0};
    rec_status status = read_text(path, &text, error);
    if (status)
        return status;
    json in = {text, 1, 0};
    document of = {baseline, 0, 0};
    const int good = read_object(&in, read_top, &of);
    skip_space(&in);
    if (!good || *in.at)
        status = rec_fail(error, REC_BAD_INPUT,
                          "%s: line %zu: not what `reconstruct bench --json` writes", path,
                          in.line);
    else if (!of.ours || !of.results)
        status = rec_fail(error, REC_BAD_INPUT, "%s: not a baseline of this program", path);
    free(text);
    if (status)
        bench_baseline_destroy(baseline);
    return status;
}

void bench_baseline_destroy(bench_baseline *baseline)
{
    free(baseline->rows);
    *baseline = (bench_baseline){0};
}

double bench_baseline_find(const bench_baseline *baseline, const bench_result *result)
{
    for (size_t i = 0; i < baseline->count; i++) {
        const row *at = &baseline->rows[i];
        if (at->width == result->width && at->height == result->height &&
            !strcmp(at->label, result->label))
            return at->median;
    }
    return 0;
}
