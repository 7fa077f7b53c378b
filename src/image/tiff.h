/* What reading and writing TIFF share, for src/image/tiff*.c alone. */
#pragma once

#include <tiffio.h>

#include "image/format.h"

enum {
    MOST_DEFLATED = 3000, /* bytes that one byte of LZW, Deflate or PackBits can stand for */
    NODATA = 42113,       /* the tag of GDAL: a number as text */
    LAYERS = 37724,       /* Photoshop's */
    NO_PAGE = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK,
    MOST_PAGES = 1000     /* that are counted */
};

typedef struct rec_tiff {
    TIFF *tiff; /* NULL: it is not open */
    const char *name;
    FILE *own; /* the file, if it is closed with this; else NULL */
    int file;
    off_t at;
    int number;          /* errno of a failed read or write */
    char complaint[128]; /* libtiff's first */
    int changed;         /* blocks of it are written */

    /* Of a page that is read. */
    uint32_t width, height, block_width, block_height;
    uint16_t samples, photometric, compression, orientation;
    rec_number type;
    size_t planes;
    int separate, inverted; /* planes one after the other; white is 0 */
    int damaged;            /* libtiff complained about its tags */
    int native;             /* or else libtiff makes 8 bits of its pixels */
    int alpha;              /* EXTRASAMPLE_ASSOCALPHA: the colours are multiplied by it; or 0 */
} rec_tiff;

/* ---- the file and its pages: tiff_file.c ---- */

/* Its file is the stream itself if that can be read and written anywhere, or else a temporary one
 * of its own. access: O_RDONLY or O_RDWR. */
rec_status rec_tiff_spool(rec_tiff *work, FILE *stream, int access, rec_error *error);
void rec_tiff_close(rec_tiff *work);
#define rec_owned_tiff REC_OWNED(rec_tiff_close) rec_tiff
/* From the position of one to that of the other; 0 for a failure, or a signal to stop. */
int rec_tiff_copy(FILE *from, FILE *to);

int rec_tiff_open(rec_tiff *work, const char *mode); /* 0: libtiff does not take it */
/* libtiff's own write at the position. */
tmsize_t rec_tiff_write(thandle_t handle, void *bytes, tmsize_t count);
rec_status rec_tiff_bad(const rec_tiff *work, rec_error *error); /* of a file that is read */
rec_status rec_tiff_bad_output(const rec_tiff *work, rec_error *error);

/* Opens the page that the name asks for, and finds out what it holds. */
rec_status rec_tiff_open_page(rec_tiff *work, const char *mode, rec_error *error);
int rec_tiff_is_beside(const rec_tiff *work, uint32_t kinds); /* a smaller copy, or a mask */
/* What a copy with other pixels cannot be made of, or NULL. */
const char *rec_tiff_fixed(const rec_tiff *work);

/* ---- blocks: strips or tiles ---- */

/* From the bytes into an image and its alpha, or from the sink's image into the bytes; returns
 * whether that changes the block, which is all that is done without bytes. */
int rec_tiff_do_block(const rec_tiff *work, uint32_t n, uint8_t *bytes, const rec_image *image,
                      const rec_image *alpha, const rec_sink *sink);
/* All blocks into an image and its alpha (NULL: there is none); with a sink those that it touches
 * into `out`. */
rec_status rec_tiff_do_blocks(rec_tiff *work, const rec_image *image, const rec_image *alpha,
                              rec_tiff *out, const rec_sink *sink, rec_error *error);
