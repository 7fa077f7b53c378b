/* The parts of a mask that do not touch: each is a problem of its own, solved in its own box where
 * that is cheaper than one box around several. Between two boxes lie known pixels, and a solver
 * that gets the box of one part sees nothing unknown beside it. */
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "solver/type.h"

enum {
    TILE = 32,        /* pixels: the side of a square that may take as long as a part by itself */
    TOGETHER = 256,   /* tiles that the threads measure in one go */
    MOST_PARTS = 8192 /* with more, parts are looked for in tiles of twice the side */
};

/* ---- which they are ---- */

/* With at most `gap` pixels between them, across and down; 0: or with a corner in common. */
static int are_near(rec_area a, rec_area b, size_t gap)
{
    return a.x <= b.x + b.width + gap && b.x <= a.x + a.width + gap &&
           a.y <= b.y + b.height + gap && b.y <= a.y + a.height + gap;
}

static size_t cells(rec_area area) { return area.width * area.height; }

static void add(rec_parts *parts, rec_mask part)
{
    for (size_t i = 0; i < parts->count; i++) {
        const rec_mask *other = &parts->at[i].mask;
        const rec_area both = rec_area_join(other->box, part.box);
        if (!are_near(other->box, part.box, parts->tile) ||
            (!are_near(other->box, part.box, 0) &&
             cells(both) > cells(other->box) + cells(part.box) + parts->tile * parts->tile))
            continue;
        part.box = both;
        part.count += other->count;
        parts->at[i] = parts->at[--parts->count];
        i = SIZE_MAX; /* the others again */
    }
    parts->at[parts->count++] = (rec_part){.mask = part, .look = {.distance_max = INFINITY,
                                                                  .distance_rms = INFINITY,
                                                                  .missed = 1}};
}

/* Tile i of an area, from the left, then from the top. */
REC_TASK(measure_tiles, const rec_mask *mask; rec_area area; size_t tile, i; rec_mask *found)
{
    const rec_area area = job->area;
    const size_t tile = job->tile, across = (area.width - 1) / tile + 1;
    for (size_t k = first; k < end; k++) {
        const size_t x = (job->i + k) % across * tile, y = (job->i + k) / across * tile;
        job->found[k] = *job->mask;
        rec_mask_measure_in(&job->found[k], (rec_area){area.x + x, area.y + y,
                                                       rec_smaller(tile, area.width - x),
                                                       rec_smaller(tile, area.height - y)});
    }
}

static void add_parts(rec_parts *parts, const rec_mask *mask, rec_area area)
{
    const size_t tile = parts->tile;
    const size_t all = cells(area) ? ((area.width - 1) / tile + 1) * ((area.height - 1) / tile + 1)
                                   : 0;
    for (size_t i = 0; i < all && parts->count < MOST_PARTS; i += TOGETHER) {
        const size_t count = rec_smaller(TOGETHER, all - i);
        rec_mask found[TOGETHER];
        REC_SHARE_ROWS(tile * tile, count, measure_tiles, mask, area, tile, i, found);
        for (size_t k = 0; k < count && parts->count < MOST_PARTS; k++)
            if (found[k].count)
                add(parts, found[k]);
    }
}

/* Those of a mask that has changed inside `area`; the others stay as they are. */
static void find(rec_parts *parts, const rec_mask *mask, rec_area *area)
{
    for (size_t i = 0; i < parts->count; i++)
        if (are_near(parts->at[i].mask.box, *area, 0)) {
            *area = rec_area_join(*area, parts->at[i].mask.box);
            parts->at[i] = parts->at[--parts->count];
            i = SIZE_MAX;
        }
    add_parts(parts, mask, *area);
    while (parts->count == MOST_PARTS) {
        parts->tile *= 2;
        parts->count = 0;
        *area = mask->box;
        add_parts(parts, mask, *area);
    }
}

