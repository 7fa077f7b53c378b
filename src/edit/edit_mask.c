/* The mask of an edit: the image that says which pixels are unknown. */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "edit/edit_type.h"

/* The mask lies where the source does. */
static rec_status lay(rec_edit *edit, const rec_samples *samples, double white,
                      rec_mask_values *values, rec_error *error)
{
    const rec_edit_wish *wish = &edit->wish;
    const int clones = rec_edit_clones(edit);
    return rec_mask_paste(&edit->mask, samples, white, clones ? wish->x : 0, clones ? wish->y : 0,
                          values, error);
}

/* Once it lies there. */
static rec_status complete(rec_edit *edit, const rec_samples *samples, double white,
                           rec_error *error)
{
    rec_mask_values ignored;
    if (edit->wish.grow && edit->mask.count) {
        REC_OWNED(rec_mask_destroy) rec_mask given = edit->mask;
        REC_TRY(rec_mask_widen(&edit->mask, &given, edit->wish.grow, error));
    }
    if (!rec_edit_clones(edit) || !edit->inputs.paints)
        return REC_OK;
    REC_TRY(rec_mask_create(&edit->shape, samples->width, samples->height, error));
    return rec_mask_paste(&edit->shape, samples, white, 0, 0, &ignored, error);
}

/* Lays the mask. If nothing comes to half of white, the higher of two values stands for white: of
 * its alpha, or of its samples; among colours the lower one is black. *samples: where that is. */
