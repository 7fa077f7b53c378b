/* The samples of binary PGM, PPM and PAM, in and out, by all threads: the formats of edges and of most
 * results, and large ones are read and written while a GPU waits. What is small or no regular file
 * goes through libnetpbm (netpbm.c), which holds a sample in eight bytes and looks at each alone. */
#include "image/format.h"

#include <string.h>

size_t rec_samples_bytes(const rec_image *image, unsigned maxval)
{
    return image->width * image->planes * (maxval > 255 ? 2 : 1);
}

static inline uint16_t swap(uint16_t sample)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint16_t)(sample << 8 | sample >> 8);
#else
    return sample;
#endif
}

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
            sample = swap(sample);
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

static int unpack(const rec_raster *raster, size_t i, void *bytes)
{
    const rec_input *input = raster->input;
    const rec_image *image = raster->image;
    const int wide = input->maxval > 255;
    const unsigned most = input->options->role == REC_SAMPLES ? 65535 : input->maxval;
    unsigned largest = 0;
    for (size_t plane = 0; plane < image->planes; plane++) {
        const uint8_t *first = (const uint8_t *)bytes + plane * (wide ? 2 : 1);
        float *row = rec_image_row(image, plane, i);
        const unsigned found = image->planes == 3 ? unpack_plane(first, image->width, 3, wide, row)
                                                  : unpack_plane(first, image->width, 1, wide, row);
        largest = found > largest ? found : largest;
    }
    if (largest > most)
        return 0;
    /* Of such small samples and any level the difference is a sample. */
    for (size_t plane = 0; raster->zero_level != 0 && plane < image->planes; plane++)
        rec_subtract_from_row(rec_image_row(image, plane, i), image->width, raster->zero_level);
    return 1;
}

static rec_status refuse_sample(const rec_raster *raster, size_t i, rec_error *error)
{
    return rec_refuse_maxval(raster->input, raster->image, i, error);
}

rec_status rec_read_samples(rec_input *input, rec_image *image, rec_error *error)
{
    input->levelled = 1;
    const rec_raster raster = {
        .input = input,
        .image = image,
        .row_bytes = rec_samples_bytes(image, input->maxval),
        .zero_level = rec_zero_level_of(input),
        .unpack = unpack,
        .refuse = refuse_sample,
    };
    return rec_read_raster(&raster, error);
}

/* ---- writing ---- */

static inline void pack_plane(const uint16_t *tones, size_t width, size_t planes, int wide,
                              uint8_t *out)
{
    for (size_t x = 0; x < width; x++)
        if (wide) {
            const uint16_t sample = swap(tones[x]);
            memcpy(out + 2 * x * planes, &sample, sizeof sample);
        } else {
            out[x * planes] = (uint8_t)tones[x];
        }
}

static void pack(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes)
{
    const size_t width = sink->image->width, planes = sink->image->planes;
    const int wide = sink->options->maxval > 255;
    for (size_t plane = 0; plane < planes; plane++) {
        uint8_t *first = (uint8_t *)bytes + plane * (wide ? 2 : 1);
        rec_sink_row(sink, plane, i, tones);
        if (planes == 3)
            pack_plane(tones, width, 3, wide, first);
        else
            pack_plane(tones, width, 1, wide, first);
    }
}

rec_status rec_write_samples(const rec_sink *sink, rec_error *error)
{
    return rec_write_raster(sink, rec_samples_bytes(sink->image, sink->options->maxval), pack,
                            error);
}
