/* Writing: which format, whether it can hold the image, and the exercise's .dat text. Everything is
 * found out before the output is touched. */
#include "image/image.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/team.h"
#include "base/trace.h"
#include "image/formats.h"

static const struct format {
    rec_format format;
    const char *name;  /* the name's ending, and what --format takes; NULL: cannot be written */
    const char *shown; /* in messages */
    int grey, colour;  /* what it can hold */
    rec_write_format *write;
} formats[] = {
    {REC_FORMAT_PGM, "pgm", "PGM", 1, 0, rec_write_pgm},
    {REC_FORMAT_PPM, "ppm", "PPM", 0, 1, rec_write_netpbm},
    {REC_FORMAT_PAM, "pam", "PAM", 1, 1, rec_write_netpbm},
    {REC_FORMAT_PFM, "pfm", "PFM", 1, 1, rec_write_pfm},
    {REC_FORMAT_DAT, "dat", ".dat", 1, 0, rec_write_dat},
    {REC_FORMAT_P2, NULL, "plain PGM", 0, 0, NULL},
    {REC_FORMAT_P3, NULL, "plain PPM", 0, 0, NULL},
};

#define FORMATS (sizeof formats / sizeof *formats)
#define ENDINGS ".pgm, .ppm, .pam, .pfm and .dat"

static const struct format *format_of(rec_format format)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].format == format)
            return formats + i;
    return NULL;
}

/* ---- which format ---- */

rec_format rec_format_of_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].name && !strcasecmp(formats[i].name, name))
            return formats[i].format;
    return REC_FORMAT_NONE;
}

const char *rec_format_name(rec_format format)
{
    const struct format *found = format_of(format);
    return found ? found->shown : "none";
}

const char *rec_format_ending(rec_format format)
{
    const struct format *found = format_of(format);
    return found ? found->name : NULL;
}

static rec_status check_planes(const char *name, rec_format format, size_t planes,
                               rec_error *error)
{
    const struct format *found = format_of(format);
    if (!found || !found->write)
        return rec_fail(error, REC_USAGE, "%s: %s cannot be written: " ENDINGS " can", name,
                        rec_format_name(format));
    if (planes == 3 && !found->colour)
        return rec_fail(error, REC_USAGE,
                        "%s: %s is grey, and the image is in colour: use .ppm, .pam or .pfm", name,
                        found->shown);
    if (planes == 1 && !found->grey)
        return rec_fail(error, REC_USAGE,
                        "%s: %s is in colour, and the image is grey: use .pgm, .pam, .pfm or .dat",
                        name, found->shown);
    return REC_OK;
}

rec_status rec_format_of_path(const char *path, size_t planes, rec_format *format,
                              rec_error *error)
{
    if (!strcmp(path, "-")) {
        *format = planes == 3 ? REC_FORMAT_PPM : REC_FORMAT_PGM;
        return REC_OK;
    }
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    *format = dot ? rec_format_of_name(dot + 1) : REC_FORMAT_NONE;
    if (*format == REC_FORMAT_NONE)
        return rec_fail(error, REC_USAGE,
                        "%s: the name's ending tells no format: " ENDINGS " do, or --format", path);
    return check_planes(path, *format, planes, error);
}

/* ---- whether it can hold the image ---- */

static int is_netpbm(rec_format format)
{
    return format == REC_FORMAT_PGM || format == REC_FORMAT_PPM || format == REC_FORMAT_PAM;
}

static rec_status check_options(const rec_sink *sink, rec_error *error)
{
    const rec_write_options *options = sink->options;
    const rec_status status = check_planes(sink->name, sink->format, sink->image->planes, error);
    if (status || !is_netpbm(sink->format))
        return status;
    if (options->maxval < 1 || options->maxval > 65535)
        return rec_fail(error, REC_USAGE, "%s: maxval %u: it must be 1 to 65535", sink->name,
                        options->maxval);
    if ((unsigned)options->tone >= REC_TONES)
        return rec_fail(error, REC_FAULT, "%s: no tone has number %d", sink->name,
                        (int)options->tone);
    if (options->tone == REC_TONE_EPCC && options->maxval != 255)
        return rec_fail(error, REC_USAGE, "%s: the tone epcc is for maxval 255, not %u",
                        sink->name, options->maxval);
    if (options->tone != REC_TONE_CLAMP && (options->exact || options->offset != 0))
        return rec_fail(error, REC_USAGE,
                        "%s: the tone %s changes the samples: edges need the tone clamp",
                        sink->name, rec_tone_names[options->tone]);
    return REC_OK;
}

