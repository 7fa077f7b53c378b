/* What the writers of all formats use. */
#include "image/format.h"

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

void rec_sink_floats(const rec_sink *sink, size_t y, float *out)
{
    const rec_image *image = sink->image;
    for (size_t plane = 0; plane < image->planes; plane++) {
        const float *row = rec_image_row(image, plane, y);
        for (size_t x = 0; x < image->width; x++)
            out[x * image->planes + plane] = row[x];
    }
}
