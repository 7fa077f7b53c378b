/* Reading by libjpeg: JPEG of 8 bits, grey or colour, turned as the camera noted. Left out: CMYK.
 *
 * libjpeg reports a failure by a call of ours that must not return: it jumps. Those of its warnings
 * that mean missing or wrong samples are refused, too; cameras cause the others. */
#include "image/format.h"

#include <errno.h>
#include <setjmp.h>
/* After <stdio.h>, which libjpeg's headers need. */
#include <jpeglib.h>
#include <jerror.h>

#include "base/memory.h"

#define MOST_SCANS 100 /* each costs a pass over the image, whatever is in it; encoders make 10 */

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf trap;
    rec_input *input;
    int orientation; /* by Exif */
    void *row;
    int number; /* errno when it complained */
    int ended;  /* the file, before the marker of its end */
    rec_error *error;
} decoder;

static void on_error(j_common_ptr jpeg)
{
    decoder *work = jpeg->client_data;
    work->number = errno;
    longjmp(work->trap, 1);
}

static void on_message(j_common_ptr jpeg, int level)
{
    decoder *work = jpeg->client_data;
    const int code = jpeg->err->msg_code;
    char message[JMSG_LENGTH_MAX];
    if (level >= 0)
        return;
    if (code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_ARITH_BAD_CODE ||
        code == JWRN_MUST_RESYNC)
        on_error(jpeg);
    work->ended |= code == JWRN_JPEG_EOF;
    jpeg->err->format_message(jpeg, message);
    if (!*work->input->info->warning)
        snprintf(work->input->info->warning, REC_WARNING_TEXT, "libjpeg: %s", message);
}

/* Called for each row of blocks. */
static void on_progress(j_common_ptr jpeg)
{
    decoder *work = jpeg->client_data;
    if (rec_is_stopped() || work->jpeg.input_scan_number > MOST_SCANS)
        on_error(jpeg);
}

/* Fails for what is in the file, or not there. */
static rec_status bad_file(decoder *work)
{
    char message[JMSG_LENGTH_MAX], where[64] = "within its header";
    struct jpeg_decompress_struct *jpeg = &work->jpeg;
    const rec_input *input = work->input;
    if (work->errors.msg_code == JERR_OUT_OF_MEMORY)
        return rec_fail(work->error, REC_LIMIT, "%s: out of memory for libjpeg", input->name);
    if (jpeg->input_scan_number > MOST_SCANS)
        return rec_fail(work->error, REC_BAD_INPUT, "%s: a JPEG of more than %d scans",
                        input->name, MOST_SCANS);
    if (work->row && jpeg_has_multiple_scans(jpeg))
        snprintf(where, sizeof where, "in scan %d", jpeg->input_scan_number);
    else if (work->row) /* all rows of blocks that were read are good */
        snprintf(where, sizeof where, "after %u of %u rows",
                 jpeg->input_iMCU_row * (unsigned)(jpeg->max_v_samp_factor * DCTSIZE),
                 jpeg->image_height);
    errno = work->number;
    if (work->ended || ferror(input->stream) || rec_is_stopped())
        return rec_input_ended(input, work->error, "%s", where);
    work->errors.format_message((j_common_ptr)jpeg, message);
    const int lossless = work->errors.msg_code == JERR_SOF_UNSUPPORTED &&
                         work->errors.msg_parm.i[0] == 0xc3;
    return rec_fail(work->error, REC_BAD_INPUT, "%s: libjpeg: %s%s, %s", input->name, message,
                    lossless ? " (lossless)" : "", where);
}

/* Of several scans, once all are read: each component is in one, and where the file has no end, all
 * bits of the coefficients are. */
static rec_status check_scans(const decoder *work)
{
    const struct jpeg_decompress_struct *jpeg = &work->jpeg;
    int missing = 0;
    for (int c = 0; c < jpeg->num_components; c++) {
        missing |= !jpeg->comp_info[c].quant_table;
        for (int k = 0; work->ended && jpeg->coef_bits && k < DCTSIZE2; k++)
            missing |= jpeg->coef_bits[c][k] != 0;
    }
    return missing ? rec_input_ended(work->input, work->error, "after scan %d; others are missing",
                                     jpeg->input_scan_number) : REC_OK;
}

