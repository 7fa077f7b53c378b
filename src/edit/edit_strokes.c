/* What is painted: strokes, each with its source, the place of a clone, the rule; and undoing. */
#include <math.h>
#include <string.h>

#include "edit/edit_type.h"

/* Labels for what is painted; of a clone its place, the first source. */
static rec_status begin_sources(rec_edit *edit, rec_error *error)
{
    const rec_mask *mask = &edit->mask;
    const int clones = rec_edit_clones(edit);
    const rec_patch patch = clones ? (rec_patch){.x = edit->wish.x, .y = edit->wish.y}
                                   : rec_edit_new_patch(edit);
    uint16_t label;
    if (clones)
        return rec_sources_add(&edit->sources, &patch, &label, error);
    if (!edit->sources.label)
        REC_TRY(rec_sources_create(&edit->sources, mask->width, mask->height, error));
    if (mask->count && !edit->sources.count)
        REC_TRY(rec_sources_add(&edit->sources, &patch, &label, error));
    for (size_t i = 0; edit->sources.count == 1 && i < mask->width * mask->height; i++)
        edit->sources.label[i] = mask->unknown[i]; /* rec_sources_part may have left them out */
    return REC_OK;
}

rec_status rec_edit_begin(rec_edit *edit, int of_source, rec_error *error)
{
    edit->of_source = of_source;
    if (edit->brush.mask) /* it was carried over */
        return REC_OK;
    REC_TRY(begin_sources(edit, error));
    rec_edit_set_guidance(edit); /* there are labels now */
    edit->begun = edit->sources.count;
    edit->begun_mask = rec_edit_hash_mask(edit);
    REC_TRY(rec_brush_create(&edit->brush, &edit->mask, &edit->sources, error));
    rec_edit_keep(edit);
    return REC_OK;
}

int rec_edit_is_painted(const rec_edit *edit) { return edit && edit->brush.mask; }

static void note_change(rec_edit *edit, rec_area area)
{
    edit->changed = rec_area_join(edit->changed, area);
    edit->strokes++;
    rec_edit_empty(edit);
}

/* ---- strokes ---- */

/* The pixel at a point becomes that of the last label; 0: it is not in the picture. */
static int stand_at(rec_edit *edit, double x, double y)
{
    const ptrdiff_t at_x = lround(x), at_y = lround(y);
    const int inside = (size_t)at_x < edit->mask.width && (size_t)at_y < edit->mask.height;
    edit->at_x = inside ? at_x : edit->at_x;
    edit->at_y = inside ? at_y : edit->at_y;
    return inside;
}

/* Where there is a source, its gradients count. */
static void need_source(rec_edit *edit)
{
    if (edit->guidance.rule == REC_GRADIENT_ZERO)
        edit->guidance.rule = REC_GRADIENT_SOURCE;
    edit->moved = 1;
}

/* A stroke has a label of its own, whose source is to be sought, or was pointed at. */
static rec_status begin_stroke(rec_edit *edit, const rec_stroke *stroke, rec_error *error)
{
    rec_patch patch = rec_edit_new_patch(edit);
    if (edit->aims) {
        patch = (rec_patch){.x = edit->x - lround(stroke->x), .y = edit->y - lround(stroke->y)};
        patch.smooth = !patch.x && !patch.y;
    }
    REC_TRY(rec_sources_add(&edit->sources, &patch, &edit->label, error));
    edit->brush.label = edit->label;
    edit->paints = 1;
    if (edit->aims)
        need_source(edit);
    edit->aims = 0;
    return REC_OK;
}

rec_status rec_edit_stroke(rec_edit *edit, const rec_stroke *given, rec_error *error)
{
    rec_stroke stroke = *given;
    if (stroke.unknown && !edit->of_source) {
        if (!edit->paints)
            REC_TRY(begin_stroke(edit, &stroke, error));
        stand_at(edit, stroke.to_x, stroke.to_y);
        stroke.radius += stroke.radius < 0 ? 0 : (double)edit->wish.stroke_grow;
    }
    note_change(edit, rec_brush_stroke(&edit->brush, &stroke));
    return REC_OK;
}

void rec_edit_lift(rec_edit *edit)
{
    rec_brush_end(&edit->brush);
    edit->paints = edit->aiming = edit->drags = 0;
}

/* The place of a clone is a source, which is smooth where there is none: its mask is cleared. */
static void move_clone(rec_edit *edit, ptrdiff_t x, ptrdiff_t y, int cleared)
{
    rec_brush_move(&edit->brush, 1, &(rec_patch){.x = x, .y = y, .smooth = cleared});
    edit->moved = 1;
}

void rec_edit_undo(rec_edit *edit, int forward)
{
    edit->paints = edit->aiming = edit->drags = 0;
    for (size_t i = 0; i < edit->sources.count; i++)
        edit->sources.at[i].several = 0; /* what is undone is not sought for */
    note_change(edit, rec_brush_undo(&edit->brush, forward));
    edit->moved |= rec_edit_clones(edit);
}

