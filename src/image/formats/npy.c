/* NumPy's arrays (.npy, version 1 to 3): height x width, or height x width x 3, of integers and
 * floats of any size and byte order, in C order (rows) or Fortran order (columns, plane by plane).
 * Left out: structured, complex and pickled arrays. */
#include "image/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LONGEST = 4096 }; /* bytes of a header, which needs about 100 */

typedef struct array {
    rec_number type;
    size_t width, height, planes;
    int fortran;
    unsigned char header[12 + LONGEST + 1]; /* with a '\0' behind it, */
    size_t before;                          /* and its bytes */
    size_t lines, line_bytes; /* rows, or columns of a plane */
} array;

/* ---- the header: a dictionary as Python prints it ---- */

/* In double quotes, too, and with Python 2's u before them. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key), *colon = at ? strchr(at, ':') : NULL;
    if (!colon)
        return "";
    colon += 1 + strspn(colon + 1, " \t");
    return colon + (*colon == 'u' && strchr("'\"", colon[1]));
}

static int read_type(const char *text, rec_number *type)
{
    char quote, order, kind, digit;
    if (sscanf(text, "%c%c%c%c", &quote, &order, &kind, &digit) != 4 || !strchr("<>|=", order) ||
        !strchr("1248", digit) || !strchr(digit == '1' ? "uib" : "uif", kind) ||
        !strchr("'\"", quote) || text[4] != quote)
        return 0;
    const int big = order == '>' || (order == '=' && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    *type = (rec_number){kind == 'b' ? 'u' : kind, digit - '0', big};
    return 1;
}

static int read_shape(const char *text, array *of)
{
    size_t sides[3] = {0, 0, 1}, count = 0;
    const char *at = text;
    char *end;
    while (count < 3 && *at == (count ? ',' : '(') && at[1 + strspn(at + 1, " \t")] != ')') {
        sides[count++] = strtoull(at + 1, &end, 10);
        at = end + (*end == 'L'); /* of Python 2 */
    }
    of->height = sides[0];
    of->width = sides[1];
    of->planes = sides[2];
    return count >= 2 && *at == ')' && (of->planes == 1 || of->planes == 3);
}

static rec_status read_header(const rec_input *input, array *of, rec_error *error)
{
    unsigned char *head = of->header;
    if (fread(head, 1, 8, input->stream) != 8)
        return rec_input_cut(input, 0, errno, error);
    const size_t wide = head[6] > 1 ? 4 : 2;
    if (memcmp(head, "\x93NUMPY", 6) || head[6] < 1 || head[6] > 3)
        return rec_fail(error, REC_BAD_INPUT, "%s: not a NumPy file of version 1 to 3",
                        input->name);
    if (fread(head + 8, 1, wide, input->stream) != wide)
        return rec_input_cut(input, 0, errno, error);
    const size_t length = rec_tiff_number(head, 12, 8, (int)wide, 0);
    if (length > LONGEST)
        return rec_fail(error, REC_BAD_INPUT, "%s: a NumPy header of %zu bytes", input->name,
                        length);
    char *text = (char *)head + 8 + wide;
    if (fread(text, 1, length, input->stream) != length)
        return rec_input_cut(input, 0, errno, error);
    text[length] = '\0';
    of->before = 8 + wide + length;
    of->fortran = !strncmp(value_of(text, "fortran_order"), "True", 4);
    const char *bad = value_of(text, "descr");
    if (read_type(bad, &of->type)) {
        bad = value_of(text, "shape");
        if (read_shape(bad, of)) {
            const size_t across = of->width * of->planes;
            of->lines = of->fortran ? across : of->height;
            of->line_bytes = (of->fortran ? of->height : across) * (size_t)of->type.bytes;
            return REC_OK;
        }
    }
    for (char *at = text; *at; at++)
        *at = *at < ' ' || *at > '~' ? '?' : *at;
    bad = *bad ? bad : "an unknown type or shape";
    const char *close = *bad == '(' ? ")" : *bad == '[' ? "]" : "";
    const size_t shown = strcspn(bad, *close ? close : ",}") + strlen(close);
    return rec_fail(error, REC_BAD_INPUT, "%s: an array of %.*s: it must be height x width or "
                    "height x width x 3 of integers or floats of at most 64 bits", input->name,
                    (int)rec_smaller(shown, 60), bad);
}

