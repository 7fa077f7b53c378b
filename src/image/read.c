/* Reading: opens an input, recognises it by its first two bytes, hands it to the format's reader,
 * and does what all formats have in common: nothing may follow the image, and the zero level of an
 * edge image goes. Only raster.c seeks, where it can: a pipe is as good as a file. */
#include "image/image.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/team.h"
#include "base/trace.h"
#include "image/formats.h"

#define ACCEPTED "PGM, PPM, PAM, PFM, plain PGM and PPM, and .dat text"

static const struct signature {
    char letter; /* behind the P */
    rec_format format;
    rec_read_format *read;
} signatures[] = {
    {'2', REC_FORMAT_P2, rec_read_text},    {'3', REC_FORMAT_P3, rec_read_text},
    {'5', REC_FORMAT_PGM, rec_read_pgm}, {'6', REC_FORMAT_PPM, rec_read_netpbm},
    {'7', REC_FORMAT_PAM, rec_read_netpbm}, {'f', REC_FORMAT_PFM, rec_read_pfm},
    {'F', REC_FORMAT_PFM, rec_read_pfm},
};

/* ---- for the readers ---- */

rec_status rec_input_ended(const rec_input *input, rec_error *error, const char *format, ...)
{
    if (ferror(input->stream))
        return rec_fail(error, REC_IO, "%s: cannot be read: %s", input->name,
                        strerror(errno ? errno : EIO));
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return rec_fail(error, REC_BAD_INPUT, "%s: ends %s", input->name, text);
}

rec_status rec_input_start(const rec_input *input, size_t width, size_t height, size_t planes,
                           rec_image *image, rec_error *error)
{
    const rec_status status = rec_image_create(image, width, height, planes, error);
    if (status) {
        rec_fail_in(error, input->name);
        return status;
    }
    rec_trace_push(REC_TRACE_LOAD, planes * height * width * sizeof(float));
    return REC_OK;
}

const char *rec_pixel_text(char text[REC_PIXEL_TEXT], const rec_image *image, size_t plane,
                           size_t x, size_t y)
{
    static const char *const colours[] = {", red", ", green", ", blue"};
    snprintf(text, REC_PIXEL_TEXT, "x %zu, y %zu%s", x, y,
             image->planes == 3 ? colours[plane] : "");
    return text;
}

/* ---- recognition ---- */

/* Finds the reader and leaves the stream at the signature, which every reader reads again. */
static rec_status recognise(rec_input *input, rec_read_format **read, rec_error *error)
{
    const int first = getc(input->stream);
    if (first == EOF)
        return ferror(input->stream)
                   ? rec_input_ended(input, error, "at once")
                   : rec_fail(error, REC_BAD_INPUT, "%s: is empty", input->name);
    const int second = getc(input->stream);
    /* Two characters pushed back are more than C promises, but both glibc and musl take back what
     * was just read, across a refilled buffer too. */
    if ((second != EOF && ungetc(second, input->stream) == EOF) ||
        ungetc(first, input->stream) == EOF)
        return rec_fail(error, REC_FAULT, "%s: its signature cannot be put back", input->name);

    *read = NULL;
    if (isdigit(first) || isspace(first) || first == '-' || first == '+') {
        input->format = REC_FORMAT_DAT;
        *read = rec_read_text;
    }
    for (size_t i = 0; first == 'P' && i < sizeof signatures / sizeof *signatures; i++)
        if (second == signatures[i].letter) {
            input->format = signatures[i].format;
            *read = signatures[i].read;
        }
    if (*read)
        return REC_OK;
    if (first == 'P' && (second == '1' || second == '4'))
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: a bitmap (PBM) has no grey levels: convert it to PGM", input->name);
    return rec_fail(error, REC_BAD_INPUT, "%s: is not an image of a known format: " ACCEPTED,
                    input->name);
}

/* Nothing may follow a raw image: more bytes mean that some were misread. */
static rec_status expect_end(const rec_input *input, rec_error *error)
{
    if (getc(input->stream) == EOF)
        return ferror(input->stream) ? rec_input_ended(input, error, "at once") : REC_OK;
    if (getc(input->stream) == EOF)
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: has one byte more than its image: a header with CR LF line ends "
                        "shifts the samples by one; write the file anew with LF alone",
                        input->name);
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: more data follows the image: a second image, or a wrong header; "
                    "a file must hold one image",
                    input->name);
}

