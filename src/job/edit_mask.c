/* The mask of an edit: the image that says which pixels are unknown. */
#include <math.h>

#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "base/text.h"
#include "job/job.h"

/* In its box, and as far around it. */
static rec_status grow(rec_mask *mask, size_t radius, rec_error *error)
{
    const rec_area area = rec_area_grow(mask->box, radius, mask->width, mask->height);
    const size_t width = area.width, height = area.height;
    unsigned char *const to = mask->unknown + area.y * mask->width + area.x;
    rec_owned unsigned char *work = NULL;
    REC_TRY(rec_allocate(&work, width * height, 2, "a mask", error));
    unsigned char *grown = work + width * height;
    rec_mask_spread(to, mask->width, width, height, radius, work, grown);
    for (size_t row = 0; row < height; row++)
        memcpy(to + row * mask->width, grown + row * width, width);
    rec_mask_measure_in(mask, area);
    return REC_OK;
}

/* The mask lies where the source does. */
static rec_mask_values lay(rec_job *job, const rec_image *image, double white)
{
    const rec_edit *edit = &job->settings->edit;
    const int clones = edit->kind == REC_EDIT_CLONE;
    return rec_mask_paste(&job->mask, image, white, clones ? edit->x : 0, clones ? edit->y : 0);
}

/* Once it lies there. */
static rec_status complete(rec_job *job, const rec_image *image, double white, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    if (edit->grow && job->mask.count)
        REC_TRY(grow(&job->mask, edit->grow, error));
    rec_mask_destroy(&job->shape);
    if (edit->kind != REC_EDIT_CLONE || job->settings->headless)
        return REC_OK;
    REC_TRY(rec_mask_create(&job->shape, image->width, image->height, error));
    rec_mask_paste(&job->shape, image, white, 0, 0);
    return REC_OK;
}

/* Lays the mask. That of a file without a maxval is white where it is largest. Where nothing comes
 * to half of white, the higher of two values stands for white: of its alpha, or of its samples;
 * among colours the lower one is black. *image: where that is. */
static rec_status lay_mask(rec_job *job, const rec_image **image, const rec_image *alpha,
                           double *white, rec_error *error)
{
    const char *name = rec_input_name(job->mask_path);
    const double usual = *white > 0 ? *white : INFINITY; /* black alone */
    rec_mask_values values = lay(job, *image, usual);
    const int found = 2 * values.high >= *white;
    const rec_mask_values clear = found || !alpha->data ? values : lay(job, alpha, INFINITY);
    *white = usual;
    if (!found && alpha->data && clear.count == 2) {
        *image = alpha;
        values = clear;
    }
    if (!found && values.count == 2 && ((*image)->planes == 1 || values.low == 0)) {
        *white = values.low + values.high;
        lay(job, *image, *white);
        return REC_OK;
    }
    if (2 * values.between > (*image)->planes * (*image)->height * (*image)->width)
        return rec_fail(error, REC_BAD_INPUT, "%s: looks like a picture: a mask is white where "
                        "pixels are unknown and black where they are known", name);
    if (!found && job->settings->headless)
        return rec_fail(error, REC_BAD_INPUT, "%s: the mask is empty: its largest sample is %g, "
                        "and unknown pixels have at least half of white, %g", name, values.high,
                        *white / 2);
    if (values.count == 3 && job->settings->progress)
        rec_say(job->settings->progress, "note: %s has soft edges: pixels are unknown from half of "
                "white on\n", name);
    return REC_OK;
}

static rec_status take_mask(rec_job *job, const rec_image *image, const rec_image *alpha,
                            const rec_image_info *info, const rec_image *size, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const char *picture = edit->kind == REC_EDIT_CLONE  ? edit->source
                          : edit->kind == REC_EDIT_ONTO ? job->onto_path
                                                        : job->input;
    double white = rec_has_tones(info->format) ? info->maxval
                                               : (double)rec_image_survey(image, 255).high;
    if (image->width != size->width || image->height != size->height)
        return rec_fail(error, REC_BAD_INPUT, "%s: the mask is %zu x %zu, and %s is %zu x %zu; "
                        "they must be the same", rec_input_name(job->mask_path), image->width,
                        image->height, rec_input_name(picture), size->width, size->height);
    REC_TRY(lay_mask(job, &image, alpha, &white, error));
    return complete(job, image, white, error);
}

static rec_status read_mask(rec_job *job, rec_edit_file *file, const rec_image *size,
                            rec_error *error)
{
    REC_TRY(rec_edit_read(file, error));
    rec_notes_print(file->path, &file->info, 0);
    /* Transparency over black. */
    const rec_extras *beside = file->reading.extras;
    const rec_image *image = file->image;
    for (size_t i = 0; beside->alpha.data && i < image->planes * image->height; i++)
        for (size_t x = 0; x < image->width; x++)
            image->data[i * image->stride + x] *=
                rec_image_row(&beside->alpha, 0, i % image->height)[x] / (float)beside->maxval;
    REC_TRY(take_mask(job, image, &beside->alpha, &file->info, size, error));
    rec_image_destroy(file->image);
    return REC_OK;
}

/* The source's alpha, or all of it. */
static rec_status take_shape(rec_job *job, rec_extras *shape, rec_error *error)
{
    if (!shape->alpha.data) {
        REC_TRY(rec_image_create(&shape->alpha, job->source.width, job->source.height, 1, error));
        rec_image_fill(&shape->alpha, 1);
        shape->maxval = 1;
    }
    lay(job, &shape->alpha, shape->maxval);
    return complete(job, &shape->alpha, shape->maxval, error);
}

REC_TASK(find_holes, const rec_image *around; unsigned char *unknown; double value; int any)
{
    const rec_image *around = job->around;
    for (size_t y = first; y < end; y++)
        for (size_t x = 0; x < around->width; x++) {
            size_t holes = 0;
            for (size_t p = 0; p < around->planes; p++) {
                const float sample = rec_image_row(around, p, y)[x];
                holes += job->any || isnan(job->value) ? !isfinite(sample)
                                                       : sample == (float)job->value;
            }
            job->unknown[y * around->width + x] = job->any ? holes > 0 : holes == around->planes;
        }
}

/* Where the picture has no samples: in all of its planes, or for NaN in any. */
static rec_status take_holes(rec_job *job, const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    if (edit->holes == REC_HOLES_NODATA && !job->extras.has_nodata)
        return rec_fail(error, REC_BAD_INPUT, "%s: declares no nodata value\v--mask =VALUE, or nan",
                        rec_input_name(edit->kind == REC_EDIT_ONTO ? job->onto_path : job->input));
    REC_SHARE_ROWS(around->width, around->height, find_holes, around, job->mask.unknown,
                   edit->holes == REC_HOLES_VALUE ? edit->hole : job->extras.nodata,
                   edit->holes == REC_HOLES_NAN);
    rec_mask_measure(&job->mask);
    return REC_OK;
}

rec_status rec_edit_read_mask(rec_job *job, rec_edit_file files[REC_FILES],
                              const rec_image *around, rec_error *error)
{
    const rec_edit *edit = &job->settings->edit;
    const int clones = edit->kind == REC_EDIT_CLONE;
    return edit->holes  ? take_holes(job, around, error)
           : edit->mask ? read_mask(job, &files[REC_FILE_MASK],
                                   clones ? &job->source : around, error)
           : clones     ? take_shape(job, files[REC_FILE_OTHER].reading.extras, error)
                        : REC_OK;
}
