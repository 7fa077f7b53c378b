/* The only file that calls libpng: PNG of 8 and 16 bits, grey or colour. Palettes and fewer bits
 * are expanded. Alpha is composed over black unless it is kept. Left out on purpose: gamma, since
 * samples are numbers here; what says how they look, colour profiles above all, is only taken
 * along. libpng would check such chunks, and does not know all of them: it hands them out unread.
 *
 * libpng reports a failure by a call of ours that must not return: it jumps. What must survive the
 * jump lives in a struct that the callers own. */
#include "image/format.h"

#include <errno.h>
#include <png.h>
#include <string.h>

#include "base/memory.h"

/* How rows are packed, the fastest way first. Once the rows of a photograph are filtered, the
 * matches that pay are runs; in drawings and gradients there are others, too, and in screens of
 * letters filters hide them. */
enum { FILTERED = 1, MATCHES = 0, RUNS = 3 /* zlib's strategies */ };
static const struct packing {
    int filters, strategy, level;
} packings[] = {{PNG_ALL_FILTERS, RUNS, 6},
                {PNG_ALL_FILTERS, FILTERED, 4},
                {PNG_ALL_FILTERS, FILTERED, 6},
                {PNG_FILTER_NONE, MATCHES, 6}};
enum { BANDS = 8, BAND = 4 /* rows */ }; /* that tell which way to take */
#define LARGER 1.08 /* than the smallest: as much as a faster way may need */

#define MOST_DEFLATED 1100 /* bytes that one byte of a PNG can stand for: 1032, rounded up */

typedef struct codec {
    png_structp png;
    png_infop info;
    const char *name;
    FILE *stream;
    void *rows;           /* of the file: all rows if it is interlaced, else one */
    void *row;            /* writing: behind the tones of one plane */
    size_t y;             /* the row in work */
    rec_input *input;     /* reading */
    int passes;           /* over the rows; several if it is interlaced */
    const rec_sink *sink; /* writing */
    size_t bytes;         /* that were written, or counted if there is no stream */
    char complaint[128];
    int number;           /* errno when it complained */
    rec_error *error;
} codec;

static void on_error(png_structp png, png_const_charp message)
{
    codec *work = png_get_error_ptr(png);
    work->number = errno;
    snprintf(work->complaint, sizeof work->complaint, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {}

/* Fails for what libpng complained of, or for what it has no memory for. */
static rec_status fails(const codec *work)
{
    if (!work->info || strstr(work->complaint, "memory"))
        return rec_fail(work->error, REC_LIMIT, "%s: out of memory for libpng", work->name);
    if (work->sink)
        return rec_write_failed(work->name, work->number, work->error);
    if (feof(work->stream) || ferror(work->stream) || rec_is_stopped())
        return rec_input_cut(work->input, work->y, work->number, work->error);
    return rec_fail(work->error, REC_BAD_INPUT, "%s: libpng: %s", work->name, work->complaint);
}

/* ---- the header that is read ---- */

static void read_bytes(png_structp png, png_bytep bytes, size_t count)
{
    const codec *work = png_get_io_ptr(png);
    if (rec_is_stopped() || fread(bytes, 1, count, work->stream) != count)
        png_error(png, "the file ends");
}

static const png_byte exif[] = "eXIf";
static const char kept[] = "gAMA\0cHRM\0sRGB\0cICP\0pHYs"; /* REC_CHUNKS names */

static rec_status read_header(codec *work)
{
    png_structp png = work->png;
    rec_input *input = work->input;
    if (setjmp(png_jmpbuf(png)))
        return fails(work);
    png_set_read_fn(png, work, read_bytes);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); /* texts may be long */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, exif, 1);
    png_set_chunk_cache_max(png, 2 * REC_CHUNKS); /* of up to 8 MB, whatever they should have */
    if (input->options->extras) {
        png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep)"iCCP", 1);
        png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep)kept,
                                    REC_CHUNKS);
    }
    png_set_user_limits(png, REC_MAX_SIDE, REC_MAX_SIDE);
    png_read_info(png, work->info);
    const size_t stored = png_get_rowbytes(png, work->info); /* before a bit becomes a byte */
    png_set_expand(png);
    input->info->alpha = png_get_color_type(png, work->info) & PNG_COLOR_MASK_ALPHA ||
                         png_get_valid(png, work->info, PNG_INFO_tRNS);
    rec_extras *extras = input->options->extras;
    if (!extras) {
        png_set_gamma(png, 1, 1); /* the samples are composed as they are */
        png_set_background(png, &(png_color_16){0}, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1);
    }
    work->passes = png_set_interlace_handling(png);
    png_read_update_info(png, work->info);
    const size_t channels = png_get_channels(png, work->info);
    input->size = (rec_image){.width = png_get_image_width(png, work->info),
                              .height = png_get_image_height(png, work->info),
                              .planes = channels - (extras && input->info->alpha)};
    input->row_bytes = stored / MOST_DEFLATED;
    input->info->maxval = png_get_bit_depth(png, work->info) == 16 ? 65535 : 255;
    return REC_OK;
}