/* ---- zero level ---- */

double rec_zero_level_of(const rec_input *input)
{
    const rec_read_options *options = input->options;
    if (options->role != REC_EDGES)
        return 0;
    if (options->zero_level_given)
        return options->zero_level;
    if (input->format == REC_FORMAT_PFM || input->format == REC_FORMAT_DAT || input->negative)
        return 0;
    return (input->maxval + 1) / 2;
}

/* In double, rounded once. With a level that a float holds the difference of floats has the same
 * bits: rounding to double in between does no harm (Figueroa, SIGNUM Newsletter 30, 1995). */
void rec_subtract_from_row(float *row, size_t width, double zero_level)
{
    const float level = (float)zero_level;
    if ((double)level == zero_level)
        for (size_t x = 0; x < width; x++)
            row[x] -= level;
    else
        for (size_t x = 0; x < width; x++)
            row[x] = (float)((double)row[x] - zero_level);
}

static int are_samples(const float *row, size_t width)
{
    int good = 1;
    for (size_t x = 0; x < width; x++)
        good &= rec_is_sample(row[x]);
    return good;
}

static rec_status subtract(rec_image *image, double zero_level, const char *name,
                           rec_error *error)
{
    const size_t rows = image->planes * image->height;
    size_t good = rows; /* rows, from the first on */
    if (zero_level == 0)
        return REC_OK;
#pragma omp parallel for reduction(min : good) if (rows * image->width > REC_WORTH_A_TEAM)
    for (size_t i = 0; i < rows; i++) {
        float *row = image->data + i * image->stride;
        rec_subtract_from_row(row, image->width, zero_level);
        if (!are_samples(row, image->width) && i < good)
            good = i;
    }
    if (good == rows)
        return REC_OK;
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: less its zero level %g, a sample in row y %zu is above %g in magnitude",
                    name, zero_level, good % image->height, REC_MAX_MAGNITUDE);
}

/* ---- the whole ---- */

static rec_status open_input(rec_input *input, const char *path, rec_error *error)
{
    if (!strcmp(path, "-")) {
        input->name = "standard input";
        input->stream = stdin;
        return REC_OK;
    }
    input->name = path;
    input->stream = fopen(path, "re");
    if (!input->stream)
        return rec_fail(error, REC_NO_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    struct stat about;
    if (!fstat(fileno(input->stream), &about) && S_ISDIR(about.st_mode)) {
        fclose(input->stream);
        return rec_fail(error, REC_NO_INPUT, "%s: is a folder, not an image", path);
    }
    return REC_OK;
}

static rec_status read_input(rec_input *input, rec_image *image, rec_image_info *info,
                             rec_error *error)
{
    rec_read_format *read;
    rec_status status = recognise(input, &read, error);
    if (status)
        return status;
    status = read(input, image, error);
    if (image->data)
        rec_trace_pop();
    if (!status)
        status = expect_end(input, error);
    if (status)
        return status;
    const double zero_level = rec_zero_level_of(input);
    if (info)
        *info = (rec_image_info){input->format, input->maxval, zero_level};
    return input->levelled ? REC_OK : subtract(image, zero_level, input->name, error);
}

rec_status rec_image_read(const char *path, const rec_read_options *options, rec_image *image,
                          rec_image_info *info, rec_error *error)
{
    *image = (rec_image){0};
    if (options->zero_level_given && !(fabs(options->zero_level) <= REC_MAX_MAGNITUDE))
        return rec_fail(error, REC_USAGE, "the zero level %g is above %g in magnitude",
                        options->zero_level, REC_MAX_MAGNITUDE);
    rec_input input = {.options = options, .maxval = 255};
    rec_status status = open_input(&input, path, error);
    if (status)
        return status;
    errno = 0;
    status = read_input(&input, image, info, error);
    if (input.stream != stdin)
        fclose(input.stream);
    if (status)
        rec_image_destroy(image);
    return status;
}
