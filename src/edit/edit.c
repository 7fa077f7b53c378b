/* An edit is made of its inputs, and ends. */
#include "edit/edit_type.h"

#include <math.h>

/* Creates the mask of the pixels whose alpha is below a half, if there are any. */
static rec_status find_hidden(rec_mask *hidden, const rec_extras *extras, rec_error *error)
{
    const rec_image *alpha = &extras->alpha;
    if (!alpha->data)
        return REC_OK;
    REC_TRY(rec_mask_create(hidden, alpha->width, alpha->height, error));
    for (size_t y = 0; y < alpha->height; y++)
        for (size_t x = 0; x < alpha->width; x++)
            hidden->unknown[y * alpha->width + x] =
                2 * (double)rec_image_row(alpha, 0, y)[x] < extras->maxval;
    rec_mask_measure(hidden);
    if (!hidden->count)
        rec_mask_destroy(hidden);
    return REC_OK;
}

/* Divides by alpha. Samples that are no numbers (tones are) become 0, and their pixels hidden:
 * REC_BAD_INPUT where the mask's pixels are known (used = 0) or unknown (1); NULL: nowhere. */
static rec_status clean(const rec_mask *mask, int used, const rec_image *image,
                        const rec_edit_image *given, rec_mask *hidden, rec_error *error)
{
    if (!image->data)
        return REC_OK;
    rec_image_divide(image, given->extras);
    if (given->white > 0 || rec_image_largest(image) <= (double)(float)REC_MAX_MAGNITUDE)
        return REC_OK;
    if (hidden && !hidden->unknown)
        REC_TRY(rec_mask_create(hidden, image->width, image->height, error));
    for (size_t i = 0; i < image->planes * image->height; i++)
        for (size_t column = 0; column < image->width; column++) {
            const size_t row = i % image->height;
            float *sample = image->data + i * image->stride + column;
            if (fabsf(*sample) <= (float)REC_MAX_MAGNITUDE)
                continue;
            if (mask && mask->unknown[row * image->width + column] == used)
                return rec_fail(error, REC_BAD_INPUT, "%s: the sample at x %zu, y %zu is %g: it "
                                "must be finite and in magnitude at most %g", rec_edit_name(given),
                                column, row, (double)*sample, (double)(float)REC_MAX_MAGNITUDE);
            *sample = 0;
            if (hidden)
                hidden->unknown[row * image->width + column] = 1;
        }
    if (hidden)
        rec_mask_measure(hidden);
    return REC_OK;
}

static rec_status check_mask(const rec_edit *edit, rec_error *error)
{
    const rec_edit_wish *wish = &edit->wish;
    const rec_mask *mask = &edit->mask;
    const char *picture = rec_edit_name(&edit->inputs.picture);
    const char *name = edit->inputs.mask.name     ? rec_edit_name(&edit->inputs.mask)
                       : edit->inputs.source.name ? rec_edit_name(&edit->inputs.source)
                                                  : picture;
    if (!mask->count && !edit->inputs.paints && !wish->holes)
        return rec_fail(error, REC_BAD_INPUT, rec_edit_clones(edit)
                            ? "%s: lies wholly outside %s"
                            : "%s: the mask is empty: no pixel of %s is unknown",
                        name, picture);
    /* Then a healed box has no gradients at all. */
    const ptrdiff_t left = (ptrdiff_t)mask->box.x - wish->x, top = (ptrdiff_t)mask->box.y - wish->y;
    const int outside = left >= (ptrdiff_t)mask->width || left + (ptrdiff_t)mask->box.width <= 0 ||
                        top >= (ptrdiff_t)mask->height || top + (ptrdiff_t)mask->box.height <= 0;
    if (outside && wish->kind == REC_EDIT_HEAL && wish->from == REC_FROM_PLACE &&
        !edit->inputs.paints)
        return rec_fail(error, REC_BAD_INPUT, "%s: --from %td,%td puts the whole source outside "
                        "the picture", picture, -wish->x, -wish->y);
    if (edit->problem.mask->count < mask->width * mask->height && edit->problem.boundary.mean_count)
        return rec_fail(error, REC_USAGE, "--mean: the pixels around the mask determine it");
    if (wish->kind != REC_EDIT_ONTO && rec_problem_frees_mean(&edit->problem))
        return rec_fail(error, REC_BAD_INPUT, "%s: the mask leaves no pixel of %s known%s", name,
                        picture, edit->hidden.unknown ? " that is not transparent" : "");
    return REC_OK;
}

