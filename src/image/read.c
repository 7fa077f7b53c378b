/* Reading: recognises an input by its first two bytes, calls the format's two functions, and does
 * what all formats have in common: too short a file is refused before there is an image, nothing
 * may follow the image, and the zero level of edges is subtracted.
 * Only raster.c seeks, and only in regular files: pipes can be read, too. */
#include "image/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "base/text.h"
#include "base/trace.h"

enum { BUFFER = 1 << 16 }; /* bytes: a small image takes few calls of the system */

/* Skips a byte order mark, which only text may have; returns how many of its bytes there were. */
static size_t skip_mark(const rec_input *input)
{
    const unsigned char mark[] = REC_BYTE_ORDER_MARK;
    size_t there = 0;
    int c = rec_next_byte(input->stream);
    for (; mark[there] && c == mark[there]; there++)
        c = rec_next_byte(input->stream);
    ungetc(c, input->stream);
    return there;
}

/* Finds the format; the stream is at the signature again, for the reader. */
static rec_status recognise(rec_input *input, rec_error *error)
{
    const size_t marked = skip_mark(input);
    const int first = rec_next_byte(input->stream);
    const int second = first == EOF ? EOF : rec_next_byte(input->stream);
    if (ferror(input->stream) || rec_is_stopped())
        return rec_input_ended(input, error, "at once");
    if (first == EOF)
        return rec_fail(error, REC_BAD_INPUT, "%s: is empty", input->name);
    /* Two characters are more than C promises, but glibc and musl take back what was just read. */
    ungetc(second, input->stream);
    ungetc(first, input->stream);
    input->format = rec_format_of_signature(first, second);
    char list[REC_FORMAT_LIST], head[8];
    const int text = input->format && input->format->read == rec_read_text;
    const char *inside = input->format ? input->format->inside : NULL;
    /* One with something inside has no reader: nobody reads the file again. */
    const int other = inside && (fread(head, 1, sizeof head, input->stream) != sizeof head ||
                                 memcmp(head + 4, inside, 4));
    const rec_format *row;
    if (!input->format || other) { /* some are known by their names alone */
        rec_format_of_path(input->name, 0, &row, NULL);
        input->format = row->read ? NULL : row;
    }
    if (!input->format || (marked && !(text && marked == strlen(REC_BYTE_ORDER_MARK))))
        return rec_fail(error, REC_BAD_INPUT, "%s: not an image of a known format: %s",
                        input->name, rec_format_list(list, REC_FORMAT_READABLE, 0));
    if (!input->format->read)
        return rec_fail(error, REC_BAD_INPUT, "%s: %s cannot be read; %s converts it", input->name,
                        input->format->title, input->format->converter);
    if (rec_path_page(input->name) && !input->format->pages)
        return rec_fail(error, REC_BAD_INPUT, "%s: %s has no pages", input->name,
                        input->format->title);
    for (size_t i = 0; (row = rec_format_at(i)); i++)
        if (row->header == input->format->header && row->name)
            input->rows[rec_has_tones(row)] = row;
    return REC_OK;
}

/* Nothing may follow a raw image: more bytes mean that some were misread. */
static rec_status expect_end(const rec_input *input, rec_error *error)
{
    while (input->format->tail && rec_next_byte(input->stream) != EOF)
        ;
    if (rec_next_byte(input->stream) == EOF)
        return ferror(input->stream) || rec_is_stopped() ? rec_input_ended(input, error, "at once")
                                                         : REC_OK;
    if (rec_next_byte(input->stream) == EOF)
        return rec_fail(error, REC_BAD_INPUT, "%s: has one byte more than its image: a header with "
                        "CR LF line ends shifts the samples by one; write the file with LF",
                        input->name);
    return rec_fail(error, REC_BAD_INPUT, "%s: more data follows the image: a second image, or a "
                    "wrong header; a file must hold one image", input->name);
}

/* A failure that names no file. */
static rec_status named(const rec_input *input, rec_status status, rec_error *error)
{
    return status && error ? rec_fail_in(error, input->name) : status;
}

