/* The raster of binary PGM (P5), in and out: the format of edges and of most results, and large ones
 * are read and written while a GPU waits. libnetpbm's row functions, which serve P6 and PAM, take
 * twice as long: they hold a sample in four bytes and look at each one alone. */
#include "image/image.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "image/formats.h"

/* ---- reading ---- */

/* A row of big-endian samples as floats; returns the largest. Loops that the compiler vectorises. */
static unsigned unpack(const uint8_t *bytes, size_t width, int wide, float *out)
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

static rec_status refuse_sample(const rec_input *input, const rec_image *image, size_t y,
                                rec_error *error)
{
    const float *row = rec_image_row(image, 0, y);
    size_t x = 0;
    while (row[x] <= (float)input->maxval)
        x++;
    char where[REC_PIXEL_TEXT];
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: the sample at %s is %.0f, above the file's maxval %u", input->name,
                    rec_pixel_text(where, image, 0, x, y), (double)row[x], input->maxval);
}

static rec_status read_rows(const rec_input *input, rec_image *image, uint8_t *bytes,
                            rec_error *error)
{
    const int wide = input->maxval > 255;
    const size_t count = image->width * (wide ? 2 : 1);
    const unsigned most = input->role == REC_SAMPLES ? 65535 : input->maxval;
    for (size_t y = 0; y < image->height; y++) {
        errno = 0;
        if (fread(bytes, 1, count, input->stream) != count)
            return rec_input_ended(input, error, "after %zu of %zu rows", y, image->height);
        if (unpack(bytes, image->width, wide, rec_image_row(image, 0, y)) > most)
            return refuse_sample(input, image, y, error);
    }
    return REC_OK;
}

rec_status rec_read_pgm(rec_input *input, rec_image *image, rec_error *error)
{
    rec_raw_header header;
    void *bytes = NULL;
    rec_status status = rec_read_raw_header(input, &header, error);
    if (status)
        return status;
    input->maxval = (unsigned)header.maxval;
    status = rec_input_start(input, header.width, header.height, 1, image, error);
    if (!status)
        status = rec_allocate(&bytes, header.width, 2, "a row", error);
    if (!status)
        status = read_rows(input, image, bytes, error);
    rec_free(bytes);
    return status;
}

/* ---- writing ---- */

static void pack(const uint16_t *tones, size_t width, int wide, uint8_t *bytes)
{
    if (wide) {
        for (size_t x = 0; x < width; x++) {
            uint16_t sample = tones[x];
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            sample = (uint16_t)(sample << 8 | sample >> 8);
#endif
            memcpy(bytes + 2 * x, &sample, sizeof sample);
        }
    } else {
        for (size_t x = 0; x < width; x++)
            bytes[x] = (uint8_t)tones[x];
    }
}

rec_status rec_write_pgm(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const int wide = sink->options->maxval > 255;
    const size_t count = image->width * (wide ? 2 : 1);
    void *tones = NULL, *bytes = NULL;
    rec_status status = rec_allocate(&tones, image->width, sizeof(uint16_t), "a row", error);
    if (!status)
        status = rec_allocate(&bytes, image->width, 2, "a row", error);
    errno = 0;
    if (!status && fprintf(sink->stream, "P5\n%zu %zu\n%u\n", image->width, image->height,
                           sink->options->maxval) < 0)
        status = rec_write_failed(sink->name, errno, error);
    for (size_t y = 0; !status && y < image->height; y++) {
        rec_sink_row(sink, 0, y, tones);
        pack(tones, image->width, wide, bytes);
        if (fwrite(bytes, 1, count, sink->stream) != count)
            status = rec_write_failed(sink->name, errno, error);
    }
    rec_free(tones);
    rec_free(bytes);
    return status;
}
