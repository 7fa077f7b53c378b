/* What the formats share, for src/image/ alone. read.c and write.c use the table (format.c); the
 * table uses a file for each format; these files use input.c, numbers.c and raster.c. */
#pragma once

#include "base/output.h"
#include "image/image_files.h"

/* ---- the table: format.c ---- */

/* By the first two bytes; `second` may be EOF. NULL if unknown. */
const rec_format *rec_format_of_signature(int first, int second);

/* REC_USAGE if the format cannot be written, or not with `planes` planes (0: any). */
rec_status rec_format_check_planes(const char *name, const rec_format *format, size_t planes,
                                   rec_error *error);

/* ---- reading: input.c ---- */

/* One input on its way into an image. */
struct rec_input {
    FILE *stream;
    char *buffer;      /* of the stream; NULL: its own */
    const char *name;  /* for messages */
    const rec_format *format; /* as recognised */
    const rec_format *rows[2]; /* of its reader: with floats, with tones */
    const rec_read_options *options;
    rec_image_info *info; /* the caller's; its format is set at last */
    int part;          /* this rank's rows are read, of a regular file */

    /* What its header sets, with maxval and alpha of the info (there is an alpha, which without
     * extras is composed over black): */
    rec_image size;    /* without data */
    size_t row_bytes;  /* of the file, at least; 0: unknown. Too short a file is refused */
    rec_samples lies;  /* how the samples lie in the file, `offset` bytes behind the header; width
                          0: in another way */
    int decodes;       /* or how the reader puts them into memory */
    void *own;         /* what the format remembers, or NULL; freed with the input, after drop */
    void (*drop)(void *own); /* closes what it holds; or NULL */

    rec_image *image;  /* NULL until its samples are read */
    int negative;      /* text formats: at least one sample was below 0 */
};

/* Each format has two. A header begins at the signature, and leaves the stream anywhere. A reader
 * goes on from there; it stores the samples, as they are in the file, in the image, whose memory is
 * there, and leaves the stream behind the last one. */
typedef rec_status rec_read_format(rec_input *input, rec_error *error);
rec_read_format rec_header_netpbm, rec_header_text, rec_header_pfm, rec_header_npy, rec_header_png,
    rec_header_jpeg, rec_header_tiff;
rec_read_format rec_read_raster, rec_read_text, rec_read_npy, rec_read_png, rec_read_jpeg,
    rec_read_tiff;

/* 1: the caller wants the samples as the file has them, and its header says how they lie: they do
 * not go into the image. */
static inline int rec_input_stays(const rec_input *input)
{
    return input->options->samples && input->lies.width && input->info->file.bytes;
}
/* Takes memory for such samples, if they are decoded; else they stay in the file, and the stream,
 * which is at the first of them, goes behind the last one: file_samples.c. REC_LIMIT, REC_IO. */
rec_status rec_input_leave(rec_input *input, rec_error *error);

