/* Writing by libjpeg. Onto a picture that is a JPEG: only those of its blocks are coded anew in
 * which pixels change, by what their coefficients differ; all others, and the markers, are copied.
 * Else the whole is coded at a fixed quality. */
#include "image/format.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>
/* After <stdio.h>, which libjpeg's headers need. */
#include <jpeglib.h>
#include <jerror.h>

#include "base/memory.h"
#include "base/text.h"

#define KNOWN 3.0f    /* the weight of a sample that shall not change; one that does has 1 */
#define UNSEEN 0.1f   /* beyond the sides of the picture */
#define MOST_PASSES 8 /* over the coefficients of a block; few blocks need more than 4 */
enum { QUALITY = 95, LARGEST = 1023 /* of a coefficient */ };

typedef struct coder {
    struct jpeg_compress_struct to;
    struct jpeg_decompress_struct from; /* of the file with the picture */
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf trap;
    int number; /* errno when it complained */
    const rec_sink *sink;
    rec_written *written, unasked;
    FILE *file;      /* with the picture; NULL: the image is coded anew */
    int orientation; /* of the file */
    float basis[DCTSIZE2][DCTSIZE2]; /* of the cosine transform: [coefficient][sample] */
    void *rows;
    rec_error *error;
} coder;

static void on_error(j_common_ptr jpeg)
{
    coder *work = jpeg->client_data;
    work->number = errno;
    longjmp(work->trap, 1);
}

static void on_message(j_common_ptr jpeg, int level) {} /* said when the picture was read */

static void on_progress(j_common_ptr jpeg)
{
    const coder *work = jpeg->client_data;
    if (!rec_sink_is_stopped(work->sink))
        return;
    errno = EINTR;
    jpeg->err->msg_code = JERR_FILE_WRITE;
    on_error(jpeg);
}

static rec_status fails(coder *work)
{
    char message[JMSG_LENGTH_MAX];
    const char *name = work->file ? work->sink->options->origin->path : work->sink->name;
    if (work->errors.msg_code == JERR_OUT_OF_MEMORY)
        return rec_fail(work->error, REC_LIMIT, "%s: out of memory for libjpeg", name);
    if (work->errors.msg_code == JERR_FILE_WRITE)
        return rec_write_failed(work->sink->name, work->number, work->error);
    work->errors.format_message((j_common_ptr)&work->to, message);
    return rec_fail(work->error, work->file ? REC_BAD_INPUT : REC_USAGE, "%s: libjpeg: %s", name,
                    message);
}

/* ---- onto a JPEG ---- */

static double cosine(int frequency, int sample)
{
    return cos((2 * sample + 1) * frequency * M_PI / (2 * DCTSIZE)) *
           sqrt((frequency ? 2.0 : 1.0) / DCTSIZE);
}

/* What pixel (x, y) of the image has of a component. */
static double component_of(const coder *work, int component, size_t x, size_t y)
{
    static const double parts[3][3] = {{0.299, 0.587, 0.114},
                                       {-0.168735892, -0.331264108, 0.5},
                                       {0.5, -0.418687589, -0.081312411}};
    const rec_image *image = work->sink->image;
    double samples[3], sum = component ? 128 : 0;
    for (size_t p = 0; p < image->planes; p++)
        samples[p] = fmin(fmax((double)rec_image_row(image, p, y)[x], 0), 255);
    if (work->from.jpeg_color_space != JCS_YCbCr)
        return samples[component];
    for (size_t p = 0; p < 3; p++)
        sum += parts[component][p] * samples[p];
    return sum;
}

/* A sample of a component stands for some pixels of the file: which share of them changes, by the
 * mean of their new values; -1: it stands for none. */
static float find_share(const coder *work, const jpeg_component_info *component, size_t left,
                        size_t top, float *mean)
{
    const struct jpeg_decompress_struct *from = &work->from;
    const size_t across = (size_t)(from->max_h_samp_factor / component->h_samp_factor);
    const size_t down = (size_t)(from->max_v_samp_factor / component->v_samp_factor);
    size_t pixels = 0, changed = 0, at_x, at_y;
    double sum = 0;
    for (size_t y = top * down; y < (top + 1) * down && y < from->image_height; y++)
        for (size_t x = left * across; x < (left + 1) * across && x < from->image_width; x++) {
            rec_turn(work->orientation, from->image_width, from->image_height, x, y, &at_x, &at_y);
            pixels++;
            if (!work->sink->options->origin->touched[at_y * work->sink->image->width + at_x])
                continue;
            changed++;
            sum += component_of(work, component->component_index, at_x, at_y);
        }
    *mean = changed ? (float)(sum / (double)changed) : 0;
    return pixels ? (float)changed / (float)pixels : -1;
}

/* Changes coefficients, one after the other, until none of them brings the samples nearer to what
 * they shall be, by the sum of weighted squares of `beyond`. */
