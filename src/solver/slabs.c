/* The slabs of one image, or of the part that this rank has: how the image is cut, how its slabs
 * iterate together, and how they answer as one. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/team.h"
#include "base/trace.h"
#include "solver/type.h"

/* Ghost rows: passes of the fastest kernels make 32 iterations. With 256 rows instead of 224,
 * halves of 2048 x 2048 are 3% slower: the resident kernel's tiles then overlap by fewer rows, and
 * exchange every 10 iterations instead of 12. */
enum { LEAST_GHOSTS = 32, MOST_GHOSTS = 224 };

static int is_part(const rec_solver *solver) { return solver->above || solver->below; }

/* ---- creation ---- */

/* Cuts the image into slabs of nearly the same height, with no more ghost rows than the smallest
 * has own rows. `wrapped`: the first and the last slab are neighbours, too. */
static void cut(rec_solver *solver, int wrapped)
{
    const size_t height = solver->above + solver->height + solver->below, count = solver->count;
    const size_t ranks = is_part(solver) ? rec_ranks_count() : 1, all = ranks * count;
    const size_t before = is_part(solver) ? rec_ranks_own() * count : 0;
    size_t least = height;
    for (size_t i = 0; i < all; i++)
        least = rec_smaller(least, rec_cut(height, all, i + 1) - rec_cut(height, all, i));
    const rec_solver_iterator *iterate = solver->type->iterate;
    const size_t together = iterate ? 1 : REC_ROWS_APART;
    for (size_t i = 0; i < count; i++) {
        const size_t first = rec_cut(height, all, before + i) / together * together;
        const size_t end = rec_cut(height, all, before + i + 1);
        solver->slab[i] = (rec_slab){
            .first = first - solver->above,
            .rows = (end == height ? end : end / together * together) - first};
    }
    if (all == 1 || !iterate)
        return;
    const size_t wanted = rec_larger(iterate->exchange_cells / solver->width,
                                     iterate->exchange_rows) /
                          LEAST_GHOSTS * LEAST_GHOSTS;
    solver->depth = rec_smaller(rec_smaller(rec_larger(wanted, LEAST_GHOSTS), MOST_GHOSTS),
                                least / REC_ROWS_TOGETHER * REC_ROWS_TOGETHER);
    solver->stale = solver->depth;
    for (size_t i = 0; i < count; i++) {
        solver->slab[i].above = before + i > 0 || wrapped ? solver->depth : 0;
        solver->slab[i].below = before + i + 1 < all || wrapped ? solver->depth : 0;
    }
    solver->slab[0].rank_above = ranks > 1 && solver->slab[0].above;
    solver->slab[count - 1].rank_below = ranks > 1 && solver->slab[count - 1].below;
}

static void slab_destroy(const rec_solver_type *type, void **state)
{
    if (*state)
        type->memory->destroy(*state);
    rec_free(*state);
    *state = NULL;
}

