#include "job/edit.h"

#include "base/text.h"

typedef struct input { /* an image that was read */
    const char *name;
    rec_image image;
    rec_image_info info;
    rec_extras extras;
} input;

static void drop(input *of)
{
    rec_image_destroy(&of->image);
    rec_extras_destroy(&of->extras);
}

static int has_tones(const rec_image_info *info)
{
    return info->format->samples == REC_TONES_OF_MAXVAL;
}

/* ---- the mask ---- */

/* The mask of a file without a maxval is white where it is largest. */
static rec_status paste(rec_mask *mask, const input *from, ptrdiff_t x, ptrdiff_t y,
                        rec_error *error)
{
    const double white = has_tones(&from->info)
                             ? from->info.maxval
                             : (double)rec_image_survey(&from->image, 255).high;
    if (rec_mask_is_doubtful(&from->image, white))
        return rec_fail(error, REC_BAD_INPUT,
                        "%s: looks like a picture: a mask is white where pixels are unknown and "
                        "black where they are known", from->name);
    if (white > 0)
        rec_mask_paste(mask, &from->image, white, x, y);
    return REC_OK;
}

static rec_status read_mask(const char *path, const rec_image *size, const char *name,
                            rec_mask *mask, ptrdiff_t x, ptrdiff_t y, rec_error *error)
{
    const rec_read_options reading = {.role = REC_PICTURE};
    input from = {.name = rec_input_name(path)};
    rec_status status = rec_image_read(path, &reading, &from.image, &from.info, error);
    if (!status && (from.image.width != size->width || from.image.height != size->height))
        status = rec_fail(error, REC_BAD_INPUT, "%s: the mask is %zu x %zu, and %s is %zu x %zu; "
                          "they must be the same", from.name, from.image.width, from.image.height,
                          name, size->width, size->height);
    if (!status)
        status = paste(mask, &from, x, y, error);
    drop(&from);
    return status;
}

/* The source's alpha, or all of it. */
static rec_status take_shape(input *source, rec_mask *mask, ptrdiff_t x, ptrdiff_t y,
                             rec_error *error)
{
    rec_extras *extras = &source->extras;
    if (!extras->alpha.data) {
        REC_TRY(rec_image_create(&extras->alpha, source->image.width, source->image.height, 1,
                                 error));
        rec_image_fill(&extras->alpha, 1);
        extras->maxval = 1;
    }
    rec_mask_paste(mask, &extras->alpha, extras->maxval, x, y);
    return REC_OK;
}

static rec_status check_mask(const rec_job *job, const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const rec_mask *mask = &job->mask;
    const char *name = rec_input_name(edit->mask ? job->mask_path : edit->source);
    if (!mask->count)
        return rec_fail(error, REC_BAD_INPUT, edit->kind == REC_EDIT_CLONE
                            ? "%s: nothing of it lies in %s"
                            : "%s: the mask is empty: no pixel of %s is unknown",
                        name, rec_input_name(job->input));
    if (mask->count < around->width * around->height && job->problem.boundary.mean_count)
        return rec_fail(error, REC_USAGE, "--mean: the pixels around the mask determine it");
    if (edit->kind != REC_EDIT_ONTO && rec_problem_frees_mean(&job->problem))
        return rec_fail(error, REC_BAD_INPUT, "%s: the mask leaves no pixel of %s known", name,
                        rec_input_name(job->input));
    return REC_OK;
}

/* ---- the edges ---- */

/* Pixels of the mask whose source is in the mask as well. */
static size_t count_overlap(const rec_mask *mask, ptrdiff_t x, ptrdiff_t y)
{
    const ptrdiff_t width = (ptrdiff_t)mask->width, height = (ptrdiff_t)mask->height;
    size_t count = 0;
    for (ptrdiff_t row = 0; row < height; row++)
        for (ptrdiff_t i = 0; i < width; i++) {
            const int there = i >= x && i - x < width && row >= y && row - y < height;
            count += there && mask->unknown[row * width + i] &&
                     mask->unknown[(row - y) * width + i - x];
        }
    return count;
}

