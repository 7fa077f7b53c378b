/* What reading and writing TIFF share, for src/image/formats/tiff*.c alone. */
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
    struct rec_tiff_map *map; /* of a file whose copy is written */

    /* Of a page that is read. */
    uint32_t width, height, block_width, block_height;
    uint16_t samples, photometric, compression, orientation;
    rec_number type;
    size_t planes;
    int separate, inverted; /* planes one after the other; white is 0 */
    int damaged;            /* libtiff complained about its tags */
    int native;             /* or else libtiff makes 8 bits of its pixels */
    int alpha;              /* EXTRASAMPLE_ASSOCALPHA: the colours are multiplied by it; or 0 */
    size_t alpha_at, band_count, band_alpha; /* samples of a pixel; as in the extras */
    int has_nodata;
    long double nodata;
} rec_tiff;

/* ---- the file and its pages: tiff_file.c ---- */

/* Its file is the stream itself if that can be read and written anywhere, or else a temporary one
 * of its own. access: O_RDONLY or O_RDWR. */
rec_status rec_tiff_spool(rec_tiff *work, FILE *stream, int access, rec_error *error);
void rec_tiff_close(void *work); /* a rec_tiff */
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

/* ---- blocks, strips or tiles: tiff_blocks.c ---- */

/* From the bytes into an image, its alpha and its bands (NULL: none), or from the sink's into the
 * bytes; returns whether that changes the block, which is all that is done without bytes. */
int rec_tiff_do_block(const rec_tiff *work, uint32_t n, uint8_t *bytes, const rec_image *image,
                      const rec_image *alpha, const rec_image *bands, const rec_sink *sink);
/* All blocks into an image; with a sink those that it touches into `out`. */
rec_status rec_tiff_do_blocks(rec_tiff *work, const rec_image *image, const rec_image *alpha,
                              const rec_image *bands, rec_tiff *out, const rec_sink *sink,
                              rec_error *error);
/* A block that is touched is written elsewhere, since others have its bytes, or it has none. */
int rec_tiff_is_apart(const rec_tiff *work, uint32_t n);
uint32_t rec_tiff_blocks(const rec_tiff *work);

/* Of GDAL's page behind the current one, if there is one: reads it into an image, which it creates
 * of 0 and 1, or marks touched pixels as samples in `out`. The current page is another one then. */
rec_status rec_tiff_do_mask(rec_tiff *work, rec_image *valid, rec_tiff *out,
                            const unsigned char *touched, rec_error *error);

/* ---- which bytes belong to what: tiff_map.c ---- */

typedef struct rec_tiff_list { /* numbers of a tag */
    uint64_t place, count;
    size_t width; /* bytes */
} rec_tiff_list;

typedef struct rec_tiff_folder { /* a page */
    uint64_t link, at, tags; /* where its place is told; its place; how many it has */
    uint64_t kind;           /* FILETYPE_ */
    rec_tiff_list offsets, counts; /* of its blocks */
} rec_tiff_folder;

typedef struct rec_tiff_map {
    int file, big;
    size_t word, half;   /* bytes of its numbers: 4 and 2, or of BigTIFF 8 and 8 */
    uint64_t *from, *to; /* of all parts, each sorted by itself */
    size_t count, capacity;
    rec_tiff_folder *folder; /* of the pages */
    size_t folders;
    int unknown;         /* 1: it has folders that cannot be read */
    int failed;          /* 1: a write failed */
    size_t seen;         /* folders */
    uint64_t cached;     /* bytes of the file from there on: */
    size_t held;
    uint8_t cache[4096];
} rec_tiff_map;

/* REC_LIMIT. */
rec_status rec_tiff_map_read(rec_tiff_map *map, int file, rec_error *error);
void rec_tiff_map_free(rec_tiff_map *map);
#define rec_owned_map REC_OWNED(rec_tiff_map_free) rec_tiff_map
/* Of how many parts there are some of these bytes. */
size_t rec_tiff_map_count(const rec_tiff_map *map, uint64_t from, uint64_t bytes);
/* The file forgets where that block of the page is. */
void rec_tiff_map_loosen(rec_tiff_map *map, size_t page, uint32_t block);
/* What would still show the page as it was, and its statistics: smaller copies, in folders of their
 * own or in the pages around it, and tags with a picture in them. Returns how many. The map is then
 * to be read again. */
uint64_t rec_tiff_map_leave_out(rec_tiff_map *map, size_t page);
/* Bytes become 0 that were parts of the old file, and of this one no longer are. */
void rec_tiff_map_wipe(rec_tiff_map *map, const rec_tiff_map *old);
