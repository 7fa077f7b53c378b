/* Writing: checks that the format can hold the image before the output is touched. */
#include "image/format.h"

#include <math.h>
#include <string.h>

#include "base/team.h"
#include "base/trace.h"

/* ---- whether it can hold the image ---- */

static rec_status check_options(const rec_sink *sink, size_t planes, rec_error *error)
{
    const rec_write_options *options = sink->options;
    const rec_status status = rec_format_check_planes(sink->name, sink->format, planes, error);
    if (!status && options->extras && options->extras->alpha.data && !sink->format->extras)
        return rec_fail(error, REC_USAGE,
                        "%s: %s cannot hold the picture's transparency; PNG can", sink->name,
                        sink->format->title);
    if (!status && rec_sink_origin(sink) && options->extras->fixed)
        return rec_fail(error, REC_USAGE, "%s: only .png and .pfm can be written: %s has %s",
                        sink->name, options->origin->path, options->extras->fixed);
    if (status || !rec_has_tones(sink->format))
        return status;
    if (options->maxval < 1 || options->maxval > 65535)
        return rec_fail(error, REC_USAGE, "%s: maxval %u: it must be 1 to 65535", sink->name,
                        options->maxval);
    if (sink->format->lossy && options->exact)
        return rec_fail(error, REC_USAGE, "%s: edges do not survive %s; PGM, PFM and .dat keep "
                        "them", sink->name, sink->format->title);
    const unsigned widest = sink->format->widest;
    if (widest && options->maxval != 255 && options->maxval != widest)
        return rec_fail(error, REC_USAGE, "%s: maxval %u: %s needs 255%s", sink->name,
                        options->maxval, sink->format->title, widest > 255 ? " or 65535" : "");
    if (options->tone == REC_TONE_EPCC && options->maxval != 255)
        return rec_fail(error, REC_USAGE, "%s: the tone epcc is for maxval 255, not %u",
                        sink->name, options->maxval);
    if (options->tone != REC_TONE_CLAMP && (options->exact || options->offset != 0))
        return rec_fail(error, REC_USAGE,
                        "%s: the tone %s changes the samples; edges need the tone clamp",
                        sink->name, rec_tone_names[options->tone]);
    return REC_OK;
}

/* Whether a sample is what the format has room for, once the offset is added. Without a branch and
 * without floor, which take longer: a double that is added to 1.5 * 2^52 loses its fraction; one
 * beyond 2^51 has none. A tiny value must not be lost in the offset. */
static inline int holds(const rec_sink *sink, float value)
{
    const int tones = rec_has_tones(sink->format), any = sink->format->samples == REC_FLOATS;
    const double whole = 6755399441055744.0, most = sink->options->maxval;
    const double offset = tones ? sink->options->offset : 0, shifted = value + offset;
    return ((tones == 0) | ((shifted >= 0) & (shifted <= most))) &
           (any | ((shifted + whole - whole == shifted) & (shifted - offset == value)));
}

static rec_status not_exact(const rec_sink *sink, size_t plane, size_t y, rec_error *error)
{
    const rec_write_options *options = sink->options;
    const float *row = rec_image_row(sink->image, plane, y);
    size_t x = 0;
    while (holds(sink, row[x]))
        x++;
    char where[REC_PIXEL_TEXT], range[96] = "";
    if (rec_has_tones(sink->format))
        snprintf(range, sizeof range, " from %.15g to %.15g", 0 - options->offset,
                 options->maxval - options->offset);
    return rec_fail(error, REC_BAD_INPUT,
                    "%s: the sample at %s is %.9g, but %s holds only integers%s: write PFM, "
                    "which holds any value%s",
                    sink->name, rec_pixel_text(where, sink->image, plane, x, y), row[x],
                    sink->format->title, range,
                    *range && sink->image->planes == 1 && row[x] == roundf(row[x])
                        ? ", or .dat, which holds any integer" : "");
}

REC_TASK(check_rows, size_t *good; const rec_sink *sink)
{
    const rec_image *image = job->sink->image;
    int good = 1;
    for (size_t i = first; i < end && good; i++) {
        const float *row = image->data + i * image->stride;
        for (size_t x = 0; x < image->width; x++)
            good &= holds(job->sink, row[x]);
        if (!good)
            rec_team_lower(job->good, i);
    }
}

/* Gamma that is not sRGB's stays in PNG alone. */
static const char *find_lost(const rec_sink *sink)
{
    const rec_extras *extras = sink->options->extras;
    const int png = !strcmp(sink->format->title, "PNG");
    for (size_t i = 0; extras && i < extras->chunk_count; i++) {
        const rec_chunk *chunk = &extras->chunks[i];
        const double gamma = (double)rec_tiff_number(chunk->bytes, 4, 0, 4, 1);
        if (!png && !strcmp(chunk->name, "gAMA") && fabs(gamma - 45455) > 2000)
            return "gamma";
    }
    return extras && extras->profile_bytes && !sink->format->extras && !sink->format->lossy
               ? "colour profile" : NULL;
}

/* Fills in what the format and the tone need; nothing is written yet. Passes over the image only if
 * the caller or the tone needs its range. */
