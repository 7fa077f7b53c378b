/* Rows of binary samples, between an image and its file, by all threads.
 *
 * In regular files the threads read and write blocks of rows where they belong, and share out what
 * costs as much as the samples: an image's new memory, which the system gives when it is first
 * written. What is no regular file goes row by row. So do, where a block failed, all rows from the
 * first on that is not good: its failure is met again, and told as if there were one thread. */
#include "image/format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/team.h"

enum { BLOCK = 1 << 19 }; /* bytes of a file: they and their samples fit in a core's cache */

/* How the rows of a file are shared out. */
typedef struct blocks {
    size_t rows;  /* in each; fewer in the last */
    size_t team;  /* threads, each with room of its own: */
    size_t bytes; /* for a block and a row of tones */
    void *memory;
} blocks;

static rec_status make_blocks(blocks *made, const rec_image *image, size_t row_bytes,
                              rec_error *error)
{
    const size_t most = rec_team_size(), full = row_bytes < BLOCK ? BLOCK / row_bytes : 1;
    const size_t rows = full < image->height ? full : image->height;
    const size_t count = (image->height + rows - 1) / rows;
    const size_t bytes = rows * row_bytes + image->width * sizeof(uint16_t);
    *made = (blocks){.rows = rows, .team = most < count ? most : count};
    made->bytes = (bytes + REC_ALIGNMENT - 1) / REC_ALIGNMENT * REC_ALIGNMENT;
    return rec_allocate(&made->memory, made->team, made->bytes, "some rows", error);
}

/* The asking thread's own. */
static uint8_t *room(const blocks *of)
{
    return (uint8_t *)of->memory + rec_team_member() * of->bytes;
}

static size_t rows_from(const blocks *of, size_t first, size_t height)
{
    return of->rows < height - first ? of->rows : height - first;
}

/* Where a stream is in a regular file; -1: it is in none, or its rows are few and no part. */
static off_t place_in_file(FILE *stream, const rec_image *image, size_t row_bytes)
{
    struct stat about;
    const int file = fileno(stream);
    if (image->height * row_bytes <= BLOCK && !rec_image_is_part(image))
        return -1;
    return file < 0 || fstat(file, &about) || !S_ISREG(about.st_mode) ? -1 : ftello(stream);
}

/* Reads or writes at a place of the file; returns how many of the bytes. */
static size_t transfer(int writes, int file, uint8_t *bytes, size_t count, off_t at)
{
    size_t there = 0;
    for (ssize_t more = 1; there < count && more > 0; there += more > 0 ? (size_t)more : 0)
        more = writes ? pwrite(file, bytes + there, count - there, at + (off_t)there)
                      : pread(file, bytes + there, count - there, at + (off_t)there);
    return there;
}

/* ---- reading ---- */

/* The row of the image that is row i of the file. */
static size_t place_of(const rec_input *input, size_t i)
{
    return input->bottom_up ? input->image->height - 1 - i : i;
}

/* Returns how many rows, from the first on, are there and good. */
static size_t read_blocks(const rec_input *input, const blocks *of, size_t row_bytes,
                          rec_unpack_row *unpack, off_t begin)
{
    const int file = fileno(input->stream);
    const size_t height = input->image->height;
    size_t good = height;
#pragma omp parallel for schedule(dynamic) reduction(min : good) num_threads((int)of->team)
    for (size_t first = 0; first < height; first += of->rows) {
        uint8_t *bytes = room(of);
        const size_t rows = rows_from(of, first, height);
        const size_t there = transfer(0, file, bytes, rows * row_bytes,
                                      begin + (off_t)(first * row_bytes)) / row_bytes;
        size_t i = 0;
        while (i < there && unpack(input, place_of(input, first + i), bytes + i * row_bytes))
            i++;
        if (i < rows && first + i < good)
            good = first + i;
    }
    return good;
}

/* Reads those from number `first` on, where the stream stands. */
static rec_status read_rows(const rec_input *input, size_t first, size_t row_bytes,
                            rec_unpack_row *unpack, rec_error *error)
{
    void *bytes;
    rec_status status = rec_allocate(&bytes, row_bytes, 1, "a row", error);
    for (size_t i = first; !status && i < input->image->height; i++) {
        errno = 0;
        if (fread(bytes, 1, row_bytes, input->stream) != row_bytes)
            status = rec_input_cut(input, i, errno, error);
        else if (!unpack(input, place_of(input, i), bytes))
            status = rec_refuse_sample(input, place_of(input, i), error);
    }
    rec_free(bytes);
    return status;
}

int rec_reads_blocks(FILE *stream, const rec_image *image, size_t row_bytes)
{
    return place_in_file(stream, image, row_bytes) >= 0;
}