static rec_status make_edges(rec_job *job, const rec_image *around, const input *source,
                             rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const rec_mask *mask = &job->mask;
    const int alike = has_tones(&source->info) && has_tones(&job->info);
    const rec_guidance guidance = {
        .target = around, .source = &source->image, .x = edit->x, .y = edit->y,
        .scale = alike ? (double)job->info.maxval / source->info.maxval : 1,
        .rule = edit->rule, .boundary = job->problem.boundary.kind};
    REC_TRY(rec_image_create(&job->edges, around->width, around->height, around->planes, error));
    rec_guidance_make(&guidance, mask->x, mask->y, mask->box_width, mask->box_height, &job->edges);
    if (edit->kind == REC_EDIT_HEAL && edit->rule != REC_GRADIENT_ZERO)
        job->overlap = count_overlap(mask, edit->x, edit->y);
    return REC_OK;
}

/* ---- the whole ---- */

static rec_status check_sizes(const rec_job *job, const rec_image *around, rec_error *error)
{
    const rec_image *edges = &job->edges;
    return around->width == edges->width && around->height == edges->height &&
                   around->planes == edges->planes
               ? REC_OK
               : rec_fail(error, REC_BAD_INPUT, "%s: is %zu x %zu of %zu plane%s, and %s is %zu x "
                          "%zu of %zu; they must be the same", rec_input_name(job->onto_path),
                          around->width, around->height, around->planes,
                          rec_plural(around->planes), rec_input_name(job->input), edges->width,
                          edges->height, edges->planes);
}

static rec_status prepare(rec_job *job, rec_image *around, input *source, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const rec_image *size = edit->kind == REC_EDIT_CLONE ? &source->image : around;
    const ptrdiff_t x = edit->kind == REC_EDIT_CLONE ? edit->x : 0;
    const ptrdiff_t y = edit->kind == REC_EDIT_CLONE ? edit->y : 0;
    rec_mask_destroy(&job->mask);
    REC_TRY(rec_mask_create(&job->mask, around->width, around->height, error));
    job->problem.mask = &job->mask;
    REC_TRY(edit->mask ? read_mask(job->mask_path, size, source->name, &job->mask, x, y, error)
                       : take_shape(source, &job->mask, x, y, error));
    REC_TRY(check_mask(job, around, error));
    job->report.unknown = job->mask.count;
    return edit->kind == REC_EDIT_ONTO ? REC_OK : make_edges(job, around, source, error);
}

rec_status rec_edit_prepare(rec_job *job, rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    input source = {.name = rec_input_name(job->input), .info = job->info};
    rec_read_options reading = {.role = REC_PICTURE, .extras = &job->extras};
    rec_image_info info = job->info;
    rec_status status = REC_OK;
    if (edit->kind == REC_EDIT_ONTO) {
        status = rec_image_read(job->onto_path, &reading, around, &info, error);
        source.name = rec_input_name(job->onto_path);
        if (!status)
            status = check_sizes(job, around, error);
    } else {
        *around = job->edges;
        job->edges = (rec_image){0};
    }
    if (!status && job->settings->own_white && has_tones(&info))
        job->writing.maxval = info.maxval;
    job->writing.extras = &job->extras;
    if (!status && edit->kind == REC_EDIT_CLONE) {
        reading.extras = &source.extras;
        source.name = rec_input_name(edit->source);
        status = rec_image_read(edit->source, &reading, &source.image, &source.info, error);
    } else {
        source.image = *around;
    }
    if (!status)
        status = prepare(job, around, &source, error);
    if (edit->kind != REC_EDIT_CLONE)
        source.image = (rec_image){0};
    drop(&source);
    return status;
}

rec_status rec_edit_surround(rec_job *job, rec_image *around, rec_error *error)
{
    const rec_image *start = &job->start;
    if (!start->data) {
        job->start = *around;
        *around = (rec_image){0};
        return REC_OK;
    }
    if (start->width != around->width || start->height != around->height ||
        start->planes != around->planes)
        return REC_OK; /* rec_problem_check refuses it */
    for (size_t p = 0; p < start->planes; p++)
        for (size_t y = 0; y < start->height; y++) {
            const float *known = rec_image_row(around, p, y);
            float *row = rec_image_row(start, p, y);
            for (size_t x = 0; x < start->width; x++)
                row[x] = job->mask.unknown[y * start->width + x] ? row[x] : known[x];
        }
    return REC_OK;
}
