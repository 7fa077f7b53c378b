#include "solver/convolution/convolution.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/processor.h"
#include "base/team.h"
#include "base/trace.h"
#include "solver/cpu/host.h"

/* Between a row and the border of the next: room for what is written behind a row. */
#define GAP REC_CONVOLUTION_OVER
/* Floats of a cache line; a row is an odd number of lines, as in cpu/host.c. */
#define LINE (REC_ALIGNMENT / sizeof(float))
/* Rows that are made before they are compared with those in whose place they are. */
#define CHUNK 16


/* ---- creation ---- */

void rec_convolution_destroy(void *state)
{
    rec_convolution *c = state;
    rec_free(c->block);
    rec_free(c->rings);
    rec_free(c->before);
    rec_free(c->row_changes);
    rec_filters_destroy(&c->filters);
    free(c);
}

static void place(const rec_convolution *c, rec_plane *planes, float *block)
{
    for (size_t p = 0; p < c->planes; p++)
        planes[p] = (rec_plane){block + p * c->step + c->radius * c->stride + c->margin, c->stride};
}

static rec_status allocate(rec_convolution *c, rec_error *error)
{
    const size_t kinds = 2 + (c->filters.count > 1) + (size_t)c->filters.items->of.adds;
    size_t all = 0;
    void *memory = NULL;
    if (!rec_multiply(c->height + 2 * c->radius, c->stride, &c->step) ||
        !rec_multiply(c->step, kinds * c->planes, &all))
        return rec_fail(error, REC_LIMIT, "a %zu x %zu image is more than can be addressed",
                        c->width, c->height);
    rec_trace_push(REC_TRACE_ALLOCATE, all * sizeof(float));
    rec_status status = rec_allocate(&memory, all + GAP, sizeof(float), "the picture, twice",
                                     error);
    c->block = memory;
    for (size_t i = 0; !status && i < c->filters.count; i++) {
        const rec_filter *filter = &c->filters.items[i];
        if ((size_t)filter->of.taps.height > c->ring && filter->separable)
            c->ring = (size_t)filter->of.taps.height;
    }
    if (!status && c->ring) {
        status = rec_allocate(&memory, (size_t)c->threads * c->ring, c->stride * sizeof(float),
                              "rows of a separable stencil", error);
        c->rings = status ? NULL : memory;
    }
    if (!status) {
        status = rec_allocate(&memory, (size_t)c->threads * CHUNK, c->width * sizeof(float),
                              "norms", error);
        c->before = status ? NULL : memory;
    }
    if (!status) {
        status = rec_allocate(&memory, c->height, sizeof *c->row_changes, "norms", error);
        c->row_changes = status ? NULL : memory;
    }
    rec_trace_pop();
    return status;
}

/* A plane and its border, which is the constant to begin with. */
static void fill_plane(const rec_convolution *c, const rec_plane *plane, const rec_image *image,
                       size_t index)
{
    const ptrdiff_t radius = (ptrdiff_t)c->radius, height = (ptrdiff_t)c->height;
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (ptrdiff_t y = -radius; y < height + radius; y++) {
        float *row = plane->cells + y * (ptrdiff_t)c->stride;
        for (size_t i = 0; i < c->stride; i++)
            row[(ptrdiff_t)i - (ptrdiff_t)c->margin] = c->boundary.value;
        if (y >= 0 && y < height)
            memcpy(row, rec_image_row(image, index, (size_t)y), c->width * sizeof *row);
    }
}

static void fill_terms(const rec_convolution *c, float *f, const rec_image *edges, size_t plane)
{
    const rec_operator *of = &c->filters.items->of;
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (size_t y = 0; y < c->height; y++) {
        const float *edge = rec_image_row(edges, plane, y);
        for (size_t x = 0; x < c->width; x++)
            f[y * c->stride + x] = (float)(of->gain * ((double)edge[x] - of->level));
    }
}

