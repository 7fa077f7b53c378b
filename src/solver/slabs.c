#include "solver/slabs.h"

#include <stdlib.h>

#include "base/team.h"
#include "base/trace.h"
#include "solver/type.h"

/* Ghost rows: passes of the fastest kernels make 32 iterations. */
enum { LEAST_GHOSTS = 32, MOST_GHOSTS = 256 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* ---- creation ---- */

/* Slabs as alike as they can be. A trade needs no more rows than a neighbour has. `wrapped`: the
 * first and the last are neighbours, too. */
static void cut(rec_slabs *slabs, const rec_image *image, int wrapped)
{
    const size_t height = rec_image_full_height(image), count = slabs->count;
    const size_t ranks = slabs->shared ? rec_ranks_count() : 1, all = ranks * count;
    const size_t before = slabs->shared ? rec_ranks_own() * count : 0;
    size_t least = height;
    for (size_t i = 0; i < all; i++)
        least = smaller(least, rec_cut(height, all, i + 1) - rec_cut(height, all, i));
    for (size_t i = 0; i < count; i++) {
        const size_t first = rec_cut(height, all, before + i);
        slabs->slab[i] = (rec_slab){.first = first - image->above,
                                    .rows = rec_cut(height, all, before + i + 1) - first};
    }
    if (all == 1)
        return;
    const size_t best = slabs->type->trade_cells / slabs->width / LEAST_GHOSTS * LEAST_GHOSTS;
    slabs->depth = smaller(smaller(larger(best, LEAST_GHOSTS), MOST_GHOSTS),
                           least / REC_ROWS_TOGETHER * REC_ROWS_TOGETHER);
    slabs->stale = slabs->depth;
    for (size_t i = 0; i < count; i++) {
        slabs->slab[i].above = before + i > 0 || wrapped ? slabs->depth : 0;
        slabs->slab[i].below = before + i + 1 < all || wrapped ? slabs->depth : 0;
    }
    slabs->slab[0].rank_above = ranks > 1 && slabs->slab[0].above;
    slabs->slab[count - 1].rank_below = ranks > 1 && slabs->slab[count - 1].below;
}

/* How many slabs this rank has: as many as any of them wants. */
static size_t count_slabs(size_t wanted, const rec_image *image)
{
    const int shared = rec_image_is_part(image);
    const size_t most = rec_image_full_height(image) / REC_ROWS_TOGETHER;
    const size_t own = shared ? most / rec_ranks_count() : most;
    return smaller(shared ? (size_t)rec_ranks_most((double)wanted) : wanted, larger(own, 1));
}

rec_status rec_slabs_create(rec_slabs *slabs, const rec_solver_type *type,
                            const rec_problem *problem, const rec_solver_options *options,
                            rec_error *error)
{
    const rec_image *edges = problem->edges;
    const size_t devices = type->trade ? larger(options->device_count, 1) : 1;
    const size_t wanted = larger(options->slabs, devices);
    if ((wanted > 1 || rec_image_is_part(edges)) && !type->trade)
        return rec_fail(error, REC_USAGE,
                        "no --slabs and no ranks here: the %s solver works on the whole image; "
                        "iterations from edges (-n) can be cut", type->name);
    *slabs = (rec_slabs){
        .type = type,
        .width = edges->width,
        .height = edges->height,
        .planes = edges->planes,
        .shared = rec_image_is_part(edges),
        .count = count_slabs(wanted, edges),
        .shares_device = options->shares_device,
        .bound = rec_bound_of(problem),
    };
    slabs->devices = smaller(devices, slabs->count);
    slabs->slab = calloc(slabs->count, sizeof *slabs->slab);
    slabs->state = calloc(slabs->count, sizeof *slabs->state);
    rec_status status = REC_OK;
    if (!slabs->slab || !slabs->state)
        status = rec_fail(error, REC_LIMIT, "out of memory for %zu slabs", slabs->count);
    else
        cut(slabs, edges, rec_beyond_y(problem->boundary.kind) == REC_WRAPPED);
    for (size_t i = 0; !status && i < slabs->count; i++) {
        slabs->slab[i].device = options->devices[i * slabs->devices / slabs->count];
        status = type->create(&slabs->state[i], problem, &slabs->slab[i], options, error);
    }
    status = rec_image_agree(edges, status, error);
    if (!status && slabs->depth)
        status = type->trade(slabs->state, slabs->count, REC_FIELD_TERMS, error);
    if (status)
        rec_slabs_destroy(slabs);
    return status;
}

rec_status rec_slabs_load(rec_slabs *slabs, const rec_problem *problem, rec_error *error)
{
    slabs->iterations = 0;
    return slabs->type->load(slabs->state[0], problem, error);
}

void rec_slabs_destroy(rec_slabs *slabs)
{
    for (size_t i = 0; slabs->state && i < slabs->count; i++)
        if (slabs->state[i])
            slabs->type->destroy(slabs->state[i]);
    free(slabs->state);
    free(slabs->slab);
    rec_image_destroy(&slabs->picture);
    rec_image_destroy(&slabs->terms);
    *slabs = (rec_slabs){0};
}

void rec_slabs_get_info(const rec_slabs *slabs, rec_solver_info *info)
{
    slabs->type->get_info(slabs->state[0], info);
    size_t all[] = {0, 0, 0, 0, 0}; /* ranks, slabs, devices, bytes, trades */
    for (size_t i = 1; i < slabs->count; i++) {
        rec_solver_info other;
        slabs->type->get_info(slabs->state[i], &other);
        info->trades = other.trades > info->trades ? other.trades : info->trades;
        info->device_bytes += other.device_bytes;
        info->seconds_start += other.seconds_start;
        info->seconds_upload += other.seconds_upload;
    }
    if (slabs->shared)
        rec_ranks_take_turn(all, sizeof all);
    all[0]++;
    all[1] += slabs->count;
    all[2] += info->device_bytes && !slabs->shares_device ? slabs->devices : 0;
    all[3] += info->device_bytes;
    all[4] = larger(all[4], info->trades);
    if (slabs->shared)
        rec_ranks_give_turn(all, sizeof all);
    info->ranks = all[0];
    info->slabs = all[1];
    info->devices = all[2];
    info->device_bytes = all[3];
    info->trades = (rec_trades)all[4];
}

/* ---- iterating ---- */

/* Ghost rows that are right for `needed` more iterations, at most the depth. */
static rec_status refresh(rec_slabs *slabs, size_t needed, rec_error *error)
{
    if (!slabs->depth || slabs->stale + needed <= slabs->depth)
        return REC_OK;
    slabs->stale = 0;
    return slabs->type->trade(slabs->state, slabs->count, REC_FIELD_PICTURE, error);
}

/* Queues n iterations without a look. */
static rec_status pass(rec_slabs *slabs, uint64_t n, rec_error *error)
{
    const rec_solver_type *type = slabs->type;
    rec_status status = REC_OK;
    while (n && !status) {
        const uint64_t now = slabs->depth && n > slabs->depth ? slabs->depth : n;
        status = refresh(slabs, (size_t)now, error);
        for (size_t i = 0; !status && i < slabs->count; i++)
            status = type->pass ? type->pass(slabs->state[i], now, error)
                                : type->advance(slabs->state[i], now, 0, error);
        slabs->stale += (size_t)now;
        slabs->iterations += now;
        n -= now;
    }
    return status;
}

rec_status rec_slabs_pass(rec_slabs *slabs, uint64_t n, rec_error *error)
{
    rec_status status = pass(slabs, n, error);
    for (size_t i = 0; !status && slabs->type->wait && i < slabs->count; i++)
        status = slabs->type->wait(slabs->state[i], error);
    return status;
}

/* The last iterations of an advance, between two trades: a solver's look counts on making two. */
static uint64_t last_iterations(const rec_slabs *slabs, uint64_t n)
{
    if (!slabs->depth || n <= slabs->depth)
        return n;
    const uint64_t last = (n - 1) % slabs->depth + 1;
    return last == 1 ? 2 : last;
}

rec_status rec_slabs_advance(rec_slabs *slabs, uint64_t n, unsigned looks, rec_look *look,
                             rec_error *error)
{
    const rec_solver_type *type = slabs->type;
    const int changed = n > 0 && (looks & REC_LOOK_CHANGE);
    if (type->look) {
        const rec_status status = type->advance(slabs->state[0], n, looks, error);
        return status || !looks ? status : type->look(slabs->state[0], looks, look, error);
    }
    const uint64_t last = last_iterations(slabs, n);
    rec_status status = pass(slabs, n - last, error);
    if (!status && last)
        status = refresh(slabs, (size_t)last, error);
    for (size_t i = 0; !status && last && i < slabs->count; i++)
        status = type->advance(slabs->state[i], last, changed ? REC_LOOK_CHANGE : 0, error);
    slabs->iterations += last;
    if (last)
        slabs->stale = slabs->depth; /* a look makes a slab's own rows alone */
    if (!status && (looks & REC_LOOK_DISTANCE))
        status = refresh(slabs, 2, error);
    for (size_t i = 0; !status && (looks & REC_LOOK_DISTANCE) && i < slabs->count; i++)
        status = type->distance(slabs->state[i], error);
    rec_sums sums = {.tells = 1};
    if (slabs->shared && looks)
        rec_ranks_take_turn(&sums, sizeof sums);
    for (size_t i = 0; !status && looks && i < slabs->count; i++)
        status = type->collect(slabs->state[i], changed, looks & REC_LOOK_DISTANCE, &sums, error);
    if (slabs->shared && looks && !status)
        rec_ranks_give_turn(&sums, sizeof sums);
    if (!status && looks)
        *look = rec_look_of(&sums, &slabs->bound, changed, looks & REC_LOOK_DISTANCE,
                            slabs->planes);
    if (slabs->iterations < 2 && look)
        look->standstill = 0;
    return status;
}

/* ---- the whole image ---- */

static rec_status read_rows(const rec_slabs *slabs, rec_field field, size_t plane, size_t x,
                            size_t y, size_t width, size_t height, float *values, size_t stride,
                            rec_error *error)
{
    rec_status status = REC_OK;
    for (size_t i = 0; !status && i < slabs->count; i++) {
        const rec_slab *slab = &slabs->slab[i];
        const size_t first = larger(y, slab->first), end = smaller(y + height,
                                                                   slab->first + slab->rows);
        if (first < end)
            status = slabs->type->read(slabs->state[i], field, plane, x, first - slab->first,
                                       width, end - first, values + (first - y) * stride, stride,
                                       error);
    }
    return status;
}

rec_status rec_slabs_read(rec_slabs *slabs, size_t plane, size_t x, size_t y, size_t width,
                          size_t height, float *values, size_t stride, rec_error *error)
{
    return read_rows(slabs, REC_FIELD_PICTURE, plane, x, y, width, height, values, stride, error);
}

void rec_slabs_planes(const rec_slabs *slabs, rec_planes *planes)
{
    const rec_image *picture = &slabs->picture;
    if (slabs->count == 1) {
        slabs->type->planes(slabs->state[0], planes);
        return;
    }
    *planes = (rec_planes){
        .width = slabs->width,
        .height = slabs->height,
        .planes = slabs->planes,
        .pitch = picture->stride,
        .step = slabs->height * picture->stride,
        .m = picture->data,
        .f = slabs->terms.data,
        .iteration = slabs->iterations,
        .threads = (int)rec_team_size(),
    };
}

static rec_status gather(const rec_slabs *slabs, rec_field field, const rec_image *image,
                         rec_error *error)
{
    rec_status status = REC_OK;
    for (size_t p = 0; !status && p < slabs->planes; p++)
        status = read_rows(slabs, field, p, 0, 0, slabs->width, slabs->height,
                           rec_image_row(image, p, 0), image->stride, error);
    return status;
}

static rec_status gather_all(rec_slabs *slabs, rec_error *error)
{
    rec_status status = REC_OK;
    if (!slabs->terms.data) {
        rec_image terms;
        status = rec_image_create(&terms, slabs->width, slabs->height, slabs->planes, error);
        if (!status)
            status = gather(slabs, REC_FIELD_TERMS, &terms, error);
        if (!status)
            status = rec_image_create(&slabs->picture, slabs->width, slabs->height,
                                      slabs->planes, error);
        if (status) {
            rec_image_destroy(&terms);
            return status;
        }
        slabs->terms = terms;
    } else if (slabs->gathered == slabs->iterations) {
        return REC_OK;
    }
    status = gather(slabs, REC_FIELD_PICTURE, &slabs->picture, error);
    slabs->gathered = status ? UINT64_MAX : slabs->iterations;
    return status;
}

rec_status rec_slabs_settle(rec_slabs *slabs, rec_error *error)
{
    if (slabs->count > 1)
        return gather_all(slabs, error);
    return slabs->type->settle ? slabs->type->settle(slabs->state[0], error) : REC_OK;
}
