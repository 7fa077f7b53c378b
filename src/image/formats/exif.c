#include "image/format.h"

#include <string.h>

enum { ENTRY = 12, TAG = 0x112, SHORT = 3 };

size_t rec_tiff_number(const unsigned char *data, size_t size, size_t at, int bytes, int big)
{
    size_t number = 0;
    if (at > size || size - at < (size_t)bytes)
        return 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | data[at + (size_t)(big ? i : bytes - 1 - i)];
    return number;
}

/* The tag of the first directory. */
int rec_exif_orientation(const unsigned char *data, size_t size)
{
    static const char name[] = "Exif\0"; /* before it in a JPEG */
    const size_t before = size > sizeof name && !memcmp(data, name, sizeof name) ? sizeof name : 0;
    const unsigned char *tiff = data + before;
    size -= before;
    if (size < 8 || (memcmp(tiff, "II*", 4) && memcmp(tiff, "MM\0*", 4)))
        return 0;
    const int big = tiff[0] == 'M';
    const size_t directory = rec_tiff_number(tiff, size, 4, 4, big);
    const size_t entries = rec_tiff_number(tiff, size, directory, 2, big);
    for (size_t i = 0; i < entries; i++) {
        const size_t at = directory + 2 + i * ENTRY;
        const size_t value = rec_tiff_number(tiff, size, at + 8, 2, big);
        if (rec_tiff_number(tiff, size, at, 2, big) == TAG &&
            rec_tiff_number(tiff, size, at + 2, 2, big) == SHORT && value >= 1 && value <= 8)
            return (int)value;
    }
    return 1;
}

rec_status rec_image_turn(const rec_image *image, int orientation, int back, rec_image *turned,
                          rec_error *error)
{
    const size_t width = image->width, height = image->height;
    const int across = orientation >= 5;
    REC_TRY(rec_image_create(turned, across ? height : width, across ? width : height,
                             image->planes, error));
    const rec_image *file = back ? turned : image, *shown = back ? image : turned;
    size_t to_x, to_y;
    for (size_t p = 0; p < image->planes; p++)
        for (size_t y = 0; y < file->height; y++)
            for (size_t x = 0; x < file->width; x++) {
                rec_turn(orientation, file->width, file->height, x, y, &to_x, &to_y);
                float *in_file = rec_image_row(file, p, y) + x;
                float *seen = rec_image_row(shown, p, to_y) + to_x;
                *(back ? in_file : seen) = *(back ? seen : in_file);
            }
    return REC_OK;
}