/* Pixels of the mask whose source is in the mask as well. */
static size_t count_overlap(const rec_edit *edit)
{
    const rec_mask *own = &edit->mask;
    size_t count = 0;
    const size_t end = own->box.x + own->box.width;
    for (size_t y = own->box.y; y < own->box.y + own->box.height; y++)
        for (size_t x = own->box.x, some; x < end; x += some) {
            const unsigned char *run = rec_mask_run(own, x, y, end, &some);
            for (size_t i = 0, one; run && i < some; i++) {
                const size_t u = x + i - (size_t)edit->wish.x, v = y - (size_t)edit->wish.y;
                const unsigned char *source =
                    run[i] && u < own->width && v < own->height
                        ? rec_mask_run(own, u, v, u + 1, &one) : NULL;
                count += source && *source;
            }
        }
    return count;
}

/* The edges of a file where its colours do not count are those of such colours. */
static void drop_hidden_edges(const rec_edit *edit)
{
    const rec_image *edges = &edit->edges;
    for (size_t i = 0; edit->hidden.unknown && i < edges->planes * edges->height; i++)
        for (size_t x = 0; x < edges->width; x++) {
            const size_t at = i % edges->height * edges->width + x;
            if (edit->covered.unknown[at] && !edit->mask.unknown[at])
                edges->data[i * edges->stride + x] = 0;
        }
}

/* What stays in its file may be larger than memory. */
static int is_sparse(const rec_edit *edit)
{
    const rec_edit_wish *wish = &edit->wish;
    return !edit->target.data && wish->kind != REC_EDIT_ONTO && wish->from != REC_FROM_FILE &&
           (wish->from != REC_FROM_AUTO || edit->inputs.picture.white > 0) && !edit->inputs.paints;
}

/* Of a clone what the source's samples are multiplied by; of other edits 1. */
static double find_scale(rec_edit *edit)
{
    const rec_edit_image *target = &edit->inputs.picture, *source = &edit->inputs.source;
    const double given = edit->wish.white;
    const double white = target->white > 0 ? target->white : given;
    const double its = source->white > 0 ? source->white : given;
    if (!rec_edit_clones(edit))
        return 1;
    if (edit->from.planes > edit->target.planes)
        rec_edit_note(edit, "%s is grey: of %s the luminance counts\n", rec_edit_name(target),
                      rec_edit_name(source));
    /* Floats may be from 0 to 1, or anything: a note where they look unlike the other's samples. */
    if ((target->white > 0) != (source->white > 0) && !(given > 0)) {
        const int tones = target->white > 0;
        rec_survey floats;
        const double known = tones ? white : its;
        if (!rec_samples_survey(tones ? &edit->from : &edit->target, NULL, 255, &floats, NULL) &&
            (floats.high < known / 16 || floats.high > 16 * known))
            rec_edit_note(edit, "%s has samples from %g to %g, and white is %g in %s; --white sets "
                          "it\n", rec_edit_name(tones ? source : target), (double)floats.low,
                          (double)floats.high, known, rec_edit_name(tones ? target : source));
    }
    return white > 0 && its > 0 ? white / its : 1;
}

