/* The samples of binary PGM (P5), in and out: the format of edges and of most results, and large
 * ones are read and written while a GPU waits. libnetpbm's row functions, which serve P6 and PAM,
 * take twice as long: they hold a sample in four bytes and look at each one alone. */
#include "image/image.h"

#include <errno.h>
#include <string.h>

#include "image/formats.h"

/* ---- reading ---- */

/* A row of big-endian samples as floats; returns the largest. Loops that the compiler vectorises. */
static unsigned unpack_row(const uint8_t *bytes, size_t width, int wide, float *out)
{
    unsigned largest = 0;
    if (wide) {
        for (size_t x = 0; x < width; x++) {
            uint16_t sample;
            memcpy(&sample, bytes + 2 * x, sizeof sample);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            sample = (uint16_t)(sample << 8 | sample >> 8);
#endif
            largest = sample > largest ? sample : largest;
            out[x] = (float)sample;
        }
    } else {
        for (size_t x = 0; x < width; x++) {
            largest = bytes[x] > largest ? bytes[x] : largest;
            out[x] = (float)bytes[x];
        }
    }
    return largest;
}

static unsigned most_of(const rec_input *input)
{
    return input->options->role == REC_SAMPLES ? 65535 : input->maxval;
}

static int unpack(const rec_raster *raster, size_t i, void *bytes)
{
    const rec_input *input = raster->input;
    float *row = rec_image_row(raster->image, 0, i);
    if (unpack_row(bytes, raster->image->width, input->maxval > 255, row) > most_of(input))
        return 0;
    if (raster->zero_level != 0) /* of so small samples and any level the difference is a sample */
        rec_subtract_from_row(row, raster->image->width, raster->zero_level);
    return 1;
}

static rec_status refuse_sample(const rec_raster *raster, size_t i, rec_error *error)
{
    const rec_input *input = raster->input;
    const float *row = rec_image_row(raster->image, 0, i);
    size_t x = 0;
    while (row[x] <= (float)input->maxval)
        x++;
    char where[REC_PIXEL_TEXT];
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: the sample at %s is %.0f, above the file's maxval %u", input->name,
                    rec_pixel_text(where, raster->image, 0, x, i), (double)row[x], input->maxval);
}

rec_status rec_read_pgm(rec_input *input, rec_image *image, rec_error *error)
{
    rec_raw_header header;
    rec_status status = rec_read_raw_header(input, &header, error);
    if (status)
        return status;
    input->maxval = (unsigned)header.maxval;
    status = rec_input_start(input, header.width, header.height, 1, image, error);
    if (status)
        return status;
    input->levelled = 1;
    const rec_raster raster = {
        .input = input,
        .image = image,
        .row_bytes = header.width * (header.maxval > 255 ? 2 : 1),
        .zero_level = rec_zero_level_of(input),
        .unpack = unpack,
        .refuse = refuse_sample,
    };
    return rec_read_raster(&raster, error);
}

/* ---- writing ---- */

static void pack(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes)
{
    const size_t width = sink->image->width;
    uint8_t *out = bytes;
    rec_sink_row(sink, 0, i, tones);
    if (sink->options->maxval > 255) {
        for (size_t x = 0; x < width; x++) {
            uint16_t sample = tones[x];
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            sample = (uint16_t)(sample << 8 | sample >> 8);
#endif
            memcpy(out + 2 * x, &sample, sizeof sample);
        }
    } else {
        for (size_t x = 0; x < width; x++)
            out[x] = (uint8_t)tones[x];
    }
}

rec_status rec_write_pgm(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const unsigned maxval = sink->options->maxval;
    errno = 0;
    if (fprintf(sink->stream, "P5\n%zu %zu\n%u\n", image->width, image->height, maxval) < 0)
        return rec_write_failed(sink->name, errno, error);
    return rec_write_raster(sink, image->width * (maxval > 255 ? 2 : 1), pack, error);
}
