/* Samples of any type, line by line: what NumPy and TIFF have in common. A line may be a row or a
 * column, and run backwards. And rows of tones. */
#include "image/format.h"

#include <endian.h>
#include <math.h>
#include <string.h>

static double of_half(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31), digits = (int)(bits & 1023);
    const double size = exponent == 31 ? (digits ? NAN : INFINITY)
                        : exponent     ? ldexp(1024 + digits, exponent - 25)
                                       : ldexp(digits, -24);
    return bits >> 15 ? -size : size;
}

static uint16_t to_half(double value)
{
    const double size = fabs(value);
    const unsigned sign = signbit(value) ? 0x8000 : 0;
    if (!(size < 65520)) /* what is rounded to more than the largest */
        return (uint16_t)(sign | (isnan(value) ? 0x7e00 : 0x7c00));
    const int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    return (uint16_t)(sign + (unsigned)((exponent + 14) * 1024 +
                                        (int)nearbyint(ldexp(size, 10 - exponent))));
}

static inline double get(const rec_number *type, const uint8_t *at)
{
    const int bytes = type->bytes, above = 64 - 8 * bytes;
    uint64_t word = 0;
    for (int i = 0; i < bytes; i++)
        word |= (uint64_t)at[type->big ? bytes - 1 - i : i] << 8 * i;
    const uint32_t low = (uint32_t)word;
    float single;
    double value;
    if (type->kind == 'u')
        return (double)word;
    if (type->kind == 'i')
        return (double)((int64_t)(word << above) >> above);
    if (bytes == 2)
        return of_half(low);
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &word, sizeof value);
    return bytes == 4 ? (double)single : value;
}

void rec_put_number(const rec_number *type, double value, uint8_t *at)
{
    const int bits = 8 * type->bytes, is_signed = type->kind == 'i';
    const double end = ldexp(1, bits - is_signed), least = is_signed ? -end : 0;
    const double whole = value > least ? floor(value + 0.5) : least;
    const float single = (float)value;
    uint32_t low;
    uint64_t word;
    memcpy(&low, &single, sizeof low);
    memcpy(&word, &value, sizeof word);
    if (type->kind != 'f' && whole >= end)
        word = UINT64_MAX >> (64 - bits + is_signed);
    else if (type->kind != 'f')
        word = is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    else if (bits < 64)
        word = bits == 16 ? to_half(value) : low;
    for (int i = 0; i < type->bytes; i++)
        at[type->big ? type->bytes - 1 - i : i] = (uint8_t)(word >> 8 * i);
}

/* Halves have no type there. */
rec_samples rec_rows_of_file(const rec_number *type, size_t width, size_t height, size_t planes)
{
    static const rec_sample_type types[3][4] = {
        {REC_SAMPLE_U8, REC_SAMPLE_U16, REC_SAMPLE_U32, REC_SAMPLE_U64},
        {REC_SAMPLE_I8, REC_SAMPLE_I16, REC_SAMPLE_I32, REC_SAMPLE_I64},
        {REC_SAMPLE_F32, REC_SAMPLE_F32, REC_SAMPLE_F32, REC_SAMPLE_F64}};
    const ptrdiff_t bytes = type->bytes, pixel = bytes * (ptrdiff_t)planes;
    const int kind = type->kind == 'u' ? 0 : type->kind == 'i' ? 1 : 2;
    return (rec_samples){
        .width = bytes == 2 && kind == 2 ? 0 : width, .height = height, .planes = planes,
        .across = pixel, .down = pixel * (ptrdiff_t)width, .plane = bytes,
        .type = types[kind][bytes == 8 ? 3 : bytes / 2],
        .swapped = bytes > 1 && type->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)};
}

void rec_input_type(rec_input *input, const rec_number *type)
{
    const int tones = type->kind == 'u' && type->bytes <= 2;
    input->info->maxval = tones && type->bytes == 2 ? 65535 : 255;
    input->info->rounded = type->bytes == 8                        ? "samples of 64 bits"
                           : type->bytes == 4 && type->kind != 'f' ? "integers of 32 bits"
                                                                   : NULL;
    input->format = input->rows[tones];
    if (input->options->extras)
        input->options->extras->largest =
            type->kind == 'f' ? 0 : ldexp(1, 8 * type->bytes - (type->kind == 'i')) - 1;
}

