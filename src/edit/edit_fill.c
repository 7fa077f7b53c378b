/* What is unknown, computed part by part. A part is solved in its box and the known pixels beside
 * it, less a level of its own: far from zero a float32 has no room for what differs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "edit/edit_type.h"

#define PATIENCE 0.05  /* seconds between two looks of a watcher, about */
enum { MOST_VALUES = 4095 }; /* of which the median is taken */

/* How far off a picture is by edges that are off by 1, and make up for each other along their rows.
 * By measurement up to 2.2 at 2048 squared; it grows as the root of the side's logarithm. */
#define OFF_BY_EDGES 4

/* ---- the problem of a part ---- */

typedef struct region { /* images of the area */
    rec_area area;
    int is_box; /* then edges and start are as rec_edit_solve_box has them */
    rec_image start, edges, mass;
    rec_mask mask; /* of a box two rows: one beside it, one through it */
    rec_problem problem;
    double off; /* by estimate: the picture, by what was rounded before there was a problem */
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
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const unsigned char *unknown_in(const region *of, size_t y)
{
    const size_t row = of->is_box ? y - of->mask.box.y < of->mask.box.height : y;
    return of->mask.unknown + row * of->area.width;
}

/* A row of the area. Of one that is unknown from some pixel to another the ends alone are read. */
static rec_status read_known(const rec_edit *edit, const region *of, const rec_stretch *row,
                             rec_error *error)
{
    const unsigned char *unknown = unknown_in(of, row->y - of->area.y);
    const unsigned char *first = memchr(unknown, 1, row->count);
    rec_stretch part = *row;
    size_t end = row->count;
    while (first && !unknown[end - 1])
        end--;
    if (!first || memchr(first, 0, (size_t)(unknown + end - first)))
        return rec_samples_read(&edit->target, row, error);
    part.count = (size_t)(first - unknown);
    REC_TRY(rec_samples_read(&edit->target, &part, error));
    part.x += end;
    part.count = row->count - end;
    part.doubles += end;
    part.floats = part.floats ? part.floats + end : NULL;
    return rec_samples_read(&edit->target, &part, error);
}

/* The median of the known pixels in the area, or of some that are spread over it. */
static rec_status find_level(const rec_edit *edit, const region *of, size_t plane, double *row,
                             rec_exact *level, rec_error *error)
{
    const rec_area area = of->area;
    const size_t all = area.width * area.height - of->mask.count, each = all / MOST_VALUES + 1;
    rec_owned double *some = NULL;
    size_t count = 0, seen = 0;
    REC_TRY(rec_allocate(&some, MOST_VALUES + 1, sizeof *some, "a level", error));
    for (size_t y = 0; y < area.height; y++) {
        const rec_stretch from = {plane, area.x, area.y + y, area.width, .doubles = row};
        REC_TRY(read_known(edit, of, &from, error));
        const unsigned char *unknown = unknown_in(of, y), *known = unknown;
        for (size_t x = 0; x < area.width; x++) {
            if (unknown[x] && !(known = memchr(unknown + x, 0, area.width - x)))
                break;
            x = unknown[x] ? (size_t)(known - unknown) : x;
            if (seen++ % each == 0 && fabs(row[x]) <= REC_MAX_MAGNITUDE)
                some[count++] = row[x];
        }
    }
    qsort(some, count, sizeof *some, by_value);
    *level = (rec_exact){count ? some[count / 2] : 0, 0};
    return REC_OK;
}

/* A known pixel beside an unknown one. */
static int is_used(const region *of, size_t x, size_t y)
{
    const size_t width = of->area.width, at = y * width + x;
    const unsigned char *unknown = of->mask.unknown;
    return (x && unknown[at - 1]) || (x + 1 < width && unknown[at + 1]) ||
           (y && unknown[at - width]) || (y + 1 < of->area.height && unknown[at + width]);
}

/* A known sample beside an unknown one, less the level, and exactly. */
static rec_status use(const rec_edit *edit, region *of, float sample, double exact, size_t x,
                      size_t y, rec_error *error)
{
    if (!(fabsf(sample) <= (float)REC_MAX_MAGNITUDE))
        return rec_fail(error, REC_BAD_INPUT, "%s: the sample at x %zu, y %zu must be finite and "
                        "in magnitude at most %g", rec_edit_name(&edit->inputs.picture), x, y,
                        (double)(float)REC_MAX_MAGNITUDE);
    of->off = fmax(of->off, fabs(exact - (double)sample)); /* no pixel is off by more */
    return REC_OK;
}

/* The known samples; what the mask covers decides nothing. */
static rec_status copy_known(const rec_edit *edit, region *of, size_t plane, size_t own,
                             double *exact, const rec_exact *level, rec_error *error)
{
    const rec_area area = of->area;
    for (size_t y = 0; y < area.height; y++) {
        const unsigned char *unknown = of->mask.unknown + y * area.width;
        float *row = rec_image_row(&of->start, own, y);
        const rec_stretch from = {plane, area.x, area.y + y, area.width, .floats = row,
                                  .doubles = exact, .level = *level};
        REC_TRY(read_known(edit, of, &from, error));
        for (size_t x = 0; x < area.width; x++) {
            if (!unknown[x] && is_used(of, x, y))
                REC_TRY(use(edit, of, row[x], exact[x], area.x + x, area.y + y, error));
            if (unknown[x] || !(fabsf(row[x]) <= (float)REC_MAX_MAGNITUDE))
                row[x] = 0;
        }
    }
    return REC_OK;
}

/* Those beside a box, as far as the picture has them. */
static rec_status copy_sides(const rec_edit *edit, region *of, rec_area box, size_t plane,
                             size_t own, double *exact, const rec_exact *level, rec_error *error)
{
    const rec_area sides[] = {{box.x - 1, box.y, 1, box.height},
                              {box.x + box.width, box.y, 1, box.height},
                              {box.x, box.y - 1, box.width, 1},
                              {box.x, box.y + box.height, box.width, 1}};
    for (size_t i = 0; i < 4; i++) {
        const rec_area side = sides[i];
        float *line = rec_image_row(&of->start, own, i);
        if (side.x >= edit->target.width || side.y >= edit->target.height)
            continue; /* -1 as well */
        for (size_t y = side.y; y < side.y + side.height; y++, line += side.width) {
            const rec_stretch from = {plane, side.x, y, side.width, .floats = line,
                                      .doubles = exact, .level = *level};
            REC_TRY(rec_samples_read(&edit->target, &from, error));
            for (size_t k = 0; k < side.width; k++)
                REC_TRY(use(edit, of, line[k], exact[k], side.x + k, y, error));
        }
    }
    return REC_OK;
}

static rec_status make_edges(const rec_edit *edit, region *of, const rec_edit_part *part,
                             rec_error *error)
{
    const rec_area box = part->mask.box, area = of->is_box ? box : of->area;
    rec_guidance guidance = edit->guidance;
    double off = 0;
    REC_TRY(rec_image_create(&of->edges, area.width, area.height, of->start.planes, error));
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
    if (guidance.rule == REC_GRADIENT_ZERO ||
        (guidance.sources && !rec_edit_has_sources(edit) && !rec_gradients[guidance.rule].mixes))
        return REC_OK; /* they are 0, and take no memory */
    guidance.left = area.x;
    guidance.top = area.y;
    guidance.off = &off;
    memcpy(guidance.level, part->level, sizeof guidance.level);
    REC_TRY(rec_guidance_make(&guidance, box, &of->edges, error));
    of->off += OFF_BY_EDGES * off;
    return REC_OK;
}

static rec_status make_region(const rec_edit *edit, region *of, rec_edit_part *part, int as_box,
                              rec_error *error)
{
    const rec_samples *target = &edit->target;
    rec_owned double *row = NULL;
    const rec_area area = of->area = find_area(edit, part->mask.box);
    const size_t planes = edit->own_holes ? 1 : target->planes;
    const int fixed = meets_fixed(edit, part->mask.box);
    of->off = 0;
    const rec_area box = part->mask.box;
    of->mask = (rec_mask){area.width, area.height, .count = part->mask.count,
                          .box = {box.x - area.x, box.y - area.y, box.width, box.height}};
    of->problem = edit->problem;
    of->problem.input = &of->edges;
    of->problem.start = &of->start;
    of->problem.mask = &of->mask;
    of->problem.mass = NULL;
    of->problem.in_place = 1;
    of->problem.boundary.value -= fixed ? edit->problem.boundary.value : 0;
    const int is_box = of->is_box = as_box && !(edit->wish.keep > 0) &&
                                    rec_edit_is_box(&of->problem, &part->mask);
    if (is_box) {
        REC_TRY(rec_allocate_zeroed(&of->mask.unknown, area.width, 2, "a mask", error));
        memset(of->mask.unknown + area.width + of->mask.box.x, 1, box.width);
    } else {
        REC_TRY(rec_mask_create(&of->mask, area.width, area.height, error));
        rec_mask_place(&of->mask, &part->mask, -(ptrdiff_t)area.x, -(ptrdiff_t)area.y);
    }
    REC_TRY(rec_image_create(&of->start, is_box ? rec_larger(area.width, area.height) : area.width,
                             is_box ? 4 : area.height, planes, error));
    REC_TRY(rec_allocate(&row, area.width, sizeof *row, "a row", error));
    for (size_t p = 0; p < of->start.planes; p++) {
        rec_exact *level = &part->level[p];
        *level = (rec_exact){fixed ? (double)edit->problem.boundary.value : 0, 0};
        if (!fixed && !edit->problem.boundary.mean_count)
            REC_TRY(find_level(edit, of, part->plane + p, row, level, error));
        REC_TRY(is_box ? copy_sides(edit, of, box, part->plane + p, p, row, level, error)
                       : copy_known(edit, of, part->plane + p, p, row, level, error));
    }
    return make_edges(edit, of, part, error);
}

/* ---- solved ---- */

static rec_status solve(const rec_edit *edit, const rec_edit_means *means, region *of,
                        rec_edit_part *part, double share, rec_solver **solver,
                        rec_edit_filled *filled, rec_error *error)
{
    const rec_area area = of->area, box = part->mask.box;
    rec_solver_options options = means->options;
    if (of->is_box && !rec_edit_solve_box(&of->problem, &options, &of->edges, &part->found, filled,
                                          NULL))
        return REC_OK;
    if (of->is_box) { /* as without an FFT, as any other part */
        drop_region(of);
        REC_TRY(make_region(edit, of, part, 0, error));
    }
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
    REC_TRY(rec_solver_advance(*solver, 0, REC_LOOK_DISTANCE, &filled->look, error));
    rec_solver_get_info(*solver, &filled->info);
    REC_TRY(rec_image_create(&part->found, box.width, box.height, of->start.planes, error));
    for (size_t p = 0; p < part->found.planes; p++)
        REC_TRY(rec_solver_read(*solver, p, box.x - area.x, box.y - area.y, box.width, box.height,
                                rec_image_row(&part->found, p, 0), part->found.stride, error));
    return REC_OK;
}

static rec_status find_parts(rec_edit *edit, rec_error *error)
{
    const rec_boundary_row *boundary = &rec_boundaries[edit->problem.boundary.kind];
    const int whole = boundary->x == REC_WRAPPED || boundary->y == REC_WRAPPED;
    for (size_t p = 0; p < (edit->own_holes ? edit->target.planes : 1); p++) {
        rec_owned rec_mask *found = NULL;
        const rec_mask mask = edit->own_holes ? edit->own_holes[p] : *edit->problem.mask;
        size_t count = mask.count > 0 &&
                       !(edit->own_holes && mask.count == mask.width * mask.height);
        if (!whole && count)
            REC_TRY(rec_mask_parts(&mask, &found, &count, error));
        rec_edit_part *all = realloc(edit->part, (edit->parts + count + 1) * sizeof *all);
        if (!all)
            return rec_fail(error, REC_LIMIT, "out of memory for the parts of a mask");
        edit->part = all;
        for (size_t i = 0; i < count; i++)
            all[edit->parts++] = (rec_edit_part){.mask = whole ? mask : found[i], .plane = p};
    }
    return REC_OK;
}

/* So that one thread is enough. */
static int is_small(const rec_edit *edit, const rec_edit_part *part)
{
    const rec_area area = find_area(edit, part->mask.box);
    return area.width * area.height * edit->target.planes <= REC_WORTH_A_TEAM;
}

/* Small parts, or the others; each member with one solver, if that can be. */
REC_TASK(solve_some, rec_edit *edit; const rec_edit_means *means; rec_solver **solver; int small;
         double *done; rec_edit_part *largest; rec_edit_filled *filled; rec_error *failed)
{
    const double all = (double)job->edit->problem.mask->count;
    const double asked = job->means->options.tolerance;
    rec_solver *own = NULL, **solver = member ? &own : job->solver;
    rec_edit_means means = *job->means;
    rec_error error = {.status = REC_OK};
    if (member) /* the caller's thread alone calls the caller */
        means.watch = NULL;
    for (rec_edit_part *part = job->edit->part + first; part < job->edit->part + end; part++) {
        REC_OWNED(drop_region) region of = {.mask = {0}};
        rec_edit_filled one = {.seconds = 0};
        if (error.status || is_small(job->edit, part) != job->small)
            continue;
        rec_team_lock();
        const double share = *job->done / all;
        *job->done += (double)part->mask.count;
        error.status = job->failed->status;
        rec_team_unlock();
        if (means.watch)
            REC_THEN(error.status, means.watch(means.user, share, &error));
        REC_THEN(error.status, make_region(job->edit, &of, part, 1, &error));
        REC_THEN(error.status, solve(job->edit, &means, &of, part, share, solver, &one, &error));
        part->look = one.look;
        part->look.distance_rms += of.off;
        part->look.distance_max += of.off;
        part->look.missed |= asked > 0 && part->look.distance_max > asked;
        if (part == job->largest)
            job->filled->info = one.info;
    }
    rec_solver_destroy(own);
    if (error.status)
        rec_team_fail(job->failed, &error);
}

/* The samples and the looks do not depend on the threads. */
static rec_status solve_parts(rec_edit *edit, const rec_edit_means *means, rec_solver **solver,
                              rec_edit_filled *filled, rec_error *error)
{
    const int forced = means->options.kernel && !strcmp(means->options.kernel, "cuda");
    rec_edit_part *largest = edit->part, *const end = edit->part + edit->parts;
    rec_error failed = {.status = REC_OK};
    double squares = 0, done = 0;
    for (rec_edit_part *part = edit->part; part < end; part++)
        largest = part->mask.count > largest->mask.count ? part : largest;
    for (int small = 0; small < 2; small++)
        REC_SHARE(small && !forced ? rec_team_size() : 1, edit->parts, solve_some, edit, means,
                  solver, small, &done, largest, filled, &failed);
    for (const rec_edit_part *part = edit->part; part < end; part++) {
        filled->look.distance_max = fmax(filled->look.distance_max, part->look.distance_max);
        filled->look.missed |= part->look.missed;
        squares += (double)part->mask.count * pow(part->look.distance_rms, 2);
    }
    filled->look.distance_rms = done > 0 ? sqrt(squares / done) : 0;
    return rec_team_failed(&failed, error);
}

rec_status rec_edit_solve(rec_edit *edit, const rec_edit_means *means, rec_edit_filled *filled,
                         rec_error *error)
{
    const double before = rec_now();
    rec_solver *own = NULL, **solver = means->kept ? means->kept : &own;
    *filled = (rec_edit_filled){.look = {.change_rms = NAN, .change_max = NAN},
                                .info = {.solver = means->type->name, .kernel = "none"}};
    rec_edit_empty(edit);
    rec_status status = find_parts(edit, error);
    REC_THEN(status, solve_parts(edit, means, solver, filled, error));
    rec_solver_destroy(own);
    if (status)
        rec_edit_empty(edit);
    filled->seconds = rec_now() - before;
    return status;
}