static void upload(rec_convolution *c, const rec_problem *problem)
{
    const rec_image *start = problem->start ? problem->start : problem->edges;
    const double before = rec_now();
    float *next = c->block;
    const size_t kind = c->planes * c->step;
    rec_trace_push(REC_TRACE_UPLOAD, kind * sizeof *next);
    place(c, c->m, next);
    place(c, c->other, next += kind);
    if (c->filters.count > 1)
        place(c, c->last, next += kind);
    for (size_t p = 0; p < c->planes; p++) {
        fill_plane(c, &c->m[p], start, p);
        fill_plane(c, &c->other[p], start, p);
        if (!c->filters.items->of.adds)
            continue;
        c->f[p] = next + kind + p * c->step + c->margin;
        fill_terms(c, c->f[p], problem->edges, p);
    }
    rec_trace_pop();
    c->seconds_upload = rec_now() - before;
}

rec_status rec_convolution_create(void **state, const rec_problem *problem,
                                  const rec_convolution *shape, rec_error *error)
{
    const rec_image *edges = problem->edges;
    rec_convolution *c = malloc(sizeof *c);
    if (!c)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    *c = *shape;
    c->width = edges->width;
    c->height = edges->height;
    c->planes = edges->planes;
    c->boundary = problem->boundary;
    rec_status status = rec_filters_create(&c->filters, problem, c->passes, error);
    for (size_t i = 0; !status && i < c->filters.count; i++) {
        const rec_taps *taps = &c->filters.items[i].of.taps;
        const size_t radius = (size_t)(taps->width > taps->height ? taps->width : taps->height) / 2;
        c->radius = radius > c->radius ? radius : c->radius;
    }
    c->margin = (c->radius + LINE - 1) / LINE * LINE;
    c->stride = ((c->margin + c->width + c->radius + GAP + LINE - 1) / LINE | 1) * LINE;
    if (!status)
        status = allocate(c, error);
    if (status)
        rec_convolution_destroy(c);
    else {
        upload(c, problem);
        *state = c;
    }
    return status;
}

/* ---- iterating ---- */

/* The border of a plane, from its pixels; the rows above and below repeat whole rows with
 * theirs. */
static void fill_border(const rec_convolution *c, const rec_plane *plane, const rec_taps *taps)
{
    const rec_boundary_kind kind = c->boundary.kind;
    const ptrdiff_t width = (ptrdiff_t)c->width, height = (ptrdiff_t)c->height;
    const ptrdiff_t stride = (ptrdiff_t)c->stride, x_reach = taps->width / 2;
    const ptrdiff_t y_reach = taps->height / 2;
    if (kind == REC_BOUNDARY_HALO)
        return;
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (ptrdiff_t y = 0; y < height; y++) {
        float *row = plane->cells + y * stride;
        for (ptrdiff_t i = 1; i <= x_reach; i++) {
            row[-i] = row[rec_boundary_index(kind, -i, width)];
            row[width - 1 + i] = row[rec_boundary_index(kind, width - 1 + i, width)];
        }
    }
    const size_t bytes = (c->width + 2 * (size_t)x_reach) * sizeof *plane->cells;
    for (ptrdiff_t i = 1; i <= y_reach; i++) {
        float *first = plane->cells - x_reach;
        memcpy(first - i * stride, first + rec_boundary_index(kind, -i, height) * stride, bytes);
        memcpy(first + (height - 1 + i) * stride,
               first + rec_boundary_index(kind, height - 1 + i, height) * stride, bytes);
    }
}

/* Behind the width the last vector left what is not the constant halo. */
static void restore_halo(const rec_convolution *c, const rec_plane *plane, size_t y)
{
    float *row = plane->cells + y * c->stride;
    for (size_t i = 0; c->boundary.kind == REC_BOUNDARY_HALO && i < c->radius; i++)
        row[c->width + i] = c->boundary.value;
}

/* Rows first..end-1, and their changes: from `last`, and, where it is told, from what was in their
 * place. */
static void make_and_compare(const rec_convolution *c, rec_convolution_rows *rows,
                             const rec_convolution_task *task, const rec_plane *last, size_t first,
                             size_t end, int tells)
{
    float *before = c->before + rec_team_member() * CHUNK * c->width;
    for (size_t y = first; tells && y < end; y++)
        memcpy(before + (y - first) * c->width, task->out->cells + y * c->stride,
               c->width * sizeof *before);
    rows(task, first, end);
    for (size_t y = first; y < end; y++) {
        const float *now = task->out->cells + y * c->stride;
        c->row_changes[y] =
            rec_host_compare(now, last->cells + y * c->stride,
                             tells ? before + (y - first) * c->width : now, c->width);
    }
}

