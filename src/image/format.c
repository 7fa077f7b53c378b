/* The table of file formats: a new one is a file with its reader and writer, and a row here. Help,
 * manual, completions, messages follow. Of rows with one extension or name the first is meant. */
#include "image/format.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

#define PAIRS_OF_TEXT "0?1?2?3?4?5?6?7?8?9?+?-? ?\t?\n?\v?\f?\r?"

/* NULL in a build without the library. */
#define WITH(library, what) (REC_HAVE_##library ? (what) : NULL)

/* What several rows have in common. */
#define NETPBM \
    .samples = REC_TONES_OF_MAXVAL, .rows = 1, .header = rec_header_netpbm, \
    .read = rec_read_raster, .unpack = rec_unpack_netpbm, .write = rec_write_netpbm
#define TEXT .header = rec_header_text, .read = rec_read_text, .write = rec_write_text
#define PLAIN TEXT, .samples = REC_TONES_OF_MAXVAL
#define FLOATS .samples = REC_FLOATS, .grey = 1, .colour = 1, .rows = 1, .write = rec_write_pfm
#define NUMPY \
    .title = "NumPy", .grey = 1, .colour = 1, .header = rec_header_npy, .read = rec_read_npy, \
    .write = rec_write_npy
#define JPEG \
    .name = WITH(JPEG, "jpg"), .header = WITH(JPEG, rec_header_jpeg), \
    .read = WITH(JPEG, rec_read_jpeg), .write = WITH(JPEG, rec_write_jpeg), \
    .converter = "Netpbm's jpegtopnm", .title = "JPEG", \
    .samples = REC_TONES_OF_MAXVAL, .grey = 1, .colour = 1, .widest = 255, .lossy = 1, .tail = 1
#define TIFF \
    .header = WITH(TIFF, rec_header_tiff), .read = WITH(TIFF, rec_read_tiff), \
    .write = WITH(TIFF, rec_write_tiff), .finish = WITH(TIFF, rec_finish_tiff), \
    .converter = "Netpbm's tifftopnm, or LibRaw's dcraw_emu,", .title = "TIFF", .grey = 1, \
    .colour = 1, .pages = 1, .tail = 1
#define GREY .grey = 1, .mime = "image/x-portable-graymap", .ending = "pgm"
#define COLOUR .colour = 1, .mime = "image/x-portable-pixmap", .ending = "ppm"

static const rec_format formats[] = {
    {NETPBM, GREY, .name = "pgm", .title = "PGM", .signatures = "P5",
     .about = "Binary, 8 or 16 bits, grey"},
    {NETPBM, COLOUR, .name = "ppm", .title = "PPM", .signatures = "P6",
     .about = "Binary, 8 or 16 bits, colour"},
    {NETPBM, .name = "pam", .title = "PAM", .signatures = "P7", .grey = 1, .colour = 1,
     .ending = "pam", .mime = "image/x-portable-arbitrarymap",
     .about = "Binary, 8 or 16 bits, depth 1 (grey) or 3 (colour)"},
    {FLOATS, .name = "pfm", .title = "PFM", .signatures = "PfPF", .ending = "pfm",
     .about = "32-bit floating point: the exact result", .header = rec_header_pfm,
     .read = rec_read_raster, .unpack = rec_unpack_pfm},
    {TEXT, .name = "dat", .title = ".dat", .signatures = PAIRS_OF_TEXT, .ending = "dat", .grey = 1,
     .about = "Text: width, height and signed integers, grey", .samples = REC_INTEGERS},
    {PLAIN, GREY, .name = "p2", .title = "plain PGM", .signatures = "P2",
     .about = "Text, grey; samples that are read may be signed and exceed maxval"},
    {PLAIN, COLOUR, .name = "p3", .title = "plain PPM", .signatures = "P3",
     .about = "Text, colour; samples that are read may be signed and exceed maxval"},
    {FLOATS, .name = "raw", .title = "raw float32", .ending = "raw",
     .about = "Only written: 32-bit floating point without a header, in the machine's byte order"},
    {NUMPY, .name = "npy", .signatures = "\x93N", .ending = "npy", .samples = REC_FLOATS,
     .about = "NumPy's array, height x width or height x width x 3: 32-bit floating point. Read: "
              "any integers and floats, in C and Fortran order"},
    {NUMPY, .name = "npy-uint", .ending = "npy", .samples = REC_TONES_OF_MAXVAL, .widest = 65535,
     .about = "The same with 8 or 16 bits"},
    {.name = WITH(PNG, "png"), .header = WITH(PNG, rec_header_png),
     .read = WITH(PNG, rec_read_png), .write = WITH(PNG, rec_write_png),
     .converter = "Netpbm's pngtopam", .title = "PNG", .ending = "png", .mime = "image/png",
     .about = "8 or 16 bits, grey or colour; alpha is composed over black, but kept by heal and "
              "clone",
     .signatures = "\x89P", .samples = REC_TONES_OF_MAXVAL, .grey = 1, .colour = 1, .widest = 65535,
     .extras = 1, .tail = 1},
    {JPEG, .ending = "jpg", .mime = "image/jpeg", .signatures = "\xff\xd8",
     .about = "8 bits, grey or colour; heal and clone code only those blocks of a JPEG anew that "
              "change, all else has quality 95"},
    {JPEG, .ending = "jpeg"},
    {.title = "PBM", .signatures = "P1P4", .converter = "Netpbm's pbmtopgm 1 1"},
    {TIFF, .name = "tiff", .signatures = "IIMM", .ending = "tif", .mime = "image/tiff",
     .samples = REC_TONES_OF_MAXVAL, .widest = 65535, .extras = 1,
     .about = "8 or 16 bits, grey or colour, with or without an alpha. Read: integers and floats "
              "of up to 64 bits, and what else libtiff makes pixels of"},
    {TIFF, .name = "tiff", .ending = "tiff", .samples = REC_TONES_OF_MAXVAL, .widest = 65535,
     .extras = 1},
    {TIFF, .name = WITH(TIFF, "tiff-float"), .ending = "tif", .samples = REC_FLOATS,
     .about = WITH(TIFF, "The same: 32-bit floating point")},
    {.title = "camera raw", .signatures = "FU", .converter = "LibRaw's dcraw_emu"},
    {.title = "HEIC or AVIF", .signatures = "\0\0", .inside = "ftyp",
     .converter = "libheif's heif-convert"},
    {.title = "EXR", .signatures = "v/", .converter = "ImageMagick's convert FILE.exr FILE.pfm"},
    {.title = "BMP", .signatures = "BM", .converter = "Netpbm's bmptopnm"},
    {.title = "GIF", .signatures = "GI", .converter = "Netpbm's giftopnm"},
    {.title = "gzip", .signatures = "\x1f\x8b", .converter = "gunzip"},
    {.title = "an archive such as .npz", .signatures = "PK",
     .converter = "numpy.save of one of its arrays"},
    {.title = "FITS", .signatures = "SI", .converter = "numpy.save of astropy's fits.getdata"},
    {.title = "an ESRI grid, a VRT, netCDF, HDF5 or SRTM", .signatures = "ncNC<VCD\x89H",
     .ending = "hgt", .converter = "gdal_translate -of GTiff"},
    {.title = "WebP", .signatures = "RI", .converter = "libwebp's dwebp -ppm"},
};

