/* The only file that calls libjpeg: JPEG of 8 bits, grey or colour. It is only read: a format that
 * changes samples does not serve for results. Left out on purpose: the orientation that cameras
 * note, and CMYK.
 *
 * libjpeg reports a failure by a call of ours that must not return: it jumps. Most of its warnings
 * are missing or wrong samples, and refused too. */
#include "image/format.h"

#include <errno.h>
#include <setjmp.h>
/* After <stdio.h>, which libjpeg's headers need. */
#include <jpeglib.h>
#include <jerror.h>

#include "base/memory.h"

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf trap;
    rec_input *input;
    void *row;
    int number; /* errno when it complained */
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
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA)
        on_error(jpeg);
}

static rec_status bad_file(decoder *work)
{
    char message[JMSG_LENGTH_MAX];
    const size_t row = work->jpeg.output_scanline;
    const int code = work->errors.msg_code;
    if (code == JERR_OUT_OF_MEMORY)
        return rec_fail(work->error, REC_LIMIT, "%s: out of memory for libjpeg",
                        work->input->name);
    if (feof(work->input->stream) || ferror(work->input->stream))
        return rec_input_cut(work->input, row, work->number, work->error);
    work->errors.format_message((j_common_ptr)&work->jpeg, message);
    return rec_fail(work->error, REC_BAD_INPUT, "%s: libjpeg: %s", work->input->name, message);
}

static rec_status read_image(decoder *work)
{
    struct jpeg_decompress_struct *jpeg = &work->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg_stdio_src(jpeg, work->input->stream);
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK)
        return rec_fail(work->error, REC_BAD_INPUT,
                        "%s: a JPEG in CMYK cannot be read; Netpbm's jpegtopnm converts it",
                        work->input->name);
    const size_t planes = jpeg->jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    jpeg->out_color_space = planes == 1 ? JCS_GRAYSCALE : JCS_RGB;
    REC_TRY(rec_input_start(work->input, jpeg->image_width, jpeg->image_height, planes, 0,
                            work->error));
    REC_TRY(rec_allocate(&work->row, jpeg->image_width, planes, "a row", work->error));
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        const size_t y = jpeg->output_scanline;
        JSAMPROW row = work->row;
        jpeg_read_scanlines(jpeg, &row, 1);
        rec_unpack_samples(work->input, y, row);
    }
    jpeg_finish_decompress(jpeg);
    return REC_OK;
}

static rec_status read_trapped(decoder *work)
{
    return setjmp(work->trap) ? bad_file(work) : read_image(work);
}

rec_status rec_read_jpeg(rec_input *input, rec_error *error)
{
    decoder work = {.input = input, .error = error};
    work.jpeg.client_data = &work;
    work.jpeg.err = jpeg_std_error(&work.errors);
    work.errors.error_exit = on_error;
    work.errors.emit_message = on_message;
    const rec_status status = read_trapped(&work);
    jpeg_destroy_decompress(&work.jpeg);
    rec_free(work.row);
    if (!status)
        rec_input_skip(input); /* what cameras put behind the image */
    return status;
}
