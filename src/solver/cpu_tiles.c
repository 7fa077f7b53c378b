/* A pass takes the image `depth` iterations on, reading m and f once and writing `other` once.
 *
 * Every thread has its tiles, bands of rows. Rows of other tiles that a tile depends on it makes
 * itself, one fewer with each iteration, so that threads meet only between passes. Within the tile
 * strips of columns follow each other from left to right; a strip moves one column to the left with
 * each iteration and takes what it needs of its left neighbour from where that left it:
 *
 *     iterate         rows of a tile                 columns of its strips
 *     depth             _________                _________________________
 *                      /         \               \       \       \       \
 *                     /           \               \       \       \       \
 *     0              /_____________\               \_______\_______\_______\
 *
 * Down a strip go blocks of rows, small enough for the first cache, and a block goes through one
 * stage of the inner loop (cpu_rows.h) after the other: what a stage leaves in the window is the
 * next one's input. From stage to stage the block's rows move up, by the iterations of a stage:
 *
 *                      stage 0      stage 1      stage 2
 *     block 0        rows 0..31    -3..28       -6..25
 *     block 1        rows 32..63   29..60       26..57
 *
 * so that every row a stage needs is there. Rows and columns outside the image hold the halo at
 * every iterate; only stages that touch them pay for it. */
#include "solver/cpu_tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"

enum {
    BLOCK = 32,       /* rows of a block */
    DEPTH = 48,       /* iterations of a pass at most: half of it is slower, twice it no faster */
    TILE_ROWS = 1024, /* at most: more, and `carry` leaves the second cache */
    LINE = REC_ALIGNMENT / sizeof(float),
    MOST_LINES = 4    /* of a row of a strip */
};

/* Floats of a thread's memory; each part begins a cache line. */
typedef struct layout {
    size_t window, state, halo, inside, outside, carry, size;
} layout;

static layout lay_out(const rec_cpu_loops *loops, int depth, size_t tile_rows)
{
    const size_t width = loops->width, levels = (size_t)depth;
    const size_t rows = tile_rows + 2 * levels + BLOCK;
    layout l = {0};
    l.state = l.window + BLOCK * width;
    l.halo = l.state + 2 * levels * width;
    l.inside = l.halo + width;
    l.outside = l.inside + (levels + LINE - 1) / LINE * LINE + width;
    l.carry = l.outside + width;
    l.size = l.carry + (2 * levels * rows + LINE - 1) / LINE * LINE;
    return l;
}

typedef struct tile {
    const rec_cpu_loops *loops;
    const float *m, *f;
    float *other;
    ptrdiff_t stride, width, height; /* of the image */
    ptrdiff_t top, bottom;           /* rows top..bottom-1 are this tile's */
    int depth;
    float *window;                   /* BLOCK rows of a strip */
    float *state, *halo, *carry;
    int32_t *inside, *outside;
} tile;

/* One block of a strip in one stage. */
typedef struct place {
    ptrdiff_t x;     /* of the strip's first column in iterate 0 */
    ptrdiff_t block; /* of the tile's rows, counted from top - depth */
    int iterate;     /* that comes in */
    int levels;
} place;

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* Rows of the window that are the tile's, of the finished iterate, go where they belong. */
static void put_rows(const tile *t, ptrdiff_t x, ptrdiff_t first, ptrdiff_t end, const float *row)
{
    const ptrdiff_t strip = (ptrdiff_t)t->loops->width;
    const ptrdiff_t left = larger(x, 0), right = smaller(x + strip, t->width);
    for (ptrdiff_t y = first; y < end && left < right; y++, row += strip)
        if (y >= t->top && y < t->bottom)
            memcpy(t->other + y * t->stride + left, row + (left - x),
                   (size_t)(right - left) * sizeof *row);
}

/* The cache lines of m, f and other in the first row of the strip's next block, and their number.
 * While this block is worked on they are fetched, two lines of every row in each of the first
 * stages: the processor's own prefetching does not see through the strips. */
