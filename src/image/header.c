/* The headers of binary formats, read by ourselves: libnetpbm 11's reader takes any character for
 * the end of a number, and that of PAM runs beyond its buffer where a line is long. Tuple types are
 * left out: the depth says what is needed of them. */
#include "image/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

rec_status rec_read_header_word(const rec_input *input, char word[REC_HEADER_WORD], int *behind,
                                rec_error *error)
{
    size_t length = 0;
    int c = getc(input->stream);
    for (int comment = 0; comment || c == '#' || isspace(c); c = getc(input->stream))
        comment = c == EOF ? 0 : c == '#' || (comment && c != '\n');
    for (; c != EOF && !isspace(c); c = getc(input->stream))
        if (length < REC_HEADER_WORD - 1)
            word[length++] = (char)(isgraph(c) ? c : '?');
    word[length] = '\0';
    *behind = c;
    return c == EOF ? rec_input_cut(input, 0, 0, error) : REC_OK;
}

rec_status rec_read_header_number(const rec_input *input, const char *what, size_t most,
                                  size_t *number, rec_error *error)
{
    char word[REC_HEADER_WORD], *end;
    int behind;
    const rec_status status = rec_read_header_word(input, word, &behind, error);
    if (status)
        return status;
    const unsigned long long value = strtoull(word, &end, 10); /* ULLONG_MAX: too large */
    if (!isdigit((unsigned char)*word) || *end || value < 1 || value > most)
        return rec_fail(error, REC_BAD_INPUT, "%s: bad header: the %s is '%s': it must be 1 to %zu",
                        input->name, what, word, most);
    *number = (size_t)value;
    return REC_OK;
}

typedef struct field {
    const char *label, *name; /* in a PAM; in messages */
    size_t most, *value;      /* 0: not seen yet */
} field;

enum { FIELDS = 4 };

/* Lines of a label and its value, to ENDHDR. */
static rec_status read_pam_fields(const rec_input *input, const field fields[FIELDS],
                                  rec_error *error)
{
    for (;;) {
        char label[REC_HEADER_WORD];
        int behind;
        rec_status status = rec_read_header_word(input, label, &behind, error);
        if (status)
            return status;
        const int ends = !strcmp(label, "ENDHDR");
        size_t i = 0;
        while (i < FIELDS && strcmp(label, fields[i].label))
            i++;
        if (i < FIELDS && *fields[i].value)
            return rec_fail(error, REC_BAD_INPUT, "%s: a second %s", input->name, label);
        if (i < FIELDS)
            status = rec_read_header_number(input, fields[i].name, fields[i].most, fields[i].value,
                                            error);
        else if (ends || !strcmp(label, "TUPLTYPE"))
            while (behind != '\n' && behind != EOF) /* a tuple type is the rest of its line */
                behind = getc(input->stream);
        else
            return rec_fail(error, REC_BAD_INPUT, "%s: '%s' is no field of a PAM header",
                            input->name, label);
        if (status || ends)
            return status;
    }
}

rec_status rec_read_raw_header(const rec_input *input, rec_raw_header *header, rec_error *error)
{
    const field fields[FIELDS] = {{"WIDTH", "width", REC_MAX_SIDE, &header->width},
                                  {"HEIGHT", "height", REC_MAX_SIDE, &header->height},
                                  {"DEPTH", "depth", 65535, &header->depth},
                                  {"MAXVAL", "maxval", 65535, &header->maxval}};
    getc(input->stream); /* the signature, which was seen before */
    *header = (rec_raw_header){.letter = getc(input->stream)};
    rec_status status = REC_OK;
    if (header->letter == '7')
        status = read_pam_fields(input, fields, error);
    else
        header->depth = header->letter == '6' ? 3 : 1;
    for (size_t i = 0; !status && i < FIELDS; i++)
        if (!*fields[i].value && header->letter == '7')
            status = rec_fail(error, REC_BAD_INPUT, "%s: the header has no %s", input->name,
                              fields[i].label);
        else if (!*fields[i].value)
            status = rec_read_header_number(input, fields[i].name, fields[i].most, fields[i].value,
                                            error);
    return status;
}
