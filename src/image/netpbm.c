/* The only door to libnetpbm: the samples of P5, P6 and PAM a row at a time, and what these formats
 * begin with when they are written.
 *
 * libnetpbm reports a failure by printing and exit(1), or, where a jump buffer is set, by a message
 * to a function of ours and a jump. Both settings belong to the whole process, so every call goes
 * through trapped(), one thread at a time. What must survive the jump lives in a job, which
 * belongs to a caller of trapped(). Left out are the plain formats (plain.c has them), the samples
 * of large files (raw.c, for speed), libnetpbm's writer of rows, which loses memory when a write
 * fails, and its readers of headers, which cannot be trusted (header.c). */
#include "image/format.h"

#include <errno.h>
#include <netpbm/pam.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#include "base/memory.h"

/* What we know of the struct, up to tuple_type. PAM_STRUCT_SIZE works it out through a null
 * pointer, which the sanitizer rightly refuses. */
#define PAM_BYTES (offsetof(struct pam, tuple_type) + sizeof((struct pam *)0)->tuple_type)

typedef struct job {
    FILE *stream;
    const char *name;
    struct pam pam;
    tuple *row;
    size_t y;  /* the row in work */
    const rec_input *input; /* NULL: writing */
    rec_error *error;
} job;

/* ---- the trap ---- */

/* Guarded by the gate, as libnetpbm's own settings are: its callback has no context. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static char complaint[256];
static int complaint_errno;

static void keep_complaint(const char *message)
{
    complaint_errno = errno;
    size_t length = strnlen(message, sizeof complaint - 1);
    memcpy(complaint, message, length);
    while (length && strchr(" \n.", complaint[length - 1]))
        length--;
    complaint[length] = '\0';
    for (char *newline = complaint; (newline = strchr(newline, '\n'));)
        *newline = ' ';
}

static void drop_message(const char *message) { (void)message; }

static rec_status complain(const job *work)
{
    if (strstr(complaint, "llocate") || strstr(complaint, "memory"))
        return rec_fail(work->error, REC_LIMIT, "%s: %s", work->name, complaint);
    if (!work->input)
        return rec_fail(work->error, REC_FAULT, "%s: cannot be written: %s", work->name, complaint);
    if (feof(work->stream) || ferror(work->stream))
        return rec_input_cut(work->input, work->y, complaint_errno, work->error);
    return rec_fail(work->error, REC_BAD_INPUT, "%s: row y %zu: %s", work->name, work->y,
                    complaint);
}

/* Calls body(work); a complaint of libnetpbm becomes a failure. */
static rec_status trapped(job *work, rec_status (*body)(job *))
{
    jmp_buf trap;
    pthread_mutex_lock(&gate);
    errno = 0;
    pm_setusererrormsgfn(keep_complaint);
    pm_setusermessagefn(drop_message);
    rec_status status;
    if (setjmp(trap)) {
        status = complain(work);
    } else {
        pm_setjmpbuf(&trap);
        status = body(work);
    }
    pm_setjmpbuf(NULL);
    pm_setusermessagefn(NULL);
    pm_setusererrormsgfn(NULL);
    pthread_mutex_unlock(&gate);
    return status;
}

/* What pnm_readpaminit would find, or pnm_writepaminit wants. */
static void describe(job *work, int letter, size_t width, size_t height, size_t depth,
                     size_t maxval)
{
    work->pam = (struct pam){
        .size = sizeof work->pam,
        .len = PAM_BYTES,
        .file = work->stream,
        .format = letter == '5' ? RPGM_FORMAT : letter == '6' ? RPPM_FORMAT : PAM_FORMAT,
        .width = (int)width,
        .height = (int)height,
        .depth = (unsigned)depth,
        .maxval = maxval,
        .bytes_per_sample = maxval > 255 ? 2 : 1,
    };
    strcpy(work->pam.tuple_type, depth == 3 ? "RGB" : "GRAYSCALE");
}

/* One row: an array of pointers to its tuples, which lie behind it. */
static rec_status allocate_row(job *work)
{
    const size_t width = (size_t)work->pam.width, depth = work->pam.depth;
    void *memory;
    const rec_status status = rec_allocate(&memory, width, sizeof(tuple) + depth * sizeof(sample),
                                           "a row", work->error);
    work->row = memory;
    for (size_t x = 0; !status && x < width; x++)
        work->row[x] = (sample *)(work->row + width) + x * depth;
    return status;
}

/* ---- reading ---- */

static rec_status read_rows(job *work)
{
    const rec_image *image = work->input->image;
    const int any = work->input->options->role == REC_SAMPLES;
    const sample most = any ? 65535 : work->input->maxval;
    for (; work->y < image->height; work->y++) {
        sample largest = 0;
        pnm_readpamrow(&work->pam, work->row);
        for (size_t plane = 0; plane < image->planes; plane++) {
            float *row = rec_image_row(image, plane, work->y);
            for (size_t x = 0; x < image->width; x++) {
                const sample value = work->row[x][plane];
                largest = value > largest ? value : largest;
                row[x] = (float)value;
            }
        }
        if (largest > most)
            return rec_refuse_sample(work->input, work->y, work->error);
    }
    return REC_OK;
}

rec_status rec_read_netpbm(rec_input *input, rec_error *error)
{
    job work = {.stream = input->stream, .name = input->name, .input = input, .error = error};
    rec_raw_header header;
    rec_status status = rec_read_raw_header(input, &header, error);
    if (status)
        return status;
    if (header.depth != 1 && header.depth != 3)
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: a PAM of depth %zu%s: only 1 (grey) and 3 (colour) can be read%s",
                        input->name, header.depth, header.depth % 2 ? "" : ", with alpha",
                        header.depth % 2 ? "" : "; Netpbm's pamtopnm converts it");
    input->maxval = (unsigned)header.maxval;
    const size_t row_bytes = header.width * header.depth * (header.maxval > 255 ? 2 : 1);
    status = rec_input_start(input, header.width, header.height, header.depth, row_bytes, error);
    if (status)
        return status;
    if (rec_reads_blocks(input->stream, input->image, row_bytes))
        return rec_read_samples(input, error);
    /* Every value that fits its bytes is read: the range is ours to check, with the place. */
    describe(&work, header.letter, header.width, header.height, header.depth,
             header.maxval > 255 ? 65535 : 255);
    status = allocate_row(&work);
    if (!status)
        status = trapped(&work, read_rows);
    rec_free(work.row);
    return status;
}

/* ---- writing ---- */

static rec_status write_header(job *work)
{
    pnm_writepaminit(&work->pam);
    return REC_OK;
}

static rec_status write_as(const rec_sink *sink, int letter, rec_error *error)
{
    const rec_image *image = sink->image;
    const unsigned maxval = sink->options->maxval;
    job work = {.stream = sink->stream, .name = sink->name, .error = error};
    describe(&work, letter, image->width, rec_image_full_height(image), image->planes, maxval);
    const rec_status status = trapped(&work, write_header);
    return status ? status
                  : rec_write_raster(sink, rec_samples_bytes(image, maxval), 0,
                                     rec_pack_samples, error);
}

rec_status rec_write_pnm(const rec_sink *sink, rec_error *error)
{
    return write_as(sink, sink->image->planes == 3 ? '6' : '5', error);
}

rec_status rec_write_pam(const rec_sink *sink, rec_error *error)
{
    return write_as(sink, '7', error);
}
