/* Headerless float32, in the machine's byte order, by rows from the top: what numeric programs read
 * with one call (numpy.fromfile). Only written, since such a file does not tell its size. */
#include "image/format.h"

static void pack(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes)
{
    (void)tones;
    rec_sink_floats(sink, i, bytes);
}

rec_status rec_write_raw(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    return rec_write_raster(sink, image->width * image->planes * sizeof(float), 0, pack, error);
}
