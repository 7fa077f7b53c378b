/* Integers as text: plain PGM and PPM (P2, P3) and the exercise's .dat. The reader is our own: the
 * field's edge files have signed samples, some beyond their maxval, which libnetpbm refuses. It is
 * strict: lenient ones misread such files. Left out: fractions, exponents, the bitmaps of P1. */
#include "image/format.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "base/memory.h"

#define WORTH_A_LOOK 1000000 /* samples: fewer take no memory to speak of */

typedef struct scanner {
    const rec_input *input;
    int plain;           /* P2 or P3: '#' begins a comment, and a header has a maxval */
    int c;               /* the character under the cursor, or EOF */
    size_t line, column; /* of the cursor, counted from 1 */
} scanner;

/* Moves the cursor. */
static inline int next(scanner *in)
{
    if (in->c == '\n') {
        in->line++;
        in->column = 0;
    }
    in->column++;
    return in->c = rec_next_byte(in->input->stream);
}

static inline int is_digit(int c) { return c >= '0' && c <= '9'; }
static inline int is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Goes to the next character that means something, and returns it. */
static inline int skip_blanks(scanner *in)
{
    while (is_blank(in->c) || (in->c == '#' && in->plain)) {
        if (in->c == '#')
            while (next(in) != EOF && in->c != '\n' && in->c != '\r')
                ;
        next(in);
    }
    return in->c;
}

#define BAD_TEXT(in, at_column, error, format, ...)                                                \
    rec_fail(error, REC_BAD_INPUT, "%s: line %zu, column %zu: " format, (in)->input->name,         \
             (in)->line, at_column, __VA_ARGS__)

static rec_status bad_character(const scanner *in, rec_error *error)
{
    if (in->c == EOF)
        return rec_input_ended(in->input, error, "in line %zu, within an integer", in->line);
    char shown[16];
    snprintf(shown, sizeof shown, isgraph(in->c) ? "'%c'" : "byte 0x%02x", (unsigned)in->c);
    return BAD_TEXT(in, in->column, error, "%s where an integer should be%s", shown,
                    in->c == '.' ? ": only PFM holds fractions" : "");
}

/* Reads the integer that begins at the cursor. A double holds every one below 2^53 exactly, far
 * beyond what the float32 that it becomes can. */
static inline rec_status read_integer(scanner *in, double *value, rec_error *error)
{
    const int negative = in->c == '-';
    int c = negative || in->c == '+' ? next(in) : in->c;
    if (!is_digit(c))
        return bad_character(in, error);
    double magnitude = 0;
    do {
        magnitude = 10 * magnitude + (c - '0');
        c = next(in);
    } while (is_digit(c));
    if (!is_blank(c) && c != EOF && !(c == '#' && in->plain))
        return bad_character(in, error);
    *value = negative ? -magnitude : magnitude;
    return REC_OK;
}

static rec_status read_header_number(scanner *in, const char *what, size_t most, size_t *number,
                                     rec_error *error)
{
    if (skip_blanks(in) == EOF)
        return rec_input_ended(in->input, error, "before its %s", what);
    const size_t at = in->column;
    double value = 0;
    REC_TRY(read_integer(in, &value, error));
    if (!(value >= 1 && value <= (double)most))
        return BAD_TEXT(in, at, error, "the %s is %.15g: it must be 1 to %zu", what, value, most);
    *number = (size_t)value;
    return REC_OK;
}