rec_status rec_slabs_create(rec_solver *solver, const rec_problem *problem,
                            const rec_solver_options *options, rec_error *error)
{
    const rec_solver_type *type = solver->type;
    const rec_solver_memory *memory = type->memory;
    const int exchanges = type->iterate && type->iterate->exchange;
    const int splits = !is_part(solver) && memory->applicable &&
                       memory->applicable(problem, NULL) == 2;
    const size_t devices = exchanges || splits ? rec_larger(options->device_count, 1) : 1;
    const size_t wanted = rec_larger(options->slabs, devices);
    if ((wanted > 1 || is_part(solver)) && !exchanges && !splits)
        return rec_fail(error, REC_USAGE,
                        "the %s solver takes whole images: leave out --slabs and MPI, or "
                        "iterate (-n) without a stencil", type->name);
    const size_t height = solver->above + solver->height + solver->below;
    const size_t together = splits ? REC_ROWS_APART : REC_ROWS_TOGETHER;
    const size_t each = height / together / (is_part(solver) ? rec_ranks_count() : 1);
    const size_t most = splits ? rec_smaller(each, REC_MOST_DEVICES) : each;
    /* On each rank the most that any rank wants. */
    solver->count = rec_smaller(is_part(solver) ? (size_t)rec_ranks_most((double)wanted) : wanted,
                                rec_larger(most, 1));
    solver->devices = rec_smaller(devices, solver->count);
    solver->shares_device = options->shares_device;
    solver->bound = rec_bound_of(problem);
    rec_status status = rec_allocate_zeroed(&solver->slab, solver->count, sizeof *solver->slab,
                                            "slabs", error);
    REC_THEN(status, rec_allocate_zeroed(&solver->state, solver->count, sizeof *solver->state,
                                         "slabs", error));
    if (!status)
        cut(solver, rec_boundaries[problem->boundary.kind].y == REC_WRAPPED);
    if (solver->devices > 1 && type->prepare) /* all devices start at once */
        type->prepare(options);
    for (size_t i = 0; !status && i < solver->count; i++) {
        solver->slab[i].device = options->devices[i * solver->devices / solver->count];
        status = rec_allocate_zeroed(&solver->state[i], 1, memory->size, "a solver", error);
        REC_THEN(status, memory->create(solver->state[i], problem, &solver->slab[i], options,
                                        error));
        if (status)
            slab_destroy(type, &solver->state[i]);
    }
    status = rec_image_agree(problem->input, status, error);
    if (!status && solver->depth)
        status = type->iterate->exchange(solver->state, solver->count, REC_FIELD_TERMS, error);
    if (!status && splits && solver->count > 1)
        memory->join(solver->state, solver->count);
    if (options->device_count > 1 && devices == 1)
        snprintf(solver->note, sizeof solver->note, "the first device solves it alone");
    return status;
}

static rec_status wait_for(const rec_solver *solver, size_t slab, rec_error *error)
{
    rec_planes planes = {0};
    REC_TRY(solver->type->memory->planes(solver->state[slab], &planes, error));
    return rec_memory_of(&planes)->wait(&planes, error);
}

void rec_slabs_destroy(rec_solver *solver)
{
    for (size_t i = 0; solver->state && solver->depth && i < solver->count; i++)
        if (solver->state[i]) /* it may still copy from its neighbours */
            wait_for(solver, i, NULL);
    for (size_t i = 0; solver->state && i < solver->count; i++)
        slab_destroy(solver->type, &solver->state[i]);
    rec_free(solver->state);
    rec_free(solver->slab);
    rec_parts_destroy(&solver->parts);
    rec_image_destroy(&solver->picture);
    rec_image_destroy(&solver->terms);
}

void rec_solver_get_info(const rec_solver *solver, rec_solver_info *info)
{
    rec_solver_info all = {0}, own; /* all: of this rank and those above it, then of all */
    solver->type->memory->get_info(solver->state[0], info);
    if (is_part(solver))
        rec_ranks_reduce_begin(&all, sizeof all);
    all.ranks++;
    all.slabs += solver->count;
    all.devices += info->costs.device_bytes && !solver->shares_device ? solver->devices : 0;
    for (size_t i = 0; i < solver->count; i++) {
        solver->type->memory->get_info(solver->state[i], &own);
        all.transport = own.transport > all.transport ? own.transport : all.transport;
        all.costs.device_bytes += own.costs.device_bytes;
        info->costs.seconds_start += i ? own.costs.seconds_start : 0;
        info->costs.seconds_upload += i ? own.costs.seconds_upload : 0;
    }
    if (is_part(solver))
        rec_ranks_reduce_end(&all, sizeof all);
    info->solver = solver->type->name;
    memcpy(info->note, solver->note, sizeof info->note);
    info->kernel = info->kernel ? info->kernel : solver->type->kernels[0];
    info->ranks = all.ranks;
    info->slabs = all.slabs;
    info->devices = all.devices;
    info->costs.device_bytes = all.costs.device_bytes + solver->display.costs.device_bytes;
    info->costs.seconds_start += solver->seconds_choosing;
    if (solver->renewed)
        info->costs.seconds_start = 0;
    info->transport = all.transport;
}

/* ---- iterating ---- */

/* Ghost rows that are right for `needed` more iterations, at most the depth. */
static rec_status refresh(rec_solver *solver, size_t needed, rec_error *error)
{
    if (!solver->depth || solver->stale + needed <= solver->depth)
        return REC_OK;
    solver->stale = 0;
    return solver->type->iterate->exchange(solver->state, solver->count, REC_FIELD_PICTURE, error);
}