void rec_edit_clear(rec_edit *edit)
{
    edit->paints = 0;
    if (!rec_edit_clones(edit)) {
        note_change(edit, rec_brush_clear(&edit->brush));
        return;
    }
    rec_brush_end(&edit->brush);
    move_clone(edit, edit->sources.at[0].x, edit->sources.at[0].y, 1);
    rec_brush_end(&edit->brush);
    note_change(edit, edit->mask.box);
}

/* Of the stroke where the drag began; else the place for the next one. */
static void drag_source(rec_edit *edit, const rec_stroke *way)
{
    const rec_sources *sources = &edit->sources;
    const ptrdiff_t x = lround(way->x), y = lround(way->y);
    const ptrdiff_t to_x = lround(way->to_x), to_y = lround(way->to_y);
    const int begins = !edit->drags && !edit->aiming;
    edit->aiming = 1;
    if (begins && stand_at(edit, way->x, way->y)) /* else none is dragged */
        edit->drags = sources->label[y * (ptrdiff_t)sources->width + x];
    if (!edit->drags || begins) {
        edit->x = edit->drags ? x : to_x;
        edit->y = edit->drags ? y : to_y;
    }
    edit->aims = !edit->drags;
    if (!edit->drags || (to_x == edit->x && to_y == edit->y))
        return;
    const rec_patch to = {.x = to_x - edit->x, .y = to_y - edit->y};
    rec_brush_move(&edit->brush, edit->drags, &to);
    edit->label = edit->drags;
    need_source(edit);
}

void rec_edit_move_source(rec_edit *edit, const rec_stroke *way)
{
    const rec_patch *at = edit->sources.at;
    if (rec_edit_clones(edit))
        move_clone(edit, at->x + lround(way->to_x) - lround(way->x),
                   at->y + lround(way->to_y) - lround(way->y), 0);
    else
        drag_source(edit, way);
    note_change(edit, edit->mask.box);
}

rec_status rec_edit_next_source(rec_edit *edit, int *moved, rec_error *error)
{
    const uint16_t label = edit->label;
    const rec_patch *patch = label ? &edit->sources.at[label - 1] : NULL;
    *moved = 0;
    if (!patch || rec_edit_clones(edit) || edit->paints || patch->smooth == REC_SOUGHT)
        return REC_OK;
    const rec_patch one = {.x = patch->x, .y = patch->y, .smooth = patch->smooth};
    edit->rank = edit->ranked == label ? edit->rank + 1 : !patch->group; /* of several the best */
    edit->ranked = label;
    rec_brush_move(&edit->brush, label, &one);
    const rec_status status = rec_edit_seek_patch(edit, label, error);
    *moved = !status && !patch->smooth;
    rec_brush_end(&edit->brush);
    if (*moved)
        need_source(edit);
    else
        rec_brush_undo(&edit->brush, 0);
    note_change(edit, edit->mask.box);
    return status;
}

int rec_edit_change_rule(rec_edit *edit)
{
    rec_guidance *guidance = &edit->guidance;
    const int clones = rec_edit_clones(edit), rules = clones ? REC_GRADIENT_ZERO : REC_GRADIENTS;
    const int has_source = clones || rec_edit_has_sources(edit);
    do
        guidance->rule = (rec_gradient)(((int)guidance->rule + has_source) % rules);
    while (guidance->keep > 0 && guidance->rule != REC_GRADIENT_ZERO &&
           !rec_gradients[guidance->rule].keeps);
    edit->moved = 1;
    note_change(edit, edit->mask.box);
    return has_source;
}

/* ---- the mask of a SOURCE ---- */

void rec_edit_copy_shape(rec_edit *edit, const rec_edit *painted)
{
    const rec_mask *mask = &painted->mask;
    memcpy(edit->shape.unknown, mask->unknown, mask->width * mask->height);
    rec_mask_measure(&edit->shape);
    edit->saved = 0;
    edit->moved = 1;
    note_change(edit, edit->mask.box);
}

void rec_edit_give_shape(const rec_edit *edit, rec_edit *painted)
{
    const rec_mask *shape = &edit->shape;
    rec_mask *mask = &painted->mask;
    const size_t count = shape->width * shape->height;
    if (shape->count == count || mask->width * mask->height != count)
        return;
    memcpy(mask->unknown, shape->unknown, count);
    rec_brush_renew(&painted->brush);
    rec_mask_measure(mask);
}

/* ---- what a solver of the problem has to know ---- */

/* A stroke that has ended, whose source is still to be found; NULL: there is none. */
static const rec_patch *find_sought(const rec_edit *edit)
{
    const rec_sources *sources = &edit->sources;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->at[i].smooth == REC_SOUGHT && !edit->paints && !edit->of_source)
            return &sources->at[i];
    return NULL;
}

int rec_edit_seeks(const rec_edit *edit)
{
    return find_sought(edit) || (!edit->paints && !edit->of_source && rec_edit_lacks_several(edit));
}