rec_status rec_header_text(rec_input *input, rec_error *error)
{
    REC_TRY(rec_allocate(&input->own, 1, sizeof(scanner), "a text", error));
    scanner *in = input->own;
    const int plain = rec_has_tones(input->format);
    size_t planes = 1, width = 0, height = 0, maxval = 255;
    *in = (scanner){.input = input, .plain = plain, .line = 1};
    next(in);
    if (plain) { /* skips the signature, which was checked before */
        planes = next(in) == '3' ? 3 : 1;
        next(in);
    }
    REC_TRY(read_header_number(in, "width", REC_MAX_SIDE, &width, error));
    REC_TRY(read_header_number(in, "height", REC_MAX_SIDE, &height, error));
    if (plain)
        REC_TRY(read_header_number(in, "maxval", 65535, &maxval, error));
    input->info->maxval = (unsigned)maxval;
    input->size = (rec_image){.width = width, .height = height, .planes = planes};
    /* A sample has a digit and a blank. */
    input->row_bytes = width * height * planes < WORTH_A_LOOK ? 0 : width * planes;
    return REC_OK;
}

/* ---- the samples ---- */

rec_status rec_read_text(rec_input *input, rec_error *error)
{
    scanner *in = input->own;
    const rec_image *image = input->image;
    const size_t planes = image->planes, samples = image->height * image->width * planes;
    const int picture = input->options->role == REC_PICTURE && in->plain;
    const double most = picture ? input->info->maxval : (double)(float)REC_MAX_MAGNITUDE;
    const double least = picture ? 0 : -most;
    for (size_t y = 0; y < image->height; y++)
        for (size_t x = 0; x < image->width; x++)
            for (size_t plane = 0; plane < planes; plane++) {
                if (skip_blanks(in) == EOF)
                    return rec_input_ended(input, error, "in line %zu, after %zu of the %zu "
                                           "samples of a %zu x %zu image", in->line,
                                           (y * image->width + x) * planes + plane, samples,
                                           image->width, image->height);
                const size_t at = in->column;
                double value = 0;
                REC_TRY(read_integer(in, &value, error));
                if (!(value >= least && value <= most))
                    return BAD_TEXT(in, at, error, "the sample %.15g is outside %.15g to %.15g",
                                    value, least, most);
                input->negative |= value < 0;
                rec_image_row(image, plane, y)[x] = (float)value;
            }
    if (skip_blanks(in) != EOF)
        return BAD_TEXT(in, in->column, error, "more than the %zu samples of a %zu x %zu image",
                        samples, image->width, image->height);
    if (ferror(input->stream) || rec_is_stopped())
        return rec_input_ended(input, error, "at once");
    return REC_OK;
}

/* ---- writing ---- */

#define DAT_LINE 12   /* integers, as the field's files have them */
#define PLAIN_LINE 10 /* so that no line exceeds 70 characters, as the format demands */

rec_status rec_write_text(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const size_t width = image->width, planes = image->planes;
    const size_t samples = width * image->height * planes;
    const int toned = rec_has_tones(sink->format);
    const size_t line = toned ? PLAIN_LINE : DAT_LINE;
    size_t count = 0;
    rec_owned uint16_t *tones = NULL;
    REC_TRY(rec_allocate(&tones, width * planes, sizeof(uint16_t), "a row", error));
    errno = 0;
    int good = (!toned || fprintf(sink->stream, "P%c\n", planes == 3 ? '3' : '2') > 0) &&
               fprintf(sink->stream, "%zu %zu\n", width, image->height) > 0 &&
               (!toned || fprintf(sink->stream, "%u\n", sink->options->maxval) > 0);
    for (size_t y = 0; good && y < image->height; y++) {
        if (rec_sink_is_stopped(sink)) {
            errno = EINTR;
            good = 0;
        }
        for (size_t plane = 0; toned && plane < planes; plane++)
            rec_sink_row(sink, plane, y, tones + plane * width);
        for (size_t i = 0; good && i < width * planes; i++) {
            const int ends = ++count % line == 0 || count == samples;
            const double value = toned ? tones[i % planes * width + i / planes]
                                       : round(rec_image_row(image, 0, y)[i]) + 0.0; /* no -0 */
            good = fprintf(sink->stream, "%4.0f%c", value, ends ? '\n' : ' ') > 0;
        }
    }
    return good ? REC_OK : rec_write_failed(sink->name, errno, error);
}
