/* Image files: the table of formats, reading and writing. */
#pragma once

#include <stdio.h>

#include "base/paths.h"
#include "image/samples.h"
#include "image/survey.h"

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
    rec_chunk chunks[REC_CHUNKS + 1]; /* and the orientation */
    size_t chunk_count;
    const char *fixed; /* what no copy of the file can be made with: "a palette"; NULL: nothing */
    int orientation; /* of the samples in the file, by Exif; 0: as people see them, as here */
    double largest; /* of the type of a file's integers; 0: it has floats */
    int has_nodata; /* 1: the file says which sample stands for none: */
    double nodata, nodata_rest; /* the nearest double; the sample less that */
    double inverted;  /* a sample and what the file has for it add up to this; 0: they are equal */
    int associated;   /* colours are multiplied by alpha; rec_image_divide changes that */
    rec_image *bands; /* samples beside the image's, in images of one plane; those that the file
                         calls alpha, of numbers that are no tones, are number band_alpha - 1 */
    size_t band_count, band_alpha;
    rec_image *filled; /* the same, filled; NULL: as they are */
    rec_image valid;  /* of one plane: 0 where the file says that there is no sample */
} rec_extras;

void rec_extras_destroy(rec_extras *extras);
/* Divides colours that are multiplied by alpha, except where that is 0. */
void rec_image_divide(const rec_image *image, const rec_extras *extras);

/* The samples of a file as it has them. */
typedef struct rec_file_samples {
    rec_samples at; /* in the file, whose descriptor is open; width 0: there are none. Or in: */
    void *memory;   /* all bytes of the file, which is small or has column by column; or NULL */
    int decoded;    /* they are the samples alone, and none of a copy of the file */
    uint64_t *blocks; /* at.blocks, or NULL */
    uint64_t bytes; /* of the file */
} rec_file_samples;

/* ---- formats: the table of format.c, and a file each ---- */

typedef struct rec_input rec_input; /* a file that is read */
struct rec_sink;
struct rec_write_options;

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
    unsigned widest;        /* maxval is 255 or this; 0: any */
    int lossy;              /* samples change when written */
    int extras;             /* has room for rec_extras */
    int pages;              /* a file may have several pictures */
    int tail;               /* more may follow the image, as cameras have it */
    rec_status (*header)(rec_input *input, rec_error *error); /* up to the first sample */
    rec_status (*read)(rec_input *input, rec_error *error);   /* the samples. Or both are NULL: */
    const char *converter;  /* the command that converts such a file */
    int (*unpack)(const rec_input *input, size_t y, void *bytes); /* of rec_read_raster */
    /* Of a copy with other samples in that open file: drops what shows the old ones; or NULL. */
    rec_status (*finish)(int file, const char *name, const struct rec_write_options *options,
                         rec_error *error);
    rec_status (*write)(const struct rec_sink *sink, rec_error *error); /* or NULL */
} rec_format;

static inline int rec_has_tones(const rec_format *format)
{
    return format->samples == REC_TONES_OF_MAXVAL;
}

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

typedef struct rec_read_options {
    rec_role role;
    int zero_level_given; /* for REC_EDGES: zero_level is subtracted, whatever the format */
    double zero_level;    /* else (maxval + 1) / 2 (integer division) for unsigned samples, and 0
                             for .dat, PFM, and plain files that have a negative sample */
    int shared;           /* every rank gets a part, by way of the first rank if the file can only
                             be read as a whole. Collective */
    int unchecked;        /* samples may be NaN, infinite or too large: the caller looks at them */
    rec_extras *extras;   /* gets what is beside the samples; NULL: nothing is kept, and alpha is
                             composed over black. Not if it is shared */
    rec_file_samples *samples; /* gets them if the file has them one by one: the image stays empty
                             then, and nothing has looked at them; NULL: never */
} rec_read_options;

#define REC_WARNING_TEXT 256
typedef struct rec_image_info {
    const rec_format *format;
    unsigned maxval;   /* of the file; 255 for .dat and PFM, which declare none */
    double zero_level; /* as subtracted; 0 for pictures */
    int alpha;         /* the file has transparency: the image is composed over black */
    unsigned pages;    /* more pictures in the file, which are not read */
    const char *rounded; /* what it has that float32 rounds: "samples of 64 bits"; or NULL */
    char warning[REC_WARNING_TEXT]; /* what is odd about the file, in the library's words; or "" */
    rec_file_mark file; /* when it was opened, also if it was refused; zeros: no regular file */
} rec_image_info;

/* Reads one image, recognised by content; path "-" is standard input. Errors name the path, and
 * line and column in text formats. All samples are finite and at most REC_MAX_MAGNITUDE in size,
 * unless they are unchecked.
 * `info` may be NULL. REC_BAD_INPUT also for what follows the image, REC_NO_INPUT, REC_IO. */