REC_TASK(subtract_rows, size_t *good; const rec_image *image; double zero_level)
{
    for (size_t i = first; i < end; i++) {
        float *row = job->image->data + i * job->image->stride;
        int samples = 1;
        rec_subtract_from_row(row, job->image->width, job->zero_level);
        for (size_t x = 0; x < job->image->width; x++)
            samples &= rec_is_sample(row[x]);
        if (!samples)
            rec_team_lower(job->good, i);
    }
}

static rec_status read_header(rec_input *input, rec_error *error)
{
    const rec_image *size = &input->size;
    if (input->options->extras)
        rec_extras_destroy(input->options->extras);
    errno = 0;
    REC_TRY(input->format->header(input, error));
    /* A header may promise any size; how long a regular file is tells the truth. */
    const off_t whole = (off_t)input->info->file.bytes;
    const off_t at = input->row_bytes && whole ? ftello(input->stream) : -1;
    const size_t rows = at >= 0 && at < whole ? (size_t)(whole - at) / input->row_bytes : 0;
    if (at >= 0 && rows < size->height)
        return rec_fail(error, REC_BAD_INPUT, "%s: ends after %zu of %zu rows of a %zu x %zu image",
                        input->name, rows, size->height, size->width, size->height);
    return named(input, rec_image_check_size(size->width, size->height, size->planes, error),
                 error);
}

/* Where they go, and what they are. */
static rec_status read_samples(rec_input *input, rec_error *error)
{
    const rec_image *size = &input->size;
    if (rec_input_stays(input)) {
        REC_TRY(rec_input_leave(input, error));
        return input->format->read(input, error);
    }
    REC_TRY(named(input, (input->part ? rec_image_create_part : rec_image_create)(
                             input->image, size->width, size->height, size->planes, error), error));
    REC_TRACE("load", size->planes * size->height * size->width * sizeof(float));
    return input->format->read(input, error);
}

static rec_status read_image(rec_input *input, rec_error *error)
{
    rec_extras *extras = input->options->extras;
    const rec_status status = read_samples(input, error);
    if (extras)
        extras->maxval = input->info->maxval;
    REC_TRY(status);
    REC_TRY(expect_end(input, error));
    const double zero_level = rec_zero_level_of(input);
    input->info->format = input->format;
    input->info->zero_level = zero_level;
    input->info->alpha &= !rec_input_alpha(input);
    const rec_image *image = input->image;
    const size_t rows = image->planes * image->height;
    size_t good = rows;
    /* The readers of rows have looked at their samples themselves, and subtracted it from tones. */
    if (zero_level != 0 ? !(input->format->rows && rec_has_tones(input->format))
                        : input->format->samples == REC_FLOATS && !input->format->rows)
        REC_SHARE_ROWS(image->width, rows, subtract_rows, &good, image, zero_level);
    if (good == rows || input->options->unchecked)
        return REC_OK;
    if (zero_level == 0)
        return rec_refuse_sample(input, good % image->height, error);
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: minus its zero level %g, a sample in row y %zu exceeds %g in magnitude",
                    input->name, zero_level, image->above + good % image->height,
                    REC_MAX_MAGNITUDE);
}

static rec_status open_alone(rec_input *input, const char *path, rec_error *error)
{
    input->name = rec_input_name(path);
    REC_TRY(rec_path_open(&input->stream, path, &input->info->file, error));
    input->buffer = input->stream == stdin ? NULL : malloc(BUFFER);
    if (input->buffer)
        setvbuf(input->stream, input->buffer, _IOFBF, BUFFER);
    return recognise(input, error);
}

/* The first rank finds the format and decides whether every rank reads its own rows. */
static rec_status open_shared(rec_input *input, const char *path, rec_error *error)
{
    rec_status status = rec_ranks_own() ? REC_OK : open_alone(input, path, error);
    input->part = !status && !rec_ranks_own() && input->format->rows && input->stream != stdin &&
                  input->info->file.bytes;
    rec_ranks_share(&input->part, sizeof input->part);
    return rec_ranks_own() && input->part ? open_alone(input, path, error) : status;
}