static rec_status check_size(const rec_edit *edit, const rec_edit_inputs *inputs, rec_error *error)
{
    const rec_samples *around = &edit->target;
    const rec_image *edges = inputs->edges.image;
    if (edit->wish.kind != REC_EDIT_ONTO ||
        (around->width == edges->width && around->height == edges->height &&
         around->planes == edges->planes))
        return REC_OK;
    return rec_fail(error, REC_BAD_INPUT, "%s: is %zu x %zu of %zu plane%s, and %s is %zu x %zu of "
                    "%zu; they must be the same", rec_edit_name(&inputs->picture), around->width,
                    around->height, around->planes, rec_plural(around->planes),
                    rec_edit_name(&inputs->edges), edges->width, edges->height, edges->planes);
}

/* Takes the image; returns its samples, or those of the caller. */
static rec_samples accept(const rec_edit_image *given, rec_image *kept)
{
    if (!given->image)
        return given->samples;
    *kept = *given->image;
    *given->image = (rec_image){0};
    return rec_samples_of_image(kept);
}

static rec_status make(rec_edit *edit, const rec_edit_inputs *inputs, rec_error *error)
{
    const rec_edit_wish *wish = &edit->wish;
    edit->target = accept(&inputs->picture, &edit->picture);
    edit->from = accept(&inputs->source, &edit->source);
    REC_TRY(check_size(edit, inputs, error));
    accept(&inputs->edges, &edit->edges);
    edit->guidance.scale = find_scale(edit);
    REC_TRY(rec_mask_create_for(&edit->mask, edit->target.width, edit->target.height,
                                is_sparse(edit), error));
    REC_TRY(find_hidden(&edit->hidden, inputs->picture.extras, error));
    if (rec_edit_clones(edit))
        REC_TRY(find_hidden(&edit->source_hidden, inputs->source.extras, error));
    REC_TRY(rec_edit_make_mask(edit, inputs, error));
    REC_TRY(clean(&edit->mask, 0, &edit->picture, &inputs->picture, &edit->hidden, error));
    REC_TRY(clean(NULL, 0, &edit->source, &inputs->source, &edit->source_hidden, error));
    REC_TRY(rec_edit_grow(edit, error));
    REC_TRY(clean(edit->problem.mask, 1, &edit->edges, &inputs->edges, NULL, error));
    drop_hidden_edges(edit); /* of REC_EDIT_ONTO */
    REC_TRY(check_mask(edit, error));
    if (wish->kind == REC_EDIT_HEAL && wish->from == REC_FROM_PLACE)
        edit->overlap = count_overlap(edit);
    REC_TRY(rec_edit_find_sources(edit, inputs->sources, error));
    rec_edit_set_guidance(edit);
    return REC_OK;
}

rec_status rec_edit_create(rec_edit **made, const rec_edit_wish *wish,
                           const rec_edit_inputs *inputs, rec_error *error)
{
    REC_TRY(rec_allocate_zeroed(made, 1, sizeof **made, "an edit", error));
    rec_edit *edit = *made;
    edit->wish = *wish;
    edit->inputs = *inputs;
    edit->problem = (rec_problem){.input = &edit->edges, .start = &edit->picture,
                                  .boundary = inputs->boundary, .stays = 1};
    const rec_status status = make(edit, inputs, error);
    edit->inputs.picture.image = edit->inputs.source.image = edit->inputs.edges.image = NULL;
    if (status) {
        rec_edit_destroy(edit);
        *made = NULL;
    }
    return status;
}

void rec_edit_release(rec_edit *edit)
{
    rec_edit_seek_end(edit);
    rec_edit_empty(edit);
    rec_brush_destroy(&edit->brush);
    rec_image *const images[] = {&edit->picture, &edit->edges, &edit->mass, &edit->source};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        rec_image_destroy(images[i]);
    rec_mask *const masks[] = {&edit->hidden, &edit->source_hidden, &edit->covered, &edit->shape};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        rec_mask_destroy(masks[i]);
    edit->target = (rec_samples){0};
    rec_sources_drop_labels(&edit->sources);
    for (size_t i = 0; i < edit->own_count; i++)
        rec_mask_destroy(&edit->own_holes[i]);
    rec_free(edit->own_holes);
    edit->own_holes = NULL;
    edit->own_count = 0;
}

