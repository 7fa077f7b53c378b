/* The only door to libnetpbm: P6 and PAM, a row at a time in and out.
 *
 * libnetpbm reports a failure by printing and exit(1), or, where a jump buffer is set, by a message
 * to a function of ours and a jump. Both settings belong to the whole process, so every call goes
 * through trapped(), one thread at a time. What must survive the jump lives in a job, which
 * belongs to a caller of trapped(). Left out are the plain formats (text.c has them), P5
 * (pgm.c, for speed) and libnetpbm's readers of headers, which cannot be trusted (header.c). */
#include "image/image.h"

#include <errno.h>
#include <netpbm/pam.h>
#include <netpbm/ppm.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#include "base/memory.h"
#include "image/formats.h"

/* What we know of the struct, up to tuple_type. PAM_STRUCT_SIZE works it out through a null
 * pointer, which the sanitizer rightly refuses. */
#define PAM_BYTES (offsetof(struct pam, tuple_type) + sizeof((struct pam *)0)->tuple_type)

typedef struct job {
    FILE *stream;
    const char *name;
    struct pam pam;
    void *row; /* pixel or tuple, as the format's row functions want it */
    size_t y;  /* the row in work */
    const rec_input *input; /* reading, with image */
    rec_image *image;
    const rec_sink *sink; /* writing, with tones: one row of one plane */
    uint16_t *tones;
    int number; /* writing: the errno of what went wrong, 0: nothing yet */
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

/* Calls body(work); a complaint of libnetpbm becomes failed(work, ...). */
static rec_status trapped(job *work, rec_status (*body)(job *),
                          rec_status (*failed)(const job *, const char *, int))
{
    jmp_buf trap;
    pthread_mutex_lock(&gate);
    errno = 0;
    pm_setusererrormsgfn(keep_complaint);
    pm_setusermessagefn(drop_message);
    rec_status status;
    if (setjmp(trap)) {
        status = failed(work, complaint, complaint_errno);
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
static void describe(job *work, int format, size_t width, size_t height, size_t depth,
                     size_t maxval)
{
    work->pam = (struct pam){
        .size = sizeof work->pam,
        .len = PAM_BYTES,
        .file = work->stream,
        .format = format,
        .width = (int)width,
        .height = (int)height,
        .depth = (unsigned)depth,
        .maxval = maxval,
        .bytes_per_sample = maxval > 255 ? 2 : 1,
    };
    strcpy(work->pam.tuple_type, depth == 3 ? "RGB" : "GRAYSCALE");
}

/* One row as libnetpbm's functions have it; a PAM row is an array of pointers to its tuples. */
static rec_status allocate_row(job *work)
{
    const size_t width = (size_t)work->pam.width, depth = work->pam.depth;
    const size_t bytes = work->pam.format == RPPM_FORMAT ? sizeof(pixel)
                                                         : sizeof(tuple) + depth * sizeof(sample);
    const rec_status status = rec_allocate(&work->row, width, bytes, "a row", work->error);
    if (!status && work->pam.format == PAM_FORMAT) {
        tuple *tuples = work->row;
        sample *samples = (sample *)(tuples + width);
        for (size_t x = 0; x < width; x++)
            tuples[x] = samples + x * depth;
    }
    return status;
}

/* ---- reading ---- */

static rec_status read_header(job *work)
{
    rec_raw_header header;
    const rec_status status = rec_read_raw_header(work->input, &header, work->error);
    if (status)
        return status;
    if (header.depth != 1 && header.depth != 3)
        return rec_fail(work->error, REC_BAD_INPUT,
                        "%s: a PAM of depth %zu: only 1 (grey) and 3 (colour) can be read",
                        work->name, header.depth);
    const int format = work->input->format == REC_FORMAT_PPM ? RPPM_FORMAT : PAM_FORMAT;
    describe(work, format, header.width, header.height, header.depth, header.maxval);
    return REC_OK;
}

static rec_status bad_raster(const job *work, const char *message, int number)
{
    if (feof(work->stream) || ferror(work->stream)) {
        errno = number;
        return rec_input_ended(work->input, work->error, "after %zu of %zu rows", work->y,
                               work->image->height);
    }
    return rec_fail(work->error, REC_BAD_INPUT, "%s: row y %zu: %s", work->name, work->y, message);
}

/* Reads row y with every value that fits its bytes: the range is ours to check, with the place. */
static void read_row(job *work)
{
    const sample widest = work->pam.bytes_per_sample == 1 ? 255 : 65535;
    if (work->pam.format == RPPM_FORMAT)
        ppm_readppmrow(work->stream, work->row, work->pam.width, (pixval)widest, RPPM_FORMAT);
    else
        pnm_readpamrow(&work->pam, work->row);
}

/* One plane of the row that was read, as floats. */
static void unpack_row(const job *work, size_t plane, float *out)
{
    const size_t width = work->image->width;
    if (work->pam.format == RPPM_FORMAT) {
        const pixel *row = work->row;
        for (size_t x = 0; x < width; x++)
            out[x] = (float)(plane == 0   ? PPM_GETR(row[x])
                             : plane == 1 ? PPM_GETG(row[x])
                                          : PPM_GETB(row[x]));
    } else {
        tuple *row = work->row;
        for (size_t x = 0; x < width; x++)
            out[x] = (float)row[x][plane];
    }
}

static rec_status check_row(const job *work, size_t plane, const float *row, unsigned maxval)
{
    int good = 1;
    for (size_t x = 0; x < work->image->width; x++)
        good &= row[x] <= (float)maxval;
    if (good)
        return REC_OK;
    size_t x = 0;
    while (row[x] <= (float)maxval)
        x++;
    char where[REC_PIXEL_TEXT];
    return rec_fail(work->error, REC_BAD_INPUT,
                    "%s: the sample at %s is %.0f, above the file's maxval %u", work->name,
                    rec_pixel_text(where, work->image, plane, x, work->y), row[x], maxval);
}

static rec_status read_rows(job *work)
{
    const unsigned maxval = work->input->maxval;
    const int any = work->input->options->role == REC_SAMPLES || maxval == 255 || maxval == 65535;
    for (; work->y < work->image->height; work->y++) {
        read_row(work);
        for (size_t plane = 0; plane < work->image->planes; plane++) {
            float *row = rec_image_row(work->image, plane, work->y);
            unpack_row(work, plane, row);
            const rec_status status = any ? REC_OK : check_row(work, plane, row, maxval);
            if (status)
                return status;
        }
    }
    return REC_OK;
}

rec_status rec_read_netpbm(rec_input *input, rec_image *image, rec_error *error)
{
    job work = {.stream = input->stream, .name = input->name, .input = input, .image = image,
                .error = error};
    rec_status status = read_header(&work);
    if (status)
        return status;
    struct pam *pam = &work.pam;
    input->maxval = (unsigned)pam->maxval;
    pam->maxval = pam->bytes_per_sample == 1 ? 255 : 65535; /* see read_row */
    status = rec_input_start(input, (size_t)pam->width, (size_t)pam->height, pam->depth, image,
                             error);
    if (!status)
        status = allocate_row(&work);
    if (!status)
        status = trapped(&work, read_rows, bad_raster);
    rec_free(work.row);
    return status;
}

/* ---- writing ---- */

/* libnetpbm loses the row in work when a write fails, so it never sees that: it writes to a stream
 * of ours, which passes on what it can and remembers the first failure. */
static ssize_t pass_on(void *cookie, const char *bytes, size_t count)
{
    job *work = cookie;
    errno = 0;
    if (!work->number && fwrite(bytes, 1, count, work->sink->stream) != count)
        work->number = errno ? errno : EIO;
    return (ssize_t)count;
}

static rec_status bad_write(const job *work, const char *message, int number)
{
    (void)number;
    return rec_fail(work->error, REC_FAULT, "%s: cannot be written: %s", work->name, message);
}

/* Puts one plane's tones into the row. */
static void pack_row(const job *work, size_t plane)
{
    const size_t width = (size_t)work->pam.width;
    const uint16_t *tones = work->tones;
    if (work->pam.format == RPPM_FORMAT) {
        pixel *row = work->row;
        for (size_t x = 0; x < width; x++)
            *(plane == 0 ? &row[x].r : plane == 1 ? &row[x].g : &row[x].b) = tones[x];
    } else {
        tuple *row = work->row;
        for (size_t x = 0; x < width; x++)
            row[x][plane] = tones[x];
    }
}

static void write_row(job *work)
{
    if (work->pam.format == RPPM_FORMAT)
        ppm_writeppmrow(work->stream, work->row, work->pam.width, (pixval)work->pam.maxval, 0);
    else
        pnm_writepamrow(&work->pam, work->row);
}

static rec_status write_all(job *work)
{
    pnm_writepaminit(&work->pam);
    for (; work->y < work->sink->image->height && !work->number; work->y++) {
        for (size_t plane = 0; plane < work->sink->image->planes; plane++) {
            rec_sink_row(work->sink, plane, work->y, work->tones);
            pack_row(work, plane);
        }
        write_row(work);
    }
    return REC_OK;
}

static rec_status write_through(job *work)
{
    const rec_image *image = work->sink->image;
    void *tones = NULL;
    rec_status status = allocate_row(work);
    if (!status)
        status = rec_allocate(&tones, image->width, sizeof *work->tones, "a row", work->error);
    work->tones = tones;
    if (!status)
        status = trapped(work, write_all, bad_write);
    rec_free(tones);
    rec_free(work->row);
    return status;
}

rec_status rec_write_netpbm(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    job work = {.name = sink->name, .sink = sink, .error = error};
    work.stream = fopencookie(&work, "w", (cookie_io_functions_t){.write = pass_on});
    if (!work.stream)
        return rec_write_failed(sink->name, errno, error);
    const int format = sink->format == REC_FORMAT_PPM ? RPPM_FORMAT : PAM_FORMAT;
    describe(&work, format, image->width, image->height, image->planes, sink->options->maxval);
    const rec_status status = write_through(&work);
    fclose(work.stream); /* passes on the last of it */
    return !status && work.number ? rec_write_failed(sink->name, work.number, error) : status;
}