void rec_unpack_line(const rec_image *image, size_t plane, const rec_line *line,
                     const rec_number *type, const uint8_t *bytes, size_t step)
{
    const ptrdiff_t stride = (ptrdiff_t)image->stride, along = line->right + line->down * stride;
    float *out = rec_image_row(image, plane, line->y) + line->x;
    const rec_number of = *type;
    for (size_t i = 0; i < line->count; i++, out += along)
        *out = (float)get(&of, bytes + i * step);
}

/* Integers never become the file's nodata, but the next value, of which the writer tells. */
static void patch(const rec_sink *sink, const rec_number *type, double value, uint8_t *at)
{
    const rec_extras *extras = sink->options->extras;
    const double nodata = extras->inverted > 0 ? extras->inverted - extras->nodata : extras->nodata;
    if ((float)get(type, at) != (float)value) /* or it has more bits, where a band has no hole */
        rec_put_number(type, value, at);
    if (!extras->has_nodata || type->kind == 'f' || get(type, at) != nodata)
        return;
    const int down = value < nodata;
    rec_put_number(type, nodata + (down ? -1 : 1), at);
    if (get(type, at) == nodata) /* it ends the range */
        rec_put_number(type, nodata + (down ? 1 : -1), at);
    if (sink->options->written)
        sink->options->written->moved++;
}

int rec_patch_line(const rec_sink *sink, size_t plane, const rec_line *line,
                   const rec_number *type, uint8_t *bytes, size_t step)
{
    const rec_extras *extras = sink->options->extras;
    const rec_image *image = sink->image, *alpha = &extras->alpha;
    const ptrdiff_t stride = (ptrdiff_t)image->stride, along = line->right + line->down * stride;
    const ptrdiff_t over = line->right + line->down * (ptrdiff_t)image->width;
    const float *in = rec_image_row(image, plane, line->y) + line->x;
    const float *seen = alpha->data ? rec_image_row(alpha, 0, line->y) + line->x : NULL;
    const rec_image_origin *origin = sink->options->origin;
    const unsigned char *touched = origin->touched + line->y * image->width + line->x;
    const rec_area *box = origin->box; /* the difference to what lies before it is large */
    int changed = 0;
    if ((!line->down && line->y - box->y >= box->height) ||
        (!line->right && line->x - box->x >= box->width))
        return 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)line->count; i++)
        if (touched[i * over] && (!seen || seen[i * along] > 0)) {
            changed = 1;
            if (!bytes)
                break;
            const double value = (double)in[i * along], part = seen ? (double)seen[i * along] : 0;
            const int composed = extras->associated && !sink->is_band;
            patch(sink, type, composed ? fmin(value * part / extras->maxval, part) : value,
                  bytes + (size_t)i * step);
        }
    return changed;
}

/* ---- samples of one or two bytes, big-endian, as binary PGM, PPM, PAM, PNG and JPEG have ---- */

/* Every `planes`-th of big-endian samples as floats; returns the largest. With a constant for
 * `planes` the compiler makes vectors of the loops. */
static inline unsigned unpack_plane(const uint8_t *bytes, size_t width, size_t planes, int wide,
                                    float *out)
{
    unsigned largest = 0;
    if (wide) {
        for (size_t x = 0; x < width; x++) {
            uint16_t sample;
            memcpy(&sample, bytes + 2 * x * planes, sizeof sample);
            sample = be16toh(sample);
            largest = sample > largest ? sample : largest;
            out[x] = (float)sample;
        }
    } else {
        for (size_t x = 0; x < width; x++) {
            largest = bytes[x * planes] > largest ? bytes[x * planes] : largest;
            out[x] = (float)bytes[x * planes];
        }
    }
    return largest;
}

