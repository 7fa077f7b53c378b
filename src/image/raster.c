/* Rows of binary samples, between an image and its file, block by block: in a regular file by all
 * threads, each block where it belongs, so that they also share the first use of an image's new
 * memory, which costs as much; in other files, and for few rows, by one thread in their order. */
#include "image/format.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/team.h"

enum { BLOCK = 1 << 19 }; /* bytes of a file: they and their samples fit in a core's cache */

typedef struct raster {
    const rec_input *input; /* NULL: rows are written */
    const rec_sink *sink;   /* NULL: rows are read */
    rec_pack_row *pack;
    const rec_image *image;
    FILE *stream;
    size_t row_bytes;
    off_t begin;      /* where the image's rows begin in a regular file; -1: where the stream is */
    uint8_t *memory;  /* for each thread `bytes`: a block and a row of tones */
    size_t bytes;
    size_t rows;      /* of a block; fewer in the last */
    size_t good;      /* rows that are there and good, from the first on; behind them, where not all
                         are, is a bad sample, or an end: */
    int ended, number; /* with this errno, or 0 */
} raster;

/* The position of the stream in a regular file; -1 in others, and for a small image. */
static off_t place_in_file(const raster *io)
{
    rec_file_id id;
    rec_file_mark mark;
    if (io->image->height * io->row_bytes <= BLOCK && !rec_image_is_part(io->image))
        return -1;
    if (io->input ? io->input->info->file.bytes > 0
                  : rec_file_look(fileno(io->stream), &id, &mark) && mark.time)
        return ftello(io->stream);
    return -1;
}

static int is_stopped(const raster *io)
{
    return io->sink ? rec_sink_is_stopped(io->sink) : rec_is_stopped();
}

/* Reads or writes the rows from number `first` on; returns the number of bytes done, and *number,
 * the errno of a failure. The system starts to write at once what an fsync will wait for. */
static size_t transfer(const raster *io, uint8_t *bytes, size_t count, size_t first, int *number)
{
    const off_t at = io->begin + (off_t)(first * io->row_bytes);
    const int file = fileno(io->stream);
    size_t there = 0, piece = 0, done = 0;
    ssize_t more = 1;
    errno = 0;
    /* At the position of the stream, in pieces that a pipe takes whole: a signal ends the wait for
     * a full pipe only if nothing of the piece is in it yet. */
    for (; io->begin < 0 && there < count && done == piece && !is_stopped(io);
         there += done) {
        piece = rec_smaller(count - there, PIPE_BUF);
        done = io->sink ? fwrite(bytes + there, 1, piece, io->stream)
                        : fread(bytes + there, 1, piece, io->stream);
    }
    for (; io->begin >= 0 && there < count && more > 0 && !is_stopped(io);
         there += more > 0 ? (size_t)more : 0)
        more = io->sink ? pwrite(file, bytes + there, count - there, at + (off_t)there)
                        : pread(file, bytes + there, count - there, at + (off_t)there);
    const int stopped = there < count && is_stopped(io);
    *number = stopped ? EINTR : io->begin < 0 || more < 0 ? errno : 0;
    if (io->sink && io->begin >= 0 && there == count)
        sync_file_range(file, at, (off_t)count, SYNC_FILE_RANGE_WRITE);
    return there;
}

/* The row of the image that is row i of the file. */
static size_t row_of_file(const rec_input *input, size_t i)
{
    return input->lies.down < 0 ? input->image->height - 1 - i : i;
}

/* A stream is not read on behind its end. */
REC_TASK(do_blocks, raster *io)
{
    raster *io = job->io;
    const size_t row_bytes = io->row_bytes, height = io->image->height;
    uint8_t *bytes = io->memory + member * io->bytes;
    void *tones = bytes + io->bytes - io->image->width * sizeof(uint16_t);
    for (size_t block = first; block < end && (io->begin >= 0 || io->good == height); block++) {
        const size_t top = block * io->rows, rows = rec_smaller(height - top, io->rows);
        for (size_t i = 0; io->sink && i < rows; i++)
            io->pack(io->sink, top + i, tones, bytes + i * row_bytes);
        int number;
        const size_t there = transfer(io, bytes, rows * row_bytes, top, &number) / row_bytes;
        size_t good = io->sink ? there : 0;
        while (good < there &&
               io->input->format->unpack(io->input, row_of_file(io->input, top + good),
                                         bytes + good * row_bytes))
            good++;
        if (good == rows)
            continue;
        rec_team_lock();
        if (top + good < io->good) {
            io->good = top + good;
            io->ended = good == there;
            io->number = number;
        }
        rec_team_unlock();
    }
}

/* All rows; row number `before` of the file is the image's first. */
static rec_status transfer_rows(raster *io, size_t before, rec_error *error)
{
    const size_t height = io->image->height, row_bytes = io->row_bytes;
    const size_t full = row_bytes < BLOCK ? BLOCK / row_bytes : 1;
    io->good = height;
    io->rows = full < height ? full : height;
    const size_t count = (height + io->rows - 1) / io->rows, most = rec_team_size();
    const size_t team = io->begin < 0 ? 1 : most < count ? most : count;
    const size_t bytes = io->rows * row_bytes + io->image->width * sizeof(uint16_t);
    io->bytes = (bytes + REC_ALIGNMENT - 1) / REC_ALIGNMENT * REC_ALIGNMENT;
    REC_TRY(rec_allocate(&io->memory, team, io->bytes, "some rows", error));
    io->begin += io->begin < 0 ? 0 : (off_t)(before * row_bytes);
    REC_SHARE(team, count, do_blocks, io);
    rec_free(io->memory);
    return REC_OK;
}

rec_status rec_read_raster(rec_input *input, rec_error *error)
{
    const rec_image *image = input->image;
    const size_t row_bytes = input->row_bytes;
    if (rec_input_stays(input))
        return REC_OK;
    raster io = {.input = input, .image = image, .stream = input->stream, .row_bytes = row_bytes};
    const off_t first = io.begin = place_in_file(&io);
    REC_TRY(transfer_rows(&io, input->lies.down < 0 ? image->below : image->above, error));
    if (io.good < image->height && !io.ended)
        return rec_refuse_sample(input, row_of_file(input, io.good), error);
    if (io.good < image->height && (first < 0 || !io.number))
        return rec_input_cut(input, io.good, io.number, error);
    const off_t end = first + (off_t)(rec_image_full_height(image) * row_bytes);
    errno = io.number;
    return io.good == image->height && (first < 0 || !fseeko(input->stream, end, SEEK_SET))
               ? REC_OK
               : rec_read_failed(input->name, error);
}

/* In order into standard output, whose reader would see gaps, and where appending was asked for. */
rec_status rec_write_raster(const rec_sink *sink, size_t row_bytes, int upwards,
                            rec_pack_row *pack, rec_error *error)
{
    const rec_image *image = sink->image;
    raster io = {.sink = sink, .pack = pack, .image = image, .stream = sink->stream,
                 .row_bytes = row_bytes};
    const int in_order = sink->stream == stdout || fcntl(fileno(sink->stream), F_GETFL) & O_APPEND;
    io.begin = in_order ? -1 : place_in_file(&io);
    const rec_status status = transfer_rows(&io, upwards ? image->below : image->above, error);
    if (status || (io.good == image->height && io.begin < 0))
        return status;
    errno = io.number;
    return io.good == image->height &&
                   !fseeko(sink->stream, io.begin + (off_t)(image->height * row_bytes), SEEK_SET)
               ? REC_OK
               : rec_write_failed(sink->name, errno, error);
}
