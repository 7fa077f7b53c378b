/* What an edit has: as a problem, and for those who ask. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/hash.h"
#include "base/team.h"
#include "edit/edit_type.h"

const char *rec_edit_notes(const rec_edit *edit) { return edit->notes; }
const rec_image *rec_edit_picture(const rec_edit *edit) { return &edit->picture; }
void rec_edit_give_picture(rec_edit *edit, rec_image *picture)
{
    *picture = edit->picture;
    edit->picture = (rec_image){0};
}

const rec_samples *rec_edit_target(const rec_edit *edit) { return &edit->target; }
const rec_mask *rec_edit_mask(const rec_edit *edit) { return &edit->mask; }
const rec_sources *rec_edit_sources(const rec_edit *edit) { return &edit->sources; }
const rec_guidance *rec_edit_guidance(const rec_edit *edit) { return &edit->guidance; }
size_t rec_edit_unsearched(const rec_edit *edit) { return edit->unsearched; }
size_t rec_edit_overlap(const rec_edit *edit) { return edit->overlap; }

const rec_mask *rec_edit_shape(const rec_edit *edit)
{
    return edit->shape.unknown ? &edit->shape : &edit->mask;
}

void rec_edit_note(rec_edit *edit, const char *format, ...)
{
    const size_t length = strlen(edit->notes);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(edit->notes + length, sizeof edit->notes - length, format, arguments);
    va_end(arguments);
}

void rec_edit_empty(rec_edit *edit)
{
    for (size_t i = 0; i < edit->parts; i++)
        rec_image_destroy(&edit->part[i].found);
    rec_free(edit->part);
    edit->part = NULL;
    edit->parts = 0;
}

uint64_t rec_edit_hash_mask(const rec_edit *edit)
{
    const rec_mask *mask = rec_edit_shape(edit);
    return rec_hash(REC_HASH_START, mask->unknown, mask->width * mask->height);
}

/* ---- the problem ---- */

rec_status rec_edit_grow(rec_edit *edit, rec_error *error)
{
    const rec_boundary_row *boundary = &rec_boundaries[edit->problem.boundary.kind];
    edit->problem.mask = &edit->mask;
    if (!edit->hidden.unknown)
        return REC_OK;
    if (!edit->covered.unknown)
        REC_TRY(rec_mask_create(&edit->covered, edit->mask.width, edit->mask.height, error));
    edit->problem.mask = &edit->covered;
    return rec_mask_grow(&edit->covered, &edit->mask, &edit->hidden, boundary->x == REC_WRAPPED,
                         boundary->y == REC_WRAPPED, error);
}

void rec_edit_set_guidance(rec_edit *edit)
{
    const rec_edit_wish *wish = &edit->wish;
    const int clones = rec_edit_clones(edit);
    const rec_mask *hidden = clones ? &edit->source_hidden : &edit->hidden;
    const int smooth = wish->kind == REC_EDIT_HEAL && wish->from != REC_FROM_PLACE &&
                       !rec_sources_have_labels(&edit->sources);
    edit->guidance = (rec_guidance){
        .target = &edit->target, .source = clones ? &edit->from : &edit->target,
        .x = wish->x, .y = wish->y, .scale = edit->guidance.scale,
        .hidden = edit->hidden.width ? &edit->hidden : NULL,
        .source_hidden = hidden->width ? hidden : NULL,
        .sources = rec_sources_have_labels(&edit->sources) && !clones ? &edit->sources : NULL,
        .rule = smooth ? REC_GRADIENT_ZERO : wish->rule,
        .boundary = edit->problem.boundary.kind, .mass = edit->problem.mass, .keep = wish->keep};
}

rec_status rec_edit_problem(rec_edit *edit, const rec_problem **problem, rec_error *error)
{
    const rec_image *picture = &edit->picture;
    if (!edit->edges.data) {
        if (edit->wish.keep > 0) {
            REC_TRY(rec_image_create(&edit->mass, picture->width, picture->height, 1, error));
            edit->problem.mass = edit->guidance.mass = &edit->mass;
        }
        REC_TRY(rec_image_create(&edit->edges, picture->width, picture->height, picture->planes,
                                 error));
        REC_TRY(rec_guidance_make(&edit->guidance, edit->problem.mask->box, &edit->edges, error));
    }
    *problem = &edit->problem;
    return REC_OK;
}

/* Whether an unknown pixel gets the picture's samples again. */
static int restores(const rec_edit *edit, size_t x, size_t y)
{
    const rec_image *alpha = &edit->inputs.picture.extras->alpha;
    const size_t at = y * edit->mask.width + x;
    return edit->hidden.unknown && edit->hidden.unknown[at] &&
           (!edit->mask.unknown[at] || (alpha->data && rec_image_row(alpha, 0, y)[x] == 0));
}

