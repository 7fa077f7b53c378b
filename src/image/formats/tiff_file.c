/* The file of a TIFF and its pages. libtiff calls functions of ours to read and
 * write, which know the file by its descriptor; its messages reach us by one handler. */
#include "image/formats/tiff.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/paths.h"

enum { DNG = 50706 }; /* the tag of a camera's raw file */

/* ---- libtiff's way to the file and back ---- */

/* All of the bytes, or those up to the end, a failure or, of what is read, a signal. */
static tmsize_t transfer(rec_tiff *work, int write, char *bytes, tmsize_t count)
{
    tmsize_t done = 0;
    ssize_t more = 1;
    for (; done < count && more > 0 && (write || !rec_is_stopped()); done += more > 0 ? more : 0) {
        const size_t left = (size_t)(count - done);
        more = write ? pwrite(work->file, bytes + done, left, work->at + done)
                     : pread(work->file, bytes + done, left, work->at + done);
    }
    work->number = more < 0 ? errno : work->number;
    work->at += done;
    return done;
}

static tmsize_t read_file(thandle_t handle, void *bytes, tmsize_t count)
{
    return transfer(handle, 0, bytes, count);
}

tmsize_t rec_tiff_write(thandle_t handle, void *bytes, tmsize_t count)
{
    return transfer(handle, 1, bytes, count);
}

static toff_t size_of_file(thandle_t handle)
{
    struct stat about;
    return fstat(((rec_tiff *)handle)->file, &about) ? 0 : (toff_t)about.st_size;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    rec_tiff *work = handle;
    work->at = (off_t)offset + (whence == SEEK_CUR   ? work->at
                                : whence == SEEK_END ? (off_t)size_of_file(work)
                                                     : 0);
    return (toff_t)work->at;
}

static int close_file(thandle_t handle) { return 0; }

__attribute__((format(printf, 3, 0)))
static void on_error(thandle_t handle, const char *module, const char *format, va_list arguments)
{
    rec_tiff *work = handle;
    if (!work || *work->complaint)
        return;
    vsnprintf(work->complaint, sizeof work->complaint, format, arguments);
    const size_t name = strlen(work->name); /* with which some of them begin */
    if (!strncmp(work->complaint, work->name, name) && work->complaint[name] == ':')
        memmove(work->complaint, work->complaint + name + 2, strlen(work->complaint + name + 1));
    for (char *at = work->complaint; *at; at++)
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
}

static void set_handlers(void)
{
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    TIFFSetErrorHandlerExt(on_error);
}

rec_status rec_tiff_bad(const rec_tiff *work, rec_error *error)
{
    errno = work->number;
    if (work->number || rec_is_stopped())
        return rec_read_failed(work->name, error);
    if (strstr(work->complaint, "memory"))
        return rec_fail(error, REC_LIMIT, "%s: out of memory for libtiff", work->name);
    return rec_fail(error, REC_BAD_INPUT, "%s: libtiff: %s", work->name,
                    *work->complaint ? work->complaint : "a damaged file");
}

rec_status rec_tiff_bad_output(const rec_tiff *work, rec_error *error)
{
    return work->number || !*work->complaint
               ? rec_write_failed(work->name, work->number, error)
               : rec_fail(error, REC_IO, "%s: libtiff: %s", work->name, work->complaint);
}

int rec_tiff_open(rec_tiff *work, const char *mode)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_handlers);
    work->tiff = TIFFClientOpen(work->name, mode, work, read_file, rec_tiff_write, seek, close_file,
                                size_of_file, NULL, NULL);
    return work->tiff != NULL;
}

rec_status rec_tiff_spool(rec_tiff *work, FILE *stream, int access, rec_error *error)
{
    struct stat about;
    const int own = fileno(stream), how = own < 0 ? -1 : fcntl(own, F_GETFL);
    const int anywhere = how >= 0 && !fstat(own, &about) && S_ISREG(about.st_mode) &&
                         !ftello(stream) && !(how & O_APPEND) &&
                         ((how & O_ACCMODE) == O_RDWR || (how & O_ACCMODE) == access);
    work->own = anywhere ? NULL : tmpfile();
    work->file = work->own ? fileno(work->own) : own;
    return anywhere || work->own ? REC_OK
                                 : rec_fail_system(error, REC_IO, errno,
                                                   "%s: no temporary file for a TIFF", work->name);
}

