/* PFM: float32 samples, grey (Pf) or colour (PF), of either byte order, the rows from the bottom
 * up. The number in the header whose sign tells the byte order also has a magnitude, a scale to
 * physical units: it is checked to be a number, and otherwise ignored. */
#include "image/format.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>


static const int host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/* ---- header ---- */

#define WORD 32 /* characters of a number in the header, with the 0 behind it */

/* Reads a word and the one white-space character behind it. What cannot be printed becomes '?', for
 * the message that will tell it. */
static rec_status read_word(const rec_input *input, const char *what, char word[WORD],
                            rec_error *error)
{
    int c = getc(input->stream);
    while (c != EOF && isspace(c))
        c = getc(input->stream);
    size_t length = 0;
    for (; c != EOF && !isspace(c) && length < WORD - 1; c = getc(input->stream))
        word[length++] = (char)(isgraph(c) ? c : '?');
    word[length] = '\0';
    if (c == EOF)
        return rec_input_ended(input, error, "in its header, at the %s", what);
    if (!isspace(c))
        return rec_fail(error, REC_BAD_INPUT, "%s: the %s in the header, '%s...', is too long",
                        input->name, what, word);
    /* The samples begin behind one character: a CR would leave its LF to them. */
    if (c == '\r')
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: the header has CR LF line ends: write it with LF",
                        input->name);
    return REC_OK;
}

static rec_status read_side(const rec_input *input, const char *what, size_t *side,
                            rec_error *error)
{
    char word[WORD];
    const rec_status status = read_word(input, what, word, error);
    if (status)
        return status;
    const size_t digits = strspn(word, "0123456789");
    const unsigned long long value = strtoull(word, NULL, 10); /* ULLONG_MAX: too large */
    if (word[digits] || value < 1 || value > REC_MAX_SIDE)
        return rec_fail(error, REC_BAD_INPUT, "%s: the %s is '%s': it must be 1 to %d",
                        input->name, what, word, REC_MAX_SIDE);
    *side = (size_t)value;
    return REC_OK;
}

static rec_status read_byte_order(const rec_input *input, int *little, rec_error *error)
{
    char word[WORD], *end;
    const rec_status status = read_word(input, "byte order", word, error);
    if (status)
        return status;
    const double scale = strtod(word, &end);
    if (*end || !isfinite(scale) || scale == 0)
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: the header's third number is '%s': it must be negative for "
                        "little-endian samples, positive for big-endian ones",
                        input->name, word);
    *little = scale < 0;
    return REC_OK;
}

/* ---- samples ---- */

static void swap_bytes(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = __builtin_bswap32(words[i]);
}

/* Spreads one row of the file over the planes, and looks at every sample. */
static int unpack(const rec_raster *raster, size_t i, void *bytes)
{
    const rec_image *image = raster->image;
    const size_t planes = image->planes, width = image->width;
    const uint32_t *words = bytes;
    int good = 1;
    if (raster->swapped)
        swap_bytes(bytes, width * planes);
    for (size_t plane = 0; plane < planes; plane++) {
        float *row = rec_image_row(image, plane, image->height - 1 - i);
        if (planes == 1)
            memcpy(row, words, width * sizeof *row);
        else
            for (size_t x = 0; x < width; x++)
                memcpy(row + x, words + x * planes + plane, sizeof *row);
        for (size_t x = 0; x < width; x++)
            good &= rec_is_sample(row[x]);
    }
    return good;
}

static rec_status refuse_sample(const rec_raster *raster, size_t i, rec_error *error)
{
    const rec_image *image = raster->image;
    const size_t y = image->height - 1 - i;
    size_t plane = 0, x = 0;
    while (rec_is_sample(rec_image_row(image, plane, y)[x]))
        if (++x == image->width) {
            x = 0;
            plane++;
        }
    char where[REC_PIXEL_TEXT];
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: the sample at %s is %g: samples must be finite and at most %g in "
                    "magnitude",
                    raster->input->name, rec_pixel_text(where, image, plane, x, y),
                    rec_image_row(image, plane, y)[x], REC_MAX_MAGNITUDE);
}

rec_status rec_read_pfm(rec_input *input, rec_image *image, rec_error *error)
{
    const int p = getc(input->stream), letter = getc(input->stream);
    if (p != 'P' || (letter != 'f' && letter != 'F'))
        return rec_fail(error, REC_BAD_INPUT, "%s: not a PFM file", input->name);
    size_t width = 0, height = 0;
    int little = 0;
    rec_status status = read_side(input, "width", &width, error);
    if (!status)
        status = read_side(input, "height", &height, error);
    if (!status)
        status = read_byte_order(input, &little, error);
    if (!status)
        status = rec_input_start(input, width, height, letter == 'F' ? 3 : 1,
                                 width * (letter == 'F' ? 3 : 1) * sizeof(float), image, error);
    if (status)
        return status;
    const rec_raster raster = {
        .input = input,
        .image = image,
        .row_bytes = image->width * image->planes * sizeof(float),
        .swapped = little != host_is_little,
        .unpack = unpack,
        .refuse = refuse_sample,
    };
    return rec_read_raster(&raster, error);
}

/* ---- writing ---- */

static void pack(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes)
{
    (void)tones;
    rec_sink_floats(sink, sink->image->height - 1 - i, bytes);
}

rec_status rec_write_pfm(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    errno = 0;
    if (fprintf(sink->stream, "P%c\n%zu %zu\n%s\n", image->planes == 3 ? 'F' : 'f', image->width,
                image->height, host_is_little ? "-1.0" : "1.0") < 0)
        return rec_write_failed(sink->name, errno, error);
    return rec_write_raster(sink, image->width * image->planes * sizeof(float), pack, error);
}
