/* Images in memory: planes of float32, whole or in parts, their means and how they differ.
 * Knows nothing of solvers. Sizes are size_t throughout. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/ranks.h"
#include "base/status.h"
#include "kernels/stencil.h"

#define REC_MAX_SIDE 1000000   /* pixels a side, as libpng has it; beyond, a header is damaged */
#define REC_MAX_MAGNITUDE 1e30 /* of an edge, a start value or the halo: sums stay finite */

typedef struct rec_area { /* a rectangle of pixels; width 0: empty */
    size_t x, y, width, height;
} rec_area;

/* The smallest rectangle that holds both. */
static inline rec_area rec_area_join(rec_area a, rec_area b)
{
    if (!a.width || !b.width)
        return a.width ? a : b;
    const size_t x = rec_smaller(a.x, b.x), y = rec_smaller(a.y, b.y);
    return (rec_area){x, y, rec_larger(a.x + a.width, b.x + b.width) - x,
                      rec_larger(a.y + a.height, b.y + b.height) - y};
}

/* It and `by` pixels around it, as far as a picture has them. */
static inline rec_area rec_area_grow(rec_area area, size_t by, size_t width, size_t height)
{
    const size_t x = area.x > by ? area.x - by : 0, y = area.y > by ? area.y - by : 0;
    return (rec_area){x, y, rec_smaller(area.x + area.width + by, width) - x,
                      rec_smaller(area.y + area.height + by, height) - y};
}

/* ---- the image itself: image.c ---- */

typedef struct rec_image {
    size_t width, height; /* pixels; of a part, the rows that this rank has */
    size_t planes;        /* 1 grey, 3 red, green, blue */
    size_t stride;        /* floats from one row to the next; a multiple of 16, at least width */
    float *data;          /* planes * height * stride floats, REC_ALIGNMENT-aligned */
    size_t above, below;  /* of a part: rows of the image that other ranks have; a whole has 0 */
} rec_image;

/* REC_BAD_INPUT for a side of 0 or above REC_MAX_SIDE, and planes but 1 and 3; the message has no
 * file name. */
rec_status rec_image_check_size(size_t width, size_t height, size_t planes, rec_error *error);
/* The same, REC_LIMIT. All samples are 0, also between width and stride. After a failure *image is
 * all zeros. */
rec_status rec_image_create(rec_image *image, size_t width, size_t height, size_t planes,
                            rec_error *error);
void rec_image_destroy(rec_image *image);
#define rec_owned_image REC_OWNED(rec_image_destroy) rec_image

rec_status rec_image_copy(rec_image *copy, const rec_image *image, rec_error *error);
/* Strides in floats, from row to row. */
void rec_copy_rows(float *to, size_t to_stride, const float *from, size_t from_stride,
                   size_t width, size_t rows);
void rec_image_fill(rec_image *image, float value);

static inline float *rec_image_row(const rec_image *image, size_t plane, size_t y)
{
    return image->data + (plane * image->height + y) * image->stride;
}

/* Dimensions and samples, without the padding: the identity of an image in a checkpoint. */
uint64_t rec_image_hash(const rec_image *image);

/* ---- parts: every rank has some rows; functions that are given a part are collective ---- */

static inline size_t rec_image_full_height(const rec_image *image)
{
    return image->above + image->height + image->below;
}

static inline int rec_image_is_part(const rec_image *image)
{
    return image->above || image->below;
}

/* The functions of ranks.h, for a part; nothing for a whole image. */
static inline void rec_image_reduce_begin(const rec_image *image, void *sums, size_t bytes)
{
    if (rec_image_is_part(image))
        rec_ranks_reduce_begin(sums, bytes);
}

static inline void rec_image_reduce_end(const rec_image *image, void *sums, size_t bytes)
{
    if (rec_image_is_part(image))
        rec_ranks_reduce_end(sums, bytes);
}

static inline rec_status rec_image_agree(const rec_image *image, rec_status status,
                                         rec_error *error)
{
    return rec_image_is_part(image) ? rec_ranks_agree(status, error) : status;
}

/* REC_USAGE for fewer rows than the ranks need. */
rec_status rec_image_create_part(rec_image *image, size_t width, size_t height, size_t planes,
                                 rec_error *error);

/* The first rank's image becomes each rank's part, or zeros after a failure. */
rec_status rec_image_scatter(rec_image *image, rec_error *error);
/* *whole is created on the first rank, and zeros elsewhere. */
rec_status rec_image_gather(const rec_image *part, rec_image *whole, rec_error *error);

/* ---- means, summed in double by row and then over rows: survey.c ---- */

double rec_image_mean(const rec_image *image, size_t plane);

/* With a mirrored or wrapped border a picture's edges sum to 0. REC_BAD_INPUT if a plane's sum is
 * more than rounding can leave: roundings * 2^-24 of the sum of magnitudes. `roundings` of an edge:
 * 1 for rec_laplacian; a filter rounds once for each weight. */
rec_status rec_check_balance(const rec_image *edges, size_t roundings, rec_error *error);

/* Subtracts the mean of each plane. The rounding error of a sample is added to the next sample, so
 * that the sum is 0 to within one rounding. */
void rec_balance(rec_image *edges);

/* ---- comparison: survey.c ---- */

typedef struct rec_pixel {
    size_t x, y, plane;
} rec_pixel;

typedef struct rec_difference {
    size_t samples;                       /* compared: width * height * planes */
    size_t differing;                     /* samples with any bit different */
    rec_pixel first;                      /* the first differing sample, by rows within planes */
    double maximum;                       /* of |a - b| */
    rec_pixel largest;                    /* where the maximum is; the first such place */
    uint32_t ulps;                        /* the largest distance in floats */
    size_t beyond;                        /* samples with |a - b| > relative * (|a| + |b|) */
    rec_pixel first_beyond;
    double rms;
    double psnr;                          /* dB against `peak`; INFINITY for equal images */
} rec_difference;

/* Sums as means are. REC_BAD_INPUT when the sizes or planes differ. */
rec_status rec_image_compare(const rec_image *a, const rec_image *b, double peak,
                             rec_difference *difference, rec_error *error);

/* The largest magnitude of a sample; NaN and infinity count as infinity. */
double rec_image_largest_in(const rec_image *image, rec_area area);
static inline double rec_image_largest(const rec_image *image)
{
    return rec_image_largest_in(image, (rec_area){0, 0, image->width, image->height});
}

/* a becomes |a - b|. Fills in `beyond` of a difference that rec_image_compare has found. A relative
 * tolerance of 1 allows anything. */
void rec_image_subtract(rec_image *a, const rec_image *b, double relative,
                        rec_difference *difference);

double rec_psnr(double peak, double rms); /* dB; INFINITY for an rms of 0 */