/* What a sample may be: an integer within these, or anything. */
typedef struct limits {
    int integer;
    double least, most;
} limits;

static limits limits_of(const rec_sink *sink)
{
    const rec_write_options *options = sink->options;
    if (sink->format == REC_FORMAT_PFM)
        return (limits){0, -INFINITY, INFINITY};
    if (sink->format == REC_FORMAT_DAT)
        return (limits){1, -INFINITY, INFINITY};
    return (limits){1, 0 - options->offset, options->maxval - options->offset};
}

static int holds(const limits *allowed, double offset, float value)
{
    const double shifted = value + offset;
    return value >= allowed->least && value <= allowed->most &&
           (!allowed->integer || shifted == floor(shifted));
}

/* The same of a whole row, for the integers that an int has: a loop that the compiler vectorises. 0
 * where any sample wants a closer look. */
static int holds_small(const limits *allowed, double offset, const float *row, size_t width)
{
    const double least = fmax(allowed->least, -1e9), most = fmin(allowed->most, 1e9);
    if (!(fabs(offset) <= 1e9))
        return 0;
    int good = 1;
    for (size_t x = 0; x < width; x++) {
        const double value = (double)row[x];
        const double inside = value >= least ? (value <= most ? value : most) : least;
        const double shifted = inside + offset;
        good &= (value == inside) & (shifted == (double)(int)shifted);
    }
    return good;
}

/* Where in row i of all planes' the first sample is that it may not be; the width: there is none. */
static size_t first_beyond(const limits *allowed, double offset, const rec_image *image, size_t i)
{
    const float *row = image->data + i * image->stride;
    const size_t width = image->width;
    size_t x = 0;
    if (holds_small(allowed, offset, row, width))
        return width;
    while (x < width && holds(allowed, offset, row[x]))
        x++;
    return x;
}

static rec_status not_exact(const rec_sink *sink, const limits *allowed, size_t plane, size_t x,
                            size_t y, rec_error *error)
{
    char where[REC_PIXEL_TEXT], range[96] = "";
    if (is_netpbm(sink->format))
        snprintf(range, sizeof range, " from %.15g to %.15g", allowed->least, allowed->most);
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: the sample at %s is %.9g, and %s holds integers%s alone: write PFM, "
                    "which holds any value%s",
                    sink->name, rec_pixel_text(where, sink->image, plane, x, y),
                    rec_image_row(sink->image, plane, y)[x], rec_format_name(sink->format), range,
                    *range && sink->image->planes == 1 ? ", or .dat, which holds any integer" : "");
}

static rec_status check_exact(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const limits allowed = limits_of(sink);
    const double offset = is_netpbm(sink->format) ? sink->options->offset : 0;
    const size_t rows = image->planes * image->height, width = image->width;
    size_t good = rows; /* rows, from the first on */
#pragma omp parallel for reduction(min : good) if (rows * width > REC_WORTH_A_TEAM)
    for (size_t i = 0; i < rows; i++)
        if (i < good && first_beyond(&allowed, offset, image, i) < width)
            good = i;
    if (good == rows)
        return REC_OK;
    const size_t x = first_beyond(&allowed, offset, image, good);
    return not_exact(sink, &allowed, good / image->height, x, good % image->height, error);
}

/* Fills in what the format and the tone need; nothing is written yet. */
static rec_status prepare(rec_sink *sink, rec_error *error)
{
    sink->format = sink->options->format;
    if (sink->format == REC_FORMAT_NONE)
        sink->format = sink->image->planes == 3 ? REC_FORMAT_PPM : REC_FORMAT_PGM;
    rec_status status = check_options(sink, error);
    if (!status && sink->options->exact)
        status = check_exact(sink, error);
    if (!status && is_netpbm(sink->format))
        sink->range = rec_tone_find_range(sink->image, sink->options->tone);
    return status;
}

