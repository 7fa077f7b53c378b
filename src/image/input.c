/* What the readers of all formats use. */
#include "image/format.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

rec_status rec_input_ended(const rec_input *input, rec_error *error, const char *format, ...)
{
    if (ferror(input->stream) || rec_is_stopped())
        return rec_read_failed(input->name, error);
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return rec_fail(error, REC_BAD_INPUT, "%s: ends %s", input->name, text);
}

rec_status rec_input_cut(const rec_input *input, size_t rows, int number, rec_error *error)
{
    errno = number;
    return input->image ? rec_input_ended(input, error, "after %zu of %zu rows", rows,
                                          input->image->height)
                        : rec_input_ended(input, error, "within its header");
}

/* ---- the headers of binary formats ---- */

/* A comment is its end of line. */
static int next_in_header(const rec_input *input)
{
    int c = rec_next_byte(input->stream);
    for (int comment = c == '#'; comment; comment = c != EOF && c != '\n' && c != '\r')
        c = rec_next_byte(input->stream);
    return c;
}

rec_status rec_read_header_word(const rec_input *input, char word[REC_HEADER_WORD], int *behind,
                                rec_error *error)
{
    size_t length = 0;
    int c = next_in_header(input);
    while (isspace(c))
        c = next_in_header(input);
    for (; c != EOF && !isspace(c); c = next_in_header(input))
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
    REC_TRY(rec_read_header_word(input, word, &behind, error));
    const unsigned long long value = strtoull(word, &end, 10); /* ULLONG_MAX: too large */
    if (!isdigit((unsigned char)*word) || *end || value < 1 || value > most)
        return rec_fail(error, REC_BAD_INPUT, "%s: bad header: the %s is '%s': it must be 1 to %zu",
                        input->name, what, word, most);
    *number = (size_t)value;
    return REC_OK;
}

/* ---- samples ---- */

const char *rec_pixel_text(char text[REC_PIXEL_TEXT], const rec_image *image, size_t plane,
                           size_t x, size_t y)
{
    static const char *const colours[] = {", red", ", green", ", blue"};
    snprintf(text, REC_PIXEL_TEXT, "x %zu, y %zu%s", x, image->above + y,
             image->planes == 3 ? colours[plane] : "");
    return text;
}

#define REFUSED "%s: the sample at %s is %g: it must be %s %g"

rec_status rec_refuse_sample(const rec_input *input, size_t y, rec_error *error)
{
    const rec_image *image = input->image;
    const int tones = rec_has_tones(input->format);
    const float most = tones ? (float)input->info->maxval : (float)REC_MAX_MAGNITUDE;
    size_t plane = 0, x = 0;
    while (fabsf(rec_image_row(image, plane, y)[x]) <= most)
        if (++x == image->width) {
            x = 0;
            plane++;
        }
    const double sample = (double)rec_image_row(image, plane, y)[x];
    char where[REC_PIXEL_TEXT];
    return rec_fail(error, REC_BAD_INPUT,
                    isfinite(sample) ? REFUSED : REFUSED "\v`heal --mask nan` fills holes",
                    input->name, rec_pixel_text(where, image, plane, x, y), sample,
                    tones ? "at most the file's maxval" : "finite and in magnitude at most",
                    (double)most);
}

double rec_zero_level_of(const rec_input *input)
{
    const rec_read_options *options = input->options;
    if (options->role != REC_EDGES && (options->role != REC_EITHER || input->format->lossy))
        return 0;
    const int is_signed = !rec_has_tones(input->format) || input->negative;
    return options->zero_level_given ? options->zero_level
           : is_signed               ? 0
                                     : (input->info->maxval + 1) / 2;
}

void rec_subtract_from_row(float *row, size_t width, double zero_level)
{
    for (size_t x = 0; x < width; x++)
        row[x] = (float)((double)row[x] - zero_level);
}
