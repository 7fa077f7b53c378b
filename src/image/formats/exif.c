#include "image/format.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"

enum { ENTRY = 12, ORIENTATION = 0x112, SHORT = 3 }; /* of Exif */

size_t rec_tiff_number(const unsigned char *data, size_t size, size_t at, int bytes, int big)
{
    size_t number = 0;
    if (at > size || size - at < (size_t)bytes)
        return 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | data[at + (size_t)(big ? i : bytes - 1 - i)];
    return number;
}

unsigned char *rec_find_picture(unsigned char *data, size_t size, size_t *length)
{
    static const char *const kinds[][2] = {
        {"\xff\xd8\xff", "\xff\xd9"}, {"\x89PNG\r\n\x1a\n", "IEND\xae\x42\x60\x82"},
        {"WEBPVP8"}, {"ftypavif"}, {"ftyphei"}, {"GIF89a"}, {"GIF87a"}};
    unsigned char *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned char *at = memmem(data, size, kinds[i][0], strlen(kinds[i][0]));
        if (!at || (first && first < at))
            continue;
        const size_t left = size - (size_t)(at - data);
        size_t from = 2; /* a JPEG may have one in its own markers */
        while (!i && from + 4 < left && at[from] == 0xff && at[from + 1] != 0xda)
            from += 2 + rec_tiff_number(at, left, from + 2, 2, 1);
        const char *end = kinds[i][1] && from < left
                              ? memmem(at + from, left - from, kinds[i][1], strlen(kinds[i][1]))
                              : NULL;
        if (length)
            *length = end ? (size_t)(end - (const char *)at) + strlen(kinds[i][1]) : left;
        first = at;
    }
    return first;
}

/* Where a picture in base 64 begins, from a place on, and how long it is; `size`: nowhere. White
 * space may be in it, and line ends as references: &#xA; */
static size_t find_coded(const char *text, size_t size, size_t from, size_t *length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; from < size; from++) {
        unsigned char bytes[20] = {0}; /* enough to know a picture */
        size_t at = from, bits = 0;
        while (at < size && !(from && isalnum((unsigned char)text[from - 1])) &&
               (bits < 8 * sizeof bytes || rec_find_picture(bytes, sizeof bytes, NULL))) {
            const char *digit = memchr(digits, text[at], 64);
            const char *end = memchr(text + at, ';', rec_smaller(size - at, 8));
            for (int i = 5; digit && bits < 8 * sizeof bytes && i >= 0; i--, bits++)
                bytes[bits / 8] |= (unsigned char)(((digit - digits) >> i & 1) << (7 - bits % 8));
            if (!digit && !memchr("= \t\r\n", text[at], 5) &&
                !(end && text[at] == '&' && text[at + 1] == '#'))
                break;
            at = text[at] == '&' ? (size_t)(end + 1 - text) : at + 1;
        }
        *length = at - from;
        if (*length && rec_find_picture(bytes, sizeof bytes, NULL))
            break;
    }
    return from;
}

/* Behind the next `what` from a place on; the end: there is none. */
static size_t behind(const char *text, size_t size, size_t from, const char *what, size_t count)
{
    const char *at = from < size ? memmem(text + from, size - from, what, count) : NULL;
    return at ? (size_t)(at - text) + count : size;
}

int rec_xmp_wipe(char *text, size_t size)
{
    static const char *const claims[] = {"Camera:MicroVideo", "Camera:MotionPhoto",
                                         "Container:Directory", "hdrgm:", "HDRGainMap:"};
    int found = 0;
    for (size_t at = 0, count; (at = find_coded(text, size, at, &count)) < size; found = 1)
        memset(text + at, ' ', count);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        for (size_t at = 0; (at = behind(text, size, at, claims[i], strlen(claims[i]))) < size;) {
            size_t begin = at - strlen(claims[i]);
            while (begin && isalnum((unsigned char)text[begin - 1]))
                begin--;
            while (at < size && isalnum((unsigned char)text[at]))
                at++;
            size_t end = at;
            while (end < size && memchr("= \t\r\n", text[end], 5))
                end++;
            if (begin && text[begin - 1] == '<') {
                end = behind(text, size, at, ">", 1);
                if (text[end - 2] != '/')
                    end = behind(text, size, at, text + begin, at - begin) + 1;
                begin--;
            } else if (begin && isspace((unsigned char)text[begin - 1]) && end < size &&
                       memchr("\"'", text[end], 2))
                end = behind(text, size, end + 1, text + end, 1);
            else
                continue;
            memset(text + begin, ' ', rec_smaller(end, size) - begin);
            found = 1;
        }
    return found;
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
        if (rec_tiff_number(tiff, size, at, 2, big) == ORIENTATION &&
            rec_tiff_number(tiff, size, at + 2, 2, big) == SHORT && value >= 1 && value <= 8)
            return (int)value;
    }
    return 1;
}

/* ---- pictures in the markers of a JPEG: kinds that have nothing else are left out as a whole, and
 * so is a marker of an unknown kind with a picture in it, and those of its number behind it ---- */

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
    enum { STRIPS = 0x111, COUNTS = 0x117 };
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

const char *rec_previews_drop(int marker, unsigned char *data, size_t *size, rec_preview_rest *rest)
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
