#include "solver/convolution/convolution.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/processor.h"
#include "base/team.h"
#include "base/trace.h"
#include "solver/cpu/host.h"

/* Floats between a row and the border of the next one: room for what is written behind a row. */
#define GAP REC_CONVOLUTION_OVER
/* Floats of a cache line. A row is an odd number of lines, as in cpu/host.c. */
#define LINE (REC_ALIGNMENT / sizeof(float))
/* Bytes of a picture and its result that processors may keep in their caches. Results of larger
 * pictures go past the caches, which saves reading what they replace. */
#define NEAR ((size_t)16 << 20)

/* ---- the stencils ---- */

rec_status rec_filters_create(rec_filters *filters, const rec_problem *problem, rec_passes passes,
                              rec_error *error)
{
    const rec_image *picture = problem->start ? problem->start : problem->edges;
    const int constant = rec_boundary_has_constant(problem->boundary.kind);
    const float halo = constant ? problem->boundary.value : 0;
    *filters = (rec_filters){.count = problem->operator_count,
                             .always_separable = passes == REC_TWO_PASSES};
    rec_filter *items = filters->items = calloc(filters->count, sizeof *items);
    if (!items)
        return rec_fail(error, REC_LIMIT, "out of memory for the stencils");
    for (size_t i = 0; i < filters->count; i++) {
        items[i].op = problem->operators[i];
        if (passes != REC_ONE_PASS)
            rec_operator_factors(&items[i].op, &items[i].factors);
    }
    filters->exact = items->factors.terms == 1 && rec_operator_is_exact(&items->op, picture, halo);
    if (filters->always_separable && !items->factors.terms)
        return rec_fail(error, REC_UNAVAILABLE,
                        "--kernel separable: the stencil is not the sum of at most %d products of "
                        "a column and a row", REC_TERMS);
    return REC_OK;
}

void rec_filters_destroy(rec_filters *filters) { free(filters->items); }

int rec_filters_separate(const rec_filters *filters, size_t i, uint64_t iterations)
{
    return filters->items[i].factors.terms &&
           (filters->always_separable || (iterations == 0 && i == 0 && filters->exact));
}

/* ---- creation ---- */

void rec_convolution_destroy(void *state)
{
    rec_convolution *c = state;
    rec_free(c->block);
    rec_free(c->rings);
    rec_free(c->row_changes);
    rec_filters_destroy(&c->filters);
}

static rec_status allocate(rec_convolution *c, rec_error *error)
{
    const size_t kinds = REC_SETS + (size_t)c->filters.items->op.is_inverse;
    size_t all = 0;
    const size_t rows = c->height + 2 * c->radius + REC_CONVOLUTION_ROWS;
    if (__builtin_mul_overflow(rows, c->stride, &c->step) ||
        __builtin_mul_overflow(c->step, kinds * c->planes, &all))
        return rec_fail(error, REC_LIMIT, "a %zu x %zu image is more than can be addressed",
                        c->width, c->height);
    rec_trace_push(REC_TRACE_ALLOCATE, all * sizeof(float));
    for (size_t i = 0; i < c->filters.count; i++) {
        const size_t ring = rec_ring_rows(&c->filters.items[i]);
        c->ring = ring > c->ring ? ring : c->ring;
    }
    rec_status status = rec_allocate(&c->block, all + GAP, sizeof(float),
                                     "the picture, three times", error);
    if (!status && c->ring)
        status = rec_allocate(&c->rings, (size_t)c->threads * c->ring, c->stride * sizeof(float),
                              "rows of a separable stencil", error);
    if (!status)
        status = rec_allocate(&c->row_changes, c->height, sizeof *c->row_changes, "norms", error);
    rec_trace_pop();
    return status;
}

/* Fills the border of a plane with the constant, and copies the image, unless it is NULL. */
REC_TASK(fill_rows, const rec_convolution *c; float *cells; const rec_image *image; size_t plane)
{
    const rec_convolution *c = job->c;
    for (size_t i = first; i < end; i++) {
        const size_t y = i - c->radius; /* far too large above the first */
        const size_t inside = y < c->height ? c->width : 0;
        float *row = job->cells + ((ptrdiff_t)i - (ptrdiff_t)c->radius) * (ptrdiff_t)c->stride;
        for (size_t x = 0; x < c->margin; x++)
            row[(ptrdiff_t)x - (ptrdiff_t)c->margin] = c->halo;
        for (size_t x = inside; x < c->stride - c->margin; x++)
            row[x] = c->halo;
        if (inside && job->image)
            memcpy(row, rec_image_row(job->image, job->plane, y), c->width * sizeof *row);
    }
}

