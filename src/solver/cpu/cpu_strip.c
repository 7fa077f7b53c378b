/* A strip is made in blocks of rows, from the top down. A block fits into the first cache, and goes
 * through one stage of the inner loop (cpu_rows.h) after the other: what a stage leaves in the
 * window is the next one's input. From stage to stage its rows move up by the stage's iterations:
 *
 *                      stage 0      stage 1      stage 2
 *     block 0        rows 0..31    -3..28       -6..25
 *     block 1        rows 32..63   29..60       26..57
 *
 * So every row that a stage needs is there. Rows and columns outside the image hold the halo in
 * every iterate; only the stages that touch them pay for that. */
#include "solver/cpu/cpu_strip.h"

#include <string.h>

#include "base/memory.h"

enum {
    BLOCK = 32, /* rows of a block at most */
    LINE = REC_ALIGNMENT / sizeof(float),
    MOST_LINES = 4 /* of a row of a strip */
};

/* One block of a strip in one stage. */
typedef struct place {
    ptrdiff_t block; /* of the band's rows: the first, counted from the top, */
    ptrdiff_t rows;  /* and their number */
    int iterate;     /* that comes in */
    int levels;
} place;

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* Each part of the memory begins a cache line. */
static size_t whole_lines(size_t floats) { return (floats + LINE - 1) / LINE * LINE; }

static size_t carry_rows(size_t rows) { return rows + BLOCK; }

size_t rec_cpu_band_carry(int depth, size_t rows)
{
    return whole_lines(2 * (size_t)depth * carry_rows(rows));
}

size_t rec_cpu_band_handed(const rec_cpu_loops *loops, int depth)
{
    return 2 * (size_t)depth * loops->width;
}

size_t rec_cpu_band_memory(const rec_cpu_loops *loops, int depth)
{
    return (BLOCK + 3) * loops->width + rec_cpu_band_handed(loops, depth) +
           whole_lines((size_t)depth);
}

/* A strip in hand. */
typedef struct work {
    const rec_cpu_band *band;
    ptrdiff_t x;       /* of its first column in iterate 0 */
    float *window;     /* a block of it */
    float *state;      /* rec_cpu_stage's, between blocks */
    float *halo;       /* its rows of constants */
    int32_t *inside, *outside;
} work;

static work begin_strip(const rec_cpu_band *b, size_t number)
{
    const size_t strip = b->loops->width, depth = (size_t)b->depth;
    const float halo = b->m[-1];
    work w = {.band = b, .x = (ptrdiff_t)(number * strip), .window = b->memory};
    w.state = w.window + BLOCK * strip;
    w.halo = w.state + rec_cpu_band_handed(b->loops, b->depth);
    w.outside = (int32_t *)(void *)(w.halo + strip);
    w.inside = w.outside + strip;
    for (size_t i = 0; i < strip; i++) {
        w.halo[i] = halo;
        w.outside[i] = 0;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)(depth + strip); i++)
        w.inside[i] = w.x - b->depth + i >= 0 && w.x - b->depth + i < b->width ? -1 : 0;
    /* Left of the first strip is the halo. */
    const size_t carried = 2 * depth * carry_rows((size_t)(b->bottom - b->top));
    for (size_t i = 0; number == 0 && i < carried; i++)
        b->carry[i] = halo;
    return w;
}

/* Rows of a strip, from column x on, go where they belong in a plane. */
static void put_rows(const rec_cpu_band *b, float *plane, ptrdiff_t x, ptrdiff_t first,
                     ptrdiff_t end, const float *row, ptrdiff_t stride)
{
    const ptrdiff_t strip = (ptrdiff_t)b->loops->width;
    const ptrdiff_t left = larger(x, 0), right = smaller(x + strip, b->width);
    for (ptrdiff_t y = first; y < end && left < right; y++, row += stride)
        if (y >= 0 && y < b->height)
            memcpy(plane + y * b->stride + left, row + (left - x),
                   (size_t)(right - left) * sizeof *row);
}

/* The cache lines of m and f in the first row of a block that begins at a row and a column, and
 * their number. */
static int lines_of(const rec_cpu_band *b, ptrdiff_t row, ptrdiff_t x, const float **lines)
{
    const ptrdiff_t most = larger(b->height - BLOCK, 0); /* BLOCK rows of the image follow it */
    const ptrdiff_t first = smaller(larger(row, 0), most) * b->stride + x;
    int count = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)b->loops->width; i += LINE) {
        lines[count++] = b->m + first + i;
        lines[count++] = b->f + first + i;
    }
    return count;
}

/* Those of the next block. They are fetched during this one, two lines of every row in each of the
 * first stages: the processor does not predict the way from strip to strip. */
static int look_ahead(const work *w, const place *at, const float **lines)
{
    const rec_cpu_band *const b = w->band;
    const ptrdiff_t next = b->top + at->block + at->rows;
    if (next < b->bottom)
        return lines_of(b, next, w->x, lines);
    return lines_of(b, b->top, w->x + (ptrdiff_t)b->loops->width, lines);
}

