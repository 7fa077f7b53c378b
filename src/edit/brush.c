#include "edit/edit_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 256 }; /* that can be undone: the oldest are forgotten */

struct rec_step {
    rec_area area;
    unsigned char *flips; /* a bit for each pixel of the area, row by row: it changes */
    uint16_t *label;      /* of each of these the other one */
    uint16_t moved;       /* not 0: there is no area, but this label has the other source, too */
    rec_patch patch;
    unsigned number;      /* 2, 3, ...: of the state behind it */
};

static uint16_t label_at(const rec_brush *brush, size_t at)
{
    return brush->sources->label ? brush->sources->label[at] : brush->mask->unknown[at];
}

static void set_label(const rec_brush *brush, size_t at, uint16_t label)
{
    brush->mask->unknown[at] = label != 0;
    if (brush->sources->label)
        brush->sources->label[at] = label;
}

rec_status rec_brush_create(rec_brush *brush, rec_mask *mask, rec_sources *sources,
                            rec_error *error)
{
    *brush = (rec_brush){.mask = mask, .sources = sources, .label = 1, .first = 1, .last = 1};
    brush->step = calloc(MOST_STEPS, sizeof *brush->step);
    if (!brush->step)
        return rec_fail(error, REC_LIMIT, "out of memory for a brush");
    REC_TRY(rec_allocate(&brush->before, mask->width * mask->height, sizeof *brush->before,
                         "a brush", error));
    rec_brush_renew(brush);
    return REC_OK;
}

void rec_brush_renew(rec_brush *brush)
{
    for (size_t i = 0; i < brush->mask->width * brush->mask->height; i++)
        brush->before[i] = label_at(brush, i);
}

static void forget(rec_brush *brush, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        free(brush->step[i].flips);
        free(brush->step[i].label);
    }
    memmove(brush->step + first, brush->step + first + count,
            (brush->steps - first - count) * sizeof *brush->step);
    brush->steps -= count;
}

void rec_brush_destroy(rec_brush *brush)
{
    if (brush->step)
        forget(brush, 0, brush->steps);
    free(brush->step);
    rec_free(brush->before);
    *brush = (rec_brush){0};
}

/* ---- changing the mask ---- */

/* Unknown pixels are in the box that was, or in the area. */
static rec_area touch(rec_brush *brush, rec_area area)
{
    brush->changed = rec_area_join(brush->changed, area);
    rec_mask_measure_in(brush->mask, rec_area_join(brush->mask->box, area));
    return area;
}

/* The pixels from `low` to `high` that an axis has: the first, and how many. */
static size_t clip(double low, double high, size_t length, size_t *first)
{
    const double begin = fmax(ceil(low), 0), end = fmin(floor(high), (double)length - 1);
    *first = begin <= end ? (size_t)begin : 0;
    return begin <= end ? (size_t)(end - begin) + 1 : 0;
}

/* The square of the distance from a point to the stroke. */
static double square_distance(const rec_stroke *s, double x, double y)
{
    const double dx = s->to_x - s->x, dy = s->to_y - s->y, square = dx * dx + dy * dy;
    const double along = square > 0 ? ((x - s->x) * dx + (y - s->y) * dy) / square : 0;
    const double at = fmin(fmax(along, 0), 1);
    const double away_x = x - s->x - at * dx, away_y = y - s->y - at * dy;
    return away_x * away_x + away_y * away_y;
}

/* Where a row crosses the line between two points: the same number in both directions. */
static double crossing(double x, double y, double to_x, double to_y, double row)
{
    return y < to_y ? x + (row - y) * (to_x - x) / (to_y - y)
                    : to_x + (row - to_y) * (x - to_x) / (y - to_y);
}

/* The triangle of where the step began and both ends of the stroke: what was not enclosed is now,
 * and what was is no more. So the triangles of a way around an area come to that area. */
static rec_area enclose(rec_brush *brush, const rec_stroke *s)
{
    const rec_mask *mask = brush->mask;
    if (!brush->encloses++) {
        brush->x = s->x;
        brush->y = s->y;
    }
    const double x[] = {brush->x, s->x, s->to_x, brush->x};
    const double y[] = {brush->y, s->y, s->to_y, brush->y};
    const double left = fmin(x[0], fmin(x[1], x[2])), right = fmax(x[0], fmax(x[1], x[2]));
    const double top = fmin(y[0], fmin(y[1], y[2])), bottom = fmax(y[0], fmax(y[1], y[2]));
    rec_area area;
    area.width = clip(left, right, mask->width, &area.x);
    area.height = clip(top, bottom, mask->height, &area.y);
    if (!area.width || !area.height)
        return (rec_area){0};
    for (size_t row = area.y; row < area.y + area.height; row++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; i++)
            if ((y[i] <= (double)row) != (y[i + 1] <= (double)row)) {
                const double at = crossing(x[i], y[i], x[i + 1], y[i + 1], (double)row);
                low = fmin(low, at);
                high = fmax(high, at);
            }
        size_t first, count = clip(low, ceil(high) - 1, mask->width, &first);
        for (size_t at = row * mask->width + first; count--; at++)
            set_label(brush, at, label_at(brush, at) != brush->before[at] ? brush->before[at]
                                 : s->unknown                             ? brush->label
                                                                          : 0);
    }
    return touch(brush, area);
}