/* ---- the writers' common part ---- */

void rec_sink_row(const rec_sink *sink, size_t plane, size_t y, uint16_t *out)
{
    const rec_write_options *options = sink->options;
    const float *row = rec_image_row(sink->image, plane, y);
    const size_t width = sink->image->width;
    if (options->offset == 0) {
        rec_tone_row(row, width, options->tone, sink->range, options->maxval, out);
        return;
    }
    const double top = options->maxval; /* in double, so that the sums do not round */
    for (size_t x = 0; x < width; x++) {
        const double value = (double)row[x] + options->offset;
        const double clamped = value > 0 ? (value < top ? value : top) : 0;
        out[x] = (uint16_t)(int)(clamped + 0.5);
    }
}

rec_status rec_write_failed(const char *name, int number, rec_error *error)
{
    return rec_fail(error, REC_IO, "%s: cannot be written: %s", name,
                    strerror(number ? number : EIO));
}

/* ---- .dat ---- */

#define DAT_LINE 12 /* integers, as the field's files have them */
#define DAT_DIGITS 40 /* characters at most: 1e30, its sign and what stands around it */

/* Puts an integer, right-aligned to 4 characters, and returns where it ends. Not by printf but for
 * the largest, because that takes most of the time that a file takes. */
static char *put_integer(char *out, double value)
{
    if (fabs(value) >= 1e15)
        return out + snprintf(out, DAT_DIGITS, "%.0f", value);
    char digits[DAT_DIGITS], *const end = digits + sizeof digits, *at = end;
    long long rest = (long long)fabs(value);
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    while (end - at < 4)
        *--at = ' ';
    memcpy(out, at, (size_t)(end - at));
    return out + (end - at);
}

rec_status rec_write_dat(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const size_t samples = image->width * image->height;
    size_t count = 0;
    errno = 0;
    int good = fprintf(sink->stream, "%zu %zu\n", image->width, image->height) > 0;
    for (size_t y = 0; good && y < image->height; y++)
        for (size_t x = 0; good && x < image->width; x++) {
            char text[DAT_DIGITS + 1];
            char *end = put_integer(text, round(rec_image_row(image, 0, y)[x]));
            *end++ = ++count % DAT_LINE == 0 || count == samples ? '\n' : ' ';
            const size_t length = (size_t)(end - text);
            good = fwrite(text, 1, length, sink->stream) == length;
        }
    return good ? REC_OK : rec_write_failed(sink->name, errno, error);
}

/* ---- the whole ---- */

rec_status rec_image_write_stream(FILE *stream, const char *name, const rec_image *image,
                                  const rec_write_options *options, rec_error *error)
{
    rec_sink sink = {.stream = stream, .name = name, .image = image, .options = options};
    const rec_status status = prepare(&sink, error);
    return status ? status : format_of(sink.format)->write(&sink, error);
}

rec_status rec_image_write(const char *path, const rec_image *image,
                           const rec_write_options *options, rec_error *error)
{
    rec_write_options chosen = *options;
    if (chosen.format == REC_FORMAT_NONE) {
        const rec_status status = rec_format_of_path(path, image->planes, &chosen.format, error);
        if (status)
            return status;
    }
    rec_sink sink = {.name = strcmp(path, "-") ? path : "standard output", .image = image,
                     .options = &chosen};
    rec_status status = prepare(&sink, error);
    if (status)
        return status;
    rec_output *output;
    status = rec_output_open(&output, path, error);
    if (status)
        return status;
    sink.stream = rec_output_stream(output);
    rec_trace_push(REC_TRACE_SAVE, image->planes * image->height * image->width * sizeof(float));
    status = format_of(sink.format)->write(&sink, error);
    if (status)
        rec_output_abandon(output);
    else
        status = rec_output_commit(output, error);
    rec_trace_pop();
    return status;
}