REC_TASK(slabs_advance, rec_error *const failed; const rec_solver *solver; uint64_t n; int compares)
{
    const rec_solver *solver = job->solver;
    rec_error own = {0};
    for (size_t i = first; i < end && !own.status; i++)
        if (solver->type->iterate->advance(solver->state[i], job->n, job->compares, &own))
            rec_team_fail(job->failed, &own);
}

/* Queues n iterations, no more than there are ghost rows; a thread for each device does. Slabs on
 * the host have teams of their own. */
static rec_status iterate_slabs(rec_solver *solver, uint64_t n, int compares, rec_error *error)
{
    rec_error failed = {0};
    REC_TRY(refresh(solver, (size_t)n, error));
    REC_TRACE("iterate", n);
    REC_SHARE(solver->devices, solver->count, slabs_advance, &failed, solver, n, compares);
    solver->iterations += n;
    solver->stale = compares ? solver->depth : solver->stale + (size_t)n;
    return rec_team_failed(&failed, error);
}

static rec_status pass_slabs(rec_solver *solver, uint64_t n, rec_error *error)
{
    for (size_t i = 0; solver->type->iterate->expect && i < solver->count; i++)
        solver->type->iterate->expect(solver->state[i], n);
    while (n) {
        const uint64_t now = solver->depth && n > solver->depth ? solver->depth : n;
        REC_TRY(iterate_slabs(solver, now, 0, error));
        n -= now;
    }
    return REC_OK;
}

int rec_solver_bounds_distance(const rec_solver *solver)
{
    return solver->type->jumps || !isnan(solver->bound.factor);
}

/* Adds the squares of a slab's distance from the limit; its queued work is done. */
static rec_status compare_limit(const rec_solver *solver, size_t slab, double sums[3],
                                rec_error *error)
{
    const rec_display *display = &solver->limits[slab];
    rec_planes planes = {0};
    REC_TRY(solver->type->memory->planes(solver->state[slab], &planes, error));
    return display->compute->compare(display, &planes, sums, error);
}

static rec_status look_at(rec_solver *solver, int change, int distance, rec_look *look,
                          rec_error *error)
{
    const rec_solver_type *type = solver->type;
    const int measures = distance && solver->measures, bounds = distance && !measures;
    rec_bound bound = solver->bound;
    if (bounds)
        REC_TRY(refresh(solver, 2, error));
    REC_TRACE("norm", solver->iterations);
    for (size_t i = 0; bounds && i < solver->count; i++)
        REC_TRY(type->iterate->distance(solver->state[i], error));
    rec_sums sums = {.moving_known = solver->iterations >= 2};
    if (is_part(solver))
        rec_ranks_reduce_begin(&sums, sizeof sums);
    for (size_t i = 0; i < solver->count; i++) {
        REC_TRY(wait_for(solver, i, error));
        type->iterate->collect(solver->state[i], change, bounds, &sums);
        if (measures)
            REC_TRY(compare_limit(solver, i, sums.distance, error));
    }
    if (is_part(solver))
        rec_ranks_reduce_end(&sums, sizeof sums);
    bound.factor = measures ? 1 : bound.factor;
    for (size_t p = 0; measures && p < solver->planes; p++) /* two iterations' drift */
        bound.drift[p] = hypot(0.5 * (double)solver->iterations * bound.drift[p],
                               solver->stays_off[p]);
    *look = rec_look_of(&sums, &bound, change, distance, solver->planes);
    look->measured = measures;
    return REC_OK;
}

