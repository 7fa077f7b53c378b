/* The blocks of a TIFF, strips or tiles, and GDAL's page that says where samples are. */
#include "image/formats/tiff.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/paths.h"

static size_t pixel_bytes(const rec_tiff *work)
{
    return (size_t)work->type.bytes * (work->separate ? 1 : work->samples);
}

static size_t row_bytes(const rec_tiff *work) { return work->block_width * pixel_bytes(work); }

static void invert(const rec_tiff *work, uint8_t *bytes, tmsize_t count)
{
    for (tmsize_t i = 0; work->inverted && i < count; i++)
        bytes[i] = (uint8_t)~bytes[i];
}

uint32_t rec_tiff_blocks(const rec_tiff *work)
{
    return TIFFIsTiled(work->tiff) ? TIFFNumberOfTiles(work->tiff) : TIFFNumberOfStrips(work->tiff);
}

/* Returns how many bytes there are, fewer in the last strip; or -1. GDAL leaves out blocks that
 * are nothing but nodata, or 0. */
static tmsize_t read_block(rec_tiff *work, uint32_t n, uint8_t *bytes)
{
    const int tiled = TIFFIsTiled(work->tiff);
    const size_t down = (work->height + work->block_height - 1) / work->block_height;
    const size_t left = work->height - n % down * work->block_height;
    const size_t rows = tiled ? work->block_height : rec_smaller(left, work->block_height);
    const tmsize_t size = (tmsize_t)(row_bytes(work) * work->block_height);
    tmsize_t there = (tmsize_t)(row_bytes(work) * rows);
    if (TIFFGetStrileOffset(work->tiff, n))
        there = tiled ? TIFFReadEncodedTile(work->tiff, n, bytes, size)
                      : TIFFReadEncodedStrip(work->tiff, n, bytes, size);
    else
        for (tmsize_t i = 0; i < there; i += work->type.bytes)
            rec_put_number(&work->type, work->has_nodata ? (double)work->nodata : 0, bytes + i);
    invert(work, bytes, there);
    return there;
}

int rec_tiff_is_apart(const rec_tiff *work, uint32_t n)
{
    const uint64_t from = TIFFGetStrileOffset(work->tiff, n);
    const uint64_t bytes = TIFFGetStrileByteCount(work->tiff, n);
    return !from || work->map->unknown || rec_tiff_map_count(work->map, from, bytes) != 1 ||
           (work->compression == COMPRESSION_NONE &&
            bytes < row_bytes(work) * rec_smaller(work->block_height, work->height));
}

int rec_tiff_do_block(const rec_tiff *work, uint32_t n, uint8_t *bytes, const rec_image *image,
                      const rec_image *alpha, const rec_image *bands, const rec_sink *sink)
{
    const rec_extras *extras = sink ? sink->options->extras : NULL;
    const size_t across = (work->width + work->block_width - 1) / work->block_width;
    const size_t down = (work->height + work->block_height - 1) / work->block_height;
    const size_t x = n % across * work->block_width, y = n / across % down * work->block_height;
    const size_t columns = rec_smaller(work->block_width, work->width - x);
    const size_t rows = rec_smaller(work->block_height, work->height - y);
    const size_t first = n / across / down, step = pixel_bytes(work);
    int touched = 0;
    for (size_t row = 0; row < rows; row++) {
        rec_line line = {.count = columns};
        size_t next_x, next_y;
        rec_turn(work->orientation, work->width, work->height, x, y + row, &line.x, &line.y);
        rec_turn(work->orientation, work->width, work->height, x + 1, y + row, &next_x, &next_y);
        line.right = (ptrdiff_t)(next_x - line.x);
        line.down = (ptrdiff_t)(next_y - line.y);
        for (size_t s = first; s < (work->separate ? first + 1 : work->samples); s++) {
            uint8_t *from = bytes ? bytes + row * row_bytes(work) +
                                        (s - first) * (size_t)work->type.bytes : NULL;
            const int own = s < work->planes;
            const size_t band = s - work->planes - (s > work->alpha_at);
            rec_sink to = sink ? *sink : (rec_sink){0};
            const rec_image *of = s == work->alpha_at ? alpha
                                  : own ? (sink ? sink->image : image)
                                  : sink && extras->filled ? &extras->filled[band]
                                  : bands ? &bands[band] : NULL;
            to.image = of;
            to.is_band = !own;
            const int stays = sink && !own && band + 1 == extras->band_alpha; /* an alpha */
            if (stays && work->type.kind != 'f')
                continue;
            if (sink && of)
                touched |= rec_patch_line(&to, own ? s : 0, &line, &work->type, from, step);
            else if (of)
                rec_unpack_line(of, own ? s : 0, &line, &work->type, from, step);
        }
        if (touched && !bytes)
            break;
    }
    return touched;
}