rec_status rec_parts_create(rec_parts *parts, const rec_solver_type *type,
                            const rec_problem *problem, rec_error *error)
{
    const rec_boundary_row *boundary = &rec_boundaries[problem->boundary.kind];
    *parts = (rec_parts){.problem = *problem, .tile = TILE};
    if (!(type->takes & REC_PARTS) || !problem->mask || !problem->stays ||
        boundary->x == REC_WRAPPED || boundary->y == REC_WRAPPED)
        return REC_OK;
    REC_TRY(rec_allocate(&parts->at, MOST_PARTS, sizeof *parts->at, "the parts of a mask", error));
    rec_area area = problem->mask->box;
    find(parts, problem->mask, &area);
    for (size_t i = 1; i < parts->count; i++)
        if (cells(parts->at[i].mask.box) > cells(parts->at[parts->now].mask.box))
            parts->now = i;
    return REC_OK;
}

void rec_parts_destroy(rec_parts *parts)
{
    rec_free(parts->at);
    parts->at = NULL;
}

rec_status rec_mask_parts(const rec_mask *mask, rec_mask **found, size_t *count, rec_error *error)
{
    REC_OWNED(rec_parts_destroy) rec_parts parts = {.tile = TILE};
    rec_area area = mask->box;
    REC_TRY(rec_allocate(&parts.at, MOST_PARTS, sizeof *parts.at, "the parts of a mask", error));
    find(&parts, mask, &area);
    *count = parts.count;
    REC_TRY(rec_allocate(found, parts.count + 1, sizeof **found, "the parts of a mask", error));
    for (size_t i = 0; i < parts.count; i++)
        (*found)[i] = parts.at[i].mask;
    return REC_OK;
}

size_t rec_parts_samples(const rec_parts *parts)
{
    size_t pixels = 0;
    for (size_t i = 0; i < parts->count; i++)
        pixels += cells(parts->at[i].mask.box);
    return parts->at ? pixels * parts->problem.input->planes : rec_samples_of(&parts->problem);
}

/* ---- one after the other ---- */

rec_problem rec_parts_now(const rec_parts *parts)
{
    rec_problem one = parts->problem;
    if (parts->at)
        one.mask = parts->now < parts->count ? &parts->at[parts->now].mask : &parts->none;
    return one;
}

static rec_status begin(rec_solver *solver, rec_area area, rec_error *error)
{
    const rec_problem one = rec_parts_now(&solver->parts);
    return solver->type->jump->change(solver->state[0], &one, area, error);
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
        *status = begin(solver, parts->at[parts->now].mask.box, error);
    return parts->now < parts->count;
}

rec_status rec_parts_jump(rec_solver *solver, uint64_t iteration, double seconds, int *reached,
                          rec_error *error)
{
    const double end = rec_now() + seconds;
    rec_parts *parts = &solver->parts;
    const rec_solver_jumper *jump = solver->type->jump;
    rec_status status = REC_OK;
    if (!parts->at)
        return jump->to(solver->state[0], iteration, seconds, reached, error);
    while (goes_on(solver, &status, error)) {
        rec_part *part = &parts->at[parts->now];
        REC_TRY(status);
        REC_TRY(jump->to(solver->state[0], iteration, end - rec_now(), reached, error));
        REC_TRY(jump->look(solver->state[0], REC_LOOK_DISTANCE, &part->look, error));
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
    REC_TRY(solver->type->jump->look(solver->state[0], looks, look, error));
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

rec_status rec_parts_change(rec_solver *solver, const rec_problem *problem, rec_area changed,
                            rec_error *error)
{
    rec_parts *parts = &solver->parts;
    rec_area area = changed;
    if (!parts->at)
        return solver->type->jump->change(solver->state[0], problem, changed, error);
    parts->problem = *problem;
    parts->none = (rec_mask){.width = problem->mask->width, .height = problem->mask->height,
                             .unknown = problem->mask->unknown};
    find(parts, problem->mask, &area);
    for (parts->now = 0; parts->now < parts->count; parts->now++)
        if (!parts->at[parts->now].done && are_near(parts->at[parts->now].mask.box, area, 0))
            break;
    if (parts->now < parts->count)
        changed = rec_area_join(changed, parts->at[parts->now].mask.box);
    return begin(solver, changed, error);
}
