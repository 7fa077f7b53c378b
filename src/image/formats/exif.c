#include "image/format.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"

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
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
        if (rec_tiff_number(tiff, size, at, 2, big) == TAG &&
            rec_tiff_number(tiff, size, at + 2, 2, big) == SHORT && value >= 1 && value <= 8)
            return (int)value;
    }
    return 1;
}
