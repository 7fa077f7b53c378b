#include "image/stencil.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"

#define SEPARATORS " \t,;\"\r\n"
#define MOST_WEIGHT 1e30

/* ---- weights of one dimension ---- */

/* C(n, k) = C(n, k - 1) (n - k + 1) / k; 0 outside. */
static double choose(size_t n, ptrdiff_t k)
{
    double product = 1;
    if (k < 0 || k > (ptrdiff_t)n)
        return 0;
    for (ptrdiff_t i = 1; i <= k; i++)
        product = product * (double)((ptrdiff_t)n - i + 1) / (double)i;
    return product;
}

static double gauss(double x, double sigma) { return exp(-x * x / (2 * sigma * sigma)); }

/* ---- the stencils with names ---- */

/* Where a weight is: column x and row y, each from -radius to radius; and the stencil's sigma. */
typedef struct place {
    ptrdiff_t x, y, radius;
    double sigma;
} place;

typedef double weight_at(place at);

static double box(place at) { return 1; }

/* A power of two changes no bit; without it, sums over wide ones leave the range of float32. */
static double binomial(place at)
{
    const size_t n = 2 * (size_t)at.radius;
    return ldexp(choose(n, at.x + at.radius) * choose(n, at.y + at.radius), n > 32 ? -(int)n : 0);
}

static double gaussian(place at)
{
    return gauss((double)at.x, at.sigma) * gauss((double)at.y, at.sigma);
}

static double laplacian_of_gaussian(place at)
{
    const double squares = (double)(at.x * at.x + at.y * at.y), variance = at.sigma * at.sigma;
    const double integral = 2 * 3.14159265358979323846 * variance;
    return (squares - 2 * variance) / (variance * variance) * gaussian(at) / integral;
}

/* Binomial weights along y, and the difference of the next smaller ones along x. */
static double sobel_x(place at)
{
    const size_t n = 2 * (size_t)at.radius;
    const double step = choose(n - 2, at.x + at.radius - 2) - choose(n - 2, at.x + at.radius);
    return step * choose(n, at.y + at.radius);
}

static double sobel_y(place at) { return sobel_x((place){at.y, at.x, at.radius, 0}); }

/* The course counts rows with x and columns with y, both from 0. */
static double course(place at)
{
    return 0.1 * (double)(at.y + at.radius) + 0.2 * (double)(at.x + at.radius);
}

/* What is done with the finished weights. */
typedef enum finish {
    AS_IS,
    MEAN,    /* divided by their sum */
    UNSHARP, /* twice the pixel less the mean */
    NO_MEAN  /* less what they sum to, spread evenly: a flat picture becomes 0 */
} finish;

typedef struct named_stencil {
    rec_stencil_name about;
    weight_at *weight; /* NULL: it is 3 x 3, with these weights at its corners, its sides and its */
    double corner, side, centre; /* centre */
    finish finish;
} named_stencil;

static const named_stencil named[] = {
    {{"laplace", NULL, "the edges of the exercise: 0 1 0 / 1 -4 1 / 0 1 0"}, NULL, 0, 1, -4, AS_IS},
    {{"laplace9", NULL, "1 4 1 / 4 -20 4 / 1 4 1"}, NULL, 1, 4, -20, AS_IS},
    {{"laplace8", NULL, "1 1 1 / 1 -8 1 / 1 1 1"}, NULL, 1, 1, -8, AS_IS},
    {{"sharpen", NULL, "0 -1 0 / -1 5 -1 / 0 -1 0"}, NULL, 0, -1, 5, AS_IS},
    {{"box", NULL, "the mean of a square"}, .weight = box, .finish = MEAN},
    {{"binomial", NULL, "the mean by binomial weights: 1 2 1 / 2 4 2 / 1 2 1"},
     .weight = binomial, .finish = MEAN},
    {{"gaussian", "SIGMA", "the mean by a Gaussian, up to 3 SIGMA away"},
     .weight = gaussian, .finish = MEAN},
    {{"unsharp", "SIGMA", "twice the picture less its Gaussian mean"},
     .weight = gaussian, .finish = UNSHARP},
    {{"log", "SIGMA", "the Laplacian of a Gaussian, with sum 0"},
     .weight = laplacian_of_gaussian, .finish = NO_MEAN},
    {{"sobel-x", NULL, "the slope from left to right: -1 0 1 / -2 0 2 / -1 0 1"},
     .weight = sobel_x},
    {{"sobel-y", NULL, "the slope from top to bottom"}, .weight = sobel_y},
    {{"course", NULL, "0.1 row + 0.2 column, of the course on convolution"}, .weight = course},
};
enum { NAMED = sizeof named / sizeof *named };