rec_area rec_brush_stroke(rec_brush *brush, const rec_stroke *s)
{
    const rec_mask *mask = brush->mask;
    const double r = s->radius;
    rec_area area;
    if (r < 0)
        return enclose(brush, s);
    area.width = clip(fmin(s->x, s->to_x) - r, fmax(s->x, s->to_x) + r, mask->width, &area.x);
    area.height = clip(fmin(s->y, s->to_y) - r, fmax(s->y, s->to_y) + r, mask->height, &area.y);
    if (!area.width || !area.height)
        return (rec_area){0};
    for (size_t y = area.y; y < area.y + area.height; y++)
        for (size_t x = area.x; x < area.x + area.width; x++)
            if (square_distance(s, (double)x, (double)y) <= r * r)
                set_label(brush, y * mask->width + x, s->unknown ? brush->label : 0);
    return touch(brush, area);
}

rec_area rec_brush_clear(rec_brush *brush)
{
    const rec_mask *mask = brush->mask;
    const rec_area box = mask->box;
    rec_brush_end(brush);
    for (size_t y = box.y; y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++)
            set_label(brush, y * mask->width + x, 0);
    touch(brush, box);
    rec_brush_end(brush);
    return box;
}

/* The pixels of a part or stroke that has several labels get this one. */
static void gather(rec_brush *brush, uint16_t label)
{
    const rec_patch *at = brush->sources->at;
    const rec_area box = brush->mask->box;
    rec_area area = {0};
    for (size_t y = box.y; at[label - 1].group && y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++) {
            const size_t pixel = y * brush->mask->width + x, other = label_at(brush, pixel);
            if (!other || other == label || at[other - 1].group != at[label - 1].group)
                continue;
            set_label(brush, pixel, label);
            area = rec_area_join(area, (rec_area){x, y, 1, 1});
        }
    if (area.width)
        touch(brush, area);
}

void rec_brush_move(rec_brush *brush, uint16_t label, const rec_patch *to)
{
    if (brush->moving != label)
        rec_brush_end(brush);
    if (!brush->moving) {
        brush->was = brush->sources->at[label - 1];
        gather(brush, label);
    }
    brush->moving = label;
    brush->sources->at[label - 1] = *to;
}

/* ---- what undoes it ---- */

/* Notes which pixels differ from `before`, and their labels there. Returns 0 without memory. */
static int record(rec_brush *brush, rec_step *step, size_t *count)
{
    const rec_area area = step->area;
    const size_t pixels = area.width * area.height;
    *count = 0;
    step->flips = calloc((pixels + 7) / 8, 1);
    for (size_t i = 0; step->flips && i < pixels; i++) {
        const size_t at = (area.y + i / area.width) * brush->mask->width + area.x + i % area.width;
        const int flips = label_at(brush, at) != brush->before[at];
        step->flips[i / 8] |= (unsigned char)(flips << i % 8);
        *count += (size_t)flips;
    }
    step->label = step->flips ? malloc((*count + 1) * sizeof *step->label) : NULL;
    for (size_t i = 0, k = 0; step->label && i < pixels; i++) {
        const size_t at = (area.y + i / area.width) * brush->mask->width + area.x + i % area.width;
        if (step->flips[i / 8] >> i % 8 & 1)
            step->label[k++] = brush->before[at];
        brush->before[at] = label_at(brush, at);
    }
    return step->label != NULL;
}

/* Exchanges what the step changes and what it has. */
static void swap(rec_brush *brush, rec_step *step)
{
    const rec_area area = step->area;
    for (size_t i = 0, k = 0; i < area.width * area.height; i++) {
        const size_t at = (area.y + i / area.width) * brush->mask->width + area.x + i % area.width;
        if (!(step->flips[i / 8] >> i % 8 & 1))
            continue;
        const uint16_t other = step->label[k];
        step->label[k++] = brush->before[at];
        brush->before[at] = other;
        set_label(brush, at, other);
    }
    if (!step->moved)
        return;
    const rec_patch patch = brush->sources->at[step->moved - 1];
    brush->sources->at[step->moved - 1] = step->patch;
    step->patch = patch;
}

static void push(rec_brush *brush, const rec_step *step)
{
    forget(brush, brush->done, brush->steps - brush->done);
    if (brush->steps == MOST_STEPS) {
        brush->first = brush->step->number;
        forget(brush, 0, 1);
    }
    brush->step[brush->steps] = *step;
    brush->step[brush->steps++].number = ++brush->last;
    brush->done = brush->steps;
}

void rec_brush_end(rec_brush *brush)
{
    rec_step step = {.area = brush->changed, .moved = brush->moving, .patch = brush->was};
    size_t count = 0;
    brush->encloses = brush->moving = 0;
    brush->changed = (rec_area){0};
    const int recorded = !step.area.width || record(brush, &step, &count);
    if (recorded && (count || step.moved)) {
        push(brush, &step);
        return;
    }
    free(step.flips);
    free(step.label);
    if (recorded)
        return;
    rec_brush_renew(brush);
    forget(brush, 0, brush->steps);
    brush->first = ++brush->last;
    brush->done = 0;
}

unsigned rec_brush_state(const rec_brush *brush)
{
    return brush->changed.width || brush->moving ? 0
           : brush->done                         ? brush->step[brush->done - 1].number
                                                 : brush->first;
}

rec_area rec_brush_undo(rec_brush *brush, int forward)
{
    rec_brush_end(brush);
    if (forward ? brush->done == brush->steps : !brush->done)
        return (rec_area){0};
    rec_step *step = &brush->step[forward ? brush->done++ : --brush->done];
    swap(brush, step);
    if (step->area.width)
        touch(brush, step->area);
    brush->changed = (rec_area){0};
    return step->moved ? brush->mask->box : step->area;
}

int rec_brush_has_moved(const rec_brush *brush, size_t label)
{
    int moved = 0;
    for (size_t i = 0; i < brush->done; i++)
        moved |= brush->step[i].moved == label;
    return moved;
}
