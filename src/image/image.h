/* Images: planes of float32, how they are read and written, shown in 8 bits and compared.
 * Knows nothing of solvers. Sizes are size_t throughout. */
#ifndef REC_IMAGE_IMAGE_H
#define REC_IMAGE_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

#define REC_MAX_SIDE 1000000   /* pixels a side, as libpng has it; beyond, a header is damaged */
#define REC_MAX_MAGNITUDE 1e30 /* of an edge, a start value or the halo: sums stay finite */

/* ---- the image itself: image.c ---- */

typedef struct rec_image {
    size_t width, height; /* pixels */
    size_t planes;        /* 1 grey, 3 red, green, blue */
    size_t stride;        /* floats from one row to the next; a multiple of 16, at least width */
    float *data;          /* planes * height * stride floats, REC_ALIGNMENT-aligned */
} rec_image;

/* Refuses a size before memory is taken: REC_BAD_INPUT for a side of 0 or above REC_MAX_SIDE,
 * REC_LIMIT for more than fits in memory. The message says the size, not the file. */
rec_status rec_image_check_size(size_t width, size_t height, size_t planes, rec_error *error);

/* Checks the size and takes the memory; the samples between width and stride are 0, the rest is not
 * set. *image is all zeros after a failure, so that destroying it is always right. */
rec_status rec_image_create(rec_image *image, size_t width, size_t height, size_t planes,
                            rec_error *error);
void rec_image_destroy(rec_image *image);

rec_status rec_image_copy(rec_image *copy, const rec_image *image, rec_error *error);
void rec_image_fill(rec_image *image, float value);

static inline float *rec_image_row(const rec_image *image, size_t plane, size_t y)
{
    return image->data + (plane * image->height + y) * image->stride;
}

/* Dimensions and samples, without the padding: the identity of an image in a checkpoint. */
uint64_t rec_image_hash(const rec_image *image);

/* ---- reading: read.c, and a file a format ---- */

typedef enum rec_format {
    REC_FORMAT_NONE,
    REC_FORMAT_PGM, /* P5 */
    REC_FORMAT_PPM, /* P6 */
    REC_FORMAT_PAM, /* P7, depth 1 or 3 */
    REC_FORMAT_PFM, /* Pf, PF: float32 */
    REC_FORMAT_DAT, /* the exercise's text: "width height", then signed integers */
    REC_FORMAT_P2,  /* plain PGM, signed samples allowed; read only */
    REC_FORMAT_P3   /* plain PPM, the same */
} rec_format;

/* What the samples of a file mean to the caller. */
typedef enum rec_role {
    REC_EDGES,   /* the zero level is subtracted; plain formats may exceed maxval */
    REC_PICTURE, /* samples as they are; one outside 0..maxval is REC_BAD_INPUT */
    REC_SAMPLES  /* samples as they are, nothing asked of them but to be finite */
} rec_role;

typedef struct rec_read_options {
    rec_role role;
    int zero_level_given; /* for REC_EDGES: zero_level is subtracted, whatever the format */
    double zero_level;    /* else (maxval + 1) / 2 (integer division) for unsigned samples, and 0
                             for .dat, PFM, and plain files that have a negative sample */
} rec_read_options;

typedef struct rec_image_info {
    rec_format format;
    unsigned maxval;   /* of the file; 255 for .dat and PFM, which declare none */
    double zero_level; /* that was subtracted; 0 for pictures */
} rec_image_info;

/* Reads one image, recognised by content; path "-" is standard input. Errors name the path, and
 * line and column in text formats. All samples are finite and at most REC_MAX_MAGNITUDE in size.
 * `info` may be NULL. REC_NO_INPUT, REC_BAD_INPUT (also anything after the image: a second image,
 * or data shifted by a CRLF header), REC_IO, REC_LIMIT. */
rec_status rec_image_read(const char *path, const rec_read_options *options, rec_image *image,
                          rec_image_info *info, rec_error *error);

/* ---- 8- and 16-bit tones: tone.c ---- */

typedef enum rec_tone {
    REC_TONE_CLAMP,   /* round half away from zero, clamp to 0..maxval */
    REC_TONE_STRETCH, /* min..max of all planes to 0..maxval; a flat image is 0 */
    REC_TONE_EPCC,    /* the exercise's square root of |v|, for maxval 255 alone: see tone.c */
    REC_TONES
} rec_tone;

extern const char *const rec_tone_names[REC_TONES]; /* "clamp", "stretch", "epcc" */

/* What a tone needs to know of the whole image: min and max of v, or of |v| for epcc; clamp needs
 * nothing and takes no pass over the image. */
typedef struct rec_tone_range {
    float low, high;
} rec_tone_range;

rec_tone_range rec_tone_find_range(const rec_image *image, rec_tone tone);

/* count samples of a row: out[i] in 0..maxval. */
void rec_tone_row(const float *row, size_t count, rec_tone tone, rec_tone_range range,
                  unsigned maxval, uint16_t *out);

/* ---- writing: write.c, output.c ---- */