REC_TASK(fill_terms, const rec_convolution *c; float *cells; const rec_image *image; size_t plane)
{
    const rec_convolution *c = job->c;
    const rec_operator *op = &c->filters.items->op;
    for (size_t y = first; y < end; y++) {
        const float *edge = rec_image_row(job->image, job->plane, y);
        for (size_t x = 0; x < c->width; x++)
            job->cells[y * c->stride + x] = (float)(op->gain * ((double)edge[x] - op->level));
    }
}

static void upload(rec_convolution *c, const rec_problem *problem)
{
    const rec_image *start = problem->start ? problem->start : problem->edges;
    const double before = rec_now();
    float *next = c->block;
    rec_trace_push(REC_TRACE_UPLOAD, c->planes * c->step * sizeof *next);
    for (int i = 0; i < REC_SETS; i++)
        for (size_t p = 0; p < c->planes; p++, next += c->step) {
            c->sets[i][p] = (rec_plane){next + c->radius * c->stride + c->margin, c->stride};
            REC_SHARE(c->threads, c->height + 2 * c->radius, fill_rows, c, c->sets[i][p].cells,
                      i ? NULL : start, p);
        }
    for (size_t p = 0; c->filters.items->op.is_inverse && p < c->planes; p++, next += c->step) {
        c->f[p] = next + c->margin;
        REC_SHARE(c->threads, c->height, fill_terms, c, c->f[p], problem->edges, p);
    }
    rec_trace_pop();
    c->seconds_upload = rec_now() - before;
}

rec_status rec_convolution_create(void *state, const rec_problem *problem,
                                  const rec_convolution *shape, rec_error *error)
{
    const rec_image *edges = problem->edges;
    rec_convolution *c = state;
    *c = *shape;
    c->width = edges->width;
    c->height = edges->height;
    c->planes = edges->planes;
    c->beyond = rec_boundaries[problem->boundary.kind].x;
    c->halo = problem->boundary.value;
    REC_TRY(rec_filters_create(&c->filters, problem,
                               !c->loops->separable             ? REC_ONE_PASS
                               : strcmp(c->kernel, "separable") ? REC_ANY_PASSES
                                                                : REC_TWO_PASSES,
                               error));
    for (size_t i = 0; i < c->filters.count; i++) {
        const rec_taps *taps = &c->filters.items[i].op.taps;
        const size_t radius = (size_t)(taps->width > taps->height ? taps->width : taps->height) / 2;
        c->radius = radius > c->radius ? radius : c->radius;
    }
    c->margin = (c->radius + LINE - 1) / LINE * LINE;
    c->stride = ((c->margin + c->width + c->radius + GAP + LINE - 1) / LINE | 1) * LINE;
    REC_TRY(allocate(c, error));
    c->streams = 2 * c->planes * c->step * sizeof *c->block > NEAR;
    upload(c, problem);
    return REC_OK;
}

/* ---- iterating ---- */

REC_TASK(fill_sides, const rec_convolution *c; float *cells; ptrdiff_t reach)
{
    const rec_beyond rule = job->c->beyond;
    const ptrdiff_t width = (ptrdiff_t)job->c->width;
    for (size_t y = first; y < end; y++) {
        float *row = job->cells + y * job->c->stride;
        for (ptrdiff_t i = 1; i <= job->reach; i++) {
            row[-i] = row[rec_boundary_index(rule, -i, width)];
            row[width - 1 + i] = row[rec_boundary_index(rule, width - 1 + i, width)];
        }
    }
}

/* Fills the border of a plane from its pixels: first the columns beside all rows, then the rows
 * above and below, which are copies of whole rows. */
static void fill_border(const rec_convolution *c, const rec_plane *plane, const rec_taps *taps)
{
    const rec_beyond rule = c->beyond;
    const ptrdiff_t height = (ptrdiff_t)c->height, stride = (ptrdiff_t)c->stride;
    const ptrdiff_t x_reach = taps->width / 2, y_reach = taps->height / 2;
    if (rule == REC_FIXED)
        return;
    REC_SHARE(c->threads, c->height, fill_sides, c, plane->cells, x_reach);
    const size_t bytes = (c->width + 2 * (size_t)x_reach) * sizeof *plane->cells;
    for (ptrdiff_t i = 1; i <= y_reach; i++) {
        float *first = plane->cells - x_reach;
        memcpy(first - i * stride, first + rec_boundary_index(rule, -i, height) * stride, bytes);
        memcpy(first + (height - 1 + i) * stride,
               first + rec_boundary_index(rule, height - 1 + i, height) * stride, bytes);
    }
}