enum { FORMATS = sizeof formats / sizeof *formats };

const rec_format *rec_format_at(size_t i) { return i < FORMATS ? formats + i : NULL; }

const rec_format *rec_format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].name && !strcasecmp(formats[i].name, name))
            return formats + i;
    return NULL;
}

static int holds(const rec_format *format, size_t planes)
{
    return format->write && (planes == 3 ? format->colour : planes != 1 || format->grey);
}

const rec_format *rec_format_default(size_t planes)
{
    size_t i = 0;
    while (!holds(formats + i, planes))
        i++;
    return formats + i;
}

const rec_format *rec_format_of_signature(int first, int second)
{
    for (size_t i = 0; i < FORMATS; i++)
        for (const char *at = formats[i].signatures; at; at = at[2] ? at + 2 : NULL)
            if ((unsigned char)at[0] == first && (at[1] == '?' || (unsigned char)at[1] == second))
                return formats + i;
    return NULL;
}

/* ---- lists of formats for messages and help ---- */

const char *rec_format_list(char text[REC_FORMAT_LIST], rec_format_word word, size_t planes)
{
    const char *words[FORMATS];
    size_t count = 0;
    for (const rec_format *format = formats; format < formats + FORMATS; format++) {
        const char *const said[] = {[REC_FORMAT_NAMES] = format->name,
                                    [REC_FORMAT_ENDINGS] = format->ending,
                                    [REC_FORMAT_READABLE] = format->title};
        size_t same = 0;
        if (!said[word] ||
            !(word == REC_FORMAT_READABLE ? format->read != NULL : holds(format, planes)))
            continue;
        while (same < count && strcmp(words[same], said[word]))
            same++;
        words[same] = said[word];
        count += same == count;
    }
    return rec_list_words(text, REC_FORMAT_LIST, word == REC_FORMAT_ENDINGS ? "." : "", words,
                          count, " or ");
}

/* ---- the format of an output ---- */

rec_status rec_format_check_planes(const char *name, const rec_format *format, size_t planes,
                                   rec_error *error)
{
    char list[REC_FORMAT_LIST];
    if (!format->write)
        return rec_fail(error, REC_USAGE, "%s: %s cannot be written; use %s", name, format->title,
                        rec_format_list(list, REC_FORMAT_ENDINGS, planes));
    if (holds(format, planes))
        return REC_OK;
    return rec_fail(error, REC_USAGE, "%s: %s is %s, and the image is %s; use %s", name,
                    format->title, planes == 3 ? "grey" : "in colour",
                    planes == 3 ? "in colour" : "grey",
                    rec_format_list(list, REC_FORMAT_ENDINGS, planes));
}

rec_status rec_format_of_path(const char *path, size_t planes, const rec_format **format,
                              rec_error *error)
{
    *format = rec_format_default(planes);
    if (rec_path_descriptor(path) >= 0)
        return REC_OK;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t i = 0;
    while (i < FORMATS && !(dot && formats[i].ending && !strcasecmp(formats[i].ending, dot + 1)))
        i++;
    char list[REC_FORMAT_LIST];
    if (i == FORMATS)
        return rec_fail(error, REC_USAGE, "%s: unknown extension\vuse %s, or --format",
                        *path ? path : "''", rec_format_list(list, REC_FORMAT_ENDINGS, 0));
    *format = formats + i;
    return rec_format_check_planes(path, *format, planes, error);
}