static int look_ahead(const tile *t, const place *at, const float **lines)
{
    const ptrdiff_t strip = (ptrdiff_t)t->loops->width;
    const ptrdiff_t most = larger(t->height - BLOCK, 0);
    const ptrdiff_t next = t->top - t->depth + at->block + BLOCK;
    const ptrdiff_t in = smaller(larger(next, 0), most) * t->stride + at->x;
    const ptrdiff_t out =
        smaller(larger(next - t->depth, 0), most) * t->stride + at->x - t->depth;
    int count = 0;
    for (ptrdiff_t x = 0; x < strip; x += LINE) {
        lines[count++] = t->m + in + x;
        lines[count++] = t->f + in + x;
        lines[count++] = t->other + out + x;
    }
    return count;
}

static void run_stage(const tile *t, const place *at, const float *const *ahead, float *carry)
{
    const rec_cpu_loops *const loops = t->loops;
    const ptrdiff_t strip = (ptrdiff_t)loops->width, levels = at->levels;
    const ptrdiff_t row = t->top - t->depth + at->block - at->iterate; /* in the window's first */
    /* Not above what the iterate has, nor more than one row outside the image. */
    const ptrdiff_t first = larger(row, larger(t->top - t->depth + at->iterate, -1));
    const ptrdiff_t end = smaller(row + BLOCK, smaller(t->bottom + t->depth - at->iterate,
                                                       t->height + levels));
    if (first >= end)
        return;
    const ptrdiff_t x = at->x - at->iterate; /* of the first column in */
    const int final = at->iterate + at->levels == t->depth;
    const int border = x - levels < 0 || x - 1 + strip > t->width || first < levels ||
                       end > t->height;
    const int direct = final && !border && at->levels == loops->levels &&
                       first - levels >= t->top && end - levels <= t->bottom;
    float *const window = t->window + (first - row) * strip;
    rec_cpu_stage stage = {
        .in = at->iterate ? window : t->m + first * t->stride + x,
        .in_stride = at->iterate ? strip : t->stride,
        .out = direct ? t->other + (first - levels) * t->stride + x - levels : window,
        .out_stride = direct ? t->stride : strip,
        .f = t->f + first * t->stride + x,
        .f_stride = t->stride,
        .rows = end - first,
        .state = t->state + 2 * at->iterate * strip,
        .carry = carry + 2 * levels * (at->block + first - row),
        .ahead = {ahead[0], ahead[1]},
        .ahead_stride = t->height < BLOCK ? 0 : t->stride,
        .y = first,
        .height = t->height,
        .halo = t->halo,
        .inside = t->inside + t->depth - at->iterate,
        .outside = t->outside,
    };
    if (at->levels < loops->levels)
        loops->single(&stage);
    else if (border)
        loops->border(&stage);
    else
        loops->deep(&stage);
    if (final && !direct)
        put_rows(t, x - levels, first - levels, end - levels, window);
}

static void iterate_tile(const tile *t)
{
    const rec_cpu_loops *const loops = t->loops;
    const ptrdiff_t strip = (ptrdiff_t)loops->width, depth = t->depth;
    const ptrdiff_t rows = t->bottom - t->top + 2 * depth;
    const float halo = t->m[-1];
    for (ptrdiff_t i = 0; i < strip; i++) {
        t->halo[i] = halo;
        t->outside[i] = 0;
    }
    /* Left of the first strip is the halo. */
    for (ptrdiff_t i = 0; i < 2 * depth * (rows + BLOCK); i++)
        t->carry[i] = halo;
    place at;
    for (at.x = 0; at.x - depth < t->width; at.x += strip) {
        for (ptrdiff_t i = 0; i < depth + strip; i++)
            t->inside[i] = at.x - depth + i >= 0 && at.x - depth + i < t->width ? -1 : 0;
        for (at.block = 0; at.block < rows; at.block += BLOCK) {
            const float *lines[3 * MOST_LINES];
            const int count = look_ahead(t, &at, lines);
            float *carry = t->carry;
            at.iterate = 0;
            for (int i = 0; at.iterate < depth; i = i + 2 < count - 2 ? i + 2 : count - 2) {
                at.levels = at.iterate + loops->levels <= depth ? loops->levels : 1;
                run_stage(t, &at, lines + i, carry);
                carry += 2 * at.levels * (rows + BLOCK);
                at.iterate += at.levels;
            }
        }
    }
}

/* Of all depths the one whose passes cost least an iteration: the rows that are made twice and the
 * strips' columns beyond the image against memory and the threads' meeting, which cost a pass about
 * as much as eight iterations. */