static rec_status prepare(rec_sink *sink, rec_error *error)
{
    const rec_write_options *options = sink->options;
    const rec_image *image = sink->image;
    const size_t rows = image->planes * image->height;
    size_t good = rows;
    rec_survey survey = {0};
    sink->format = options->format ? options->format : rec_format_default(image->planes);
    REC_TRY(check_options(sink, image->planes, error));
    if (options->exact)
        REC_SHARE_ROWS(image->width, rows, check_rows, &good, sink);
    if (good < rows)
        return not_exact(sink, good / image->height, good % image->height, error);
    const int tones = rec_has_tones(sink->format);
    const int none_cut = tones && options->alone && options->tone == REC_TONE_CLAMP &&
                         !rec_image_survey_in(image, *options->alone, options->maxval).outside;
    if ((options->written && !none_cut) || (tones && options->tone != REC_TONE_CLAMP))
        survey = rec_image_survey(image, options->maxval);
    sink->tone = rec_tone_choose(options->tone, &survey);
    sink->range = rec_tone_range_of(&survey, sink->tone);
    const int clips = tones && sink->tone == REC_TONE_CLAMP;
    if (options->written)
        *options->written = (rec_written){.survey = survey, .clipped = clips ? survey.outside : 0,
                                          .lost = find_lost(sink)};
    if (!options->if_cut || (double)options->written->clipped < 0.95 * (double)survey.samples)
        return REC_OK;
    return rec_fail(error, REC_BAD_INPUT, "%s: %.1f%% of the samples lie outside 0..%u (%.6g to "
                    "%.6g) and would be cut off\v%s", sink->name,
                    100 * (double)options->written->clipped / (double)survey.samples,
                    options->maxval, survey.low, survey.high, options->if_cut);
}

/* ---- the whole ---- */

rec_status rec_image_write_stream(FILE *stream, const char *name, const rec_image *image,
                                  const rec_write_options *options, rec_error *error)
{
    rec_sink sink = {.stream = stream, .name = name, .image = image, .options = options};
    REC_TRY(prepare(&sink, error));
    return sink.format->write(&sink, error);
}

/* Of several rows of the table with one title that of the input, if the output is its copy, or has
 * floats as well; where one was named, that may be the one as which files are recognised. */
static rec_status choose_format(const char *path, size_t planes, const rec_write_options *options,
                                const rec_format **format, rec_error *error)
{
    const rec_image_origin *origin = options->origin;
    const rec_format *of = origin ? origin->format : NULL;
    *format = options->format;
    if (!*format)
        REC_TRY(rec_format_of_path(path, planes, format, error));
    const int tones = rec_has_tones(*format);
    if (of && of->write && !strcmp(of->title, (*format)->title) &&
        (options->format ? origin->touched && tones && (*format)->signatures
                         : origin->touched || of->samples == REC_FLOATS))
        *format = of;
    return REC_OK;
}

int rec_write_copies(const char *path, size_t planes, const rec_write_options *options)
{
    rec_image_origin origin = *options->origin;
    rec_write_options as_copy = *options;
    const rec_format *format;
    origin.touched = (const unsigned char *)""; /* as it will be */
    as_copy.origin = &origin;
    return rec_path_is_regular(path) && !choose_format(path, planes, &as_copy, &format, NULL) &&
           format == origin.format &&
           (!rec_has_tones(format) || (options->maxval == options->extras->maxval &&
                                       options->tone == REC_TONE_CLAMP));
}

rec_status rec_write_check(const char *path, size_t planes, const rec_write_options *options,
                           rec_error *error)
{
    rec_sink sink = {.name = rec_output_name(path), .options = options};
    REC_TRY(choose_format(path, planes, options, &sink.format, error));
    return check_options(&sink, planes, error);
}

/* By the first rank alone. */
static rec_status write_gathered(const char *path, const rec_image *part,
                                 const rec_write_options *options, rec_error *error)
{
    rec_owned_image whole = {0};
    rec_status status = rec_image_gather(part, &whole, error);
    if (!status && whole.data)
        status = rec_image_write(path, &whole, options, error);
    status = rec_ranks_agree(status, error);
    if (!status && options->written)
        rec_ranks_share(options->written, sizeof *options->written);
    return status;
}

rec_status rec_image_write(const char *path, const rec_image *image,
                           const rec_write_options *options, rec_error *error)
{
    rec_write_options chosen = *options;
    rec_sink sink = {.name = rec_output_name(path), .image = image, .options = &chosen};
    const int part = rec_image_is_part(image);
    int regular = part && rec_path_is_regular(path); /* as the first rank sees it */
    REC_TRY(choose_format(path, image->planes, options, &chosen.format, error));
    if (part)
        rec_ranks_share(&regular, sizeof regular);
    if (part && !(chosen.format->rows && regular))
        return write_gathered(path, image, &chosen, error);
    REC_TRY(prepare(&sink, error));
    rec_output *output;
    REC_TRY(rec_output_open(&output, path, part, error));
    sink.stream = rec_output_stream(output);
    REC_TRACE("save", image->planes * image->height * image->width * sizeof(float));
    const rec_status status = rec_image_agree(image, sink.format->write(&sink, error), error);
    return rec_output_commit(output, status, options->guard, error);
}