/* Hosts may have different files of one name. */
static rec_status check_alike(const rec_input *input, rec_error *error)
{
    const rec_image *image = input->image;
    const size_t sides[] = {image->width, rec_image_full_height(image), image->planes};
    size_t firsts[3];
    memcpy(firsts, sides, sizeof sides);
    rec_ranks_share(firsts, sizeof firsts);
    return memcmp(firsts, sides, sizeof sides)
               ? rec_fail(error, REC_BAD_INPUT, "%s: is %zu x %zu on rank %zu and %zu x %zu on the "
                          "first; all ranks must see the same file", input->name, sides[0],
                          sides[1], rec_ranks_own(), firsts[0], firsts[1])
               : REC_OK;
}

/* ---- from outside ---- */

rec_status rec_input_open(rec_input **opened, const char *path, const rec_read_options *options,
                          rec_image_info *info, rec_error *error)
{
    *opened = NULL;
    *info = (rec_image_info){.maxval = 255};
    if (options->samples)
        rec_file_samples_close(options->samples);
    if (options->zero_level_given && !(fabs(options->zero_level) <= REC_MAX_MAGNITUDE))
        return rec_fail(error, REC_USAGE, "the zero level %g is above %g in magnitude",
                        options->zero_level, REC_MAX_MAGNITUDE);
    REC_TRY(rec_allocate_zeroed(opened, 1, sizeof **opened, path, error));
    (*opened)->options = options;
    (*opened)->info = info;
    rec_status status = (options->shared ? open_shared : open_alone)(*opened, path, error);
    if (!status && (*opened)->format) /* a rank that has no stream gets its rows from the first */
        status = read_header(*opened, error);
    if (status)
        rec_input_close(opened);
    return status;
}

rec_image rec_input_size(const rec_input *input)
{
    return rec_input_stays(input) && !input->decodes ? (rec_image){0} : input->size;
}

rec_status rec_input_read(rec_input *input, rec_image *image, rec_error *error)
{
    *image = (rec_image){0};
    input->image = image;
    const rec_status status = input->format ? read_image(input, error) : REC_OK;
    if (status)
        rec_image_destroy(image);
    return status;
}

void rec_input_close(rec_input **opened)
{
    rec_input *input = *opened;
    if (!input)
        return;
    if (!input->info->format)
        *input->info = (rec_image_info){.file = input->info->file};
    if (!input->info->format && input->options->samples)
        rec_file_samples_close(input->options->samples);
    if (input->drop)
        input->drop(input->own);
    rec_free(input->own);
    rec_close_at(&input->stream);
    free(input->buffer);
    rec_free(input);
    *opened = NULL;
}

rec_status rec_image_read(const char *path, const rec_read_options *options, rec_image *image,
                          rec_image_info *info, rec_error *error)
{
    rec_image_info unseen;
    rec_owned_input *input = NULL;
    info = info ? info : &unseen;
    *image = (rec_image){0};
    rec_status status = rec_input_open(&input, path, options, info, error);
    REC_THEN(status, rec_input_read(input, image, error));
    if (!options->shared)
        return status;
    status = rec_ranks_agree(status, error);
    if (!status && input->part)
        status = rec_ranks_agree(check_alike(input, error), error);
    else if (!status)
        status = rec_image_scatter(image, error) ? rec_fail_in(error, path) : REC_OK;
    rec_ranks_share(info, sizeof *info);
    info->format = input ? input->format : NULL;
    if (status)
        rec_image_destroy(image);
    return status;
}

rec_status rec_image_read_pfm_stream(FILE *stream, const char *name, int shared, rec_image *image,
                                     rec_error *error)
{
    const rec_read_options options = {.role = REC_STATE};
    rec_image_info info = {0};
    rec_input input = {.stream = stream, .name = name, .format = rec_format_find("pfm"),
                       .options = &options, .info = &info, .part = shared};
    rec_file_id id;
    *image = (rec_image){0};
    rec_file_look(fileno(stream), &id, &info.file);
    rec_status status = read_header(&input, error);
    input.image = image;
    REC_THEN(status, read_samples(&input, error));
    if (status)
        rec_image_destroy(image);
    return status;
}
