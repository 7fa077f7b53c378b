/* The parts of a mask that do not touch: each is a problem of its own, solved in its own box where
 * that is cheaper than one box around several. Between two boxes lie known pixels, and a solver
 * that gets the box of one part sees nothing unknown beside it. */
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "solver/type.h"

enum {
    TILE = 32,        /* pixels: the side of a square that may take as long as a part by itself */
    MOST_PARTS = 8192 /* with more, parts are looked for in tiles of twice the side */
};

/* ---- which they are ---- */

static rec_mask join(const rec_mask *a, const rec_mask *b)
{
    const rec_area box = rec_area_join((rec_area){a->x, a->y, a->box_width, a->box_height},
                                       (rec_area){b->x, b->y, b->box_width, b->box_height});
    rec_mask both = *a;
    both.x = box.x;
    both.y = box.y;
    both.box_width = box.width;
    both.box_height = box.height;
    both.count = a->count + b->count;
    return both;
}

/* With at most `gap` pixels between them, across and down; 0: or with a corner in common. */
static int are_near(const rec_mask *a, const rec_mask *b, size_t gap)
{
    return a->x <= b->x + b->box_width + gap && b->x <= a->x + a->box_width + gap &&
           a->y <= b->y + b->box_height + gap && b->y <= a->y + a->box_height + gap;
}

static int touch(const rec_mask *a, const rec_mask *b) { return are_near(a, b, 0); }

static size_t cells(const rec_mask *mask) { return mask->box_width * mask->box_height; }

static void add(rec_parts *parts, rec_mask part)
{
    for (size_t i = 0; i < parts->count; i++) {
        const rec_mask *other = &parts->at[i].mask;
        if (!are_near(other, &part, parts->tile))
            continue;
        const rec_mask both = join(other, &part);
        if (!touch(other, &part) &&
            cells(&both) > cells(other) + cells(&part) + parts->tile * parts->tile)
            continue;
        part = both;
        parts->at[i] = parts->at[--parts->count];
        i = SIZE_MAX; /* the others again */
    }
    parts->at[parts->count++] = (rec_part){.mask = part, .look = {.distance_max = INFINITY,
                                                                  .distance_rms = INFINITY,
                                                                  .missed = 1}};
}

/* Those of a mask that has changed inside the box of `area`; the others stay as they are. */
static void find(rec_parts *parts, const rec_mask *mask, rec_mask *area)
{
    for (size_t i = 0; i < parts->count; i++)
        if (touch(&parts->at[i].mask, area)) {
            *area = join(area, &parts->at[i].mask);
            parts->at[i] = parts->at[--parts->count];
            i = SIZE_MAX;
        }
    const size_t right = area->x + area->box_width, below = area->y + area->box_height;
    const size_t tile = parts->tile;
    for (size_t y = area->y; y < below && parts->count < MOST_PARTS; y += tile)
        for (size_t x = area->x; x < right && parts->count < MOST_PARTS; x += tile) {
            rec_mask part = *mask;
            rec_mask_measure_in(&part, x, y, rec_smaller(tile, right - x),
                                rec_smaller(tile, below - y));
            if (part.count)
                add(parts, part);
        }
    if (parts->count < MOST_PARTS)
        return;
    parts->tile *= 2;
    parts->count = 0;
    *area = *mask;
    find(parts, mask, area);
}

rec_status rec_parts_create(rec_parts *parts, const rec_solver_type *type,
                            const rec_problem *problem, rec_error *error)
{
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    *parts = (rec_parts){.problem = *problem, .tile = TILE};
    if (!type->solves_parts || !problem->mask || !problem->stays || boundary->x == REC_WRAPPED ||
        boundary->y == REC_WRAPPED)
        return REC_OK;
    REC_TRY(rec_allocate(&parts->at, MOST_PARTS, sizeof *parts->at, "the parts of a mask", error));
    rec_mask area = *problem->mask;
    find(parts, problem->mask, &area);
    for (size_t i = 1; i < parts->count; i++)
        if (cells(&parts->at[i].mask) > cells(&parts->at[parts->now].mask))
            parts->now = i;
    return REC_OK;
}