static void change_block(const coder *work, JCOEFPTR block, const UINT16 *steps, float *beyond,
                         const float *weights)
{
    int moved = 1;
    for (int pass = 0; pass < MOST_PASSES && moved; pass++) {
        moved = 0;
        for (int k = 0; k < DCTSIZE2; k++) {
            const float *wave = work->basis[k], step = steps[k];
            const long now = block[k], least = -LARGEST - !k;
            float slope = 0, mass = 0;
#pragma omp simd reduction(+ : slope, mass)
            for (int i = 0; i < DCTSIZE2; i++) {
                slope += wave[i] * weights[i] * beyond[i];
                mass += wave[i] * wave[i] * weights[i];
            }
            long next = steps[k] ? now - lrintf(slope / (step * mass)) : now;
            next = next < least ? least : next > LARGEST ? LARGEST : next;
            block[k] = (JCOEF)next;
            moved |= next != now;
            for (int i = 0; i < DCTSIZE2 && next != now; i++)
                beyond[i] += (float)(next - now) * step * wave[i];
        }
    }
}

/* The block in that column and row of blocks. */
static void do_block(coder *work, const jpeg_component_info *component, JCOEFPTR block, size_t x,
                     size_t y)
{
    const UINT16 *steps = component->quant_table->quantval;
    float shares[DCTSIZE2], beyond[DCTSIZE2], weights[DCTSIZE2], most = 0;
    for (size_t i = 0; i < DCTSIZE2; i++) {
        shares[i] = find_share(work, component, x * DCTSIZE + i % DCTSIZE,
                               y * DCTSIZE + i / DCTSIZE, &beyond[i]);
        weights[i] = shares[i] < 0 ? UNSEEN : KNOWN + (1 - KNOWN) * shares[i];
        beyond[i] = 128 - beyond[i];
        most = fmaxf(most, shares[i]);
    }
    if (!(most > 0))
        return;
    work->written->changed++;
    for (int k = 0; k < DCTSIZE2; k++)
        for (int i = 0; i < DCTSIZE2 && block[k]; i++)
            beyond[i] += (float)(block[k] * steps[k]) * work->basis[k][i];
    for (int i = 0; i < DCTSIZE2; i++)
        beyond[i] *= fmaxf(shares[i], 0);
    change_block(work, block, steps, beyond, weights);
}

/* The touched pixels' box, as the file has it. */
static rec_area box_in_file(const coder *work)
{
    static const int back[] = {0, 1, 2, 3, 4, 5, 8, 7, 6}; /* the turn that undoes one */
    const rec_image *image = work->sink->image;
    const rec_area box = *work->sink->options->origin->box;
    const int turn = back[work->orientation];
    rec_area first = {.width = 1, .height = 1}, last = first;
    if (!box.width)
        return box;
    rec_turn(turn, image->width, image->height, box.x, box.y, &first.x, &first.y);
    rec_turn(turn, image->width, image->height, box.x + box.width - 1, box.y + box.height - 1,
             &last.x, &last.y);
    return rec_area_join(first, last);
}

static void do_blocks(coder *work, jvirt_barray_ptr *arrays)
{
    struct jpeg_decompress_struct *from = &work->from;
    const rec_area box = box_in_file(work);
    for (int k = 0; k < DCTSIZE2; k++)
        for (int i = 0; i < DCTSIZE2; i++)
            work->basis[k][i] = (float)(cosine(k / DCTSIZE, i / DCTSIZE) *
                                        cosine(k % DCTSIZE, i % DCTSIZE));
    for (int c = 0; c < from->num_components; c++) {
        const jpeg_component_info *part = &from->comp_info[c];
        const size_t width = (size_t)(from->max_h_samp_factor / part->h_samp_factor * DCTSIZE);
        const size_t height = (size_t)(from->max_v_samp_factor / part->v_samp_factor * DCTSIZE);
        work->written->blocks += (size_t)part->width_in_blocks * part->height_in_blocks;
        for (size_t y = box.y / height; y * height < box.y + box.height; y++) {
            JBLOCKARRAY row = from->mem->access_virt_barray((j_common_ptr)from, arrays[c],
                                                            (JDIMENSION)y, 1, TRUE);
            on_progress((j_common_ptr)from);
            for (size_t x = box.x / width; x * width < box.x + box.width; x++)
                do_block(work, part, row[0][x], x, y);
        }
    }
}

static void leave_out(coder *work, const char *what)
{
    char *text = work->written->left_out;
    const size_t length = strlen(text);
    if (!strstr(text, what))
        snprintf(text + length, sizeof work->written->left_out - length, "%s%s",
                 length ? ", " : "", what);
}