/* A thing of this task is as many rows as the loops make side by side. */
REC_TASK(apply_rows, rec_convolution *c; size_t filter, plane; int from, to, compares)
{
    const rec_convolution *c = job->c;
    const size_t rows = c->loops->rows, top = rows * first,
                 bottom = rows * end < c->height ? rows * end : c->height;
    const rec_filter *filter = &c->filters.items[job->filter];
    const rec_plane *out = &c->sets[job->to][job->plane];
    const float *last = c->sets[c->now][job->plane].cells;
    const float *before = c->sets[(c->now + 1) % REC_SETS][job->plane].cells;
    const rec_convolution_task task = {
        .taps = &filter->op.taps,
        .factors = &filter->factors,
        .out = out,
        .in = &c->sets[job->from][job->plane],
        .f = filter->op.is_inverse ? c->f[job->plane] : NULL,
        .width = c->width,
        .ring = c->rings ? c->rings + member * c->ring * c->stride : NULL,
        .follows = follows,
        .streams = c->streams && !job->compares,
    };
    const int separate = rec_filters_separate(&c->filters, job->filter, c->iterations);
    (separate ? c->loops->separable : c->loops->direct)(&task, top, bottom);
    for (size_t y = top, at = y * c->stride; job->compares && y < bottom; y++, at += c->stride)
        c->row_changes[y] = rec_host_compare(out->cells + at, last + at, before + at, c->width);
}

/* Applies stencil i to plane p of set `from`. If it compares: with M_(N-1), which is set c->now,
 * and M_(N-2), the set after it. */
static void apply(rec_convolution *c, size_t i, size_t p, int from, int to, int compares)
{
    fill_border(c, &c->sets[from][p], &c->filters.items[i].op.taps);
    REC_SHARE(c->threads, (c->height - 1) / c->loops->rows + 1, apply_rows, c, i, p, from, to,
              compares);
}

/* The last two iterations of an advance leave M_(N-1) and M_(N-2). The iterations before use two of
 * the sets in turn, which takes less of the cache. `left`: iterations that follow this one. */
static void convolution_iterate(rec_convolution *c, uint64_t left, int compared)
{
    int from = c->now;
    c->sums = (rec_sums){.moving_known = c->filters.count == 1}; /* several leave no M_(N-2) */
    for (size_t i = 0; i < c->filters.count; i++) {
        const int compares = compared && i + 1 == c->filters.count;
        const int to = i == 0 && left > 1 && left % 2 ? (c->now + 1) % REC_SETS
                                                      : rec_set_behind(c->now, from, i == 0);
        for (size_t p = 0; p < c->planes; p++) {
            apply(c, i, p, from, to, compares);
            if (compares)
                rec_sums_add_rows(&c->sums, p, c->row_changes, c->height, 1, 0);
        }
        from = to;
    }
    c->now = from;
    c->iterations++;
}

rec_status rec_convolution_advance(void *state, uint64_t n, rec_ending ending, rec_error *error)
{
    rec_convolution *c = state;
    for (uint64_t i = 0; i < n; i++)
        convolution_iterate(c, n - 1 - i, ending == REC_END_COMPARING && i + 1 == n);
    return REC_OK;
}

void rec_convolution_collect(const void *state, int change, int distance, rec_sums *sums)
{
    const rec_convolution *c = state;
    const int known = sums->moving_known;
    if (change)
        *sums = c->sums; /* of the whole image */
    sums->moving_known &= known;
}

rec_status rec_convolution_planes(void *state, rec_planes *shown, rec_error *error)
{
    const rec_convolution *c = state;
    *shown = (rec_planes){
        .width = c->width,
        .height = c->height,
        .planes = c->planes,
        .pitch = c->stride,
        .step = c->step,
        .m = c->sets[c->now][0].cells,
    };
    return REC_OK;
}

void rec_convolution_get_info(const void *state, rec_solver_info *info)
{
    const rec_convolution *c = state;
    const int one = c->filters.exact && c->iterations < 2; /* which takes two passes */
    *info = (rec_solver_info){.kernel = one ? "separable" : c->kernel,
                              .costs.seconds_upload = c->seconds_upload};
    rec_processor_name(info->costs.device, sizeof info->costs.device, c->threads);
}
