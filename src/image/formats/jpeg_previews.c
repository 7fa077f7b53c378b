/* Pictures in the markers of a JPEG. Kinds that have nothing else are left out as a whole, and so
 * is a marker of an unknown kind that has a picture in it, with those of its number behind it. */
#include "image/format.h"

#include <string.h>

#include "base/memory.h"

typedef enum kind { DROP, KEEP, LOOK, JFIF, EXIF, XMP, PHOTOSHOP } kind;

static const struct {
    int marker;
    const char *name; /* with which it begins, and a 0 */
    kind kind;
    const char *title;
} rows[] = {
    {0xe0, "JFIF", JFIF, "JFIF thumbnail"},
    {0xe0, "JFXX", DROP, "JFXX thumbnail"},
    {0xe1, "Exif", EXIF, "Exif thumbnail"},
    {0xe1, "http://ns.adobe.com/xap/1.0/", XMP, "pictures of XMP"},
    {0xe1, "http://ns.adobe.com/xmp/extension/", DROP, "extended XMP"},
    {0xe1, "FLIR", DROP, "thermal picture"},
    {0xe2, "ICC_PROFILE", KEEP, NULL},
    {0xe2, "urn:iso:std:iso:ts:21496:-1", DROP, "gain map"},
    {0xe2, "MPF", DROP, "MPF"},
    {0xe2, "FPXR", DROP, "FlashPix"},
    {0xe3, "META", LOOK, "a preview"},
    {0xe3, "Meta", LOOK, "a preview"},
    {0xe3, "Stim", LOOK, "a preview"},
    {0xe3, "_JPSJPS_", LOOK, "a preview"},
    {0xe3, "", DROP, "thermal picture"}, /* DJI's, without a name */
    {0xeb, "JP", DROP, "C2PA"},
    {0xeb, "HDR_RI ver=11", DROP, "JPEG-HDR"},
    {0xed, "Photoshop 3.0", PHOTOSHOP, "Photoshop thumbnail"},
    {0, "", LOOK, "a preview"},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Returns the new size: less where the end is gone. */
static size_t wipe(unsigned char *data, size_t size, size_t from, size_t count)
{
    if (from >= size)
        return size;
    memset(data + from, 0, count < size - from ? count : size - from);
    return count < size - from ? size : from;
}

/* The second directory is that of the thumbnail, which is a JPEG, or in strips; several of them are
 * taken to go to the end. Other pictures are in the notes of the camera's maker. */
static size_t drop_from_exif(unsigned char *tiff, size_t size, int *found)
{
    enum { ENTRY = 12, STRIPS = 0x111, COUNTS = 0x117, SHORT = 3 };
    const int big = size && tiff[0] == 'M';
    const size_t first = rec_tiff_number(tiff, size, 4, 4, big);
    const size_t link = first + 2 + ENTRY * rec_tiff_number(tiff, size, first, 2, big);
    const size_t second = rec_tiff_number(tiff, size, link, 4, big);
    const size_t end =
        second ? second + 2 + ENTRY * rec_tiff_number(tiff, size, second, 2, big) : 0;
    size_t place = size, count = 0;
    for (size_t at = second + 2; at < end; at += ENTRY) {
        const size_t tag = rec_tiff_number(tiff, size, at, 2, big);
        const int bytes = rec_tiff_number(tiff, size, at + 2, 2, big) == SHORT ? 2 : 4;
        const int several = rec_tiff_number(tiff, size, at + 4, 4, big) > 1;
        const size_t values = several ? rec_tiff_number(tiff, size, at + 8, 4, big) : at + 8;
        if (tag == STRIPS)
            place = rec_tiff_number(tiff, size, values, bytes, big);
        if (tag == COUNTS)
            count = several ? size : rec_tiff_number(tiff, size, values, bytes, big);
    }
    size_t left = wipe(tiff, size, place, count);
    if (second)
        memset(tiff + link, 0, 4);
    *found = second != 0;
    for (unsigned char *at = tiff; (at = rec_find_picture(at, left - (size_t)(at - tiff), &count));
         *found = 1)
        left = wipe(tiff, left, (size_t)(at - tiff), count);
    return left;
}

/* Resources: "8BIM", a number, a name, a size, data; they go on from marker to marker. One with
 * its head in two of them cannot be told from a thumbnail: it goes, and all that follows. */
static size_t drop_from_photoshop(unsigned char *data, size_t size, rec_preview_rest *rest)
{
    enum { OLD = 1033, NEW = 1036, NAME = 6 };
    for (size_t at = 0; at < size;) {
        if (!rest->bytes) {
            const size_t number = rec_tiff_number(data, size, at + 4, 2, 1);
            const size_t name = rec_tiff_number(data, size, at + NAME, 1, 1);
            const size_t head = NAME + (name + 2) / 2 * 2 + 4;
            const size_t count = rec_tiff_number(data, size, at + head - 4, 4, 1);
            rest->bytes = head > size - at ? SIZE_MAX : head + (count + 1) / 2 * 2;
            rest->goes = rest->bytes == SIZE_MAX || number == OLD || number == NEW;
        }
        const size_t there = rec_smaller(rest->bytes, size - at);
        rest->bytes -= there;
        if (rest->goes)
            memmove(data + at, data + at + there, size - at - there);
        size -= rest->goes ? there : 0;
        at += rest->goes ? 0 : there;
    }
    const int shows = rec_find_picture(data, size, NULL) != NULL;
    rest->goes |= shows;
    return shows ? 0 : size;
}

const char *rec_previews_drop(int marker, unsigned char *data, size_t *size,
                              rec_preview_rest *rest)
{
    enum { JFIF_BYTES = 14 };
    size_t i = 0, name = 0, left = *size;
    for (; i < ROWS - 1; i++) {
        name = strlen(rows[i].name) + (rows[i].kind == EXIF ? 2 : 1);
        if (rows[i].marker == marker && name <= left &&
            !memcmp(rows[i].name, data, strlen(rows[i].name)))
            break;
    }
    int found = 0;
    switch (rows[i].kind) {
    case DROP:
        left = 0;
        break;
    case KEEP:
        break;
    case LOOK:
        if (rest->marker == marker || rec_find_picture(data, left, NULL)) {
            left = 0;
            rest->marker = marker;
        }
        break;
    case JFIF:
        if (left > JFIF_BYTES) {
            left = JFIF_BYTES;
            data[left - 2] = data[left - 1] = 0;
        }
        break;
    case EXIF:
        left = name + drop_from_exif(data + name, left - name, &found);
        break;
    case XMP:
        found = rec_xmp_wipe((char *)data + name, left - name);
        break;
    case PHOTOSHOP:
        left = name + drop_from_photoshop(data + name, left - name, rest);
        break;
    }
    found |= left < *size;
    *size = left;
    return found ? rows[i].title : NULL;
}