static void drop(void *own)
{
    codec *work = own;
    png_destroy_read_struct(&work->png, &work->info, NULL);
    rec_free(work->rows);
}

rec_status rec_header_png(rec_input *input, rec_error *error)
{
    REC_TRY(rec_allocate(&input->own, 1, sizeof(codec), "libpng", error));
    codec *work = input->own;
    *work = (codec){.name = input->name, .stream = input->stream, .input = input, .error = error};
    input->drop = drop;
    work->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, work, on_error, on_warning);
    work->info = work->png ? png_create_info_struct(work->png) : NULL;
    return work->info ? read_header(work) : fails(work);
}

/* ---- the samples ---- */

/* What the file has beside its samples. */
static rec_status read_extras(const codec *work, rec_extras *extras)
{
    const rec_image *image = work->input->image;
    png_charp name;
    png_bytep profile;
    png_uint_32 bytes;
    int compression;
    if (work->input->info->alpha)
        REC_TRY(rec_image_create(&extras->alpha, image->width, image->height, 1, work->error));
    if (!png_get_iCCP(work->png, work->info, &name, &compression, &profile, &bytes))
        return REC_OK;
    REC_TRY(rec_allocate(&extras->profile, 1, bytes, "a colour profile", work->error));
    memcpy(extras->profile, profile, bytes);
    extras->profile_bytes = bytes;
    return REC_OK;
}

/* The image as it is shown, from what a file has; back: the other way round. */
static rec_status turn(const rec_image *image, int orientation, int back, rec_image *turned,
                       rec_error *error)
{
    const size_t width = image->width, height = image->height;
    const int across = orientation >= 5;
    REC_TRY(rec_image_create(turned, across ? height : width, across ? width : height,
                             image->planes, error));
    const rec_image *file = back ? turned : image, *shown = back ? image : turned;
    size_t to_x, to_y;
    for (size_t p = 0; p < image->planes; p++)
        for (size_t y = 0; y < file->height; y++)
            for (size_t x = 0; x < file->width; x++) {
                rec_turn(orientation, file->width, file->height, x, y, &to_x, &to_y);
                float *in_file = rec_image_row(file, p, y) + x;
                float *seen = rec_image_row(shown, p, to_y) + to_x;
                *(back ? in_file : seen) = *(back ? seen : in_file);
            }
    return REC_OK;
}

static rec_status turn_in_place(rec_image *image, int orientation, rec_error *error)
{
    rec_image turned;
    REC_TRY(turn(image, orientation, 0, &turned, error));
    rec_image_destroy(image);
    *image = turned;
    return REC_OK;
}

