/* PFM: float32 samples, grey (Pf) or colour (PF), of either byte order, the rows from the bottom
 * up. The sign of a number in the header tells the byte order; its magnitude, a scale to physical
 * units, is ignored.
 *
 * Also the same samples without a header, the rows from the top, in the machine's byte order, as
 * numpy.fromfile reads them. Such a file does not tell its size: it is only written. */
#include "image/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

rec_status rec_header_pfm(rec_input *input, rec_error *error)
{
    const int p = getc(input->stream), letter = getc(input->stream);
    const size_t planes = letter == 'F' ? 3 : 1;
    size_t width = 0, height = 0;
    char word[REC_HEADER_WORD], *end;
    int behind;
    if (p != 'P' || (letter != 'f' && letter != 'F'))
        return rec_fail(error, REC_BAD_INPUT, "%s: not a PFM file", input->name);
    REC_TRY(rec_read_header_number(input, "width", REC_MAX_SIDE, &width, error));
    REC_TRY(rec_read_header_number(input, "height", REC_MAX_SIDE, &height, error));
    REC_TRY(rec_read_header_word(input, word, &behind, error));
    const double scale = strtod(word, &end);
    if (*end || !isfinite(scale) || scale == 0)
        return rec_fail(error, REC_BAD_INPUT, "%s: the header's third number is '%s': it must be "
                        "negative for little-endian samples, positive for big-endian ones",
                        input->name, word);
    /* The samples begin behind one character: a CR would leave its LF to them. */
    if (behind == '\r')
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: the header has CR LF line ends: write it with LF", input->name);
    const size_t row_bytes = width * planes * sizeof(float);
    input->lies = rec_rows_of_file(&(rec_number){'f', 4, scale > 0}, width, height, planes);
    input->lies.offset = (height - 1) * row_bytes;
    input->lies.down = -input->lies.down;
    input->size = (rec_image){.width = width, .height = height, .planes = planes};
    input->row_bytes = row_bytes;
    return REC_OK;
}

/* Spreads one row of the file over the planes, and looks at every sample. */
int rec_unpack_pfm(const rec_input *input, size_t y, void *bytes)
{
    const rec_image *image = input->image;
    const size_t planes = image->planes, width = image->width;
    uint32_t *words = bytes;
    int good = 1;
    for (size_t i = 0; input->lies.swapped && i < width * planes; i++)
        words[i] = __builtin_bswap32(words[i]);
    for (size_t plane = 0; plane < planes; plane++) {
        float *row = rec_image_row(image, plane, y);
        if (planes == 1)
            memcpy(row, words, width * sizeof *row);
        else
            for (size_t x = 0; x < width; x++)
                memcpy(row + x, words + x * planes + plane, sizeof *row);
        for (size_t x = 0; x < width; x++)
            good &= rec_is_sample(row[x]);
    }
    return good || input->options->unchecked || input->options->role == REC_STATE;
}

/* Not raw floats, nor another format's. */
static int is_pfm(const rec_sink *sink) { return sink->format->header == rec_header_pfm; }

void rec_pack_floats(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes)
{
    const rec_image *image = sink->image;
    const size_t y = is_pfm(sink) ? image->height - 1 - i : i;
    float *out = bytes;
    for (size_t plane = 0; plane < image->planes; plane++) {
        const float *row = rec_image_row(image, plane, y);
        for (size_t x = 0; x < image->width; x++)
            out[x * image->planes + plane] = row[x];
    }
}

rec_status rec_write_pfm(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    errno = 0;
    if (is_pfm(sink) &&
        fprintf(sink->stream, "P%c\n%zu %zu\n%s\n", image->planes == 3 ? 'F' : 'f', image->width,
                rec_image_full_height(image),
                __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "-1.0" : "1.0") < 0)
        return rec_write_failed(sink->name, errno, error);
    return rec_write_raster(sink, image->width * image->planes * sizeof(float), is_pfm(sink),
                            rec_pack_floats, error);
}
