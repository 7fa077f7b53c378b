/* Binary PGM, PPM and PAM. Not by libnetpbm, of which font.c has letters: version 11 takes any
 * character for the end of a number and runs beyond its buffer in a long line of a PAM; its rows
 * lose memory when a write fails, and a failure is a jump for the whole process.
 * Tuple types are left out: the depth says enough. */
#include "image/format.h"

#include <errno.h>
#include <string.h>

/* ---- the header that is read ---- */

typedef struct field {
    const char *label, *name; /* in a PAM; in messages */
    size_t most, value;       /* 0: not seen yet */
} field;

enum { WIDTH, HEIGHT, DEPTH, MAXVAL, FIELDS };

/* Lines of a label and its value, to ENDHDR. */
static rec_status read_pam_fields(const rec_input *input, field fields[FIELDS], rec_error *error)
{
    for (;;) {
        char label[REC_HEADER_WORD];
        int behind;
        REC_TRY(rec_read_header_word(input, label, &behind, error));
        const int ends = !strcmp(label, "ENDHDR");
        size_t i = 0;
        while (i < FIELDS && strcmp(label, fields[i].label))
            i++;
        if (i < FIELDS && fields[i].value)
            return rec_fail(error, REC_BAD_INPUT, "%s: a second %s", input->name, label);
        if (i < FIELDS)
            REC_TRY(rec_read_header_number(input, fields[i].name, fields[i].most, &fields[i].value,
                                           error));
        else if (ends || !strcmp(label, "TUPLTYPE"))
            while (behind != '\n' && behind != EOF) /* a tuple type is the rest of its line */
                behind = rec_next_byte(input->stream);
        else
            return rec_fail(error, REC_BAD_INPUT, "%s: '%s' is not a field of a PAM header",
                            input->name, label);
        if (ends)
            return REC_OK;
    }
}

rec_status rec_header_netpbm(rec_input *input, rec_error *error)
{
    field fields[FIELDS] = {{"WIDTH", "width", REC_MAX_SIDE, 0},
                            {"HEIGHT", "height", REC_MAX_SIDE, 0},
                            {"DEPTH", "depth", 65535, 0},
                            {"MAXVAL", "maxval", 65535, 0}};
    getc(input->stream); /* skips the signature, which was checked before */
    const int letter = getc(input->stream);
    if (letter == '7')
        REC_TRY(read_pam_fields(input, fields, error));
    else
        fields[DEPTH].value = letter == '6' ? 3 : 1;
    for (size_t i = 0; i < FIELDS; i++)
        if (!fields[i].value && letter == '7')
            return rec_fail(error, REC_BAD_INPUT, "%s: the header has no %s", input->name,
                            fields[i].label);
        else if (!fields[i].value)
            REC_TRY(rec_read_header_number(input, fields[i].name, fields[i].most, &fields[i].value,
                                           error));
    const size_t width = fields[WIDTH].value, height = fields[HEIGHT].value;
    const size_t depth = fields[DEPTH].value;
    if (depth != 1 && depth != 3)
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: a PAM of depth %zu%s: only 1 (grey) and 3 (colour) can be read%s",
                        input->name, depth, depth % 2 ? "" : ", with alpha",
                        depth % 2 ? "" : "; Netpbm's pamtopnm converts it");
    const unsigned maxval = input->info->maxval = (unsigned)fields[MAXVAL].value;
    const int bytes = maxval > 255 ? 2 : 1;
    if (maxval == 255 || maxval == 65535) /* no sample can be above it */
        input->lies = rec_rows_of_file(&(rec_number){'u', bytes, 1}, width, height, depth);
    input->size = (rec_image){.width = width, .height = height, .planes = depth};
    input->row_bytes = width * depth * (size_t)bytes;
    return REC_OK;
}

/* ---- samples that are read ---- */

int rec_unpack_netpbm(const rec_input *input, size_t y, void *bytes)
{
    const rec_image *image = input->image;
    const double zero_level = rec_zero_level_of(input);
    const unsigned largest = rec_unpack_samples(input, y, bytes);
    if (input->options->role != REC_SAMPLES && largest > input->info->maxval)
        return 0;
    /* The difference of so small a sample is one. While the row is in the cache it costs little. */
    for (size_t plane = 0; zero_level != 0 && plane < image->planes; plane++)
        rec_subtract_from_row(rec_image_row(image, plane, y), image->width, zero_level);
    return 1;
}

/* ---- writing ---- */

rec_status rec_write_netpbm(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const size_t width = image->width, height = rec_image_full_height(image);
    const int colour = image->planes == 3;
    const unsigned maxval = sink->options->maxval;
    static const char pam[] =
        "P7\nWIDTH %zu\nHEIGHT %zu\nDEPTH %d\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n";
    errno = 0;
    if ((sink->format->signatures[1] == '7'
             ? fprintf(sink->stream, pam, width, height, colour ? 3 : 1, maxval,
                       colour ? "RGB" : "GRAYSCALE")
             : fprintf(sink->stream, "P%d\n%zu %zu\n%u\n", 5 + colour, width, height, maxval)) < 0)
        return rec_write_failed(sink->name, errno, error);
    return rec_write_raster(sink, width * image->planes * (maxval > 255 ? 2 : 1), 0,
                            rec_pack_samples, error);
}