/* Those kept, and the orientation, maybe behind the samples: image and alpha become as seen. */
static rec_status read_chunks(const codec *work, rec_extras *extras)
{
    static const rec_chunk upright = {"eXIf", {"MM\0*\0\0\0\b\0\1\1\x12\0\3\0\0\0\1"}, 26};
    png_unknown_chunkp found;
    const int count = png_get_unknown_chunks(work->png, work->info, &found);
    int orientation = 0;
    for (int i = 0; i < count; i++) {
        rec_chunk *chunk = extras ? &extras->chunks[extras->chunk_count] : NULL;
        if (!memcmp(found[i].name, exif, sizeof exif))
            orientation = rec_exif_orientation(found[i].data, found[i].size);
        if (!chunk || !memcmp(found[i].name, exif, sizeof exif) ||
            found[i].location & PNG_AFTER_IDAT || found[i].size > sizeof chunk->bytes ||
            extras->chunk_count == REC_CHUNKS)
            continue;
        memcpy(chunk->name, found[i].name, sizeof chunk->name);
        memcpy(chunk->bytes, found[i].data, found[i].size);
        chunk->count = found[i].size;
        extras->chunk_count++;
    }
    if (orientation <= 1)
        return REC_OK;
    REC_TRY(turn_in_place(work->input->image, orientation, work->error));
    if (!extras)
        return REC_OK;
    extras->orientation = orientation;
    extras->chunks[extras->chunk_count] = upright;
    extras->chunks[extras->chunk_count++].bytes[19] = (unsigned char)orientation;
    return extras->alpha.data ? turn_in_place(&extras->alpha, orientation, work->error) : REC_OK;
}

rec_status rec_read_png(rec_input *input, rec_error *error)
{
    codec *work = input->own;
    rec_extras *extras = input->options->extras;
    png_structp png = work->png;
    work->error = error;
    if (setjmp(png_jmpbuf(png)))
        return fails(work);
    const size_t height = input->size.height, bytes = png_get_rowbytes(png, work->info);
    const int passes = work->passes;
    if (extras)
        REC_TRY(read_extras(work, extras));
    REC_TRY(
        rec_allocate(&work->rows, passes > 1 ? height : 1, bytes, "rows of a PNG", work->error));
    for (int pass = 1; pass <= passes; pass++)
        for (work->y = 0; work->y < height; work->y++) {
            uint8_t *row = (uint8_t *)work->rows + (passes > 1 ? work->y * bytes : 0);
            png_read_row(png, row, NULL);
            if (pass == passes)
                rec_unpack_samples(input, work->y, row);
        }
    png_read_end(png, work->info);
    return read_chunks(work, extras);
}

/* ---- writing ---- */

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    codec *work = png_get_io_ptr(png);
    work->bytes += count;
    if (work->stream && fwrite(bytes, 1, count, work->stream) != count)
        png_error(png, "Write Error");
}

static void flush(png_structp png) {}

static void write_extras(const codec *work)
{
    const rec_extras *extras = work->sink->options->extras;
    const unsigned char *profile = extras ? extras->profile : NULL;
    const size_t count = extras ? extras->profile_bytes : 0;
    /* What is no profile is left out: newer versions of libpng look only once they write. */
    png_set_benign_errors(work->png, 1);
    if (profile && count >= 132 && png_get_uint_32(profile) == count &&
        (profile[8] <= 3 || count % 4 == 0))
        png_set_iCCP(work->png, work->info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, profile,
                     (png_uint_32)count);
    png_set_keep_unknown_chunks(work->png, PNG_HANDLE_CHUNK_ALWAYS, NULL, 0);
    for (size_t i = 0; extras && i < extras->chunk_count; i++) {
        rec_chunk copy = extras->chunks[i];
        png_unknown_chunk chunk = {
            .data = copy.bytes, .size = copy.count, .location = PNG_HAVE_IHDR};
        memcpy(chunk.name, copy.name, sizeof chunk.name);
        png_set_unknown_chunks(work->png, work->info, &chunk, 1);
    }
}

