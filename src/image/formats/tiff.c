/* TIFF and BigTIFF with strips or tiles of integers and floats of 8 to 64 bits, grey or colour,
 * with or without an alpha. What else libtiff makes pixels of (palettes, CMYK, YCbCr, fewer bits)
 * is read with 8 bits. An edited picture becomes a copy of its file in which only the touched
 * strips or tiles are written anew. Left out: what has more samples a pixel. */
#include "image/formats/tiff.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/paths.h"

/* ---- the header that is read ---- */

/* Whether plain blocks have all bytes of their samples, which no other part of the file has. */
static int are_plain(const rec_tiff *work, const rec_tiff_map *map, const rec_samples *lies,
                     uint64_t bytes)
{
    const size_t down = (lies->height + lies->block_height - 1) / lies->block_height;
    const size_t across = (lies->width + lies->block_width - 1) / lies->block_width;
    const size_t planes = lies->apart ? lies->planes : 1;
    int plain = rec_tiff_blocks(work) == across * down * planes;
    for (uint32_t n = 0; plain && n < rec_tiff_blocks(work); n++) {
        const size_t left = lies->height - n / across % down * lies->block_height;
        const size_t all = TIFFIsTiled(work->tiff) ? lies->block_height
                                                   : rec_smaller(left, lies->block_height);
        const uint64_t count = (uint64_t)lies->down * all, at = TIFFGetStrileOffset(work->tiff, n);
        plain = at <= bytes && count <= bytes - at && rec_tiff_map_count(map, at, count) == 1 &&
                TIFFGetStrileByteCount(work->tiff, n) == count;
    }
    return plain;
}

/* Where its samples are, if they are as this processor has them and nothing else has their bytes,
 * nor does a page say which of them are samples. */
static rec_status find_samples(const rec_tiff *work, rec_input *input, rec_error *error)
{
    rec_owned_map map = {0};
    uint64_t *blocks;
    const int big = TIFFIsBigEndian(work->tiff);
    const size_t next = (size_t)TIFFCurrentDirectory(work->tiff) + 1, count = rec_tiff_blocks(work);
    rec_samples lies = rec_rows_of_file(&(rec_number){work->type.kind, work->type.bytes, big},
                                        work->width, work->height,
                                        work->separate ? 1 : work->planes);
    if (!work->native || !work->block_width || !work->block_height || !count || !lies.width ||
        work->compression != COMPRESSION_NONE || work->samples != work->planes ||
        work->orientation > 1 || work->inverted || work->own || rec_tiff_fixed(work))
        return REC_OK;
    lies.planes = work->planes;
    lies.apart = work->separate;
    lies.block_width = work->block_width;
    lies.block_height = work->block_height;
    lies.down = lies.across * (ptrdiff_t)work->block_width;
    REC_TRY(rec_tiff_map_read(&map, work->file, error));
    if (map.unknown || (next < map.folders && map.folder[next].kind & FILETYPE_MASK) ||
        !are_plain(work, &map, &lies, input->info->file.bytes))
        return REC_OK;
    REC_TRY(rec_allocate(&blocks, count, sizeof *blocks, "the blocks of a TIFF", error));
    for (uint32_t n = 0; n < count; n++)
        blocks[n] = TIFFGetStrileOffset(work->tiff, n);
    lies.blocks = input->options->samples->blocks = blocks;
    input->lies = lies;
    return REC_OK;
}

/* The least bytes of a row in the file; 0: unknown. */
static size_t least_row(const rec_tiff *work)
{
    size_t least = work->native && work->orientation < 5
                       ? (size_t)work->width * work->samples * (size_t)work->type.bytes : 0;
    for (uint32_t n = 0; least && n < rec_tiff_blocks(work); n++)
        least = TIFFGetStrileOffset(work->tiff, n) ? least : 0; /* blocks are left out */
    if (work->compression == COMPRESSION_NONE)
        return least;
    return rec_tiff_fixed(work) || work->compression > COMPRESSION_DEFLATE ? 0
                                                                           : least / MOST_DEFLATED;
}

