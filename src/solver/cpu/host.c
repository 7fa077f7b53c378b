/* The state of a solver of the host: its memory, its plain iterations and looks, and the exchange
 * of ghost rows. */
#include "solver/cpu/host.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "base/trace.h"
#include "kernels/stencil.h"

/* Before a row: room for the halo cell, and rows stay aligned. */
#define MARGIN 16
/* Between rows: vectors that begin in the image or its halo end before the next row's halo. */
#define GAP 80
/* Floats of a cache line. A row is an odd number of lines, so that the same columns of rows below
 * each other spread over all sets of a cache. */
#define LINE (REC_ALIGNMENT / sizeof(float))
/* Behind the last row: vectors that begin in the image may end outside. */
#define SLACK 128

/* Fills the own rows of a plane, with the terms of edges or as they are, and the rest with the
 * halo. Every thread writes its share of the rows, so that on machines with several memories the
 * pages are spread over them. */
REC_TASK(fill_rows, const rec_host *host; float *cells; const rec_image *image; size_t plane;
         int terms; float halo)
{
    const rec_host *host = job->host;
    const rec_slab *slab = &host->slab;
    for (size_t i = first; i < end; i++) {
        const ptrdiff_t y = (ptrdiff_t)i - 1;
        float *row = job->cells + y * (ptrdiff_t)host->stride;
        const size_t own = (size_t)y - slab->above; /* far too large above the first */
        for (size_t x = 0; x < host->stride; x++)
            row[(ptrdiff_t)x - MARGIN] = job->halo;
        if (own < slab->rows)
            memcpy(row, rec_image_row(job->image, job->plane, slab->first + own),
                   host->width * sizeof *row);
        for (size_t x = 0; job->terms && own < slab->rows && x < host->width; x++)
            row[x] = rec_edge_term(row[x]);
    }
}

size_t rec_host_bytes(const rec_problem *problem, const rec_solver_options *options)
{
    const rec_image *edges = problem->input;
    return 3 * sizeof(float) * edges->planes * edges->height * edges->width;
}

rec_status rec_host_create(rec_host *host, const rec_problem *problem, const rec_slab *slab,
                           const char *kernel, rec_host_rows *rows, int threads, rec_error *error)
{
    const rec_image *edges = problem->input;
    *host = (rec_host){.width = edges->width, .height = rec_slab_height(slab), .slab = *slab,
                       .planes = edges->planes,
                       .stride = ((edges->width + GAP + LINE - 1) / LINE | 1) * LINE,
                       .threads = threads, .boundary = problem->boundary.kind,
                       .masked = problem->mask != NULL, .rows = rows, .kernel = kernel};
    host->step = (host->height + 2) * host->stride;
    const size_t floats = 3 * host->planes * host->step + SLACK;
    REC_TRACE("allocate", floats * sizeof(float));
    REC_TRY(rec_allocate(&host->block, floats, sizeof(float), "the picture, twice, and its edges",
                         error));
    REC_TRY(rec_allocate(&host->changes, host->planes * host->height, sizeof(rec_row_change),
                         "norms", error));
    REC_TRY(rec_allocate(&host->residuals, 3 * (size_t)threads * (host->width + 2), sizeof(double),
                         "norms", error));
    host->m = host->block + host->stride + MARGIN;
    host->other = host->m + host->planes * host->step;
    host->f = host->other + host->planes * host->step;
    rec_processor_name(host->costs.device, sizeof host->costs.device, host->threads);
    return rec_host_load(host, problem, error);
}

rec_status rec_host_load(void *state, const rec_problem *problem, rec_error *error)
{
    rec_host *host = state;
    const rec_image *edges = problem->input;
    const rec_image *start = problem->start ? problem->start : edges;
    const double before = rec_now();
    REC_TRACE("upload", 3 * host->planes * host->height * host->stride * sizeof(float));
    float *const to[] = {host->m, host->other, host->f};
    for (size_t i = 0; i < 3 * host->planes; i++)
        REC_SHARE(host->threads, host->height + 2, fill_rows, host,
                  to[i % 3] + i / 3 * host->step, i % 3 == 2 ? edges : start, i / 3, i % 3 == 2,
                  problem->boundary.value);
    host->costs.seconds_upload = rec_now() - before;
    return REC_OK;
}

void rec_host_destroy(void *state)
{
    rec_host *host = state;
    rec_free(host->block);
    rec_free(host->changes);
    rec_free(host->residuals);
}