void rec_parts_destroy(rec_parts *parts)
{
    rec_free(parts->at);
    parts->at = NULL;
}

size_t rec_parts_samples(const rec_parts *parts)
{
    size_t pixels = 0;
    for (size_t i = 0; i < parts->count; i++)
        pixels += cells(&parts->at[i].mask);
    return parts->at ? pixels * parts->problem.given->planes : rec_samples_of(&parts->problem);
}

/* ---- one after the other ---- */

rec_problem rec_parts_now(const rec_parts *parts)
{
    rec_problem one = parts->problem;
    if (parts->at)
        one.mask = parts->now < parts->count ? &parts->at[parts->now].mask : &parts->none;
    return one;
}

static rec_status begin(rec_solver *solver, const rec_mask *area, rec_error *error)
{
    const rec_problem one = rec_parts_now(&solver->parts);
    return solver->type->change(solver->state[0], &one, area->x, area->y, area->box_width,
                                area->box_height, error);
}

/* Begins the next part that is not solved, if the one in hand is; 0: there is none. */
static int goes_on(rec_solver *solver, rec_status *status, rec_error *error)
{
    rec_parts *parts = &solver->parts;
    if (parts->now < parts->count && !parts->at[parts->now].done)
        return 1;
    for (parts->now = 0; parts->now < parts->count && parts->at[parts->now].done; parts->now++)
        ;
    if (parts->now < parts->count)
        *status = begin(solver, &parts->at[parts->now].mask, error);
    return parts->now < parts->count;
}

rec_status rec_parts_jump(rec_solver *solver, uint64_t iteration, double seconds, int *reached,
                          rec_error *error)
{
    const double end = rec_now() + seconds;
    rec_parts *parts = &solver->parts;
    rec_status status = REC_OK;
    if (!parts->at)
        return solver->type->jump(solver->state[0], iteration, seconds, reached, error);
    while (goes_on(solver, &status, error)) {
        rec_part *part = &parts->at[parts->now];
        REC_TRY(status);
        REC_TRY(solver->type->jump(solver->state[0], iteration, end - rec_now(), reached, error));
        REC_TRY(solver->type->look(solver->state[0], REC_LOOK_DISTANCE, &part->look, error));
        part->done = *reached || rec_now() < end;
        if (rec_now() >= end)
            break;
    }
    *reached = 1;
    for (size_t i = 0; i < parts->count; i++)
        *reached &= !parts->at[i].look.missed;
    return REC_OK;
}

rec_status rec_parts_look(const rec_solver *solver, unsigned looks, rec_look *look,
                          rec_error *error)
{
    const rec_parts *parts = &solver->parts;
    double squares = 0, count = 0;
    REC_TRY(solver->type->look(solver->state[0], looks, look, error));
    if (!parts->at || !(looks & REC_LOOK_DISTANCE))
        return REC_OK;
    look->distance_max = look->missed = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const rec_look *own = &parts->at[i].look;
        const double pixels = (double)parts->at[i].mask.count;
        look->distance_max = fmax(look->distance_max, own->distance_max);
        look->missed |= own->missed;
        squares += pixels * own->distance_rms * own->distance_rms;
        count += pixels;
    }
    look->distance_rms = count > 0 ? sqrt(squares / count) : 0;
    return REC_OK;
}

rec_status rec_parts_change(rec_solver *solver, const rec_problem *problem, size_t x, size_t y,
                            size_t width, size_t height, rec_error *error)
{
    rec_parts *parts = &solver->parts;
    const rec_mask changed = {.x = x, .y = y, .box_width = width, .box_height = height};
    rec_mask area = changed;
    if (!parts->at)
        return solver->type->change(solver->state[0], problem, x, y, width, height, error);
    parts->problem = *problem;
    parts->none = (rec_mask){.width = problem->mask->width, .height = problem->mask->height,
                             .unknown = problem->mask->unknown};
    find(parts, problem->mask, &area);
    for (parts->now = 0; parts->now < parts->count; parts->now++)
        if (!parts->at[parts->now].done && touch(&parts->at[parts->now].mask, &area))
            break;
    area = parts->now < parts->count ? join(&changed, &parts->at[parts->now].mask) : changed;
    return begin(solver, &area, error);
}