static int choose_depth(const rec_cpu_loops *loops, size_t width, size_t tile_rows)
{
    int best = loops->levels;
    double least = HUGE_VAL;
    for (int depth = loops->levels; depth <= DEPTH; depth += loops->levels) {
        const size_t strips = (width + (size_t)depth + loops->width - 1) / loops->width;
        const double cost =
            (double)strips * (double)(tile_rows + (size_t)depth) * (1 + 8.0 / depth);
        if (cost < least) {
            least = cost;
            best = depth;
        }
    }
    return best;
}

rec_status rec_cpu_tiles_create(rec_cpu_tiles *tiles, const rec_cpu_loops *loops,
                                const rec_host *host, rec_error *error)
{
    const size_t threads = (size_t)host->threads;
    *tiles = (rec_cpu_tiles){.loops = loops};
    tiles->count = (host->height + threads * TILE_ROWS - 1) / (threads * TILE_ROWS) * threads;
    const size_t tile_rows = (host->height + tiles->count - 1) / tiles->count;
    tiles->depth = choose_depth(loops, host->width, tile_rows);
    tiles->thread_size = lay_out(loops, tiles->depth, tile_rows).size;
    return rec_allocate(&tiles->memory, threads * tiles->thread_size, sizeof(float),
                        "the threads' blocks", error);
}

void rec_cpu_tiles_destroy(rec_cpu_tiles *tiles)
{
    rec_free(tiles->memory);
    *tiles = (rec_cpu_tiles){0};
}

/* The iterations of the next pass: as alike as passes can be that end a stage where they may. */
static int next_depth(const rec_cpu_tiles *tiles, uint64_t left)
{
    const uint64_t most = (uint64_t)tiles->depth, levels = (uint64_t)tiles->loops->levels;
    const uint64_t passes = (left - 1) / most + 1;
    const uint64_t even = (left - 1) / passes + 1;
    const uint64_t depth = (even + levels - 1) / levels * levels;
    return (int)(depth < left ? depth : left);
}

/* A thread's share of a pass. */
static void iterate_planes(const rec_cpu_tiles *tiles, const rec_host *host, const rec_plane *from,
                           const rec_plane *to, int depth)
{
    size_t thread = 0;
#ifdef _OPENMP
    thread = (size_t)omp_get_thread_num();
#endif
    const size_t tile_rows = (host->height + tiles->count - 1) / tiles->count;
    const layout l = lay_out(tiles->loops, depth, tile_rows);
    float *const memory = (float *)tiles->memory + thread * tiles->thread_size;
    for (size_t p = 0; p < host->planes; p++) {
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < tiles->count; i++) {
            const tile t = {
                .loops = tiles->loops,
                .m = from[p].cells,
                .f = host->f[p],
                .other = to[p].cells,
                .stride = (ptrdiff_t)host->stride,
                .width = (ptrdiff_t)host->width,
                .height = (ptrdiff_t)host->height,
                .top = (ptrdiff_t)(i * host->height / tiles->count),
                .bottom = (ptrdiff_t)((i + 1) * host->height / tiles->count),
                .depth = depth,
                .window = memory + l.window,
                .state = memory + l.state,
                .halo = memory + l.halo,
                .carry = memory + l.carry,
                .inside = (int32_t *)(void *)(memory + l.inside),
                .outside = (int32_t *)(void *)(memory + l.outside),
            };
            iterate_tile(&t);
        }
    }
}

void rec_cpu_tiles_iterate(const rec_cpu_tiles *tiles, rec_host *host, uint64_t n)
{
    int odd = 0;
#pragma omp parallel num_threads(host->threads)
    {
        int swapped = 0;
        for (uint64_t left = n; left > 0; swapped = !swapped) {
            const int depth = next_depth(tiles, left);
            iterate_planes(tiles, host, swapped ? host->other : host->m,
                           swapped ? host->m : host->other, depth);
            left -= (uint64_t)depth;
#pragma omp barrier
        }
#pragma omp master
        odd = swapped;
    }
    for (size_t p = 0; odd && p < host->planes; p++) {
        const rec_plane m = host->m[p];
        host->m[p] = host->other[p];
        host->other[p] = m;
    }
    host->iterations += n;
}