void rec_cpu_band_fetch(const rec_cpu_band *b, size_t number)
{
    const float *lines[2 * MOST_LINES];
    const int count = lines_of(b, b->top, (ptrdiff_t)(number * b->loops->width), lines);
    for (ptrdiff_t y = 0; y < smaller(BLOCK, b->height); y++)
        for (int i = 0; i < count; i++)
            __builtin_prefetch(lines[i] + y * b->stride);
}

static void run_stage(const work *w, const place *at, const float *above, float *below,
                      const float *const *ahead, float *carry)
{
    const rec_cpu_band *const b = w->band;
    const rec_cpu_loops *const loops = b->loops;
    const ptrdiff_t strip = (ptrdiff_t)loops->width, levels = at->levels;
    const ptrdiff_t row = b->top + at->block - at->iterate; /* in the window's first */
    /* Not more than one row outside the image. */
    const ptrdiff_t first = larger(row, -1);
    const ptrdiff_t end = smaller(row + at->rows, b->height + levels);
    if (first >= end)
        return;
    const ptrdiff_t x = w->x - at->iterate; /* of the first column in */
    const int final = at->iterate + at->levels == b->depth;
    const int border = x - levels < 0 || x - 1 + strip > b->width || first < levels ||
                       end > b->height;
    const int direct = final && !border && at->levels == loops->levels;
    const int beyond = !at->iterate && x > b->width; /* right of the image and its halo */
    float *const window = w->window + (first - row) * strip;
    rec_cpu_stage stage = {
        .in = at->iterate ? window : beyond ? w->halo : b->m + first * b->stride + x,
        .in_stride = at->iterate ? strip : beyond ? 0 : b->stride,
        .out = direct ? b->m + (first - levels) * b->stride + x - levels : window,
        .out_stride = direct ? b->stride : strip,
        .f = b->f + first * b->stride + x,
        .f_stride = b->stride,
        .rows = end - first,
        .above = above + 2 * at->iterate * strip,
        .below = below + 2 * at->iterate * strip,
        .carry = carry + 2 * levels * (at->block + first - row),
        .ahead = {ahead[0], ahead[1]},
        .ahead_stride = b->height < BLOCK ? 0 : b->stride,
        .y = first,
        .height = b->height,
        .halo = w->halo,
        .inside = w->inside + b->depth - at->iterate,
        .outside = w->outside,
    };
    if (final && b->before)
        put_rows(b, b->before, x, first, end, stage.in, stage.in_stride);
    if (at->levels < loops->levels)
        loops->single(&stage);
    else if (border)
        loops->border(&stage);
    else
        loops->deep(&stage);
    if (final && !direct)
        put_rows(b, b->m, x - levels, first - levels, end - levels, window, strip);
}

/* What the band above hands down is in another core's cache: it is prefetched a stage ahead. */
static void fetch_state(const float *state, ptrdiff_t floats)
{
    for (ptrdiff_t i = 0; i < floats; i += LINE)
        __builtin_prefetch(state + i);
}

void rec_cpu_band_strip(const rec_cpu_band *b, size_t number)
{
    const rec_cpu_loops *const loops = b->loops;
    const ptrdiff_t depth = b->depth, strip = (ptrdiff_t)loops->width;
    const ptrdiff_t deep = b->before ? depth - 1 : depth; /* the last iteration is a stage alone */
    const ptrdiff_t rows = b->bottom - b->top, blocks = (rows - 1) / BLOCK + 1;
    const size_t handed = number * rec_cpu_band_handed(loops, b->depth);
    const work w = begin_strip(b, number);
    place at;
    for (ptrdiff_t i = 0; i < blocks; i++) {
        at.block = rows * i / blocks;
        at.rows = rows * (i + 1) / blocks - at.block;
        /* Above the image's top nobody looks at what the state holds. */
        const float *const above = i == 0 && b->above ? b->above + handed : w.state;
        float *const below = i == blocks - 1 && b->below ? b->below + handed : w.state;
        const float *lines[2 * MOST_LINES];
        const int count = look_ahead(&w, &at, lines);
        float *carry = b->carry;
        at.iterate = 0;
        for (int line = 0; at.iterate < depth; line = line + 2 < count - 2 ? line + 2 : count - 2) {
            at.levels = at.iterate + loops->levels <= deep ? loops->levels : 1;
            const ptrdiff_t next = at.iterate + at.levels;
            if (above != w.state)
                fetch_state(above + 2 * next * strip, 2 * at.levels * strip);
            run_stage(&w, &at, above, below, lines + line, carry);
            carry += 2 * at.levels * (ptrdiff_t)carry_rows((size_t)rows);
            at.iterate = (int)next;
        }
    }
}
