/* The mask of an edit: the image that says which pixels are unknown. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "edit/edit_type.h"

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
static rec_mask_values lay(rec_edit *edit, const rec_image *image, double white)
{
    const rec_edit_wish *wish = &edit->wish;
    const int clones = rec_edit_clones(edit);
    return rec_mask_paste(&edit->mask, image, white, clones ? wish->x : 0, clones ? wish->y : 0);
}

/* Once it lies there. */
static rec_status complete(rec_edit *edit, const rec_image *image, double white, rec_error *error)
{
    if (edit->wish.grow && edit->mask.count)
        REC_TRY(grow(&edit->mask, edit->wish.grow, error));
    if (!rec_edit_clones(edit) || !edit->inputs.paints)
        return REC_OK;
    REC_TRY(rec_mask_create(&edit->shape, image->width, image->height, error));
    rec_mask_paste(&edit->shape, image, white, 0, 0);
    return REC_OK;
}

/* Lays the mask. That of a file without a maxval is white where it is largest. Where nothing comes
 * to half of white, the higher of two values stands for white: of its alpha, or of its samples;
 * among colours the lower one is black. *image: where that is. */
static rec_status lay_mask(rec_edit *edit, const rec_image **image, const rec_image *alpha,
                           double *white, rec_error *error)
{
    const char *name = rec_edit_name(&edit->inputs.mask);
    const double usual = *white > 0 ? *white : INFINITY; /* black alone */
    rec_mask_values values = lay(edit, *image, usual);
    const int found = 2 * values.high >= *white;
    const rec_mask_values clear = found || !alpha->data ? values : lay(edit, alpha, INFINITY);
    *white = usual;
    if (!found && alpha->data && clear.count == 2) {
        *image = alpha;
        values = clear;
    }
    if (!found && values.count == 2 && ((*image)->planes == 1 || values.low == 0)) {
        *white = values.low + values.high;
        lay(edit, *image, *white);
        return REC_OK;
    }
    if (2 * values.between > (*image)->planes * (*image)->height * (*image)->width)
        return rec_fail(error, REC_BAD_INPUT, "%s: looks like a picture: a mask is white where "
                        "pixels are unknown and black where they are known", name);
    if (!found && !edit->inputs.paints)
        return rec_fail(error, REC_BAD_INPUT, "%s: the mask is empty: its largest sample is %g, "
                        "and unknown pixels have at least half of white, %g", name, values.high,
                        *white / 2);
    if (values.count == 3)
        rec_edit_note(edit, "%s has soft edges: pixels are unknown from half of white on\n", name);
    return REC_OK;
}

/* Its transparency over black. */
static rec_status make_from_image(rec_edit *edit, const rec_edit_image *from,
                                  const rec_edit_image *beneath, rec_error *error)
{
    const rec_image *image = from->image, *size = rec_edit_clones(edit) ? &edit->source
                                                                        : &edit->picture;
    const rec_extras *beside = from->extras;
    for (size_t i = 0; beside->alpha.data && i < image->planes * image->height; i++)
        for (size_t x = 0; x < image->width; x++)
            image->data[i * image->stride + x] *=
                rec_image_row(&beside->alpha, 0, i % image->height)[x] / (float)beside->maxval;
    double white = from->white > 0 ? from->white : (double)rec_image_survey(image, 255).high;
    if (image->width != size->width || image->height != size->height)
        return rec_fail(error, REC_BAD_INPUT, "%s: the mask is %zu x %zu, and %s is %zu x %zu; "
                        "they must be the same", rec_edit_name(from), image->width, image->height,
                        rec_edit_name(beneath), size->width, size->height);
    REC_TRY(lay_mask(edit, &image, &beside->alpha, &white, error));
    return complete(edit, image, white, error);
}

/* The source's alpha, or all of it. */
static rec_status make_from_source(rec_edit *edit, const rec_edit_image *source, rec_error *error)
{
    rec_owned_image all = {0};
    if (source->extras->alpha.data) {
        lay(edit, &source->extras->alpha, source->extras->maxval);
        return complete(edit, &source->extras->alpha, source->extras->maxval, error);
    }
    REC_TRY(rec_image_create(&all, edit->source.width, edit->source.height, 1, error));
    rec_image_fill(&all, 1);
    lay(edit, &all, 1);
    return complete(edit, &all, 1, error);
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
static rec_status make_from_holes(rec_edit *edit, rec_error *error)
{
    const rec_edit_wish *wish = &edit->wish;
    const rec_image *around = &edit->picture;
    const rec_extras *extras = edit->inputs.picture.extras;
    if (wish->holes == REC_HOLES_NODATA && !extras->has_nodata)
        return rec_fail(error, REC_BAD_INPUT, "%s: declares no nodata value\v--mask =VALUE, or nan",
                        rec_edit_name(&edit->inputs.picture));
    REC_SHARE_ROWS(around->width, around->height, find_holes, around, edit->mask.unknown,
                   wish->holes == REC_HOLES_VALUE ? wish->hole : extras->nodata,
                   wish->holes == REC_HOLES_NAN);
    rec_mask_measure(&edit->mask);
    return REC_OK;
}

rec_status rec_edit_make_mask(rec_edit *edit, const rec_edit_inputs *inputs, rec_error *error)
{
    return edit->wish.holes     ? make_from_holes(edit, error)
           : inputs->mask.image ? make_from_image(edit, &inputs->mask,
                                                  rec_edit_clones(edit) ? &inputs->source
                                                                        : &inputs->picture, error)
           : rec_edit_clones(edit) ? make_from_source(edit, &inputs->source, error)
                                   : REC_OK;
}