void rec_edit_restore(const rec_edit *edit, const rec_image *result)
{
    const rec_area box = edit->problem.mask->box;
    for (size_t p = 0; edit->hidden.unknown && p < result->planes; p++)
        for (size_t y = box.y; y < box.y + box.height; y++)
            for (size_t x = box.x; x < box.x + box.width; x++)
                if (restores(edit, x, y))
                    rec_image_row(result, p, y)[x] = rec_image_row(&edit->picture, p, y)[x];
}

/* What a mask covers does not matter. */
void rec_edit_surround(const rec_edit *edit, const rec_image *start)
{
    const rec_image *picture = &edit->picture;
    const rec_mask *mask = edit->problem.mask;
    rec_problem problem = edit->problem;
    const int own = start == picture;
    const rec_area box = own ? mask->box : (rec_area){0, 0, mask->width, mask->height};
    if (start->width != picture->width || start->height != picture->height ||
        start->planes != picture->planes)
        return; /* rec_problem_check refuses it */
    for (size_t p = 0; p < start->planes; p++) {
        const double most = own ? rec_problem_limit(&problem, p) : INFINITY;
        for (size_t y = box.y; y < box.y + box.height; y++) {
            const float *known = rec_image_row(picture, p, y);
            float *row = rec_image_row(start, p, y);
            for (size_t x = box.x; x < box.x + box.width; x++)
                row[x] = !mask->unknown[y * start->width + x] || restores(edit, x, y)
                             ? known[x] : rec_limited(row[x], most);
        }
    }
}

/* ---- what was filled ---- */

/* Rows of a part. */
REC_TASK(put_rows, const rec_edit *edit; const rec_edit_part *part; const rec_samples *copy;
         int whole; unsigned maxval; const rec_exact *avoid; rec_survey *survey; rec_error *failed)
{
    const rec_edit *edit = job->edit;
    const rec_edit_part *part = job->part;
    const rec_area box = part->mask.box;
    rec_owned unsigned char *written = NULL;
    rec_owned float *rows = NULL;
    rec_survey survey = {INFINITY, -INFINITY, INFINITY, 0, 0};
    rec_error error = {.status = REC_OK};
    rec_status status = rec_allocate(&written, box.width, 1, "a row", &error);
    REC_THEN(status, rec_allocate(&rows, box.width, 2 * sizeof *rows, "a row", &error));
    rec_image seen = {0, 1, 1, box.width, rows ? rows + box.width : NULL, 0, 0};
    for (size_t y = first; y < end && !status; y++) {
        rec_mask_read(&part->mask, box.x, box.y + y, box.width, written);
        for (size_t x = 0; edit->hidden.unknown && x < box.width; x++)
            written[x] &= !restores(edit, box.x + x, box.y + y);
        for (size_t p = 0; p < part->found.planes && !status; p++) {
            const double level = part->level[p].value;
            const float *found = rec_image_row(&part->found, p, y);
            seen.width = 0;
            for (size_t x = 0; x < box.width; x++)
                if (written[x])
                    seen.data[seen.width++] = found[x] + (float)level;
            rec_survey_merge(&survey, rec_image_survey(&seen, job->maxval));
            for (size_t x = 0; job->whole && x < box.width; x++)
                rows[x] = (float)(rint(level + (double)found[x]) - level);
            const rec_stretch to = {part->plane + p, box.x, box.y + y, box.width,
                                    .mask = written, .floats = job->whole ? rows : (float *)found,
                                    .level = part->level[p], .avoid = job->avoid};
            status = rec_samples_write(job->copy, &to, &error);
        }
    }
    if (status)
        rec_team_fail(job->failed, &error);
    rec_team_lock();
    rec_survey_merge(job->survey, survey);
    rec_team_unlock();
}

rec_status rec_edit_put(const rec_edit *edit, const rec_samples *copy, int whole, unsigned maxval,
                        rec_survey *survey, rec_error *error)
{
    const rec_extras *extras = edit->inputs.picture.extras;
    const rec_exact nodata = {extras->inverted > 0 ? extras->inverted - extras->nodata
                                                   : extras->nodata, extras->nodata_rest};
    const rec_exact *avoid = extras->has_nodata && !whole ? &nodata : NULL;
    rec_error failed = {.status = REC_OK};
    *survey = (rec_survey){INFINITY, -INFINITY, INFINITY, 0, 0};
    for (const rec_edit_part *part = edit->part; part < edit->part + edit->parts; part++)
        REC_SHARE_ROWS(part->mask.box.width, part->mask.box.height, put_rows, edit, part, copy,
                       whole, maxval, avoid, survey, &failed);
    return rec_team_failed(&failed, error);
}