rec_status rec_image_read(const char *path, const rec_read_options *options, rec_image *image,
                          rec_image_info *info, rec_error *error);

/* The same in steps, for who wants to know the size before there is memory for the image, but not
 * shared. Opens the file and reads its header. Options and info outlive the input; the info tells
 * its file from here on, the rest once it is read. NULL after a failure. */
rec_status rec_input_open(rec_input **opened, const char *path, const rec_read_options *options,
                          rec_image_info *info, rec_error *error);
/* Width, height and planes of the image that reading makes, the others are 0; all are 0 if none is
 * made, since the samples stay in the file. */
rec_image rec_input_size(const rec_input *input);
/* Goes on with the samples, once. */
rec_status rec_input_read(rec_input *input, rec_image *image, rec_error *error);
void rec_input_close(rec_input **input); /* at any time; of NULL fine */
#define rec_owned_input REC_OWNED(rec_input_close) rec_input

void rec_file_samples_close(rec_file_samples *samples); /* all zeros are fine */

/* ---- writing: write.c ---- */

/* What writing finds out about an image. */
typedef struct rec_written {
    rec_survey survey;
    size_t clipped; /* samples that were cut off; 0 for other tones, and formats without tones */
    unsigned quality; /* of a JPEG that is coded anew as a whole; 0: it is none */
    size_t blocks, changed; /* of a JPEG that another one became: all, and those coded anew */
    const char *lost;       /* what says how samples are shown, and had no room; NULL: nothing */
    size_t stays;           /* blocks of the old picture in the file: other parts have them */
    size_t moved;           /* samples that would have become nodata again */
    char left_out[240];     /* what such a file had beside the picture that went on showing it */
} rec_written;

/* The file that an edited picture comes from. */
typedef struct rec_image_origin {
    const char *path;
    const rec_format *format; /* as it was read; NULL: there is none */
    rec_file_mark file;
    const unsigned char *touched; /* [y * width + x]: 1: that pixel is new, all else stays */
    const rec_area *box;          /* the smallest that holds these pixels */
} rec_image_origin;

typedef struct rec_write_options {
    const rec_format *format; /* NULL: by the path's extension; "-" is PGM or PPM by planes */
    unsigned maxval;   /* 1..65535, for formats that hold tones */
    rec_tone tone;     /* for the same formats; other formats hold the values themselves */
    int exact;         /* REC_BAD_INPUT for samples that the format cannot hold exactly */
    double offset;     /* the zero level, added to every sample before. Both need the tone clamp */
    const rec_extras *extras; /* NULL: nothing. REC_USAGE for an alpha without room */
    const rec_image_origin *origin; /* a format that can writes a copy of that file, changed only
                                       where it is touched; NULL: none */
    rec_written *written; /* filled in by a pass over the image; NULL: no pass */
    const rec_area *alone; /* around it no sample is cut off: if none is in it, there is no pass,
                              and no survey; NULL: always a pass */
    const char *if_cut;   /* what to do where at least 95% of the samples would be cut off:
                             REC_BAD_INPUT; NULL: they are. Needs `written` */
    const struct rec_output_guard *guard; /* base/output.h; NULL: none */
    int stops; /* where a signal asks the program to stop: REC_SIGNALLED */
} rec_write_options;

/* Before the work: what rec_image_write refuses whatever the samples are; planes 0: not known. */
rec_status rec_write_check(const char *path, size_t planes, const rec_write_options *options,
                           rec_error *error);

/* Writes the image whole or not at all (base/output.h), and examines it before. REC_USAGE,
 * REC_BAD_INPUT (exact), REC_NO_OUTPUT, REC_IO, REC_LIMIT. */
rec_status rec_image_write(const char *path, const rec_image *image,
                           const rec_write_options *options, rec_error *error);

/* 1: rec_image_write to that path would write what the origin's file has, but for other samples. */
int rec_write_copies(const char *path, size_t planes, const rec_write_options *options);
/* Such a copy of the origin's file, byte by byte, in which `put` has changed samples; whole or not
 * at all. REC_BAD_INPUT if the file has changed since it was read. file_samples.c */
typedef rec_status rec_put_samples(void *user, const rec_samples *copy, rec_error *error);
rec_status rec_write_copy(const char *path, const rec_file_samples *of,
                          const rec_write_options *options, rec_put_samples *put, void *user,
                          rec_error *error);

/* rec_image_write to an open stream, for a checkpoint. `name`: for messages. */
rec_status rec_image_write_stream(FILE *stream, const char *name, const rec_image *image,
                                  const rec_write_options *options, rec_error *error);

/* Reads one PFM at the position of an open stream, and nothing behind the image. shared: this
 * rank's part of a regular file; not collective. */
rec_status rec_image_read_pfm_stream(FILE *stream, const char *name, int shared, rec_image *image,
                                     rec_error *error);