rec_status rec_edit_seek(rec_edit *edit, rec_error *error)
{
    const rec_patch *patch = find_sought(edit);
    if (!rec_edit_seeks(edit) || edit->changed.width || edit->moved)
        return REC_OK;
    if (patch) {
        const uint16_t label = (uint16_t)(patch - edit->sources.at + 1);
        if (!patch->group)
            REC_TRY(rec_edit_cut_stroke(edit, label, error));
        REC_TRY(rec_edit_seek_patch(edit, label, error)); /* a piece at a time: the brush goes on */
        edit->changed = edit->sources.at[label - 1].box;
    } else
        REC_TRY(rec_edit_seek_several(edit, &edit->changed, error));
    if (edit->changed.width)
        rec_edit_empty(edit);
    return REC_OK;
}

/* The mask of a clone lies where its source does. */
static void place(rec_edit *edit)
{
    const rec_patch *at = edit->sources.at;
    if (rec_edit_clones(edit)) {
        edit->guidance.x = at->x;
        edit->guidance.y = at->y;
        rec_mask_place(&edit->mask, &edit->shape, at->smooth ? (ptrdiff_t)edit->mask.width : at->x,
                       at->y);
    }
    edit->moved = 0;
    note_change(edit, edit->mask.box); /* the mask is another one now */
}

/* Transparent pixels that lead to the mask are unknown, too. */
static rec_status grow(rec_edit *edit, rec_error *error)
{
    if (!edit->changed.width || !edit->hidden.unknown)
        return REC_OK;
    const rec_area before = edit->problem.mask->box;
    REC_TRY(rec_edit_grow(edit, error));
    edit->changed = rec_area_join(edit->changed, rec_area_join(before, edit->problem.mask->box));
    return REC_OK;
}

rec_status rec_edit_settle(rec_edit *edit, int *undone, rec_error *error)
{
    *undone = 0;
    if (edit->of_source) {
        edit->changed = (rec_area){0};
        return REC_OK;
    }
    if (edit->moved)
        place(edit);
    REC_TRY(grow(edit, error));
    if (!rec_problem_frees_mean(&edit->problem))
        return REC_OK;
    *undone = 1; /* nothing is known any more */
    edit->changed = rec_area_join(edit->changed, rec_brush_undo(&edit->brush, 0));
    edit->paints = 0;
    rec_edit_empty(edit);
    return grow(edit, error);
}

rec_status rec_edit_update_edges(rec_edit *edit, rec_area *changed, rec_error *error)
{
    /* A pair's difference is that of both its ends. */
    *changed = edit->changed.width
                   ? rec_area_grow(edit->changed, 1, edit->mask.width, edit->mask.height)
                   : edit->changed;
    edit->changed = (rec_area){0};
    return changed->width && edit->edges.data
               ? rec_guidance_make(&edit->guidance, *changed, &edit->edges, error)
               : REC_OK;
}

/* ---- what the eye is told ---- */

/* The source of what was last painted or moved when healing. */
static rec_patch last_patch(const rec_edit *edit)
{
    return edit->guidance.rule == REC_GRADIENT_ZERO || !edit->label
               ? (rec_patch){.smooth = 1}
               : edit->sources.at[edit->label - 1];
}

rec_edit_state rec_edit_look(const rec_edit *edit)
{
    const rec_sources *sources = &edit->sources;
    const rec_patch patch = last_patch(edit);
    const int clones = rec_edit_clones(edit), healing = edit->wish.kind == REC_EDIT_HEAL;
    rec_edit_state state = {.rule = edit->guidance.rule, .aims = edit->aims,
                            .strokes = edit->strokes};
    if (edit->aims && state.rule == REC_GRADIENT_ZERO)
        state.rule = REC_GRADIENT_SOURCE;
    else if (healing && !edit->aims && patch.smooth && (edit->label || !rec_edit_has_sources(edit)))
        state.rule = REC_GRADIENT_ZERO;
    state.sought = healing && !edit->aims && !edit->label &&
                   edit->guidance.rule == edit->wish.rule &&
                   rec_edit_new_patch(edit).smooth == REC_SOUGHT;
    /* A stroke may be undone, or erased. */
    const int takes = edit->brush.mask && !patch.smooth && healing &&
                      sources->label[edit->at_y * (ptrdiff_t)sources->width + edit->at_x] ==
                          edit->label;
    state.x = edit->aims ? edit->x : clones ? -edit->guidance.x : takes ? patch.x : 0;
    state.y = edit->aims ? edit->y : clones ? -edit->guidance.y : takes ? patch.y : 0;
    state.mark_x = state.x + (takes && !edit->aims ? edit->at_x : 0);
    state.mark_y = state.y + (takes && !edit->aims ? edit->at_y : 0);
    return state;
}

void rec_edit_keep(rec_edit *edit)
{
    edit->saved = rec_brush_state(&edit->brush);
    edit->saved_rule = edit->guidance.rule;
}

int rec_edit_is_unsaved(const rec_edit *edit)
{
    const unsigned now = edit ? rec_brush_state(&edit->brush) : 0;
    return rec_edit_is_painted(edit) && (edit->mask.count || rec_edit_clones(edit)) &&
           (!now || now != edit->saved || edit->guidance.rule != edit->saved_rule);
}