/* Makes the halo of a plane; the corners are never read. A fixed one stays as it is. */
static void make_halo(const rec_host *host, float *first)
{
    const size_t width = host->width, stride = host->stride;
    const rec_beyond x = rec_boundaries[host->boundary].x, y = rec_boundaries[host->boundary].y;
    float *last = first + (host->height - 1) * stride;
    float *above = first - stride, *below = last + stride;
    for (size_t i = 0; y != REC_FIXED && i < width; i++) {
        above[i] = (float)rec_ghost(y, first[i], last[i], 0);
        below[i] = (float)rec_ghost(y, last[i], first[i], 0);
    }
    for (float *row = first; x != REC_FIXED && row <= last; row += stride) {
        row[-1] = (float)rec_ghost(x, row[0], row[width - 1], 0);
        row[width] = (float)rec_ghost(x, row[width - 1], row[0], 0);
    }
}

/* To compare, a copy of one row of M_(N-2), which the result replaces, shows whether anything still
 * moves. */
REC_TASK(iterate_rows, const rec_host *host; rec_row_change *const changes; size_t plane)
{
    const rec_host *host = job->host;
    const size_t plane = job->plane * host->step;
    float *before = (float *)(host->residuals + 3 * member * (host->width + 2));
    for (size_t y = first; y < end; y++) {
        float *now = host->other + plane + y * host->stride;
        if (job->changes)
            memcpy(before, now, host->width * sizeof *now);
        host->rows(host->other + plane, host->m + plane, host->f + plane, host->stride,
                   host->width, y, y + 1);
        if (job->changes)
            job->changes[y] =
                rec_host_compare(now, host->m + plane + y * host->stride, before, host->width);
    }
}

void rec_host_iterate(rec_host *host, int compares)
{
    for (size_t p = 0; p < host->planes; p++) {
        make_halo(host, host->m + p * host->step);
        REC_SHARE(host->threads, host->height, iterate_rows, host,
                  compares ? host->changes + p * host->height : NULL, p);
    }
    float *const m = host->m;
    host->m = host->other;
    host->other = m;
}

enum { LANES = 8 };
typedef struct lanes {
    double squares[LANES], maximum[LANES];
    uint32_t alternating[LANES], moving[LANES];
} lanes;

/* What one column adds to lane k. */
static inline void compare_cells(lanes *to, size_t k, const float *now, const float *last,
                                 const float *before)
{
    const double d = fabs((double)*now - (double)*last);
    uint32_t bits, last_bits, before_bits;
    memcpy(&bits, now, sizeof bits);
    memcpy(&last_bits, last, sizeof bits);
    memcpy(&before_bits, before, sizeof bits);
    to->squares[k] += d * d;
    to->maximum[k] = d > to->maximum[k] ? d : to->maximum[k];
    to->alternating[k] += bits != last_bits;
    to->moving[k] += bits != before_bits;
}

/* Column x goes to lane x % LANES, and the lanes are added in their order at the end of the row: a
 * compiler may do them at once, and the sum of a row is always the same. Without the pragma gcc
 * unrolls them first, and then shuffles more than it adds. */
rec_row_change rec_host_compare(const float *now, const float *last, const float *before,
                                size_t width)
{
    lanes sums = {0};
    rec_row_change change = {0};
    size_t x = 0;
    for (; x + LANES <= width; x += LANES)
#pragma omp simd
        for (size_t k = 0; k < LANES; k++)
            compare_cells(&sums, k, now + x + k, last + x + k, before + x + k);
    for (size_t k = 0; x < width; x++, k++)
        compare_cells(&sums, k, now + x, last + x, before + x);
    for (size_t k = 0; k < LANES; k++) {
        change.squares += sums.squares[k];
        change.maximum = fmax(change.maximum, sums.maximum[k]);
        change.alternating += sums.alternating[k];
        change.moving += sums.moving[k];
    }
    return change;
}

rec_status rec_host_advance(void *state, uint64_t n, int compares, rec_error *error)
{
    for (uint64_t i = 1; i <= n; i++)
        rec_host_iterate(state, compares && i == n);
    return REC_OK;
}

/* r = J(M) - M along row y, which may be in the halo, and in its halo columns. The halo of r
 * follows from r by the rules of M, with the constant 0. r points at column 0. */
static void residual_row(double *r, const rec_host *host, size_t plane, ptrdiff_t y)
{
    const size_t stride = host->stride;
    const rec_beyond rule_x = rec_boundaries[host->boundary].x;
    const rec_beyond rule_y = rec_boundaries[host->boundary].y;
    const size_t width = host->width;
    const ptrdiff_t last = (ptrdiff_t)host->height - 1;
    double factor = 1; /* of a halo row: what it is of the border row that it follows from */
    if (y < 0 || y > last) {
        const double opposite = rec_ghost(rule_y, 0, 1, 0);
        factor = rec_ghost(rule_y, 1, 1, 0);
        y = (y < 0) == (opposite == 0) ? 0 : last;
    }
    const float *row = host->m + plane * host->step + (size_t)y * stride;
    const float *up = row - stride, *down = row + stride;
    const float *term = host->f + plane * host->step + (size_t)y * stride;
    for (size_t x = 0; x < width; x++)
        r[x] = factor *
               rec_residual(up[x], row[(ptrdiff_t)x - 1], row[x + 1], down[x], term[x], row[x]);
    for (size_t x = 0; host->masked && x < width; x++)
        r[x] = rec_is_known(term[x]) ? 0 : r[x];
    r[-1] = rec_ghost(rule_x, r[0], r[width - 1], 0);
    r[width] = rec_ghost(rule_x, r[width - 1], r[0], 0);
}

