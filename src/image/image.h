/* Images: planes of float32, how they are read and written, shown in 8 bits and compared.
 * Knows nothing of solvers. Sizes are size_t throughout. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/paths.h"
#include "base/ranks.h"
#include "base/status.h"
#include "kernels/stencil.h"
#include "kernels/tone.h"

#define REC_MAX_SIDE 1000000   /* pixels a side, as libpng has it; beyond, a header is damaged */
#define REC_MAX_MAGNITUDE 1e30 /* of an edge, a start value or the halo: sums stay finite */

/* ---- the image itself: image.c ---- */

typedef struct rec_image {
    size_t width, height; /* pixels; of a part, the rows that this rank has */
    size_t planes;        /* 1 grey, 3 red, green, blue */
    size_t stride;        /* floats from one row to the next; a multiple of 16, at least width */
    float *data;          /* planes * height * stride floats, REC_ALIGNMENT-aligned */
    size_t above, below;  /* of a part: rows of the image that other ranks have; a whole has 0 */
} rec_image;

/* REC_BAD_INPUT for a side of 0 or above REC_MAX_SIDE, REC_LIMIT; the message has no file name. All
 * samples are 0, also between width and stride. After a failure *image is all zeros. */
rec_status rec_image_create(rec_image *image, size_t width, size_t height, size_t planes,
                            rec_error *error);
void rec_image_destroy(rec_image *image);

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

/* A chunk of a PNG that says how its samples are shown, as it is in the file. */
typedef struct rec_chunk {
    char name[5];
    unsigned char bytes[32];
    size_t count;
} rec_chunk;
#define REC_CHUNKS 5

/* What an image has beside its samples, and takes along when it is written. All zeros: nothing. */
typedef struct rec_extras {
    rec_image alpha; /* of one plane, 0 to maxval; no data: opaque */
    unsigned maxval;
    void *profile; /* ICC; NULL: none */
    size_t profile_bytes;
    rec_chunk chunks[REC_CHUNKS];
    size_t chunk_count;
} rec_extras;

void rec_extras_destroy(rec_extras *extras);

/* ---- formats: the table of format.c, and a file each ---- */

struct rec_input;
struct rec_sink;

/* What a format's samples are. */
typedef enum rec_sample {
    REC_TONES_OF_MAXVAL, /* integers in 0..maxval, which a tone makes */
    REC_INTEGERS,        /* of any size */
    REC_FLOATS           /* float32 */
} rec_sample;

typedef struct rec_format {
    const char *name;       /* what --format takes; NULL: it is not written */
    const char *title;      /* in messages: "PGM" */
    const char *about;      /* a sentence for the manual */
    const char *ending;     /* the extension of its files; NULL: none that would be known */
    const char *mime;       /* its media type; NULL: none */
    const char *signatures; /* the first two bytes of files, or several such pairs; '?': any */
    const char *inside;     /* four bytes from the fifth on, of one that is not read; NULL: any */
    rec_sample samples;
    int grey, colour;       /* 1 plane, 3 planes can be written */
    int rows;               /* each has a fixed place in a file: ranks read and write their own */
    int full_range;         /* maxval is 255 or 65535 */
    int lossy;              /* samples change when written */
    int extras;             /* has room for rec_extras */
    int tail;               /* more may follow the image, as cameras have it */
    rec_status (*read)(struct rec_input *input, rec_error *error); /* or NULL: */
    const char *converter;  /* the command that converts such a file */
    rec_status (*write)(const struct rec_sink *sink, rec_error *error); /* or NULL */
} rec_format;

/* Row i of the table, NULL behind the last. */
const rec_format *rec_format_at(size_t i);
/* By its name, upper or lower case; NULL if unknown. */
const rec_format *rec_format_find(const char *name);

/* The format if none is named: PGM, or PPM of 3 planes. */
const rec_format *rec_format_default(size_t planes);