typedef struct rec_write_options {
    rec_format format; /* REC_FORMAT_NONE: by the path's ending; "-" is PGM or PPM by planes */
    unsigned maxval;   /* 1..65535, for PGM, PPM and PAM */
    rec_tone tone;     /* for PGM, PPM and PAM; PFM and .dat have the values themselves */
    int exact;         /* refuse, with REC_BAD_INPUT naming the formats that could, samples that the
                          format does not hold exactly after `offset` is added */
    double offset;     /* added to every sample before rounding (PGM, PPM, PAM): the zero level;
                          like `exact`, with the tone clamp alone (else REC_USAGE) */
} rec_write_options;

/* The format of an output by its name's ending (.pgm .ppm .pam .pfm .dat, any case; "-": PGM, or
 * PPM of 3 planes); REC_USAGE when that is none, or cannot hold that many planes (a .pgm or .dat of
 * colour, a .ppm of grey). planes = 0: not known yet, anything goes. */
rec_status rec_format_of_path(const char *path, size_t planes, rec_format *format,
                              rec_error *error);
/* The format that --format names ("pgm", "ppm", ...), REC_FORMAT_NONE when there is none. */
rec_format rec_format_of_name(const char *name);
const char *rec_format_name(rec_format format); /* "PGM", ... */
const char *rec_format_ending(rec_format format); /* "pgm", ...; NULL for what is only read */

/* Writes the image whole or not at all (see rec_output). The image is examined before the file is
 * touched. REC_USAGE, REC_BAD_INPUT (exact), REC_NO_OUTPUT, REC_IO, REC_LIMIT. */
rec_status rec_image_write(const char *path, const rec_image *image,
                           const rec_write_options *options, rec_error *error);

/* The same to an open stream, without the safety: for a checkpoint's payload. `name` for errors. */
rec_status rec_image_write_stream(FILE *stream, const char *name, const rec_image *image,
                                  const rec_write_options *options, rec_error *error);

/* Reads one PFM from an open stream at its position, and nothing beyond it. */
rec_status rec_image_read_pfm_stream(FILE *stream, const char *name, rec_image *image,
                                     rec_error *error);

/* An output that is whole or absent: a temporary file beside the target, made real by a rename in
 * rec_output_commit. Symlinks are followed; what exists and is no regular file (a device, a pipe)
 * is written to directly; "-" is standard output. An existing file keeps its mode, and an
 * unwritable one is refused. */
typedef struct rec_output rec_output;

/* REC_NO_OUTPUT when the target could not be created; nothing is left behind. Called before the
 * work as well as at its end, so that an hour's iterations are not lost to a mistyped folder. */
rec_status rec_output_check(const char *path, rec_error *error);

rec_status rec_output_open(rec_output **output, const char *path, rec_error *error);
FILE *rec_output_stream(rec_output *output);
/* Flushes, checks, syncs, closes and renames; frees `output` in every case. REC_IO leaves the old
 * file as it was. */
rec_status rec_output_commit(rec_output *output, rec_error *error);
/* Drops what was written; NULL is fine. */
void rec_output_abandon(rec_output *output);

/* ---- the forward operator: laplacian.c ---- */

/* edges = up + down + left + right - 4 * centre, in double, rounded once; the halo is `halo`. The
 * picture is then the fixed point of the reconstruction with the same halo. `edges` is created. */
rec_status rec_laplacian(const rec_image *picture, float halo, rec_image *edges, rec_error *error);
/* The same with a halo that repeats the border: these edges sum to 0, but for their rounding. */
rec_status rec_laplacian_mirror(const rec_image *picture, rec_image *edges, rec_error *error);

/* ---- means, which edges with a mirrored border do not determine: mean.c ---- */

/* The mean of a plane, summed in double by row and then over rows. */
double rec_image_mean(const rec_image *image, size_t plane);

/* REC_BAD_INPUT when a plane's sum exceeds 1e-9 of the sum of its magnitudes: with a mirrored
 * border no picture has such edges. */
rec_status rec_check_balance(const rec_image *edges, rec_error *error);

/* Subtracts its mean from each plane. What a sample loses by its rounding the next one gets, so
 * that the sum is 0 to within one rounding. */
void rec_balance(rec_image *edges);

/* ---- comparison: metrics.c ---- */

typedef struct rec_difference {
    size_t samples;                       /* compared: width * height * planes */
    size_t differing;                     /* samples with any bit different */
    size_t first_x, first_y, first_plane; /* the first of them, by rows within planes */
    double maximum;                       /* of |a - b| */
    double rms;
    double psnr;                          /* dB against `peak`; INFINITY for equal images */
} rec_difference;

/* Sums in double, by row and then over rows. REC_BAD_INPUT when the sizes or planes differ (the
 * message says both). */
rec_status rec_image_compare(const rec_image *a, const rec_image *b, double peak,
                             rec_difference *difference, rec_error *error);

double rec_psnr(double peak, double rms); /* dB; INFINITY for an rms of 0 */

#endif