rec_status rec_header_tiff(rec_input *input, rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(&input->own, 1, sizeof(rec_tiff), "libtiff", error));
    rec_tiff *work = input->own;
    char message[1024];
    work->name = input->name;
    input->drop = rec_tiff_close;
    REC_TRY(rec_tiff_spool(work, input->stream, O_RDONLY, error));
    errno = 0;
    if (work->own && !rec_tiff_copy(input->stream, work->own))
        return rec_read_failed(input->name, error);
    REC_TRY(rec_tiff_open_page(work, "r", error));
    if (!work->native && !TIFFRGBAImageOK(work->tiff, message))
        return rec_fail(error, REC_BAD_INPUT, "%s: libtiff: %s", work->name, message);
    rec_input_type(input, &work->type);
    const int columns = work->orientation >= 5;
    input->size = (rec_image){.width = columns ? work->height : work->width,
                              .height = columns ? work->width : work->height,
                              .planes = work->planes};
    input->row_bytes = least_row(work);
    input->info->alpha = work->alpha && input->format->samples != REC_FLOATS;
    if (!input->options->extras && work->band_count > 1)
        return rec_fail(error, REC_BAD_INPUT, "%s: has %u samples a pixel: only heal can read more "
                        "than grey and colour, with or without an alpha", work->name,
                        work->samples);
    return input->options->samples ? find_samples(work, input, error) : REC_OK;
}

/* ---- the samples ---- */

/* Pixels that libtiff makes 8 bits of, over black. */
static rec_status read_converted(rec_tiff *work, const rec_input *input, rec_error *error)
{
    rec_owned uint32_t *pixels = NULL;
    REC_TRY(rec_allocate(&pixels, work->height, work->width * sizeof *pixels,
                         "the pixels of a TIFF", error));
    TIFFSetField(work->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT); /* as they are */
    if (!TIFFReadRGBAImageOriented(work->tiff, work->width, work->height, pixels,
                                   ORIENTATION_TOPLEFT, 1))
        return rec_tiff_bad(work, error);
    for (size_t i = 0; i < (size_t)work->width * work->height; i++)
        pixels[i] = htole32(pixels[i]); /* red comes first */
    work->samples = 4;
    work->separate = 0;
    work->block_width = work->width;
    work->block_height = work->height;
    rec_tiff_do_block(work, 0, (uint8_t *)pixels, input->image, NULL, NULL, NULL);
    return REC_OK;
}

