/* What is unknown, computed part by part. A part is solved in its box and the known pixels beside
 * it, less a level of its own: far from zero a float32 has no room for what differs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "edit/edit_type.h"

#define PATIENCE 0.05  /* seconds between two looks of a watcher, about */
enum { MOST_VALUES = 4095 }; /* of which the median is taken */

/* ---- the problem of a part ---- */

typedef struct region { /* images of the area */
    rec_area area;
    rec_image start, edges, mass;
    rec_mask mask;
    rec_problem problem;
} region;

static void drop_region(region *of)
{
    rec_image_destroy(&of->start);
    rec_image_destroy(&of->edges);
    rec_image_destroy(&of->mass);
    rec_mask_destroy(&of->mask);
}

/* The box and the known pixels beside it. What wraps is beside the other end, and values beyond a
 * side that differ from row to row belong to the whole. */
static rec_area find_area(const rec_edit *edit, rec_area box)
{
    const rec_boundary_row *boundary = &rec_boundaries[edit->problem.boundary.kind];
    const size_t width = edit->mask.width, height = edit->mask.height;
    rec_area area = rec_area_grow(box, 1, width, height);
    const int across = !box.x || box.x + box.width == width;
    const int down = !box.y || box.y + box.height == height;
    if (boundary->side || (boundary->x == REC_WRAPPED && across)) {
        area.x = 0;
        area.width = width;
    }
    if (boundary->side || (boundary->y == REC_WRAPPED && down)) {
        area.y = 0;
        area.height = height;
    }
    return area;
}