void rec_tiff_close(void *own)
{
    rec_tiff *work = own;
    if (work->tiff)
        TIFFClose(work->tiff);
    rec_close_at(&work->own);
}

int rec_tiff_copy(FILE *from, FILE *to)
{
    char bytes[1 << 14];
    size_t count;
    while ((count = rec_is_stopped() ? 0 : fread(bytes, 1, sizeof bytes, from)))
        if (fwrite(bytes, 1, count, to) != count)
            return 0;
    return !ferror(from) && !rec_is_stopped() && !fflush(to);
}

/* ---- a page ---- */

static unsigned tag_of(const rec_tiff *work, uint32_t tag)
{
    uint16_t value = 0;
    TIFFGetFieldDefaulted(work->tiff, tag, &value);
    return value;
}

int rec_tiff_is_beside(const rec_tiff *work, uint32_t kinds)
{
    uint32_t kind = 0;
    TIFFGetFieldDefaulted(work->tiff, TIFFTAG_SUBFILETYPE, &kind);
    return (kind & kinds) != 0;
}

const char *rec_tiff_fixed(const rec_tiff *work)
{
    if (work->damaged) /* libtiff may not survive writing them */
        return "damaged tags";
    if (work->compression == COMPRESSION_JPEG || work->compression == COMPRESSION_OJPEG)
        return "JPEG inside";
    if (!work->native)
        return work->photometric == PHOTOMETRIC_PALETTE     ? "a palette"
               : work->photometric == PHOTOMETRIC_SEPARATED ? "CMYK"
                                                            : "samples of another kind";
    if (tag_of(work, TIFFTAG_FILLORDER) == FILLORDER_LSB2MSB)
        return "bytes from the lowest bit on";
    if (work->type.kind == 'f' && TIFFIsByteSwapped(work->tiff) &&
        tag_of(work, TIFFTAG_PREDICTOR) == PREDICTOR_FLOATINGPOINT)
        return "a predictor that libtiff does not write in this byte order";
    switch (work->compression) {
    case COMPRESSION_NONE: case COMPRESSION_LZW: case COMPRESSION_PACKBITS:
    case COMPRESSION_ADOBE_DEFLATE: case COMPRESSION_DEFLATE:
    case COMPRESSION_LZMA: case COMPRESSION_ZSTD: return NULL;
    default: return "a compression that may lose samples";
    }
}