/* Rows of the file before those of the image, which may be a part. */
static size_t rows_before(const rec_image *image, int upwards)
{
    return upwards ? image->below : image->above;
}

static rec_status seek(const rec_input *input, off_t to, rec_error *error)
{
    return fseeko(input->stream, to, SEEK_SET)
               ? rec_fail_system(error, REC_IO, errno, "%s: cannot be read", input->name) : REC_OK;
}

rec_status rec_read_raster(const rec_input *input, size_t row_bytes, rec_unpack_row *unpack,
                           rec_error *error)
{
    const rec_image *image = input->image;
    const size_t height = image->height;
    const off_t first = place_in_file(input->stream, image, row_bytes);
    const off_t begin = first + (off_t)(rows_before(image, input->bottom_up) * row_bytes);
    blocks all;
    size_t good = 0;
    rec_status status = REC_OK;
    if (first < 0)
        return read_rows(input, 0, row_bytes, unpack, error);
    if (!make_blocks(&all, image, row_bytes, NULL)) {
        good = read_blocks(input, &all, row_bytes, unpack, begin);
        rec_free(all.memory);
    }
    if (good < height)
        status = seek(input, begin + (off_t)(good * row_bytes), error);
    if (!status && good < height)
        status = read_rows(input, good, row_bytes, unpack, error);
    return status ? status
                  : seek(input, first + (off_t)(rec_image_full_height(image) * row_bytes), error);
}

/* ---- writing ---- */

/* Returns how many rows, from the first on, are written. The system is told to begin at once with
 * what an fsync will wait for: that it cannot is no failure, and what fails of it later the fsync
 * tells. */
static size_t write_blocks(const rec_sink *sink, const blocks *of, size_t row_bytes,
                           rec_pack_row *pack, off_t begin)
{
    const int file = fileno(sink->stream);
    const size_t height = sink->image->height;
    size_t good = height;
#pragma omp parallel for schedule(dynamic) reduction(min : good) num_threads((int)of->team)
    for (size_t first = 0; first < height; first += of->rows) {
        uint8_t *bytes = room(of);
        void *tones = bytes + of->bytes - sink->image->width * sizeof(uint16_t);
        const size_t rows = rows_from(of, first, height);
        for (size_t i = 0; i < rows; i++)
            pack(sink, first + i, tones, bytes + i * row_bytes);
        const off_t at = begin + (off_t)(first * row_bytes);
        if (transfer(1, file, bytes, rows * row_bytes, at) == rows * row_bytes)
            sync_file_range(file, at, (off_t)(rows * row_bytes), SYNC_FILE_RANGE_WRITE);
        else if (first < good)
            good = first;
    }
    return good;
}

/* Writes those from number `first` on, where the stream stands. */
static rec_status write_rows(const rec_sink *sink, size_t first, size_t row_bytes,
                             rec_pack_row *pack, rec_error *error)
{
    const size_t height = sink->image->height;
    void *tones, *bytes = NULL;
    rec_status status = rec_allocate(&tones, sink->image->width, sizeof(uint16_t), "a row", error);
    if (!status)
        status = rec_allocate(&bytes, row_bytes, 1, "a row", error);
    for (size_t i = first; !status && i < height; i++) {
        pack(sink, i, tones, bytes);
        errno = 0;
        if (fwrite(bytes, 1, row_bytes, sink->stream) != row_bytes)
            status = rec_write_failed(sink->name, errno, error);
    }
    rec_free(tones);
    rec_free(bytes);
    return status;
}

/* Where blocks may be written: not into standard output, whoever reads it while it grows would see
 * gaps; and what is opened to append to goes to the end whatever place is named. */
static off_t place_for_blocks(FILE *stream, const rec_image *image, size_t row_bytes)
{
    if (stream == stdout || fcntl(fileno(stream), F_GETFL) & O_APPEND)
        return -1;
    return place_in_file(stream, image, row_bytes);
}

rec_status rec_write_raster(const rec_sink *sink, size_t row_bytes, int upwards,
                            rec_pack_row *pack, rec_error *error)
{
    const rec_image *image = sink->image;
    const size_t height = image->height;
    off_t begin = place_for_blocks(sink->stream, image, row_bytes);
    blocks all;
    size_t good = 0;
    if (begin < 0)
        return write_rows(sink, 0, row_bytes, pack, error);
    begin += (off_t)(rows_before(image, upwards) * row_bytes);
    if (!make_blocks(&all, image, row_bytes, NULL)) {
        good = write_blocks(sink, &all, row_bytes, pack, begin);
        rec_free(all.memory);
    }
    errno = 0;
    if (fseeko(sink->stream, begin + (off_t)(good * row_bytes), SEEK_SET))
        return rec_write_failed(sink->name, errno, error);
    return good == height ? REC_OK : write_rows(sink, good, row_bytes, pack, error);
}
