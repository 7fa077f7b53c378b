/* What is painted, taken over by an edit of another picture. */
#include "edit/edit_type.h"

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