static rec_status lay_mask(rec_edit *edit, rec_samples *samples, const rec_image *alpha,
                           double *white, rec_error *error)
{
    const rec_samples clear_samples = rec_samples_of_image(alpha);
    const char *name = rec_edit_name(&edit->inputs.mask);
    const double usual = *white > 0 ? *white : INFINITY; /* black alone */
    rec_mask_values values, clear;
    REC_TRY(lay(edit, samples, usual, &values, error));
    const int found = 2 * values.high >= *white;
    if (!found && alpha->data)
        REC_TRY(lay(edit, &clear_samples, INFINITY, &clear, error));
    *white = usual;
    if (!found && alpha->data && clear.count == 2) {
        *samples = clear_samples;
        values = clear;
    }
    if (!found && values.count == 2 && (samples->planes == 1 || values.low == 0)) {
        *white = values.low + values.high;
        return lay(edit, samples, *white, &values, error);
    }
    if (2 * values.between > samples->planes * samples->height * samples->width)
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

/* Of an image, with its transparency over black, or of samples that have a white. */
static rec_status make_from_file(rec_edit *edit, const rec_edit_image *from,
                                 const rec_edit_image *beneath, rec_error *error)
{
    const rec_image *image = from->image;
    const rec_samples *size = rec_edit_clones(edit) ? &edit->from : &edit->target;
    const rec_extras *beside = from->extras;
    rec_samples samples = image ? rec_samples_of_image(image) : from->samples;
    for (size_t i = 0; beside->alpha.data && i < image->planes * image->height; i++)
        for (size_t x = 0; x < image->width; x++)
            image->data[i * image->stride + x] *=
                rec_image_row(&beside->alpha, 0, i % image->height)[x] / (float)beside->maxval;
    double white = from->white > 0 ? from->white : (double)rec_image_survey(image, 255).high;
#define SIZES "%s: the mask is %zu x %zu, and %s is %zu x %zu; they must be the same"
    if (samples.width != size->width || samples.height != size->height)
        return rec_fail(error, REC_BAD_INPUT,
                        samples.width == size->height && samples.height == size->width
                            ? SIZES "\vpictures are turned as their Exif says, and so must masks be"
                            : SIZES, rec_edit_name(from), samples.width, samples.height,
                        rec_edit_name(beneath), size->width, size->height);
    REC_TRY(lay_mask(edit, &samples, &beside->alpha, &white, error));
    return complete(edit, &samples, white, error);
}

/* The source's alpha, or all of it; or the samples that are not 0. */
static rec_status make_from_samples(rec_edit *edit, const rec_samples *unknown,
                                    const rec_extras *beside, rec_error *error)
{
    const rec_samples *size = rec_edit_clones(edit) ? &edit->from : &edit->target;
    unsigned char each = 1;
    double white = 0;
    rec_mask_values ignored;
    rec_samples samples = *unknown;
    if (!unknown->width && beside->alpha.data) {
        samples = rec_samples_of_image(&beside->alpha);
        white = beside->maxval;
    } else if (!unknown->width)
        samples = (rec_samples){.data = &each, .width = size->width, .height = size->height};
    else if (unknown->width != size->width || unknown->height != size->height)
        return rec_fail(error, REC_BAD_INPUT, "the mask is %zu x %zu, and must be %zu x %zu",
                        unknown->width, unknown->height, size->width, size->height);
    samples.planes = 1;
    REC_TRY(lay(edit, &samples, white, &ignored, error));
    return complete(edit, &samples, white, error);
}

/* own: those of each plane and band; or NULL. marked: what a page of the file marks is one, too.
 * whole: a picture of which no pixel may have holes in some planes alone, or NULL. */
REC_TASK(find_rows, const rec_samples *samples; const rec_extras *extras; rec_exact value;
         const char *whole; int marked; const rec_mask *mask, *own; rec_error *failed)
{
    const rec_extras *extras = job->extras;
    const size_t columns = job->samples->width, together = rec_samples_together(job->samples);
    const size_t planes = job->samples->planes;
    const size_t alpha = extras->band_alpha ? planes + extras->band_alpha - 1 : SIZE_MAX;
    rec_owned unsigned char *all = NULL; /* holes of the pixels, of a plane, what is no number */
    rec_owned_cache cache = {0};
    rec_error error;
    rec_status status = rec_allocate(&all, together, 3, "a row", &error);
    unsigned char *found = all;
    const size_t rows = end - first, parts = (columns + together - 1) / together;
    for (size_t i = 0; i < parts * rows && !status; i++, found = all) {
        const size_t left = i / rows * together, y = first + i % rows;
        const size_t width = rec_smaller(together, columns - left);
        for (size_t p = 0; p < planes + extras->band_count; p++, found = all + width) {
            const size_t plane = p < planes ? p : 0;
            const rec_samples of = p < planes ? *job->samples
                                              : rec_samples_of_image(&extras->bands[p - planes]);
            rec_stretch to = {plane, left, y, width, .found = found, .level = job->value,
                              .cache = &cache};
            if (of.type == REC_SAMPLE_F32)
                to.level = (rec_exact){(double)(float)to.level.value, 0};
            const int twice = rec_sample_kinds[of.type].floating && !isnan(to.level.value);
            REC_THEN(status, rec_samples_read(&of, &to, &error));
            unsigned char *const nan = to.found = all + 2 * width;
            to.level = (rec_exact){NAN, 0};
            if (twice)
                REC_THEN(status, rec_samples_read(&of, &to, &error));
            for (size_t x = 0; x < width && (twice || job->marked); x++)
                found[x] |= (twice && nan[x]) |
                            (job->marked && rec_image_row(&extras->valid, 0, y)[left + x] == 0);
            if (job->own)
                REC_THEN(status, rec_mask_write(&job->own[p], left, y, width, found, &error));
            for (size_t x = 0; p && job->whole && x < width && !status; x++)
                if (all[x] != found[x] && p != alpha)
                    status = rec_fail(&error, REC_BAD_INPUT, "%s: has holes in some of its bands "
                                      "alone\v--from none fills each by itself", job->whole);
            for (size_t x = 0; p && x < width; x++)
                all[x] = job->own ? all[x] | found[x] : all[x] & (found[x] | (p == alpha));
        }
        REC_THEN(status, rec_mask_write(job->mask, left, y, width, all, &error));
    }
    if (status)
        rec_team_fail(job->failed, &error);
}

/* Integers have holes in all planes and bands, floats each for itself. What is no number is a hole
 * whatever is asked for, and so is the file's nodata value beside NaN. */
static rec_status find_holes(const rec_edit_wish *wish, const rec_samples *samples,
                             const rec_extras *extras, const char *whole, rec_mask *mask,
                             rec_mask *own, rec_error *error)
{
    rec_error failed = {0};
    rec_exact value = wish->holes == REC_HOLES_VALUE ? (rec_exact){wish->hole, 0}
                      : extras->has_nodata ? (rec_exact){extras->nodata, extras->nodata_rest}
                                           : (rec_exact){(double)NAN, 0};
    if (extras->inverted > 0)
        value = (rec_exact){extras->inverted - value.value, 0};
    REC_SHARE_ROWS(samples->width, samples->height, find_rows, samples, extras, value, whole,
                   wish->holes == REC_HOLES_NODATA && extras->valid.data, mask, own, &failed);
    rec_mask_measure(mask);
    for (size_t i = 0; own && i < samples->planes + extras->band_count; i++)
        rec_mask_measure(&own[i]);
    return rec_team_failed(&failed, error);
}

/* Where the picture has no samples. A clone's source has none where it has such holes itself. */
static rec_status make_from_holes(rec_edit *edit, const rec_extras *of_source, rec_error *error)
{
    const rec_edit_wish *wish = &edit->wish;
    const rec_samples *target = &edit->target, *from = &edit->from;
    const rec_extras *extras = edit->inputs.picture.extras;
    const char *name = rec_edit_name(&edit->inputs.picture);
    const size_t planes = target->planes + extras->band_count;
    rec_mask *hidden = &edit->source_hidden;
    if (wish->holes == REC_HOLES_NODATA && !extras->has_nodata && !extras->valid.data)
        return rec_fail(error, REC_BAD_INPUT, "%s: declares no nodata value\v--mask =VALUE, or nan",
                        name);
    const int apart = wish->kind == REC_EDIT_HEAL && !(extras->largest > 0) &&
                      !(edit->inputs.picture.white > 0) && rec_sample_kinds[target->type].floating;
    if (planes > 1 && apart && (wish->from == REC_FROM_USUAL || wish->from == REC_FROM_NONE))
        REC_TRY(rec_allocate_zeroed(&edit->own_holes, planes, sizeof *edit->own_holes, "holes",
                                    error));
    for (; edit->own_holes && edit->own_count < planes; edit->own_count++)
        REC_TRY(rec_mask_create_for(&edit->own_holes[edit->own_count], target->width,
                                    target->height, edit->mask.sparse != NULL, error));
    REC_TRY(find_holes(wish, target, extras, apart && !edit->own_holes ? name : NULL, &edit->mask,
                       edit->own_holes, error));
    if (rec_edit_clones(edit)) {
        if (!hidden->width)
            REC_TRY(rec_mask_create_for(hidden, from->width, from->height, !from->data, error));
        REC_TRY(find_holes(wish, from, of_source, NULL, hidden, NULL, error));
        if (edit->inputs.paints) {
            REC_TRY(rec_mask_create(&edit->shape, from->width, from->height, error));
            rec_mask_place(&edit->shape, &edit->mask, -wish->x, -wish->y);
        }
    }
    if (edit->mask.count == target->width * target->height && edit->inputs.stays) {
        const int sparse = edit->mask.sparse != NULL;
        rec_mask_destroy(&edit->mask);
        REC_TRY(rec_mask_create_for(&edit->mask, target->width, target->height, sparse, error));
        rec_edit_note(edit, "%s: has no samples but holes: the picture is unchanged\n", name);
    } else if (!edit->mask.count && !edit->inputs.paints) {
        rec_edit_note(edit, "%s: no sample is %.10g: the picture is unchanged\n", name,
                      wish->holes == REC_HOLES_VALUE ? wish->hole
                      : wish->holes == REC_HOLES_NAN || !extras->has_nodata ? (double)NAN
                                                                            : extras->nodata);
    }
    return REC_OK;
}

const rec_mask *rec_edit_own_holes(const rec_edit *edit) { return edit->own_holes; }

rec_status rec_edit_make_mask(rec_edit *edit, const rec_edit_inputs *inputs, rec_error *error)
{
    const int clones = rec_edit_clones(edit);
    return edit->wish.holes ? make_from_holes(edit, inputs->source.extras, error)
           : inputs->mask.image || inputs->mask.white > 0
               ? make_from_file(edit, &inputs->mask, clones ? &inputs->source : &inputs->picture,
                                error)
           : inputs->mask.samples.width || clones
               ? make_from_samples(edit, &inputs->mask.samples, inputs->source.extras, error)
               : REC_OK;
}