/* Applies stencil i to plane p, from m to other. With `last` the rows are compared with those of
 * the iterate before, and with what was in their place. */
static void apply(rec_convolution *c, size_t i, size_t p, const rec_plane *last)
{
    const rec_filter *filter = &c->filters.items[i];
    const rec_operator *of = &filter->of;
    rec_convolution_rows *const rows =
        rec_filters_separate(&c->filters, i, c->iterations) ? c->two_passes : c->direct;
    fill_border(c, &c->m[p], &of->taps);
#pragma omp parallel num_threads(c->threads)
    {
        const size_t team = rec_team_present(), member = rec_team_member();
        const size_t first = c->height * member / team, end = c->height * (member + 1) / team;
        const rec_convolution_task task = {
            .taps = &of->taps,
            .factors = &filter->factors,
            .out = &c->other[p],
            .in = &c->m[p],
            .f = of->adds ? c->f[p] : NULL,
            .width = c->width,
            .ring = c->rings ? c->rings + member * c->ring * c->stride : NULL,
        };
        /* Without a standstill to be told, all rows are made at once. */
        const size_t chunk = last && c->filters.count == 1 && c->iterations > 0 ? CHUNK : c->height;
        for (size_t y = first, stop; y < end; y = stop) {
            stop = y + chunk < end ? y + chunk : end;
            if (last)
                make_and_compare(c, rows, &task, last, y, stop, chunk == CHUNK);
            else
                rows(&task, y, stop);
        }
        for (size_t y = first; y < end; y++)
            restore_halo(c, &c->other[p], y);
    }
}

static void iterate(rec_convolution *c, int compared)
{
    c->sums = (rec_sums){.tells = c->filters.count == 1}; /* several stencils leave no M_(N-2) */
    for (size_t p = 0; compared && c->filters.count > 1 && p < c->planes; p++)
        for (size_t y = 0; y < c->height; y++)
            memcpy(c->last[p].cells + y * c->stride, c->m[p].cells + y * c->stride,
                   c->width * sizeof(float));
    for (size_t i = 0; i < c->filters.count; i++)
        for (size_t p = 0; p < c->planes; p++) {
            const int compares = compared && i + 1 == c->filters.count;
            apply(c, i, p, !compares ? NULL : c->filters.count > 1 ? &c->last[p] : &c->m[p]);
            if (compares)
                rec_sums_add_rows(&c->sums, p, c->row_changes, c->height, 1, 0);
            const rec_plane m = c->m[p];
            c->m[p] = c->other[p];
            c->other[p] = m;
        }
    c->iterations++;
}

rec_status rec_convolution_advance(void *state, uint64_t n, rec_ending ending, rec_error *error)
{
    (void)error;
    rec_convolution *c = state;
    for (uint64_t i = 0; i < n; i++)
        iterate(c, ending == REC_END_COMPARING && i + 1 == n);
    return REC_OK;
}

void rec_convolution_collect(const void *state, int change, int distance, rec_sums *sums)
{
    (void)distance;
    const rec_convolution *c = state;
    const int tells = sums->tells;
    if (change)
        *sums = c->sums; /* of the whole image */
    sums->tells &= tells;
}

rec_status rec_convolution_planes(void *state, rec_planes *shown, rec_error *error)
{
    (void)error;
    const rec_convolution *c = state;
    *shown = (rec_planes){
        .width = c->width,
        .height = c->height,
        .planes = c->planes,
        .pitch = c->stride,
        .step = c->step,
        .m = c->m[0].cells,
        .threads = c->threads,
    };
    return REC_OK;
}

void rec_convolution_get_info(const void *state, rec_solver_info *info)
{
    const rec_convolution *c = state;
    *info = (rec_solver_info){.kernel = c->filters.exact ? "separable" : c->kernel,
                              .seconds_upload = c->seconds_upload};
    rec_processor_name(info->device, sizeof info->device, c->threads);
}