/* The first rows of each `step`. */
static rec_status write_bands(codec *work, const struct packing *how, size_t step)
{
    const rec_image *image = work->sink->image;
    const size_t rest = rec_smaller(image->height % step, BAND);
    if (setjmp(png_jmpbuf(work->png)))
        return fails(work);
    errno = 0;
    png_set_write_fn(work->png, work, write_bytes, flush);
    png_set_IHDR(work->png, work->info, (png_uint_32)image->width,
                 (png_uint_32)(image->height / step * BAND + rest),
                 work->sink->options->maxval > 255 ? 16 : 8,
                 (image->planes == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY) |
                     (rec_sink_alpha(work->sink) ? PNG_COLOR_MASK_ALPHA : 0),
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(work->png, PNG_FILTER_TYPE_BASE, how->filters);
    png_set_compression_strategy(work->png, how->strategy);
    png_set_compression_level(work->png, how->level);
    if (work->stream)
        write_extras(work);
    png_write_info(work->png, work->info);
    for (work->y = 0; work->y < image->height; work->y++) {
        if (rec_sink_is_stopped(work->sink))
            return rec_write_failed(work->name, EINTR, work->error);
        if (work->y % step >= BAND)
            continue;
        rec_pack_samples(work->sink, work->y, work->rows, work->row);
        png_write_row(work->png, work->row);
    }
    png_write_end(work->png, NULL);
    return REC_OK;
}

static rec_status write_packed(codec *work, const struct packing *how, size_t step)
{
    work->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, work, on_error, on_warning);
    work->info = work->png ? png_create_info_struct(work->png) : NULL;
    const rec_status status = work->info ? write_bands(work, how, step) : fails(work);
    png_destroy_write_struct(&work->png, &work->info);
    return status;
}

/* Some bands are packed in each way: they tell the sizes of the whole within a few percent. */
static rec_status choose(const codec *work, const struct packing **how)
{
    enum { WAYS = sizeof packings / sizeof *packings };
    const size_t step = rec_larger(work->sink->image->height / BANDS, BAND);
    size_t bytes[WAYS], least = SIZE_MAX, i = 0;
    for (size_t way = 0; way < WAYS; way++) {
        codec trial = *work;
        trial.stream = NULL;
        REC_TRY(write_packed(&trial, &packings[way], step));
        bytes[way] = trial.bytes;
        least = rec_smaller(least, trial.bytes);
    }
    while ((double)bytes[i] > LARGER * (double)least)
        i++;
    *how = &packings[i];
    return REC_OK;
}

/* The samples in the order in which the file had them. */
static rec_status write_turned(const rec_sink *sink, rec_error *error)
{
    rec_extras stored = *sink->options->extras;
    rec_owned_image image = {0}, alpha = {0};
    rec_write_options options = *sink->options;
    rec_sink as_stored = *sink;
    REC_TRY(turn(sink->image, stored.orientation, 1, &image, error));
    if (stored.alpha.data)
        REC_TRY(turn(&stored.alpha, stored.orientation, 1, &alpha, error));
    stored.orientation = 0;
    stored.alpha = alpha;
    options.extras = &stored;
    as_stored.image = &image;
    as_stored.options = &options;
    return rec_write_png(&as_stored, error);
}

rec_status rec_write_png(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    if (sink->options->extras && sink->options->extras->orientation > 1)
        return write_turned(sink, error);
    rec_owned uint16_t *rows = NULL;
    const struct packing *how;
    REC_TRY(rec_allocate(&rows, image->width * (2 + image->planes), sizeof *rows, "a row", error));
    codec work = {.name = sink->name, .stream = sink->stream, .rows = rows,
                  .row = rows + image->width, .sink = sink, .error = error};
    REC_TRY(choose(&work, &how));
    return write_packed(&work, how, BAND);
}