/* The format of an output by its extension, upper or lower case ("-": the default). REC_USAGE for
 * an unknown extension, and for a format that cannot hold `planes` planes; 0: not known yet. */
rec_status rec_format_of_path(const char *path, size_t planes, const rec_format **format,
                              rec_error *error);

/* "pgm, ppm or pam": names, or extensions with their dots, of the formats that can be written with
 * `planes` planes (0: any); or the titles of those that can be read. */
typedef enum rec_format_word { REC_FORMAT_NAMES, REC_FORMAT_ENDINGS, REC_FORMAT_READABLE }
    rec_format_word;
#define REC_FORMAT_LIST 160
const char *rec_format_list(char text[REC_FORMAT_LIST], rec_format_word word, size_t planes);

/* ---- reading: read.c, and a file a format ---- */

/* What the samples of a file mean to the caller. */
typedef enum rec_role {
    REC_EDGES,   /* the zero level is subtracted; plain formats may exceed maxval */
    REC_PICTURE, /* samples as they are; REC_BAD_INPUT outside 0..maxval */
    REC_EITHER,  /* a picture if the format is lossy, which no edges survive; else edges */
    REC_SAMPLES, /* samples as they are, beyond maxval too */
    REC_STATE    /* an iterate, in PFM: any bits */
} rec_role;

/* Asked once an image's header is read, before its memory is taken; may wait, or refuse it. */
typedef struct rec_gate {
    rec_status (*enter)(const struct rec_gate *gate, const rec_image *size, rec_error *error);
} rec_gate;

typedef struct rec_read_options {
    rec_role role;
    int zero_level_given; /* for REC_EDGES: zero_level is subtracted, whatever the format */
    double zero_level;    /* else (maxval + 1) / 2 (integer division) for unsigned samples, and 0
                             for .dat, PFM, and plain files that have a negative sample */
    int shared;           /* every rank gets a part, by way of the first rank if the file can only
                             be read as a whole. Collective */
    const rec_gate *gate; /* NULL: none; not if it is shared */
    rec_extras *extras;   /* gets what is beside the samples; NULL: nothing is kept, and alpha is
                             composed over black. Not if it is shared */
} rec_read_options;

#define REC_WARNING_TEXT 256
typedef struct rec_image_info {
    const rec_format *format;
    unsigned maxval;   /* of the file; 255 for .dat and PFM, which declare none */
    double zero_level; /* as subtracted; 0 for pictures */
    int alpha;         /* the file has transparency: the image is composed over black */
    char warning[REC_WARNING_TEXT]; /* what is odd about the file, in the library's words; or "" */
    rec_file_mark file; /* when it was opened, also if it was refused; zeros: no regular file */
} rec_image_info;

/* Reads one image, recognised by content; path "-" is standard input. Errors name the path, and
 * line and column in text formats. All samples are finite and at most REC_MAX_MAGNITUDE in size.
 * `info` may be NULL. REC_BAD_INPUT also for what follows the image, REC_NO_INPUT, REC_IO. */
rec_status rec_image_read(const char *path, const rec_read_options *options, rec_image *image,
                          rec_image_info *info, rec_error *error);

/* ---- 8- and 16-bit tones: survey.c ---- */

extern const char *const rec_tone_names[REC_TONE_NAMES]; /* "clamp", "stretch", "epcc", "auto" */

/* Minimum and maximum of v over the whole image, for epcc of |v|; clamp does not need them. */
typedef struct rec_tone_range {
    float low, high;
} rec_tone_range;

/* count samples of a row: out[i] in 0..maxval. */
void rec_tone_row(const float *row, size_t count, rec_tone tone, rec_tone_range range,
                  unsigned maxval, uint16_t *out);

/* ---- the whole of an image: survey.c ---- */

typedef struct rec_survey {
    float low, high; /* the smallest and the largest sample */
    float nearest;   /* the smallest magnitude */
    size_t outside;  /* samples that the tone clamp cuts off: they round to below 0, above maxval */
    size_t samples;
} rec_survey;