unsigned rec_unpack_samples(const rec_input *input, size_t y, const uint8_t *bytes)
{
    const rec_image *image = input->image, *alpha = rec_input_alpha(input);
    const int wide = input->info->maxval > 255;
    const size_t planes = image->planes, samples = planes + (alpha != NULL);
    unsigned largest = 0;
    /* A new image is black, and takes no memory where it is not written: most of a mask. */
    if (!bytes[0] && !memcmp(bytes, bytes + 1, image->width * samples * (wide ? 2 : 1) - 1))
        return 0;
    for (size_t plane = 0; plane < samples; plane++) {
        const uint8_t *first = bytes + plane * (wide ? 2 : 1);
        float *row = plane < planes ? rec_image_row(image, plane, y) : rec_image_row(alpha, 0, y);
        const size_t width = image->width;
        const unsigned found = samples == 3   ? unpack_plane(first, width, 3, wide, row)
                               : samples == 1 ? unpack_plane(first, width, 1, wide, row)
                                              : unpack_plane(first, width, samples, wide, row);
        largest = found > largest ? found : largest;
    }
    return largest;
}

void rec_sink_row(const rec_sink *sink, size_t plane, size_t y, uint16_t *out)
{
    const rec_write_options *options = sink->options;
    const float *row = rec_image_row(sink->image, plane, y);
    const size_t width = sink->image->width;
    if (options->offset == 0) {
        rec_tone_row(row, width, sink->tone, sink->range, options->maxval, out);
        return;
    }
    const double top = options->maxval; /* in double, so that the sums do not round */
    for (size_t x = 0; x < width; x++) {
        const double value = (double)row[x] + options->offset;
        const double clamped = value > 0 ? (value < top ? value : top) : 0;
        out[x] = (uint16_t)(int)(clamped + 0.5);
    }
}

static inline void pack_plane(const uint16_t *tones, size_t width, size_t planes, int wide,
                              uint8_t *out)
{
    for (size_t x = 0; x < width; x++)
        if (wide) {
            const uint16_t sample = htobe16(tones[x]);
            memcpy(out + 2 * x * planes, &sample, sizeof sample);
        } else {
            out[x * planes] = (uint8_t)tones[x];
        }
}

void rec_pack_samples(const rec_sink *sink, size_t i, uint16_t *tones, void *bytes)
{
    const size_t width = sink->image->width, planes = sink->image->planes;
    const int wide = sink->options->maxval > 255;
    const rec_image *alpha = rec_sink_alpha(sink);
    const size_t samples = planes + (alpha != NULL);
    for (size_t plane = 0; plane < samples; plane++) {
        uint8_t *first = (uint8_t *)bytes + plane * (wide ? 2 : 1);
        if (plane < planes) {
            rec_sink_row(sink, plane, i, tones);
        } else { /* the alpha, in the output's range */
            const float *row = rec_image_row(alpha, 0, i);
            const double scale = (double)sink->options->maxval / sink->options->extras->maxval;
            for (size_t x = 0; x < width; x++)
                tones[x] = (uint16_t)(scale * (double)row[x] + 0.5);
        }
        if (samples == 3)
            pack_plane(tones, width, 3, wide, first);
        else if (samples == 1)
            pack_plane(tones, width, 1, wide, first);
        else
            pack_plane(tones, width, samples, wide, first);
    }
}

/* ---- the input's copy ---- */

const rec_image_origin *rec_sink_origin(const rec_sink *sink)
{
    const rec_write_options *options = sink->options;
    const rec_image_origin *origin = options->origin;
    const int same = origin && origin->format && origin->touched &&
                     origin->format->write == sink->format->write &&
                     origin->format->samples == sink->format->samples &&
                     origin->file.bytes && !rec_path_is_standard(origin->path);
    const int tones = rec_has_tones(sink->format);
    return same && (!tones || options->maxval == options->extras->maxval) ? origin : NULL;
}

rec_status rec_origin_open(const rec_image_origin *origin, FILE **stream, rec_error *error)
{
    rec_file_mark mark;
    REC_TRY(rec_path_open(stream, origin->path, &mark, error));
    if (!memcmp(&mark, &origin->file, sizeof mark))
        return REC_OK;
    fclose(*stream);
    *stream = NULL;
    return rec_fail(error, REC_BAD_INPUT, "%s: has changed since it was read", origin->path);
}
