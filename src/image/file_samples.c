/* The samples of a file where they lie, and copies of such a file. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/team.h"
#include "base/trace.h"
#include "image/format.h"

enum {
    SMALL = 1 << 24, /* bytes of a file that is held in memory: calls of the system take longer */
    PIECE = 1 << 22  /* bytes that are moved at once */
};

void rec_file_samples_close(rec_file_samples *samples)
{
    if (samples->at.width && !samples->memory)
        close(samples->at.descriptor);
    rec_free(samples->memory);
    rec_free(samples->blocks);
    *samples = (rec_file_samples){0};
}

/* ---- all bytes of a file, by all threads ---- */

/* From a file or memory into a file or memory, at the same place; *number: an errno, ENODATA where
 * the file ends before. */
REC_TASK(move_pieces, int from, to; uint8_t *memory; uint64_t bytes; int stops; int *number)
{
    rec_owned uint8_t *own = NULL;
    int number = job->memory || !rec_allocate(&own, 1, PIECE, "a piece", NULL) ? 0 : ENOMEM;
    for (size_t i = first; i < end && !number; i++) {
        const uint64_t at = (uint64_t)i * PIECE;
        const size_t count = rec_smaller(PIECE, job->bytes - at);
        uint8_t *piece = own ? own : job->memory + at;
        ssize_t some = 1;
        size_t copied = 0; /* by the system, which may share blocks; the loops below do the rest */
        for (off_t here = (off_t)at, there = here;
             own && copied < count &&
             copy_file_range(job->from, &here, job->to, &there, count - copied, 0) > 0;)
            copied = (size_t)here - at;
        for (size_t done = copied; job->from >= 0 && done < count && some > 0; done += (size_t)some)
            if ((some = pread(job->from, piece + done, count - done, (off_t)(at + done))) <= 0)
                number = some ? errno : ENODATA;
        for (size_t done = copied; job->to >= 0 && done < count && !number; done += (size_t)some)
            if ((some = pwrite(job->to, piece + done, count - done, (off_t)(at + done))) <= 0)
                number = errno;
        if (job->to >= 0 && !number) /* what an fsync will wait for */
            sync_file_range(job->to, (off_t)at, (off_t)count, SYNC_FILE_RANGE_WRITE);
        if (job->stops && rec_is_stopped())
            number = EINTR;
    }
    if (!number)
        return;
    rec_team_lock();
    *job->number = number;
    rec_team_unlock();
}

static int move(int from, int to, uint8_t *memory, uint64_t bytes, int stops)
{
    const size_t pieces = (size_t)((bytes + PIECE - 1) / PIECE);
    int number = 0;
    REC_SHARE(rec_team_size(), pieces, move_pieces, from, to, memory, bytes, stops, &number);
    return number;
}

/* ---- read ---- */

rec_status rec_input_leave(rec_input *input, rec_error *error)
{
    rec_file_samples *made = input->options->samples;
    const rec_samples *lies = &input->lies;
    const size_t pixels = lies->width * lies->height;
    const uint64_t all = pixels * lies->planes * rec_sample_kinds[lies->type].bytes;
    const off_t here = ftello(input->stream);
    if (input->decodes) {
        REC_TRY(rec_allocate(&made->memory, 1, all, input->name, error));
        made->at = *lies;
        made->at.data = made->memory;
        made->bytes = all;
        made->decoded = 1;
        return REC_OK;
    }
    made->at = *lies;
    made->bytes = input->info->file.bytes;
    made->at.offset += (uint64_t)here;
    made->at.descriptor = fcntl(fileno(input->stream), F_DUPFD_CLOEXEC, 0);
    if (made->at.descriptor < 0 || fseeko(input->stream, here + (off_t)all, SEEK_SET)) {
        made->at.width = 0;
        return rec_read_failed(input->name, error);
    }
    input->info->rounded = NULL;
    if (made->bytes > SMALL && (lies->across < lies->down || lies->down < 0))
        return REC_OK;
    REC_TRY(rec_allocate(&made->memory, 1, made->bytes, input->name, error));
    const int number = move(made->at.descriptor, -1, made->memory, made->bytes, 1);
    close(made->at.descriptor);
    made->at.data = (uint8_t *)made->memory + made->at.offset;
    errno = number == ENODATA ? 0 : number;
    return number ? rec_read_failed(input->name, error) : REC_OK;
}

/* ---- written ---- */

static rec_status write_copy(int to, const char *name, const rec_file_samples *of,
                             const rec_write_options *options, rec_put_samples *put, void *user,
                             rec_error *error)
{
    const rec_image_origin *origin = options->origin;
    rec_samples at = of->at;
    rec_file_mark mark;
    int number = of->memory ? 0 : move(of->at.descriptor, to, NULL, of->bytes, options->stops);
    at.descriptor = to;
    if (!number)
        REC_TRY(put(user, &at, error));
    if (!number && of->memory)
        number = move(-1, to, of->memory, of->bytes, options->stops);
    if (number && number != ENODATA)
        return rec_write_failed(name, number, error);
    if (!number && origin->format->finish && origin->box && origin->box->width)
        REC_TRY(origin->format->finish(to, name, options, error));
    return number || !rec_file_note(origin->path, &mark) ||
                   mark.bytes != origin->file.bytes || mark.time != origin->file.time
               ? rec_fail(error, REC_BAD_INPUT, "%s: has changed since it was read", origin->path)
               : REC_OK;
}

rec_status rec_write_copy(const char *path, const rec_file_samples *of,
                          const rec_write_options *options, rec_put_samples *put, void *user,
                          rec_error *error)
{
    rec_output *output;
    REC_TRY(rec_output_open(&output, path, 0, error));
    REC_TRACE("save", of->bytes);
    const rec_status status = write_copy(fileno(rec_output_stream(output)), rec_output_name(path),
                                         of, options, put, user, error);
    return rec_output_commit(output, status, options->guard, error);
}
