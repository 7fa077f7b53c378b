/* Samples of one or two bytes, big-endian, pixel by pixel: rows of binary PGM, PPM and PAM, of PNG
 * and of JPEG. */
#include "image/format.h"

#include <endian.h>
#include <string.h>

/* ---- reading ---- */

/* Every `planes`-th of big-endian samples as floats; returns the largest. With a constant for
 * `planes` the compiler makes vectors of the loops. */
static inline unsigned unpack_plane(const uint8_t *bytes, size_t width, size_t planes, int wide,
                                    float *out)
{
    unsigned largest = 0;
    if (wide) {
        for (size_t x = 0; x < width; x++) {
            uint16_t sample;
            memcpy(&sample, bytes + 2 * x * planes, sizeof sample);
            sample = be16toh(sample);
            largest = sample > largest ? sample : largest;
            out[x] = (float)sample;
        }
    } else {
        for (size_t x = 0; x < width; x++) {
            largest = bytes[x * planes] > largest ? bytes[x * planes] : largest;
            out[x] = (float)bytes[x * planes];
        }
    }
    return largest;
}

unsigned rec_unpack_samples(const rec_input *input, size_t y, const uint8_t *bytes)
{
    const rec_image *image = input->image;
    const rec_image *alpha = rec_input_alpha(input);
    const int wide = input->info.maxval > 255;
    const size_t planes = image->planes, samples = planes + (alpha != NULL);
    unsigned largest = 0;
    /* A new image is black, and takes no memory where it is not written: most of a mask. */
    if (!bytes[0] && !memcmp(bytes, bytes + 1, image->width * samples * (wide ? 2 : 1) - 1))
        return 0;
    for (size_t plane = 0; plane < samples; plane++) {
        const uint8_t *first = bytes + plane * (wide ? 2 : 1);
        float *row = plane < planes ? rec_image_row(image, plane, y) : rec_image_row(alpha, 0, y);
        const unsigned found = samples == 3 ? unpack_plane(first, image->width, 3, wide, row)
                               : samples == 1
                                   ? unpack_plane(first, image->width, 1, wide, row)
                                   : unpack_plane(first, image->width, samples, wide, row);
        largest = found > largest ? found : largest;
    }
    return largest;
}

/* ---- writing ---- */

void rec_sink_row(const rec_sink *sink, size_t plane, size_t y, uint16_t *out)
{
    const rec_write_options *options = sink->options;
    const float *row = rec_image_row(sink->image, plane, y);
    const size_t width = sink->image->width;
    if (options->offset == 0) {
        rec_tone_row(row, width, sink->tone, sink->range, options->maxval, out);
        return;
    }
    const double top = options->maxval; /* in double, so that the sums do not round */
    for (size_t x = 0; x < width; x++) {
        const double value = (double)row[x] + options->offset;
        const double clamped = value > 0 ? (value < top ? value : top) : 0;
        out[x] = (uint16_t)(int)(clamped + 0.5);
    }
}

static inline void pack_plane(const uint16_t *tones, size_t width, size_t planes, int wide,
                              uint8_t *out)
{
    for (size_t x = 0; x < width; x++)
        if (wide) {
            const uint16_t sample = htobe16(tones[x]);
            memcpy(out + 2 * x * planes, &sample, sizeof sample);
        } else {
            out[x * planes] = (uint8_t)tones[x];
        }
}

void rec_pack_samples(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes)
{
    const size_t width = sink->image->width, planes = sink->image->planes;
    const int wide = sink->options->maxval > 255;
    const rec_image *alpha = rec_sink_alpha(sink);
    const size_t samples = planes + (alpha != NULL);
    for (size_t plane = 0; plane < samples; plane++) {
        uint8_t *first = (uint8_t *)bytes + plane * (wide ? 2 : 1);
        if (plane < planes) {
            rec_sink_row(sink, plane, i, tones);
        } else { /* the alpha, in the output's range */
            const float *row = rec_image_row(alpha, 0, i);
            const double scale = (double)sink->options->maxval / sink->options->extras->maxval;
            for (size_t x = 0; x < width; x++)
                tones[x] = (uint16_t)(scale * (double)row[x] + 0.5);
        }
        if (samples == 3)
            pack_plane(tones, width, 3, wide, first);
        else if (samples == 1)
            pack_plane(tones, width, 1, wide, first);
        else
            pack_plane(tones, width, samples, wide, first);
    }
}