/* A fixed value counts beyond a side of the area. */
static int meets_fixed(const rec_edit *edit, rec_area box)
{
    const rec_boundary_row *boundary = &rec_boundaries[edit->problem.boundary.kind];
    return (boundary->x == REC_FIXED && (!box.x || box.x + box.width == edit->mask.width)) ||
           (boundary->y == REC_FIXED && (!box.y || box.y + box.height == edit->mask.height));
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median of the known pixels in the area, or of some that are spread over it. */
static float find_level(const rec_edit *edit, const region *of, size_t plane)
{
    const rec_area area = of->area;
    const size_t known = area.width * area.height - of->mask.count, each = known / MOST_VALUES + 1;
    float value[MOST_VALUES + 1];
    size_t count = 0, seen = 0;
    for (size_t y = 0; y < area.height; y++) {
        const float *row = rec_image_row(&edit->picture, plane, area.y + y) + area.x;
        for (size_t x = 0; x < area.width; x++)
            if (!of->mask.unknown[y * area.width + x] && seen++ % each == 0)
                value[count++] = row[x];
    }
    qsort(value, count, sizeof *value, by_value);
    return count ? value[count / 2] : 0;
}

static rec_status make_edges(const rec_edit *edit, region *of, const rec_edit_part *part,
                             rec_error *error)
{
    const rec_area area = of->area, box = part->mask.box;
    rec_guidance guidance = edit->guidance;
    REC_TRY(rec_image_create(&of->edges, area.width, area.height, edit->picture.planes, error));
    if (edit->wish.kind == REC_EDIT_ONTO) {
        for (size_t p = 0; p < of->edges.planes; p++)
            rec_copy_rows(rec_image_row(&of->edges, p, 0), of->edges.stride,
                          rec_image_row(&edit->edges, p, area.y) + area.x, edit->edges.stride,
                          area.width, area.height);
        return REC_OK;
    }
    if (edit->wish.keep > 0) {
        REC_TRY(rec_image_create(&of->mass, area.width, area.height, 1, error));
        of->problem.mass = guidance.mass = &of->mass;
    }
    guidance.left = area.x;
    guidance.top = area.y;
    memcpy(guidance.level, part->level, sizeof guidance.level);
    rec_guidance_make(&guidance, box, &of->edges);
    return REC_OK;
}

static rec_status make_region(const rec_edit *edit, region *of, rec_edit_part *part,
                              rec_error *error)
{
    const rec_image *picture = &edit->picture;
    const rec_area area = of->area = find_area(edit, part->mask.box);
    const int fixed = meets_fixed(edit, part->mask.box);
    REC_TRY(rec_mask_create(&of->mask, area.width, area.height, error));
    for (size_t y = 0; y < area.height; y++)
        memcpy(of->mask.unknown + y * area.width,
               part->mask.unknown + (area.y + y) * picture->width + area.x, area.width);
    rec_mask_measure(&of->mask);
    REC_TRY(rec_image_create(&of->start, area.width, area.height, picture->planes, error));
    of->problem = edit->problem;
    of->problem.given = &of->edges;
    of->problem.start = &of->start;
    of->problem.mask = &of->mask;
    of->problem.mass = NULL;
    of->problem.in_place = 1;
    of->problem.boundary.value -= fixed ? edit->problem.boundary.value : 0;
    for (size_t p = 0; p < picture->planes; p++) {
        const float level = fixed ? edit->problem.boundary.value
                            : edit->problem.boundary.mean_count ? 0 : find_level(edit, of, p);
        part->level[p] = (double)level;
        for (size_t y = 0; y < area.height; y++) {
            const float *from = rec_image_row(picture, p, area.y + y) + area.x;
            const unsigned char *unknown = of->mask.unknown + y * area.width;
            float *to = rec_image_row(&of->start, p, y);
            for (size_t x = 0; x < area.width; x++) /* what the mask covers decides nothing */
                to[x] = unknown[x] ? 0 : (float)((double)from[x] - (double)level);
        }
    }
    return make_edges(edit, of, part, error);
}

/* ---- solved ---- */

static rec_status solve(const rec_edit *edit, const rec_edit_means *means, region *of,
                        rec_edit_part *part, double share, rec_solver **solver, rec_look *look,
                        rec_error *error)
{
    const rec_area area = of->area, box = part->mask.box;
    rec_solver_options options = means->options;
    if (!(options.tolerance > 0) && !(edit->inputs.picture.white > 0)) /* floats have any unit */
        options.tolerance =
            fmin(REC_USUAL_TOLERANCE, 1e-6 * rec_problem_magnitude(&of->problem));
    REC_TRY(rec_solver_renew(solver, means->type, &of->problem, &options, error));
    for (int reached = 0; !reached;) {
        const double before = rec_now(), patience = means->watch ? PATIENCE : INFINITY;
        REC_TRY(rec_solver_solve(*solver, patience, &reached, error));
        if (rec_now() - before < patience)
            break; /* it comes no nearer */
        REC_TRY(means->watch(means->user, share, error));
    }
    REC_TRY(rec_solver_advance(*solver, 0, REC_LOOK_DISTANCE, look, error));
    REC_TRY(rec_image_create(&part->found, box.width, box.height, of->start.planes, error));
    for (size_t p = 0; p < part->found.planes; p++)
        REC_TRY(rec_solver_read(*solver, p, box.x - area.x, box.y - area.y, box.width, box.height,
                                rec_image_row(&part->found, p, 0), part->found.stride, error));
    return REC_OK;
}

static rec_status find_parts(rec_edit *edit, rec_error *error)
{
    const rec_mask *mask = edit->problem.mask;
    const rec_boundary_row *boundary = &rec_boundaries[edit->problem.boundary.kind];
    const int whole = boundary->x == REC_WRAPPED || boundary->y == REC_WRAPPED;
    rec_owned rec_mask *found = NULL;
    size_t count = mask->count > 0;
    if (!whole)
        REC_TRY(rec_mask_parts(mask, &found, &count, error));
    REC_TRY(rec_allocate_zeroed(&edit->part, count + 1, sizeof *edit->part, "the parts of a mask",
                                error));
    edit->parts = count;
    for (size_t i = 0; i < count; i++)
        edit->part[i].mask = whole ? *mask : found[i];
    return REC_OK;
}

/* All of them with one solver, if that can be. */
static rec_status solve_parts(rec_edit *edit, const rec_edit_means *means, rec_solver **solver,
                              rec_edit_filled *filled, rec_error *error)
{
    const double all = (double)edit->problem.mask->count;
    double squares = 0, done = 0;
    size_t largest = 0;
    for (rec_edit_part *part = edit->part; part < edit->part + edit->parts; part++) {
        REC_OWNED(drop_region) region of = {.mask = {0}};
        const double pixels = (double)part->mask.count;
        rec_look look;
        if (means->watch)
            REC_TRY(means->watch(means->user, done / all, error));
        REC_TRY(make_region(edit, &of, part, error));
        REC_TRY(solve(edit, means, &of, part, done / all, solver, &look, error));
        filled->look.distance_max = fmax(filled->look.distance_max, look.distance_max);
        filled->look.missed |= look.missed;
        squares += pixels * look.distance_rms * look.distance_rms;
        done += pixels;
        if (part->mask.count > largest)
            rec_solver_get_info(*solver, &filled->info);
        largest = rec_larger(largest, part->mask.count);
    }
    filled->look.distance_rms = done > 0 ? sqrt(squares / done) : 0;
    return REC_OK;
}

rec_status rec_edit_fill(rec_edit *edit, const rec_edit_means *means, rec_edit_filled *filled,
                         rec_error *error)
{
    const double before = rec_now();
    rec_solver *own = NULL, **solver = means->kept ? means->kept : &own;
    *filled = (rec_edit_filled){.look = {.change_rms = NAN, .change_max = NAN},
                                .info = {.solver = rec_solver_type_name(means->type),
                                         .kernel = "none"}};
    rec_edit_empty(edit);
    rec_status status = find_parts(edit, error);
    REC_THEN(status, solve_parts(edit, means, solver, filled, error));
    rec_solver_destroy(own);
    if (status)
        rec_edit_empty(edit);
    filled->seconds = rec_now() - before;
    return status;
}

void rec_edit_put(const rec_edit *edit, const rec_image *copy)
{
    for (const rec_edit_part *part = edit->part; part < edit->part + edit->parts; part++) {
        const rec_area box = part->mask.box;
        for (size_t i = 0; i < copy->planes * box.height; i++) {
            const size_t p = i / box.height, y = i % box.height;
            const unsigned char *unknown = part->mask.unknown + (box.y + y) * copy->width + box.x;
            const float *from = rec_image_row(&part->found, p, y);
            float *to = rec_image_row(copy, p, box.y + y) + box.x;
            for (size_t x = 0; x < box.width; x++)
                if (unknown[x] && !rec_edit_restores(edit, box.x + x, box.y + y))
                    to[x] = (float)((double)from[x] + part->level[p]);
        }
    }
}