const rec_stencil_name *rec_stencil_name_at(size_t index)
{
    return index < NAMED ? &named[index].about : NULL;
}

static rec_status read_sigma(const named_stencil *known, const char *parameter, double *sigma,
                             rec_error *error)
{
    *sigma = 0;
    if (!known->about.parameter)
        return parameter ? rec_fail(error, REC_USAGE, "--stencil %s: takes no parameter",
                                    known->about.name)
                         : REC_OK;
    if (!parameter)
        return rec_fail(error, REC_USAGE, "--stencil %s: needs its sigma, as in %s:1.5",
                        known->about.name, known->about.name);
    char *end;
    *sigma = strtod(parameter, &end);
    if (!strchr("0123456789.", *parameter) || end == parameter || *end || !(*sigma >= 0.1) ||
        !(*sigma <= REC_STENCIL_RADIUS))
        return rec_fail(error, REC_USAGE, "--stencil %s:%s: sigma must be a number from 0.1 to %d",
                        known->about.name, parameter, REC_STENCIL_RADIUS);
    return REC_OK;
}

double rec_stencil_sum(const rec_stencil *stencil)
{
    double sum = 0;
    for (size_t i = 0; i < stencil->width * stencil->height; i++)
        sum += stencil->weights[i];
    return sum;
}

int rec_stencil_loses_mean(const rec_stencil *stencil)
{
    double magnitudes = 0;
    for (size_t i = 0; i < stencil->width * stencil->height; i++)
        magnitudes += fabs(stencil->weights[i]);
    return fabs(rec_stencil_sum(stencil)) <= 0x1p-24 * magnitudes;
}

static rec_status make_named(rec_stencil *stencil, const named_stencil *known,
                             const char *parameter, size_t radius, rec_error *error)
{
    double sigma;
    REC_TRY(read_sigma(known, parameter, &sigma, error));
    if (!known->weight && radius > 1)
        return rec_fail(error, REC_USAGE, "--width %zu: the stencil %s is 3 x 3", radius,
                        known->about.name);
    const double usual = known->about.parameter ? fmin(ceil(3 * sigma), REC_STENCIL_RADIUS) : 1;
    const ptrdiff_t r = radius ? (ptrdiff_t)radius : (ptrdiff_t)usual;
    stencil->width = stencil->height = 2 * (size_t)r + 1;
    stencil->scale = 1;
    stencil->offset = 0;
    double *weight = stencil->weights;
    for (ptrdiff_t y = -r; y <= r; y++)
        for (ptrdiff_t x = -r; x <= r; x++)
            *weight++ = known->weight ? known->weight((place){x, y, r, sigma})
                        : x && y      ? known->corner
                        : x || y      ? known->side
                                      : known->centre;
    const size_t count = stencil->width * stencil->height;
    const double sum = rec_stencil_sum(stencil);
    if (known->finish == MEAN || known->finish == UNSHARP)
        stencil->scale = sum;
    for (size_t i = 0; i < count && known->finish == UNSHARP; i++)
        stencil->weights[i] = (i == count / 2 ? 2 * sum : 0) - stencil->weights[i];
    for (size_t i = 0; i < count && known->finish == NO_MEAN; i++)
        stencil->weights[i] -= sum / (double)count;
    return REC_OK;
}

/* ---- a stencil in a file ----
 *
 * libvips' matrix text: "width height [scale [offset]]" and a line for each row. Unlike libvips,
 * what follows the last weight must be empty: a number too many is a mistake. */