static rec_status read_extras(rec_tiff *work, rec_extras *extras, rec_error *error)
{
    uint32_t bytes = 0;
    void *found = NULL;
    float dots[2] = {0};
    uint16_t unit = 0;
    TIFFGetFieldDefaulted(work->tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (unit > RESUNIT_NONE && TIFFGetField(work->tiff, TIFFTAG_XRESOLUTION, &dots[0]) &&
        TIFFGetField(work->tiff, TIFFTAG_YRESOLUTION, &dots[1])) {
        rec_chunk *chunk = &extras->chunks[extras->chunk_count++];
        *chunk = (rec_chunk){"pHYs", {[8] = 1}, 9}; /* dots a metre */
        for (int i = 0; i < 2; i++)
            rec_put_number(&(rec_number){'u', 4, 1},
                           (double)dots[i] * (unit == RESUNIT_INCH ? 1 / 0.0254 : 100),
                           chunk->bytes + 4 * i);
    }
    extras->has_nodata = work->has_nodata;
    extras->nodata = (double)work->nodata;
    extras->nodata_rest =
        isfinite(extras->nodata) ? (double)(work->nodata - (long double)extras->nodata) : 0;
    extras->inverted = work->inverted ? ldexp(1, 8 * work->type.bytes) - 1 : 0;
    extras->band_alpha = work->band_alpha;
    extras->fixed = rec_tiff_fixed(work);
    if (!TIFFGetField(work->tiff, TIFFTAG_ICCPROFILE, &bytes, &found) || !bytes)
        return REC_OK;
    REC_TRY(rec_allocate(&extras->profile, 1, bytes, "a colour profile", error));
    memcpy(extras->profile, found, bytes);
    extras->profile_bytes = bytes;
    return REC_OK;
}

static void compose(const rec_image *image, const rec_image *alpha, double white)
{
    for (size_t i = 0; i < image->planes * image->height; i++)
        for (size_t x = 0; x < image->width; x++) {
            const double part = (double)rec_image_row(alpha, 0, i % image->height)[x] / white;
            float *sample = image->data + i * image->stride + x;
            *sample = (float)((double)*sample * part);
        }
}

rec_status rec_read_tiff(rec_input *input, rec_error *error)
{
    rec_tiff *work = input->own;
    rec_extras *extras = input->options->extras;
    const size_t width = input->size.width, height = input->size.height;
    rec_owned_image beside = {0}; /* an alpha that nobody keeps */
    if (extras)
        REC_TRY(read_extras(work, extras, error));
    if (extras && (double)work->band_count * (double)width * (double)height * sizeof(float) >
                      (double)rec_memory_available()) /* a small file may claim any number */
        return rec_fail(error, REC_LIMIT, "%s: no memory for its %zu bands", input->name,
                        (size_t)work->band_count);
    if (extras && work->band_count)
        REC_TRY(rec_allocate_zeroed(&extras->bands, work->band_count, sizeof *extras->bands,
                                    "the bands of a picture", error));
    for (; extras && extras->band_count < work->band_count; extras->band_count++)
        REC_TRY(rec_image_create(&extras->bands[extras->band_count], width, height, 1, error));
    rec_image *alpha = extras ? &extras->alpha : &beside;
    if (input->info->alpha && (extras || work->alpha != EXTRASAMPLE_ASSOCALPHA))
        REC_TRY(rec_image_create(alpha, width, height, 1, error));
    if (!rec_input_stays(input))
        REC_TRY(work->native ? rec_tiff_do_blocks(work, input->image, alpha->data ? alpha : NULL,
                                                  extras ? extras->bands : NULL, NULL, NULL, error)
                             : read_converted(work, input, error));
    if (extras)
        extras->associated = alpha->data && work->alpha == EXTRASAMPLE_ASSOCALPHA;
    if (beside.data)
        compose(input->image, &beside, input->info->maxval);
    const int asked = rec_path_page(work->name) > 0;
    const tdir_t first = TIFFCurrentDirectory(work->tiff) + 1;
    if (extras)
        REC_TRY(rec_tiff_do_mask(work, &extras->valid, NULL, NULL, error));
    for (tdir_t page = first;
         !asked && page < MOST_PAGES && TIFFSetDirectory(work->tiff, page); page++)
        input->info->pages += !rec_tiff_is_beside(work, NO_PAGE);
    return !work->own && fseeko(input->stream, 0, SEEK_END) ? rec_read_failed(input->name, error)
                                                            : REC_OK;
}

/* ---- writing ---- */

/* GDAL notes in its files for the cloud whether another program has changed the order of tiles. */
static void note_for_gdal(rec_tiff *out)
{
    static const char before[] = "KNOWN_INCOMPATIBLE_EDITION=NO\n ";
    static const char after[] = "KNOWN_INCOMPATIBLE_EDITION=YES\n";
    char head[512];
    const ssize_t count = pread(out->file, head, sizeof head, 0);
    const char *at = count > 0 ? memmem(head, (size_t)count, before, sizeof before - 1) : NULL;
    out->at = at ? at - head : 0;
    if (at)
        rec_tiff_write(out, (void *)after, sizeof after - 1);
}

static int is_touched(const rec_tiff *work, uint32_t n, const rec_sink *sink)
{
    return rec_tiff_do_block(work, n, NULL, NULL, NULL, sink->options->extras->bands, sink);
}

/* What would still show the old picture goes, and its bytes. *after: what stays. */
static rec_status forget(rec_tiff *out, size_t page, const rec_tiff_map *before,
                         rec_tiff_map *after, rec_written *written, rec_error *error)
{
    rec_owned_map map = {0};
    uint64_t left_out = 0;
    REC_TRY(rec_tiff_map_read(&map, out->file, error));
    if (page < map.folders)
        left_out = rec_tiff_map_leave_out(&map, page);
    note_for_gdal(out);
    REC_TRY(rec_tiff_map_read(after, out->file, error));
    if (!after->unknown && !before->unknown)
        rec_tiff_map_wipe(after, before);
    if (left_out && written)
        snprintf(written->left_out, sizeof written->left_out,
                 "%" PRIu64 " smaller cop%s, layers or thumbnails", left_out,
                 left_out > 1 ? "ies" : "y");
    return map.failed || after->failed || before->failed
               ? rec_write_failed(out->name, errno, error) : REC_OK;
}

rec_status rec_finish_tiff(int file, const char *name, const rec_write_options *options,
                           rec_error *error)
{
    rec_owned_tiff out = {.name = options->origin->path, .file = file};
    rec_owned_map before = {0}, after = {0};
    REC_TRY(rec_tiff_open_page(&out, "r", error));
    out.name = name;
    REC_TRY(rec_tiff_map_read(&before, file, error));
    REC_TRY(forget(&out, TIFFCurrentDirectory(out.tiff), &before, &after, options->written, error));
    return out.number ? rec_tiff_bad_output(&out, error) : REC_OK;
}

static rec_status write_again(rec_tiff *out, FILE *file, const rec_sink *sink, rec_error *error)
{
    rec_owned_tiff work = {.name = rec_sink_origin(sink)->path};
    rec_owned_map before = {0}, after = {0};
    REC_TRY(rec_origin_open(rec_sink_origin(sink), &work.own, error));
    work.file = fileno(work.own);
    REC_TRY(rec_tiff_open_page(&work, "rc", error)); /* c: long strips stay long */
    REC_TRY(rec_tiff_map_read(&before, work.file, error));
    const tdir_t page = TIFFCurrentDirectory(work.tiff);
    work.map = &before;
    errno = 0;
    if (!rec_tiff_copy(work.own, file))
        return rec_write_failed(out->name, errno, error);
    before.file = out->file;
    for (uint32_t n = 0; n < rec_tiff_blocks(&work); n++)
        if (rec_tiff_is_apart(&work, n) && is_touched(&work, n, sink))
            rec_tiff_map_loosen(&before, page, n); /* libtiff finds another place */
    if (!rec_tiff_open(out, "r+c") || !TIFFSetDirectory(out->tiff, page))
        return rec_tiff_bad_output(out, error);
    REC_TRY(rec_tiff_do_blocks(&work, NULL, NULL, sink->options->extras->bands, out, sink, error));
    TIFFFlush(out->tiff);
    if (out->changed)
        REC_TRY(rec_tiff_do_mask(&work, NULL, out, rec_sink_origin(sink)->touched, error));
    TIFFSetDirectory(work.tiff, page);
    TIFFFlush(out->tiff);
    TIFFClose(out->tiff);
    out->tiff = NULL;
    rec_written *written = sink->options->written;
    if (out->changed && !*out->complaint)
        REC_TRY(forget(out, page, &before, &after, written, error));
    for (uint32_t n = 0; written && after.folders && n < rec_tiff_blocks(&work); n++)
        if (is_touched(&work, n, sink) && rec_tiff_is_apart(&work, n))
            written->stays += before.unknown || after.unknown ||
                              rec_tiff_map_count(&after, TIFFGetStrileOffset(work.tiff, n),
                                                 TIFFGetStrileByteCount(work.tiff, n));
    return *out->complaint || out->number ? rec_tiff_bad_output(out, error) : REC_OK;
}

/* Tones compressed without loss, floats as they are. */
static rec_status write_new(rec_tiff *out, const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const rec_extras *extras = sink->options->extras;
    const int floats = sink->format->samples == REC_FLOATS, wide = sink->options->maxval > 255;
    const int alpha = rec_sink_alpha(sink) != NULL;
    const size_t samples = image->width * (image->planes + (size_t)alpha);
    const int deflates = !floats && TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE);
    const int big = image->width * image->height * image->planes >= (size_t)1 << 29;
    rec_owned uint16_t *row = NULL;
    if (!rec_tiff_open(out, big ? "w8" : "w"))
        return rec_tiff_bad_output(out, error);
    TIFF *tiff = out->tiff;
    const uint32_t fields[][2] = {
        {TIFFTAG_IMAGEWIDTH, (uint32_t)image->width},
        {TIFFTAG_IMAGELENGTH, (uint32_t)image->height},
        {TIFFTAG_SAMPLESPERPIXEL, (uint32_t)image->planes + (uint32_t)alpha},
        {TIFFTAG_BITSPERSAMPLE, floats ? 32 : wide ? 16 : 8},
        {TIFFTAG_SAMPLEFORMAT, floats ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT},
        {TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG},
        {TIFFTAG_PHOTOMETRIC, image->planes == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK},
        {TIFFTAG_COMPRESSION, deflates ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE},
        {TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL}}; /* the last one if it deflates */
    for (size_t i = 0; i < (deflates ? 9 : 8); i++)
        TIFFSetField(tiff, fields[i][0], fields[i][1]);
    if (alpha)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &(uint16_t){EXTRASAMPLE_UNASSALPHA});
    if (extras && extras->profile_bytes)
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)extras->profile_bytes, extras->profile);
    for (size_t i = 0; extras && i < extras->chunk_count; i++) {
        const rec_chunk *chunk = &extras->chunks[i];
        if (strcmp(chunk->name, "pHYs") || chunk->bytes[8] != 1)
            continue;
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION,
                     0.0254 * (double)rec_tiff_number(chunk->bytes, 9, 0, 4, 1));
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION,
                     0.0254 * (double)rec_tiff_number(chunk->bytes, 9, 4, 4, 1));
    }
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
    REC_TRY(rec_allocate(&row, image->width * 9, sizeof *row, "a row", error));
    int good = 1;
    for (size_t y = 0; good && y < image->height && !rec_sink_is_stopped(sink); y++) {
        (floats ? rec_pack_floats : rec_pack_samples)(sink, y, row + 2 * samples, row);
        for (size_t i = 0; wide && !floats && i < samples; i++)
            row[i] = be16toh(row[i]); /* libtiff has the host's order */
        good = TIFFWriteScanline(tiff, row, (uint32_t)y, 0) >= 0;
    }
    if (rec_sink_is_stopped(sink))
        return rec_write_failed(sink->name, EINTR, error);
    return good && TIFFFlush(tiff) ? REC_OK : rec_tiff_bad_output(out, error);
}

rec_status rec_write_tiff(const rec_sink *sink, rec_error *error)
{
    rec_owned_tiff out = {.name = sink->name};
    REC_TRY(rec_tiff_spool(&out, sink->stream, O_RDWR, error));
    FILE *file = out.own ? out.own : sink->stream;
    REC_TRY(rec_sink_origin(sink) ? write_again(&out, file, sink, error)
                                  : write_new(&out, sink, error));
    if (out.tiff)
        TIFFClose(out.tiff); /* which may write */
    out.tiff = NULL;
    errno = 0;
    return out.own && (fseeko(file, 0, SEEK_SET) || !rec_tiff_copy(file, sink->stream))
               ? rec_write_failed(sink->name, errno, error)
               : REC_OK;
}