/* The stream ended: REC_IO for a failed read, else REC_BAD_INPUT; the text continues "ends ". */
rec_status rec_input_ended(const rec_input *input, rec_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* rec_input_ended within the header or after `rows` rows; `number`: the errno of the read. */
rec_status rec_input_cut(const rec_input *input, size_t rows, int number, rec_error *error);

/* Where an alpha goes, or NULL. */
static inline const rec_image *rec_input_alpha(const rec_input *input)
{
    const rec_extras *extras = input->options->extras;
    return extras && extras->alpha.data ? &extras->alpha : NULL;
}

/* REC_BAD_INPUT for the first sample of row y that is beyond the format's range: there is one. */
rec_status rec_refuse_sample(const rec_input *input, size_t y, rec_error *error);

/* 1 for a value that an image may hold: finite, and at most REC_MAX_MAGNITUDE. */
static inline int rec_is_sample(float value)
{
    return value >= -(float)REC_MAX_MAGNITUDE && value <= (float)REC_MAX_MAGNITUDE;
}

/* The zero level, and its subtraction from a row, rounded once: maybe too large for a sample. */
double rec_zero_level_of(const rec_input *input);
void rec_subtract_from_row(float *row, size_t width, double zero_level);

/* "x 3, y 5" or "x 3, y 5, green", counted from 0 at the top left. */
#define REC_PIXEL_TEXT 80
const char *rec_pixel_text(char text[REC_PIXEL_TEXT], const rec_image *image, size_t plane,
                           size_t x, size_t y);

/* The next word of a header, after white space and comments. *behind: the one white space character
 * after the word; after the last word the samples follow. Unprintable characters become '?'. */
#define REC_HEADER_WORD 32
rec_status rec_read_header_word(const rec_input *input, char word[REC_HEADER_WORD], int *behind,
                                rec_error *error);
/* Reads a header word that must be a whole number from 1 to `most`. */
rec_status rec_read_header_number(const rec_input *input, const char *what, size_t most,
                                  size_t *number, rec_error *error);

/* ---- samples of any type, line by line: numbers.c ---- */

typedef struct rec_number {
    char kind;   /* u, i, f: unsigned, signed, floating point */
    int bytes;   /* 1, 2, 4 or 8; floats have at least 2 */
    int big;     /* its byte order */
} rec_number;

/* Pixels of an image, from (x, y) on, to the right or down by 1 or -1 each. */
typedef struct rec_line {
    size_t x, y, count;
    ptrdiff_t right, down;
} rec_line;

/* Rows of a file, pixel by pixel. */
rec_samples rec_rows_of_file(const rec_number *type, size_t width, size_t height, size_t planes);

/* Says what the file's samples are: its format becomes the row with tones, for up to 16 bits
 * without sign, or the one with floats. Sets maxval and `rounded`. */
void rec_input_type(rec_input *input, const rec_number *type);

/* Integers are rounded, and cut off. */
void rec_put_number(const rec_number *type, double value, uint8_t *at);

/* The line's samples of that plane, from numbers with `step` bytes from one to the next. */
void rec_unpack_line(const rec_image *image, size_t plane, const rec_line *line,
                     const rec_number *type, const uint8_t *bytes, size_t step);

/* Puts big-endian samples, pixel by pixel, into row y, and an alpha behind each pixel into the
 * extras that have one; returns the largest sample. */
unsigned rec_unpack_samples(const rec_input *input, size_t y, const uint8_t *bytes);

/* ---- rows of binary samples: raster.c ---- */

/* Puts a row of the file into row y of the image; 0 if a sample is out of range. May change the
 * bytes (aligned for floats if row_bytes is a multiple of 4). Any thread may call it.
 *
 * By it rec_read_raster reads all rows, `row_bytes` each, unless they stay in the file; where
 * lies.down is below 0 the file begins with the last row. */
typedef int rec_unpack_row(const rec_input *input, size_t y, void *bytes);
rec_unpack_row rec_unpack_netpbm, rec_unpack_pfm;

/* ---- writing ---- */

/* An image that is being written; its options have been checked. */
typedef struct rec_sink {
    FILE *stream;
    const char *name; /* for messages */
    const rec_image *image;
    const rec_write_options *options;
    const rec_format *format;
    rec_tone tone;    /* the options', auto resolved */
    rec_tone_range range;
    int is_band; /* the image is a band of the extras */
} rec_sink;

/* The alpha that the file gets, or NULL. */
static inline const rec_image *rec_sink_alpha(const rec_sink *sink)
{
    const rec_extras *extras = sink->options->extras;
    return extras && extras->alpha.data && sink->format->extras ? &extras->alpha : NULL;
}

static inline int rec_sink_is_stopped(const rec_sink *sink)
{
    return sink->options->stops && rec_is_stopped();
}

/* The file of which the output is a copy; NULL: there is none, or it has another format. */
const rec_image_origin *rec_sink_origin(const rec_sink *sink);
/* REC_BAD_INPUT if it has changed since it was read. */
rec_status rec_origin_open(const rec_image_origin *origin, FILE **stream, rec_error *error);
/* The numbers of touched pixels become the image's samples, rounded and cut off, but for those with
 * an alpha of 0 and those that are such floats already; returns whether there are such pixels,
 * which is all that is done without bytes. */
int rec_patch_line(const rec_sink *sink, size_t plane, const rec_line *line,
                   const rec_number *type, uint8_t *bytes, size_t step);

typedef rec_status rec_write_format(const rec_sink *sink, rec_error *error);
rec_write_format rec_write_netpbm, rec_write_text, rec_write_pfm, rec_write_npy, rec_write_png,
    rec_write_jpeg, rec_write_tiff;

rec_status rec_finish_tiff(int file, const char *name, const rec_write_options *options,
                           rec_error *error);

/* Makes row i of the file; `tones` has room for a row. Any thread may call it. */
typedef void rec_pack_row(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes);
rec_pack_row rec_pack_samples; /* big-endian, pixel by pixel, an alpha behind them: numbers.c */
rec_pack_row rec_pack_floats;  /* of the host; of PFM the bottom row first: pfm.c */

/* Writes all rows: raster.c. upwards: the bottom row first. */
rec_status rec_write_raster(const rec_sink *sink, size_t row_bytes, int upwards,
                            rec_pack_row *pack, rec_error *error);

/* One row in 0..maxval by the options' offset and tone: numbers.c. */
void rec_sink_row(const rec_sink *sink, size_t plane, size_t y, uint16_t *out);

/* ---- Exif: how a picture is turned, whose samples are in the order of the camera's sensor, and
 * smaller copies of it: exif.c ---- */

/* Of Exif, a small TIFF file: the number of `bytes` bytes at `at`; 0 beyond the end. */
size_t rec_tiff_number(const unsigned char *data, size_t size, size_t at, int bytes, int big);

/* The first picture in a file's notes, and how long it is for who asks; NULL: there is none. */
unsigned char *rec_find_picture(unsigned char *data, size_t size, size_t *length);
/* Of XMP: blanks for pictures in base 64, and for the properties that tell of a film or a gain map
 * behind the picture: name="..." or <name ...>...</name>. 1: there are some. */
int rec_xmp_wipe(char *text, size_t size);

/* Of a chunk eXIf of a PNG, or a marker APP1 of a JPEG: 1 to 8; 0: it is no Exif. */
int rec_exif_orientation(const unsigned char *data, size_t size);

/* Of what began in a marker and goes on in the next one of its kind. All zeros before the first. */
typedef struct rec_preview_rest {
    size_t bytes;
    int goes;   /* Photoshop's */
    int marker; /* of an unknown kind, that went */
} rec_preview_rest;

/* Takes pictures out of a marker of a JPEG, which would go on showing what was changed. *size: of
 * the marker, and what is left of it; 0: nothing. Returns what to call them; NULL: none. */
const char *rec_previews_drop(int marker, unsigned char *data, size_t *size,
                              rec_preview_rest *rest);

/* Where pixel (x, y) of a file of that size is shown. */
static inline void rec_turn(int orientation, size_t width, size_t height, size_t x, size_t y,
                            size_t *shown_x, size_t *shown_y)
{
    const int turned = orientation >= 5;
    const int columns_back = turned ? orientation >= 7 : orientation == 2 || orientation == 3;
    const int rows_back = turned ? orientation == 6 || orientation == 7
                                 : orientation == 3 || orientation == 4;
    const size_t across = columns_back ? width - 1 - x : x, down = rows_back ? height - 1 - y : y;
    *shown_x = turned ? down : across;
    *shown_y = turned ? across : down;
}
