/* The orientation of a picture, which Exif notes: the samples are in the order of the camera's
 * sensor, and people see them turned. And smaller copies of it. */
#pragma once

#include "image/image.h"

/* Of Exif, a small TIFF file: the number of `bytes` bytes at `at`; 0 beyond the end. */
size_t rec_tiff_number(const unsigned char *data, size_t size, size_t at, int bytes, int big);

/* Of a chunk eXIf of a PNG, or a marker APP1 of a JPEG: 1 to 8; 0: it is no Exif. */
int rec_exif_orientation(const unsigned char *data, size_t size);

/* Of what began in a marker and goes on in the next one of its kind. All zeros before the first. */
typedef struct rec_preview_rest {
    size_t bytes;
    int goes;
} rec_preview_rest;

/* Takes pictures out of a marker of a JPEG, which would go on showing what was changed. *size: of
 * the marker, and what is left of it; 0: nothing. Returns what to call them, or NULL: there are
 * none. jpeg_previews.c */
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

/* The image as it is shown, from what a file has; back: the other way round. REC_LIMIT. */
rec_status rec_image_turn(const rec_image *image, int orientation, int back, rec_image *turned,
                          rec_error *error);