rec_status rec_header_npy(rec_input *input, rec_error *error)
{
    REC_TRY(rec_allocate(&input->own, 1, sizeof(array), "a NumPy header", error));
    array *of = input->own;
    REC_TRY(read_header(input, of, error));
    rec_input_type(input, &of->type);
    input->lies = rec_rows_of_file(&of->type, of->width, of->height, of->planes);
    if (of->fortran) {
        input->lies.down = of->type.bytes;
        input->lies.across = (ptrdiff_t)of->line_bytes;
        input->lies.plane = (ptrdiff_t)(of->line_bytes * of->width);
    }
    input->size = (rec_image){.width = of->width, .height = of->height, .planes = of->planes};
    input->row_bytes = of->width * of->planes * (size_t)of->type.bytes;
    return REC_OK;
}

/* ---- the samples ---- */

/* A line from the bytes into the input's image, or from the sink's into the bytes. */
static void do_line(const array *of, size_t i, uint8_t *bytes, const rec_input *input,
                    const rec_sink *sink)
{
    const size_t size = (size_t)of->type.bytes, inside = of->fortran ? 1 : of->planes;
    const rec_line line = of->fortran ? (rec_line){i % of->width, 0, of->height, 0, 1}
                                      : (rec_line){0, i, of->width, 1, 0};
    for (size_t p = 0; p < inside; p++) {
        const size_t plane = of->fortran ? i / of->width : p;
        if (input)
            rec_unpack_line(input->image, plane, &line, &of->type, bytes + p * size, inside * size);
        else
            rec_patch_line(sink, plane, &line, &of->type, bytes + p * size, inside * size);
    }
}

rec_status rec_read_npy(rec_input *input, rec_error *error)
{
    const array *of = input->own;
    const size_t length = of->line_bytes;
    rec_owned uint8_t *bytes = NULL;
    size_t i = 0;
    if (rec_input_stays(input))
        return REC_OK;
    REC_TRY(rec_allocate(&bytes, 1, length, "a line", error));
    errno = 0;
    while (i < of->lines && !rec_is_stopped() && fread(bytes, 1, length, input->stream) == length)
        do_line(of, i++, bytes, input, NULL);
    return i < of->lines ? rec_input_cut(input, of->fortran ? 0 : i, errno, error) : REC_OK;
}

/* ---- writing ---- */

/* The file as it is, but for what is touched. */
static rec_status copy_lines(const rec_sink *sink, FILE *stream, rec_error *error)
{
    const rec_input input = {.stream = stream, .name = rec_sink_origin(sink)->path};
    array of;
    rec_owned uint8_t *bytes = NULL;
    REC_TRY(read_header(&input, &of, error));
    const size_t length = of.line_bytes;
    REC_TRY(rec_allocate(&bytes, 1, length, "a line", error));
    errno = 0;
    size_t i = 0;
    int good = fwrite(of.header, 1, of.before, sink->stream) == of.before;
    for (; i < of.lines && good && !rec_sink_is_stopped(sink) &&
           fread(bytes, 1, length, stream) == length;
         i++) {
        do_line(&of, i, bytes, NULL, sink);
        good = fwrite(bytes, 1, length, sink->stream) == length;
    }
    return good && i == of.lines ? REC_OK : rec_write_failed(sink->name, errno, error);
}

rec_status rec_write_npy(const rec_sink *sink, rec_error *error)
{
    const rec_image *image = sink->image;
    const int floats = sink->format->samples == REC_FLOATS;
    const int big = !floats || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    const size_t size = floats ? 4 : sink->options->maxval > 255 ? 2 : 1;
    char shape[80], text[256];
    if (rec_sink_origin(sink)) {
        rec_owned_stream *stream = NULL;
        REC_TRY(rec_origin_open(rec_sink_origin(sink), &stream, error));
        return copy_lines(sink, stream, error);
    }
    snprintf(shape, sizeof shape, "%zu, %zu%s", rec_image_full_height(image), image->width,
             image->planes == 3 ? ", 3" : "");
    snprintf(text, sizeof text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
             size == 1 ? '|' : big ? '>' : '<', floats ? 'f' : 'u', size, shape);
    errno = 0;
    /* The samples begin at byte 128. */
    if (fprintf(sink->stream, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, text) != 128)
        return rec_write_failed(sink->name, errno, error);
    return rec_write_raster(sink, image->width * image->planes * size, 0,
                            floats ? rec_pack_floats : rec_pack_samples, error);
}