static void turn_row(const rec_input *input, int orientation, size_t y, const JSAMPLE *row)
{
    const rec_image *image = input->image;
    const size_t width = orientation >= 5 ? image->height : image->width;
    const size_t height = orientation >= 5 ? image->width : image->height;
    size_t to_x, to_y;
    for (size_t x = 0; x < width; x++) {
        rec_turn(orientation, width, height, x, y, &to_x, &to_y);
        for (size_t p = 0; p < image->planes; p++)
            rec_image_row(image, p, to_y)[to_x] = row[x * image->planes + p];
    }
}

static rec_status read_header(decoder *work)
{
    rec_input *input = work->input;
    struct jpeg_decompress_struct *jpeg = &work->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg->progress = &work->progress; /* which the call before has cleared */
    jpeg_stdio_src(jpeg, input->stream);
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_save_markers(jpeg, JPEG_APP0 + 2, 0xffff);
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK)
        return rec_fail(work->error, REC_BAD_INPUT,
                        "%s: a JPEG in CMYK cannot be read; Netpbm's jpegtopnm converts it",
                        input->name);
    const size_t planes = jpeg->jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    jpeg->out_color_space = planes == 1 ? JCS_GRAYSCALE : JCS_RGB;
    for (jpeg_saved_marker_ptr at = jpeg->marker_list; at && !work->orientation; at = at->next)
        work->orientation = rec_exif_orientation(at->data, at->data_length);
    const int turned = work->orientation >= 5;
    input->decodes = 1;
    input->lies = rec_rows_of_file(&(rec_number){'u', 1, 0}, work->orientation > 1 ? 0
                                   : jpeg->image_width, jpeg->image_height, planes);
    input->size = (rec_image){.width = turned ? jpeg->image_height : jpeg->image_width,
                              .height = turned ? jpeg->image_width : jpeg->image_height,
                              .planes = planes};
    return REC_OK;
}

static rec_status read_samples(decoder *work)
{
    struct jpeg_decompress_struct *jpeg = &work->jpeg;
    rec_extras *extras = work->input->options->extras;
    JOCTET *profile;
    unsigned bytes;
    if (extras && jpeg_read_icc_profile(jpeg, &profile, &bytes)) { /* a damaged one is left out */
        extras->profile = profile;
        extras->profile_bytes = bytes;
    }
    REC_TRY(rec_allocate(&work->row, jpeg->image_width, work->input->size.planes, "a row",
                         work->error));
    jpeg_start_decompress(jpeg);
    if (jpeg_has_multiple_scans(jpeg))
        REC_TRY(check_scans(work));
    const rec_samples *made = rec_input_stays(work->input) ? &work->input->options->samples->at
                                                           : NULL;
    while (jpeg->output_scanline < jpeg->output_height) {
        const size_t y = jpeg->output_scanline;
        JSAMPROW row = made ? (JSAMPROW)made->data + y * (size_t)made->down : work->row;
        jpeg_read_scanlines(jpeg, &row, 1);
        if (made)
            continue;
        if (work->orientation <= 1)
            rec_unpack_samples(work->input, y, row);
        else
            turn_row(work->input, work->orientation, y, row);
    }
    jpeg_finish_decompress(jpeg);
    return REC_OK;
}

static void drop(void *own)
{
    decoder *work = own;
    jpeg_destroy_decompress(&work->jpeg);
    rec_free(work->row);
}

rec_status rec_header_jpeg(rec_input *input, rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(&input->own, 1, sizeof(decoder), "libjpeg", error));
    decoder *work = input->own;
    input->drop = drop;
    work->input = input;
    work->error = error;
    work->jpeg.client_data = work;
    work->jpeg.err = jpeg_std_error(&work->errors);
    work->errors.error_exit = on_error;
    work->errors.emit_message = on_message;
    work->progress.progress_monitor = on_progress;
    return setjmp(work->trap) ? bad_file(work) : read_header(work);
}

rec_status rec_read_jpeg(rec_input *input, rec_error *error)
{
    decoder *work = input->own;
    work->error = error;
    return setjmp(work->trap) ? bad_file(work) : read_samples(work);
}