/* Of what is not compressed where it is, since libtiff may cut a long strip into other ones. */
static int write_block(rec_tiff *work, rec_tiff *out, uint32_t n, uint8_t *bytes, tmsize_t size)
{
    const int apart = rec_tiff_is_apart(work, n);
    const int tiled = TIFFIsTiled(work->tiff), count = (int)(size / work->type.bytes);
    invert(work, bytes, size);
    if (work->compression != COMPRESSION_NONE || apart)
        return (tiled ? TIFFWriteEncodedTile(out->tiff, n, bytes, size)
                      : TIFFWriteEncodedStrip(out->tiff, n, bytes, size)) >= 0;
    if (TIFFIsByteSwapped(work->tiff) && work->type.bytes == 2)
        TIFFSwabArrayOfShort((uint16_t *)bytes, count);
    else if (TIFFIsByteSwapped(work->tiff) && work->type.bytes == 4)
        TIFFSwabArrayOfLong((uint32_t *)bytes, count);
    else if (TIFFIsByteSwapped(work->tiff) && work->type.bytes == 8)
        TIFFSwabArrayOfLong8((uint64_t *)bytes, count);
    out->at = (off_t)TIFFGetStrileOffset(work->tiff, n);
    return rec_tiff_write(out, bytes, size) == size;
}

rec_status rec_tiff_do_blocks(rec_tiff *work, const rec_image *image, const rec_image *alpha,
                              const rec_image *bands, rec_tiff *out, const rec_sink *sink,
                              rec_error *error)
{
    const int tiled = TIFFIsTiled(work->tiff);
    const uint32_t blocks = rec_tiff_blocks(work);
    const tmsize_t all = tiled ? TIFFTileSize(work->tiff) : TIFFStripSize(work->tiff);
    rec_owned uint8_t *bytes = NULL;
    if (!work->block_width || !work->block_height || work->block_width > 2 * REC_MAX_SIDE ||
        work->block_height > 2 * REC_MAX_SIDE ||
        all != (tmsize_t)(row_bytes(work) * work->block_height))
        return rec_tiff_bad(work, error);
    REC_TRY(rec_allocate_zeroed(&bytes, work->block_height, row_bytes(work), "a strip or tile",
                                error));
    for (uint32_t n = 0; n < blocks; n++) {
        if (sink && !rec_tiff_do_block(work, n, NULL, NULL, NULL, NULL, sink))
            continue;
        const tmsize_t size = !sink && rec_is_stopped() ? -1 : read_block(work, n, bytes);
        if (size < 0)
            return rec_tiff_bad(work, error);
        rec_tiff_do_block(work, n, bytes, image, alpha, bands, sink);
        if (!sink)
            continue;
        out->changed = 1;
        if (rec_sink_is_stopped(sink))
            return rec_write_failed(sink->name, EINTR, error);
        if (!write_block(work, out, n, bytes, size))
            return rec_tiff_bad_output(out, error);
    }
    return REC_OK;
}

/* ---- where samples are ---- */

/* The bits of a block of the page that mark what is seen at pixels, into the image; or those of
 * touched pixels become 1. Returns whether that changes any. */