rec_status rec_solver_advance(rec_solver *solver, uint64_t n, unsigned looks, rec_look *look,
                              rec_error *error)
{
    const rec_solver_type *type = solver->type;
    looks = look ? looks : 0;
    if (type->jumps) {
        const uint64_t now = solver->iterations, most = REC_LIMIT_ITERATION - 1;
        int reached;
        if (n) { /* nothing is behind the limit */
            solver->iterations = now > most || type->jumps == REC_TO_LIMIT ? REC_LIMIT_ITERATION
                                 : n < most - now                 ? now + n
                                                                  : most;
            REC_TRY(rec_parts_jump(solver, solver->iterations, INFINITY, &reached, error));
        }
        return looks ? rec_parts_look(solver, looks, look, error) : REC_OK;
    }
    const int change = n > 0 && (looks & REC_LOOK_CHANGE);
    uint64_t last = change ? n : 0;
    /* Behind the last exchange come at least two of several: a look compares three iterates. */
    if (last > solver->depth && solver->depth)
        last = (n - 1) % solver->depth ? (n - 1) % solver->depth + 1 : 2;
    REC_TRY(pass_slabs(solver, n - last, error));
    if (last)
        REC_TRY(iterate_slabs(solver, last, 1, error));
    for (size_t i = 0; !looks && i < solver->count; i++)
        REC_TRY(wait_for(solver, i, error));
    const int distance = type->iterate->distance && (looks & REC_LOOK_DISTANCE);
    return looks ? look_at(solver, change, distance, look, error) : REC_OK;
}

/* ---- the whole image ---- */

static rec_status read_rows(const rec_solver *solver, rec_trade field, size_t plane, size_t x,
                            size_t y, size_t width, size_t height, float *values, size_t stride,
                            rec_error *error)
{
    for (size_t i = 0; i < solver->count; i++) {
        const rec_slab *slab = &solver->slab[i];
        const size_t first = rec_larger(y, slab->first);
        const size_t end = rec_smaller(y + height, slab->first + slab->rows);
        rec_planes planes;
        if (first >= end)
            continue;
        REC_TRY(solver->type->memory->planes(solver->state[i], &planes, error));
        const float *from = (field == REC_FIELD_TERMS ? planes.f : planes.m) +
                            plane * planes.step + (first - slab->first) * planes.pitch + x;
        REC_TRACE("download", width * (end - first) * sizeof *values);
        REC_TRY(rec_memory_of(&planes)->read(&planes, values + (first - y) * stride, stride, from,
                                             planes.pitch, width, end - first, error));
    }
    return REC_OK;
}

rec_status rec_solver_read(rec_solver *solver, size_t plane, size_t x, size_t y, size_t width,
                           size_t height, float *values, size_t stride, rec_error *error)
{
    if (plane >= solver->planes || x > solver->width || width > solver->width - x ||
        y > solver->height || height > solver->height - y || stride < width)
        return rec_fail(error, REC_FAULT, "a read of %zu x %zu at (%zu, %zu) leaves the image",
                        width, height, x, y);
    return read_rows(solver, REC_FIELD_PICTURE, plane, x, y, width, height, values, stride, error);
}

/* Into an image that is made if it has no memory yet, and destroyed after a failure. */
static rec_status gather(const rec_solver *solver, rec_trade field, rec_image *image,
                         rec_error *error)
{
    rec_status status = image->data ? REC_OK
                                    : rec_image_create(image, solver->width, solver->height,
                                                       solver->planes, error);
    for (size_t p = 0; !status && p < solver->planes; p++)
        status = read_rows(solver, field, p, 0, 0, solver->width, solver->height,
                           rec_image_row(image, p, 0), image->stride, error);
    if (status)
        rec_image_destroy(image);
    return status;
}

rec_status rec_solver_read_image(rec_solver *solver, rec_image *image, rec_error *error)
{
    *image = (rec_image){0};
    REC_TRY(gather(solver, REC_FIELD_PICTURE, image, error));
    image->above = solver->above;
    image->below = solver->below;
    return REC_OK;
}

rec_status rec_slabs_planes(rec_solver *solver, rec_planes *planes, rec_error *error)
{
    rec_image *picture = &solver->picture;
    *planes = (rec_planes){0};
    if (solver->count == 1) {
        REC_TRY(solver->type->memory->planes(solver->state[0], planes, error));
    } else {
        if (!solver->terms.data)
            REC_TRY(gather(solver, REC_FIELD_TERMS, &solver->terms, error));
        if (!picture->data || solver->gathered != solver->iterations)
            REC_TRY(gather(solver, REC_FIELD_PICTURE, picture, error));
        solver->gathered = solver->iterations;
        *planes = rec_planes_of(picture);
        planes->f = solver->terms.data;
    }
    planes->boundary = solver->boundary;
    planes->iteration = solver->iterations;
    return REC_OK;
}
