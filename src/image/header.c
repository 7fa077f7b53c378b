/* The headers of binary PGM, PPM and PAM, read by ourselves: libnetpbm 11's reader takes any character
 * for the end of a number, and that of PAM runs beyond its buffer where a line is long. The samples
 * are libnetpbm's work (netpbm.c). Tuple types are left out: the depth says what is needed of them. */
#include "image/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LINE 256 /* characters, as libnetpbm has it */
#define BLANKS " \t\v\f\r"

/* Reads a line without its line feed. Of one that is too long, which only a comment or a tuple type
 * may be, it keeps the beginning. What cannot be printed becomes '?', for messages. */
static rec_status read_line(const rec_input *input, char line[LINE], rec_error *error)
{
    size_t length = 0;
    int c;
    while ((c = getc(input->stream)) != '\n') {
        if (c == EOF)
            return rec_input_ended(input, error, "within its header");
        if (length < LINE - 1)
            line[length++] = (char)(isgraph(c) || (c && strchr(BLANKS, c)) ? c : '?');
    }
    while (length && strchr(BLANKS, line[length - 1]))
        length--;
    line[length] = '\0';
    return REC_OK;
}

/* Cuts a line behind its first word, and returns what follows it. */
static const char *split(char *line)
{
    memmove(line, line + strspn(line, BLANKS), strlen(line) - strspn(line, BLANKS) + 1);
    char *value = line + strcspn(line, BLANKS);
    if (!*value)
        return value;
    *value++ = '\0';
    return value + strspn(value, BLANKS);
}

typedef struct field {
    const char *label;
    size_t most;   /* the least is 1 */
    size_t *value; /* 0: not seen yet */
} field;

static rec_status read_field(const rec_input *input, size_t line, const field *known,
                             const char *word, rec_error *error)
{
    char *end;
    const unsigned long long value = strtoull(word, &end, 10); /* ULLONG_MAX: too large */
    if (*known->value)
        return rec_fail(error, REC_BAD_INPUT, "%s: line %zu: a second %s", input->name, line,
                        known->label);
    if (!isdigit((unsigned char)*word) || *end || value < 1 || value > known->most)
        return rec_fail(error, REC_BAD_INPUT, "%s: line %zu: the %s is '%s': it must be 1 to %zu",
                        input->name, line, known->label, word, known->most);
    *known->value = (size_t)value;
    return REC_OK;
}

static rec_status read_pam_header(const rec_input *input, rec_raw_header *header, rec_error *error)
{
    const field fields[] = {{"WIDTH", REC_MAX_SIDE, &header->width},
                            {"HEIGHT", REC_MAX_SIDE, &header->height},
                            {"DEPTH", 65535, &header->depth},
                            {"MAXVAL", 65535, &header->maxval}};
    const size_t count = sizeof fields / sizeof *fields;
    for (size_t line = 1;; line++) {
        char text[LINE];
        rec_status status = read_line(input, text, error);
        if (status)
            return status;
        const char *value = split(text);
        if (line == 1 && *text) /* behind the signature */
            return rec_fail(error, REC_BAD_INPUT, "%s: line 1: P7 must stand alone", input->name);
        if (line == 1 || !*text || *text == '#' || !strcmp(text, "TUPLTYPE"))
            continue;
        if (!strcmp(text, "ENDHDR"))
            break;
        size_t i = 0;
        while (i < count && strcmp(text, fields[i].label))
            i++;
        if (i == count)
            return rec_fail(error, REC_BAD_INPUT, "%s: line %zu: '%s' is no field of a PAM header",
                            input->name, line, text);
        status = read_field(input, line, fields + i, value, error);
        if (status)
            return status;
    }
    for (size_t i = 0; i < count; i++)
        if (!*fields[i].value)
            return rec_fail(error, REC_BAD_INPUT, "%s: the header has no %s", input->name,
                            fields[i].label);
    return REC_OK;
}

/* ---- P5 and P6 ---- */

/* The number, and the one white space behind it: behind the last one the samples begin. */
static rec_status read_number(const rec_input *input, const char *what, size_t most, size_t *number,
                              rec_error *error)
{
    char word[32];
    size_t length = 0;
    int c = getc(input->stream);
    for (int comment = 0; comment || c == '#' || isspace(c); c = getc(input->stream))
        comment = c == EOF ? 0 : c == '#' || (comment && c != '\n');
    for (; c != EOF && !isspace(c); c = getc(input->stream))
        if (length < sizeof word - 1)
            word[length++] = (char)(isgraph(c) ? c : '?');
    word[length] = '\0';
    if (c == EOF)
        return rec_input_ended(input, error, "within its header");
    char *end;
    const unsigned long long value = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)*word) || *end || value < 1 || value > most)
        return rec_fail(error, REC_BAD_INPUT, "%s: bad header: the %s is '%s': it must be 1 to %zu",
                        input->name, what, word, most);
    *number = (size_t)value;
    return REC_OK;
}

rec_status rec_read_raw_header(const rec_input *input, rec_raw_header *header, rec_error *error)
{
    *header = (rec_raw_header){0};
    getc(input->stream); /* the signature, which was seen before */
    header->letter = getc(input->stream);
    if (header->letter == '7')
        return read_pam_header(input, header, error);
    header->depth = header->letter == '6' ? 3 : 1;
    rec_status status = read_number(input, "width", REC_MAX_SIDE, &header->width, error);
    if (!status)
        status = read_number(input, "height", REC_MAX_SIDE, &header->height, error);
    if (!status)
        status = read_number(input, "maxval", 65535, &header->maxval, error);
    return status;
}