static void copy_markers(coder *work)
{
    char text[48];
    rec_preview_rest rest = {0};
    for (jpeg_saved_marker_ptr at = work->from.marker_list; at; at = at->next) {
        size_t left = at->data_length;
        const char *what = rec_previews_drop(at->marker, at->data, &left, &rest);
        if (what)
            leave_out(work, what);
        if (left || !what)
            jpeg_write_marker(&work->to, at->marker, at->data, (unsigned)left);
    }
    const size_t read = (size_t)ftello(work->file) - work->from.src->bytes_in_buffer;
    const size_t bytes = work->sink->options->origin->file.bytes;
    snprintf(text, sizeof text, "%zu byte%s behind its end", bytes - read,
             rec_plural(bytes - read));
    if (bytes > read)
        leave_out(work, text);
}

/* The result is coded as the file is: progressive, arithmetic, with restarts. */
static rec_status write_onto(coder *work)
{
    struct jpeg_decompress_struct *from = &work->from;
    struct jpeg_compress_struct *to = &work->to;
    jpeg_create_decompress(from);
    jpeg_create_compress(to);
    from->progress = to->progress = &work->progress; /* which the calls before have cleared */
    jpeg_stdio_src(from, work->file);
    jpeg_save_markers(from, JPEG_COM, 0xffff);
    for (int i = 0; i < 16; i++)
        jpeg_save_markers(from, JPEG_APP0 + i, 0xffff);
    jpeg_read_header(from, TRUE);
    for (jpeg_saved_marker_ptr at = from->marker_list; at && !work->orientation; at = at->next)
        work->orientation = rec_exif_orientation(at->data, at->data_length);
    const unsigned restarts = from->restart_interval; /* later scans may have another one */
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(from);
    do_blocks(work, arrays);
    jpeg_copy_critical_parameters(from, to); /* some tables may stand before a later scan */
    to->restart_interval = restarts;
#ifdef C_ARITH_CODING_SUPPORTED
    to->arith_code = from->arith_code;
#endif
    to->optimize_coding = !to->arith_code; /* the file's tables may lack a code */
    to->write_JFIF_header = to->write_Adobe_marker = FALSE; /* they are among the markers */
    if (from->progressive_mode)
        jpeg_simple_progression(to);
    jpeg_stdio_dest(to, work->sink->stream);
    jpeg_write_coefficients(to, arrays);
    copy_markers(work);
    jpeg_finish_compress(to);
    return REC_OK;
}

/* ---- anew ---- */

static rec_status write_anew(coder *work)
{
    const rec_image *image = work->sink->image;
    const rec_extras *extras = work->sink->options->extras;
    struct jpeg_compress_struct *to = &work->to;
    jpeg_create_compress(to);
    jpeg_stdio_dest(to, work->sink->stream);
    to->progress = &work->progress;
    to->image_width = (JDIMENSION)image->width;
    to->image_height = (JDIMENSION)image->height;
    to->input_components = (int)image->planes;
    to->in_color_space = image->planes == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(to);
    jpeg_set_quality(to, QUALITY, TRUE);
    to->comp_info[0].h_samp_factor = to->comp_info[0].v_samp_factor = 1; /* of the others it is 1 */
    to->optimize_coding = TRUE;
    jpeg_start_compress(to, TRUE);
    if (extras && extras->profile)
        jpeg_write_icc_profile(to, extras->profile, (unsigned)extras->profile_bytes);
    JSAMPROW row = (JSAMPROW)((uint16_t *)work->rows + image->width);
    for (size_t y = 0; y < image->height; y++) {
        rec_pack_samples(work->sink, y, work->rows, row);
        jpeg_write_scanlines(to, &row, 1);
    }
    jpeg_finish_compress(to);
    work->written->quality = QUALITY;
    return REC_OK;
}

static rec_status write_trapped(coder *work)
{
    return setjmp(work->trap) ? fails(work) : work->file ? write_onto(work) : write_anew(work);
}

rec_status rec_write_jpeg(const rec_sink *sink, rec_error *error)
{
    coder work = {.sink = sink, .error = error};
    work.from.client_data = work.to.client_data = &work;
    work.from.err = work.to.err = jpeg_std_error(&work.errors);
    work.errors.error_exit = on_error;
    work.errors.emit_message = on_message;
    work.progress.progress_monitor = on_progress;
    work.written = sink->options->written ? sink->options->written : &work.unasked;
    rec_status status = rec_allocate(&work.rows, sink->image->width * (2 + sink->image->planes),
                                     sizeof(uint16_t), "a row", error);
    if (!status && rec_sink_origin(sink))
        status = rec_origin_open(rec_sink_origin(sink), &work.file, error);
    REC_THEN(status, write_trapped(&work));
    jpeg_destroy_compress(&work.to);
    jpeg_destroy_decompress(&work.from);
    rec_close_at(&work.file);
    rec_free(work.rows);
    return status;
}