rec_survey rec_image_survey(const rec_image *image, unsigned maxval);

/* The tone, with auto resolved; and the range that a tone needs. */
rec_tone rec_tone_choose(rec_tone tone, const rec_survey *survey);
rec_tone_range rec_tone_range_of(const rec_survey *survey, rec_tone tone);

/* What is odd about edges: they are a picture, magnitudes without a sign, or not about 0. */
typedef enum rec_doubt {
    REC_DOUBT_NONE,
    REC_DOUBT_PICTURE,
    REC_DOUBT_UNSIGNED,
    REC_DOUBT_LEVEL
} rec_doubt;

/* zero_level: that was subtracted from the file's. Files with negative samples have no doubt. */
rec_doubt rec_edges_doubt(const rec_image *edges, double zero_level);

/* ---- writing: write.c ---- */

/* What writing finds out about an image. */
typedef struct rec_written {
    rec_survey survey;
    size_t clipped; /* samples that were cut off; 0 for other tones, and formats without tones */
} rec_written;

typedef struct rec_write_options {
    const rec_format *format; /* NULL: by the path's extension; "-" is PGM or PPM by planes */
    unsigned maxval;   /* 1..65535, for formats that hold tones */
    rec_tone tone;     /* for the same formats; other formats hold the values themselves */
    int exact;         /* REC_BAD_INPUT for samples that the format cannot hold exactly */
    double offset;     /* the zero level, added to every sample before. Both need the tone clamp */
    const rec_extras *extras; /* NULL: nothing. REC_USAGE for an alpha without room */
    rec_written *written; /* filled in by a pass over the image; NULL: no pass */
    const struct rec_output_guard *guard; /* base/output.h; NULL: none */
    const volatile sig_atomic_t *stop; /* as a run has it: REC_SIGNALLED once it is not 0 */
} rec_write_options;

/* What rec_image_write refuses whatever the samples are (0 planes: not known yet): to be called
 * before the work. */
rec_status rec_write_check(const char *path, size_t planes, const rec_write_options *options,
                           rec_error *error);

/* Writes the image whole or not at all (base/output.h), and examines it before. REC_USAGE,
 * REC_BAD_INPUT (exact), REC_NO_OUTPUT, REC_IO, REC_LIMIT. */
rec_status rec_image_write(const char *path, const rec_image *image,
                           const rec_write_options *options, rec_error *error);

/* rec_image_write to an open stream, for a checkpoint. `name`: for messages. */
rec_status rec_image_write_stream(FILE *stream, const char *name, const rec_image *image,
                                  const rec_write_options *options, rec_error *error);

/* Reads one PFM at the position of an open stream, and nothing behind the image. shared: this
 * rank's part of a regular file; not collective. */
rec_status rec_image_read_pfm_stream(FILE *stream, const char *name, int shared, rec_image *image,
                                     rec_error *error);

/* ---- means, summed in double by row and then over rows: survey.c ---- */

double rec_image_mean(const rec_image *image, size_t plane);

/* With a mirrored or wrapped border a picture's edges sum to 0. REC_BAD_INPUT if a plane's sum is
 * more than rounding can leave: roundings * 2^-24 of the sum of magnitudes. `roundings` of an edge:
 * 1 for rec_laplacian; a filter rounds once for each weight. */
rec_status rec_check_balance(const rec_image *edges, size_t roundings, rec_error *error);

/* Subtracts the mean of each plane. The rounding error of a sample is added to the next sample, so
 * that the sum is 0 to within one rounding. */
void rec_balance(rec_image *edges);

/* ---- comparison: metrics.c ---- */

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
double rec_image_largest(const rec_image *image);

/* a becomes |a - b|. Fills in `beyond` of a difference that rec_image_compare has found. A relative
 * tolerance of 1 allows anything. */
void rec_image_subtract(rec_image *a, const rec_image *b, double relative,
                        rec_difference *difference);

double rec_psnr(double peak, double rms); /* dB; INFINITY for an rms of 0 */