static rec_status look_at_samples(rec_tiff *work, rec_error *error)
{
    const unsigned bits = tag_of(work, TIFFTAG_BITSPERSAMPLE);
    const unsigned kind = tag_of(work, TIFFTAG_SAMPLEFORMAT);
    uint16_t extra = 0, *extras = NULL;
    work->samples = (uint16_t)tag_of(work, TIFFTAG_SAMPLESPERPIXEL);
    work->compression = (uint16_t)tag_of(work, TIFFTAG_COMPRESSION);
    work->orientation = (uint16_t)tag_of(work, TIFFTAG_ORIENTATION);
    if (!TIFFGetField(work->tiff, TIFFTAG_PHOTOMETRIC, &work->photometric))
        work->photometric = work->samples > 2 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    if (kind == SAMPLEFORMAT_COMPLEXINT || kind == SAMPLEFORMAT_COMPLEXIEEEFP)
        return rec_fail(error, REC_BAD_INPUT, "%s: has complex samples: only integers and floats "
                        "can be read", work->name);
    TIFFGetFieldDefaulted(work->tiff, TIFFTAG_EXTRASAMPLES, &extra, &extras);
    work->alpha_at = SIZE_MAX;
    const int colour = work->photometric == PHOTOMETRIC_RGB;
    work->inverted = work->photometric == PHOTOMETRIC_MINISWHITE;
    work->planes = colour ? 3 : 1;
    work->type = (rec_number){kind == SAMPLEFORMAT_IEEEFP ? 'f'
                              : kind == SAMPLEFORMAT_INT  ? 'i' : 'u',
                              (int)bits / 8, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
    work->native = (colour || work->photometric == PHOTOMETRIC_MINISBLACK ||
                    (work->inverted && work->samples == 1 && work->type.kind == 'u')) &&
                   (bits == 16 || bits == 32 || bits == 64 ||
                    (bits == 8 && work->type.kind != 'f'));
    if (work->native && work->samples < work->planes)
        return rec_fail(error, REC_BAD_INPUT, "%s: has %u samples a pixel in colour", work->name,
                        work->samples);
    const int tones = work->type.kind == 'u' && work->type.bytes <= 2;
    const size_t first = (size_t)work->samples - extra; /* of the extra ones */
    for (size_t i = first < work->planes ? extra : 0; work->native && i < extra; i++)
        if (!work->alpha && extras[i] != EXTRASAMPLE_UNSPECIFIED) {
            work->alpha = extras[i];
            work->alpha_at = tones ? first + i : SIZE_MAX;
            work->band_alpha = tones ? 0 : first + i - work->planes + 1;
        }
    if (work->native)
        work->band_count = work->samples - work->planes - (work->alpha_at != SIZE_MAX);
    if (!work->native) {
        work->planes = work->inverted || work->photometric == PHOTOMETRIC_MINISBLACK ? 1 : 3;
        work->type = (rec_number){'u', 1, 0};
    }
    return REC_OK;
}

/* GDAL's, as text that C libraries and people of all countries have written. */
static void read_nodata(rec_tiff *work)
{
    const TIFFField *field = TIFFFindField(work->tiff, NODATA, TIFF_ASCII);
    uint32_t bytes = 0;
    void *found = NULL;
    char text[64] = "", *end, *comma;
    if (field && TIFFFieldPassCount(field) && TIFFGetField(work->tiff, NODATA, &bytes, &found))
        memcpy(text, found, rec_smaller(bytes, sizeof text - 1));
    if ((comma = strchr(text, ',')))
        *comma = '.';
    work->nodata = strtold(text, &end);
    work->has_nodata = end != text && !end[strspn(end, " \t\r\n")];
    if (strstr(text, ".#")) { /* -1.#QNAN */
        work->nodata = (long double)NAN;
        work->has_nodata = 1;
    }
}

rec_status rec_tiff_open_page(rec_tiff *work, const char *mode, rec_error *error)
{
    const size_t page = rec_path_page(work->name);
    tdir_t folder = 0;
    unsigned char head[10] = {0};
    uint32_t rows = 0, *version;
    if (!rec_tiff_open(work, mode))
        return rec_tiff_bad(work, error);
    int raw = (pread(work->file, head, sizeof head, 0) == sizeof head &&
               !memcmp(head + 8, "CR", 2)) || TIFFGetField(work->tiff, DNG, &version);
    uint16_t inside = 0;
    void *folders;
    while (!raw && rec_tiff_is_beside(work, NO_PAGE) && TIFFSetDirectory(work->tiff, folder + 1))
        folder++; /* a thumbnail in front */
    if (!raw && rec_tiff_is_beside(work, NO_PAGE)) { /* or alone; else the picture is inside */
        TIFFSetDirectory(work->tiff, folder = 0);
        raw = TIFFGetField(work->tiff, TIFFTAG_SUBIFD, &inside, &folders);
    }
    if (raw)
        return rec_fail(error, REC_BAD_INPUT, "%s: camera raw cannot be read; LibRaw's dcraw_emu "
                                              "converts it", work->name);
    for (size_t at = 1; at < page; at += !rec_tiff_is_beside(work, NO_PAGE))
        if (!TIFFSetDirectory(work->tiff, ++folder))
            return rec_fail(error, REC_BAD_INPUT, "%s: has no page %zu", work->name, page);
    work->damaged = *work->complaint != '\0';
    REC_TRY(look_at_samples(work, error));
    if (!TIFFGetField(work->tiff, TIFFTAG_IMAGEWIDTH, &work->width) ||
        !TIFFGetField(work->tiff, TIFFTAG_IMAGELENGTH, &work->height))
        return rec_tiff_bad(work, error);
    work->separate =
        work->samples > 1 && tag_of(work, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    work->block_width = work->width;
    TIFFGetFieldDefaulted(work->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    work->block_height = (uint32_t)rec_smaller(rows, work->height);
    if (TIFFIsTiled(work->tiff)) {
        TIFFGetField(work->tiff, TIFFTAG_TILEWIDTH, &work->block_width);
        TIFFGetField(work->tiff, TIFFTAG_TILELENGTH, &work->block_height);
    }
    read_nodata(work);
    work->complaint[0] = '\0'; /* of tags that are not there */
    return REC_OK;
}