static int do_bits(const rec_tiff *work, const rec_area *block, unsigned bits, uint8_t *bytes,
                   const rec_image *valid, const unsigned char *touched)
{
    const size_t row = (block->width * bits + 7) / 8;
    const size_t shown = work->orientation >= 5 ? work->height : work->width;
    int changed = 0;
    for (size_t i = 0; i < block->width * block->height; i++) {
        const size_t column = i % block->width, x = block->x + column;
        const size_t y = block->y + i / block->width;
        uint8_t *at = bytes + i / block->width * row + column * bits / 8;
        const uint8_t mark = bits == 8 ? 255 : (uint8_t)(128 >> column % 8);
        size_t to_x, to_y;
        if (x >= work->width || y >= work->height)
            continue;
        rec_turn(work->orientation, work->width, work->height, x, y, &to_x, &to_y);
        if (!touched)
            rec_image_row(valid, 0, to_y)[to_x] = (*at & mark) != 0;
        else if (touched[to_y * shown + to_x] && (*at & mark) != mark) {
            *at |= mark;
            changed = 1;
        }
    }
    return changed;
}

rec_status rec_tiff_do_mask(rec_tiff *work, rec_image *valid, rec_tiff *out,
                            const unsigned char *touched, rec_error *error)
{
    TIFF *tiff = work->tiff;
    const tdir_t page = TIFFCurrentDirectory(tiff);
    uint32_t width = 0, height = 0, across = 0, down = 0;
    uint16_t bits = 0, samples = 1;
    rec_owned uint8_t *bytes = NULL;
    if (!TIFFSetDirectory(tiff, page + 1) || !rec_tiff_is_beside(work, FILETYPE_MASK) ||
        rec_tiff_is_beside(work, FILETYPE_REDUCEDIMAGE))
        return REC_OK;
    const int tiled = TIFFIsTiled(tiff);
    const tmsize_t size = tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tiff, tiled ? TIFFTAG_TILEWIDTH : TIFFTAG_IMAGEWIDTH, &across);
    TIFFGetFieldDefaulted(tiff, tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &down);
    down = (uint32_t)rec_smaller(down, tiled ? down : height);
    if (width != work->width || height != work->height || (bits != 1 && bits != 8) ||
        samples != 1 || !across || !down || across > 2 * REC_MAX_SIDE || down > 2 * REC_MAX_SIDE ||
        size != (tmsize_t)(((size_t)across * bits + 7) / 8 * down) ||
        (out && !TIFFSetDirectory(out->tiff, page + 1)))
        return REC_OK; /* it is of another kind */
    REC_TRY(rec_allocate(&bytes, 1, (size_t)size, "a strip or tile", error));
    if (!out)
        REC_TRY(work->orientation >= 5 ? rec_image_create(valid, height, width, 1, error)
                                       : rec_image_create(valid, width, height, 1, error));
    const size_t columns = (width + across - 1) / across;
    for (uint32_t n = 0; n < rec_tiff_blocks(work); n++) {
        const uint64_t from = TIFFGetStrileOffset(tiff, n);
        const rec_area block = {n % columns * across, n / columns * down, across, down};
        const tmsize_t there = !from ? 0 : tiled ? TIFFReadEncodedTile(tiff, n, bytes, size)
                                                 : TIFFReadEncodedStrip(tiff, n, bytes, size);
        if (there < 0)
            return rec_tiff_bad(work, error);
        memset(bytes + there, 0, (size_t)(size - there));
        if (do_bits(work, &block, bits, bytes, valid, touched) &&
            (!from || rec_tiff_map_count(work->map, from, TIFFGetStrileByteCount(tiff, n)) == 1) &&
            (tiled ? TIFFWriteEncodedTile(out->tiff, n, bytes, size)
                   : TIFFWriteEncodedStrip(out->tiff, n, bytes, from ? there : size)) < 0)
            return rec_tiff_bad_output(out, error);
    }
    return REC_OK;
}