/* The distance of the slab's own rows. Walks down them and keeps three rows of residuals: row i - 1
 * is the i % 3th. A known pixel has none. */
REC_TASK(square_rows, const rec_host *host; size_t plane)
{
    const rec_host *host = job->host;
    const size_t width = host->width, begin = host->slab.above + first;
    const size_t stop = host->slab.above + end;
    double *ring[3];
    for (size_t i = 0; i < 3; i++)
        ring[i] = host->residuals + (3 * member + i) * (width + 2) + 1;
    for (size_t i = begin + (follows ? 2 : 0); i < stop + 2; i++) {
        residual_row(ring[i % 3], host, job->plane, (ptrdiff_t)i - 1);
        if (i < begin + 2)
            continue;
        const double *up = ring[(i - 2) % 3], *row = ring[(i - 1) % 3], *down = ring[i % 3];
        const float *term = host->f + job->plane * host->step + (i - 2) * host->stride;
        double squares = 0.0;
        for (size_t x = 0; x < width; x++) {
            if (host->masked && rec_is_known(term[x]))
                continue;
            /* J(J(M)) - M = r + A r */
            const double d = row[x] + 0.25 * ((up[x] + row[(ptrdiff_t)x - 1]) +
                                              (row[x + 1] + down[x]));
            squares += d * d;
        }
        host->changes[job->plane * host->height + i - 2].distance = squares;
    }
}

rec_status rec_host_distance(void *state, rec_error *error)
{
    const rec_host *host = state;
    for (size_t p = 0; p < host->planes; p++) {
        make_halo(host, host->m + p * host->step);
        REC_SHARE(host->threads, host->slab.rows, square_rows, host, p);
    }
    return REC_OK;
}

void rec_host_collect(const void *state, int change, int distance, rec_sums *sums)
{
    const rec_host *host = state;
    const rec_row_change *changes = host->changes + host->slab.above;
    for (size_t p = 0; p < host->planes; p++)
        rec_sums_add_rows(sums, p, changes + p * host->height, host->slab.rows, change, distance);
}

static float *row_of(const rec_host *host, rec_trade field, size_t plane, size_t y)
{
    return (field == REC_FIELD_TERMS ? host->f : host->m) + plane * host->step + y * host->stride;
}

static rec_strip strip_of(const rec_host *host, rec_trade field, size_t plane, rec_border border)
{
    return (rec_strip){row_of(host, field, plane, border.own),
                       row_of(host, field, plane, border.ghosts),
                       border.rank ? border.rows * host->stride : 0};
}

rec_status rec_host_exchange(void *const *states, size_t count, rec_trade field, rec_error *error)
{
    for (size_t i = 0; i < 2 * count; i++) { /* from the slab above, and from the one below */
        const int below = i % 2;
        const rec_host *own = states[i / 2];
        const rec_host *other = states[(below ? i / 2 + 1 : i / 2 + count - 1) % count];
        const rec_border at = rec_border_of(&own->slab, below);
        const rec_border from = rec_border_of(&other->slab, !below);
        for (size_t p = 0; !at.rank && p < own->planes; p++)
            rec_copy_rows(row_of(own, field, p, at.ghosts), own->stride,
                          row_of(other, field, p, from.own), other->stride, own->width, at.rows);
    }
    const rec_host *first = states[0], *last = states[count - 1];
    const rec_border above = rec_border_of(&first->slab, 0), below = rec_border_of(&last->slab, 1);
    for (size_t p = 0; p < first->planes; p++)
        rec_ranks_exchange(
            (rec_strip[2]){strip_of(first, field, p, above), strip_of(last, field, p, below)});
    return REC_OK;
}

rec_status rec_host_planes(void *state, rec_planes *planes, rec_error *error)
{
    const rec_host *host = state;
    *planes = (rec_planes){.width = host->width, .height = host->slab.rows, .planes = host->planes,
                           .pitch = host->stride, .step = host->step,
                           .m = host->m + host->slab.above * host->stride,
                           .f = host->f + host->slab.above * host->stride};
    return REC_OK;
}

void rec_host_get_info(const void *state, rec_solver_info *info)
{
    const rec_host *host = state;
    *info = (rec_solver_info){.kernel = host->kernel, .costs = host->costs};
}