void rec_edit_destroy(rec_edit *edit)
{
    if (!edit)
        return;
    rec_edit_release(edit);
    rec_mask_destroy(&edit->mask);
    rec_sources_destroy(&edit->sources);
    rec_free(edit);
}

/* ---- what is painted, taken over by an edit of another picture ---- */

/* Sources of strokes stay; those of the mask's parts that nobody has moved are sought again. */
static void seek_again(rec_edit *edit)
{
    for (size_t i = 0; i < edit->begun && !rec_edit_clones(edit); i++)
        if (edit->wish.from != REC_FROM_FILE && !rec_brush_has_moved(&edit->brush, i + 1))
            edit->sources.at[i].smooth = rec_edit_new_patch(edit).smooth;
}

/* Of a mask that is another one: strokes are laid over it, and cannot be undone. */
static rec_status lay_strokes(rec_edit *fresh, const rec_edit *old, rec_error *error)
{
    const rec_sources *from = &old->sources;
    REC_TRY(rec_edit_begin(fresh, old->of_source, error));
    for (size_t i = old->begun; i < from->count; i++) {
        uint16_t label;
        REC_TRY(rec_sources_add(&fresh->sources, &from->at[i], &label, error));
        for (size_t at = 0; from->label && at < fresh->mask.width * fresh->mask.height; at++)
            if (from->label[at] == i + 1) {
                fresh->sources.label[at] = label;
                fresh->mask.unknown[at] = 1;
            }
    }
    rec_mask_measure(&fresh->mask);
    rec_brush_renew(&fresh->brush);
    fresh->saved = !rec_edit_is_unsaved(old);
    return REC_OK;
}

/* Exchanges what is painted. */
static void exchange(rec_edit *a, rec_edit *b)
{
#define EXCHANGE(member) \
    do { \
        const __typeof__(a->member) member_ = a->member; \
        a->member = b->member; \
        b->member = member_; \
    } while (0)
    EXCHANGE(sources);
    EXCHANGE(brush);
    EXCHANGE(begun);
    EXCHANGE(begun_mask);
    EXCHANGE(saved);
    if (rec_edit_clones(a))
        EXCHANGE(shape.unknown);
    else
        EXCHANGE(mask.unknown);
    rec_edit *const both[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        rec_brush *brush = &both[i]->brush;
        brush->mask = brush->mask ? &both[i]->mask : NULL;
        brush->sources = &both[i]->sources;
        both[i]->guidance.sources = both[i]->sources.label ? &both[i]->sources : NULL;
        rec_mask_measure(rec_edit_clones(a) ? &both[i]->shape : &both[i]->mask);
    }
}

rec_status rec_edit_carry(rec_edit *fresh, rec_edit *old, rec_error *error)
{
    rec_edit_lift(old);
    rec_edit_seek_end(old);
    rec_edit_seek_end(fresh);
    const rec_mask *is = rec_edit_shape(fresh), *was = rec_edit_shape(old);
    const int same = is->width == was->width && is->height == was->height;
    if (same && (fresh->brush.mask || rec_edit_hash_mask(fresh) == old->begun_mask))
        exchange(fresh, old);
    else
        REC_TRY(lay_strokes(fresh, old, error));
    seek_again(fresh);
    fresh->of_source = old->of_source;
    fresh->guidance.rule = old->guidance.rule;
    fresh->moved = rec_edit_clones(fresh);
    fresh->aims = old->aims;
    fresh->x = old->x;
    fresh->y = old->y;
    fresh->label = old->label;
    fresh->at_x = old->at_x;
    fresh->at_y = old->at_y;
    fresh->strokes = old->strokes + 1; /* the picture is another one */
    fresh->saved_rule = old->saved_rule;
    return rec_edit_grow(fresh, error);
}