/* Fails for the line that was read last. */
#define DAMAGED(from, error, format, ...)                                                          \
    rec_fail(error, REC_BAD_INPUT, "%s, line %zu: " format, (from)->name, (from)->number,          \
             ##__VA_ARGS__)

/* Its length is 0 at the end of the file. */
static rec_status next_line(rec_lines *from, rec_error *error)
{
    REC_TRY(rec_lines_next(from, error));
    if (from->length && strlen(from->line) != from->length)
        return DAMAGED(from, error, "has a byte 0; a stencil is text");
    return REC_OK;
}

/* The numbers of a line: at least `least` and at most `most`. */
static rec_status read_numbers(const rec_lines *from, size_t least, size_t most, double *numbers,
                               rec_error *error)
{
    size_t count = 0;
    for (const char *at = from->line + strspn(from->line, SEPARATORS); *at;
         at += strspn(at, SEPARATORS), count++) {
        const size_t length = strcspn(at, SEPARATORS);
        char *end;
        if (count == most)
            return DAMAGED(from, error, "more than %zu number%s", most, rec_plural(most));
        numbers[count] = strtod(at, &end);
        if (strspn(at, "0123456789+-.eE") < length || end != at + length ||
            !(fabs(numbers[count]) <= MOST_WEIGHT))
            return DAMAGED(from, error, "'%.*s' is not a number of at most %g",
                           length < 40 ? (int)length : 40, at, MOST_WEIGHT);
        at += length;
    }
    if (count >= least)
        return REC_OK;
    return DAMAGED(from, error, "%zu number%s instead of %zu", count, rec_plural(count), least);
}

rec_status rec_stencil_read(rec_stencil *stencil, const char *path, rec_error *error)
{
    rec_owned_lines lines = {.name = path};
    rec_lines *from = &lines;
    double numbers[4] = {0, 0, 1, 0};
    if (access(path, F_OK) && errno == ENOENT)
        return rec_fail(error, REC_NO_INPUT, "%s: no stencil and no file has that name\v--stencil "
                        "list shows the stencils", path);
    REC_TRY(rec_path_open(&from->stream, path, NULL, error));
    REC_TRY(next_line(from, error));
    if (!from->length)
        return DAMAGED(from, error, "the file is empty");
    REC_TRY(read_numbers(from, 2, 4, numbers, error));
    for (int i = 0; i < 2; i++)
        if (!(numbers[i] >= 1 && numbers[i] <= REC_STENCIL_SIDE) || fmod(numbers[i], 2) != 1)
            return DAMAGED(from, error, "a %s of %g; it must be an odd number up to %d",
                           i ? "height" : "width", numbers[i], REC_STENCIL_SIDE);
    if ((float)numbers[2] == 0)
        return DAMAGED(from, error, "a scale of 0");
    stencil->width = (size_t)numbers[0];
    stencil->height = (size_t)numbers[1];
    stencil->scale = numbers[2];
    stencil->offset = numbers[3];
    for (size_t y = 0; y < stencil->height; y++) {
        REC_TRY(next_line(from, error));
        if (!from->length)
            return DAMAGED(from, error, "the file ends before row %zu of %zu", y + 1,
                           stencil->height);
        REC_TRY(read_numbers(from, stencil->width, stencil->width,
                             stencil->weights + y * stencil->width, error));
    }
    do { /* blank lines may follow */
        REC_TRY(next_line(from, error));
        if (from->length && from->line[strspn(from->line, SEPARATORS)])
            return DAMAGED(from, error, "more rows than the first line says");
    } while (from->length);
    return REC_OK;
}

/* ---- the whole ---- */

rec_status rec_stencil_make(rec_stencil *stencil, const char *text,
                            const rec_stencil_options *options, rec_error *error)
{
    const size_t length = strcspn(text, ":");
    const char *parameter = text[length] ? text + length + 1 : NULL;
    const named_stencil *known = NULL;
    for (size_t i = 0; i < NAMED; i++)
        if (strlen(named[i].about.name) == length && !strncmp(named[i].about.name, text, length))
            known = &named[i];
    if (options->radius > REC_STENCIL_RADIUS)
        return rec_fail(error, REC_USAGE, "--width %zu: must be at most %d", options->radius,
                        REC_STENCIL_RADIUS);
    if (!known && options->radius)
        return rec_fail(error, REC_USAGE,
                        "--width %zu: the stencil of a file has the size of its weights",
                        options->radius);
    REC_TRY(known ? make_named(stencil, known, parameter, options->radius, error)
                  : rec_stencil_read(stencil, text, error));
    const char *slash = known ? NULL : strrchr(text, '/');
    snprintf(stencil->name, sizeof stencil->name, "%s", slash ? slash + 1 : text);
    const size_t count = stencil->width * stencil->height;
    for (size_t i = 0; i < count / 2 && options->flip; i++) {
        const double weight = stencil->weights[i];
        stencil->weights[i] = stencil->weights[count - 1 - i];
        stencil->weights[count - 1 - i] = weight;
    }
    if (!options->normalise)
        return REC_OK;
    stencil->scale = rec_stencil_sum(stencil);
    if (rec_stencil_loses_mean(stencil))
        return rec_fail(error, REC_USAGE,
                        "--normalise: the weights of %s sum to 0; it has no mean to keep",
                        stencil->name);
    return REC_OK;
}
