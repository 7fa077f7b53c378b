/* A strip is made in blocks of rows, from the top down. A block fits into the first cache, and goes
 * through one stage of the inner loop (cpu_rows.c) after the other: what a stage leaves in the
 * window is the next one's input. From stage to stage its rows move up by the stage's iterations:
 *
 *                      stage 0      stage 1      stage 2
 *     block 0        rows 0..47    -3..44       -6..41
 *     block 1        rows 48..95   45..92       42..89
 *
 * So every row that a stage needs is there. Rows and columns outside the image hold the halo in
 * every iterate; only the stages that touch them pay for that, and where a stage's strip is all
 * outside it makes no rows. */
#include "solver/cpu/cpu_tiles.h"

#include <string.h>

#include "base/memory.h"

enum { LINE = REC_ALIGNMENT / sizeof(float) };

/* One block of a strip in one stage. */
typedef struct place {
    ptrdiff_t x;     /* of the strip's first column in the block's first row, in iterate 0 */
    ptrdiff_t block; /* the band's first row, counted from the top */
    ptrdiff_t rows;  /* of the band */
    int iterate;     /* that comes in */
    ptrdiff_t ahead; /* the line to prefetch in the first row, in floats of m and f; -1: none */
    const rec_cpu_stages *stages;
} place;

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* In the lowest row that has some of iterate 0. */
size_t rec_cpu_band_first(const rec_cpu_band *b)
{
    return (size_t)(b->height - smaller(b->bottom - 1, b->height)) / b->tiles->loops->width;
}

/* In the highest row that has some of the last iterate. */
size_t rec_cpu_band_end(const rec_cpu_band *b)
{
    const ptrdiff_t highest = larger(b->top, b->depth);
    return (size_t)(b->height + b->width - 1 + 2 * b->depth - highest) / b->tiles->loops->width + 1;
}

/* Of a block, at most. */
static ptrdiff_t block_rows(const rec_cpu_band *b)
{
    return REC_CPU_BLOCK / (ptrdiff_t)b->tiles->loops->width;
}

/* Where in memory the image of an iterate is; NULL: it has only rows in the window. */
static float *plane_of(const rec_cpu_band *b, int iterate)
{
    return iterate == 0 || iterate == b->depth ? b->m
           : iterate == b->depth - 1           ? b->before
                                               : NULL;
}

/* The rows first..end-1 of a block, which touch a border or do not. `above`, `below` and `carry`
 * are those of the stage's first level. */
static void run_rows(const rec_cpu_band *b, const place *at, ptrdiff_t first, ptrdiff_t end,
                     int border, const float *above, float *below, float *carry)
{
    const ptrdiff_t strip = (ptrdiff_t)b->tiles->loops->width, levels = at->stages->levels;
    const ptrdiff_t y = b->top + at->block - at->iterate + first;
    const ptrdiff_t x = at->x - 2 * at->iterate + first;
    const ptrdiff_t here = y * b->stride + x, made = here - levels * (b->stride + 2);
    const float *const from = plane_of(b, at->iterate);
    float *const to = plane_of(b, at->iterate + at->stages->levels);
    float *const window = b->memory + first * strip;
    const int direct = to && !border;
    const rec_cpu_stage stage = {
        .in = from ? from + here : window, .in_stride = from ? b->stride + 1 : strip,
        .out = direct ? to + made : window, .out_stride = direct ? b->stride + 1 : strip,
        .f = b->f + here, .f_stride = b->stride + 1, .rows = end - first, .above = above,
        .below = below, .carry = carry + 2 * levels * (at->block + first),
        .ahead = {at->ahead < 0 ? NULL : b->m + at->ahead, b->f + larger(at->ahead, 0)}, .x = x,
        .y = y, .width = b->width, .height = b->height, .halo = b->tiles->halo,
        .inside = b->tiles->inside, .outside = b->tiles->outside};
    (border ? at->stages->border : at->stages->inner)(&stage);
    for (ptrdiff_t i = 0; to && !direct && i < end - first; i++) { /* to where they belong */
        const ptrdiff_t row = y - levels + i, column = x - 2 * levels + i;
        const ptrdiff_t left = larger(column, 0), right = smaller(column + strip, b->width);
        if (row >= 0 && row < b->height && left < right)
            memcpy(to + row * b->stride + left, window + i * strip + (left - column),
                   (size_t)(right - left) * sizeof *to);
    }
}

static void run_stage(const rec_cpu_band *b, const place *at, const float *above, float *below,
                      float *carry)
{
    const ptrdiff_t strip = (ptrdiff_t)b->tiles->loops->width, levels = at->stages->levels;
    const ptrdiff_t y = b->top + at->block - at->iterate, x = at->x - 2 * at->iterate;
    /* From where it enters the image on the left to where it has left it on the right, and not more
     * than one row outside. */
    const ptrdiff_t enters = 1 - strip - x;
    const ptrdiff_t first = larger(larger(enters, -1 - y), 0);
    const ptrdiff_t end =
        smaller(smaller(b->height + levels - y, b->width + 2 * levels - x), at->rows);
    /* Between the rows that touch a border are rows that touch none. */
    const ptrdiff_t inner = smaller(larger(larger(2 * levels - x, levels - y), first), end);
    const ptrdiff_t behind = larger(smaller(b->width + 3 - strip - x, b->height - y), inner);
    const ptrdiff_t cuts[] = {first, inner, smaller(behind, end), end};
    if (first == enters)
        above = b->tiles->halo;
    for (int i = 0; i < 3; i++)
        if (cuts[i] < cuts[i + 1]) {
            run_rows(b, at, cuts[i], cuts[i + 1], i != 1, above, below, carry);
            above = below;
        }
}

/* Where a block begins in m and f: floats. A whole one follows, if the image has so many rows. */
static ptrdiff_t first_float(const rec_cpu_band *b, ptrdiff_t row, ptrdiff_t x)
{
    const ptrdiff_t most = larger(b->height - block_rows(b), 0);
    return smaller(larger(row, 0), most) * b->stride + smaller(larger(x, 0), b->width);
}

void rec_cpu_band_strip(const rec_cpu_band *b, size_t number)
{
    const rec_cpu_loops *const loops = b->tiles->loops;
    const ptrdiff_t depth = b->depth, strip = (ptrdiff_t)loops->width;
    const ptrdiff_t deep = b->before ? depth - 1 : depth; /* the last iteration is a stage alone */
    const ptrdiff_t x = (ptrdiff_t)number * strip - b->height; /* in iterate 0 and row 0 */
    float *const state = b->memory + REC_CPU_BLOCK;
    /* The rows in which some iterate meets the image. */
    const ptrdiff_t top = larger(b->top, 1 - strip - x);
    const ptrdiff_t bottom = smaller(b->bottom, b->width + 2 * depth - x);
    const ptrdiff_t rows = bottom - top, blocks = (rows - 1) / block_rows(b) + 1;
    for (ptrdiff_t i = 0; i < blocks; i++) {
        const ptrdiff_t first = top + rows * i / blocks, next = top + rows * (i + 1) / blocks;
        place at = {.x = x + first, .block = first - b->top, .rows = next - first};
        /* Above the image's top nobody looks at what the state holds. */
        const float *const above = first == b->top && b->above ? b->above : state;
        float *const below = next == b->bottom && b->below ? b->below : state;
        /* The next block, or the next strip's first one, is prefetched during this one, a line of
         * each row in each of the first stages: the processor does not predict the way from strip
         * to strip. */
        const ptrdiff_t coming = next < bottom ? first_float(b, next, x + next)
                                               : first_float(b, top, x + strip + top);
        const ptrdiff_t most = b->height < block_rows(b) ? -1 : strip;
        float *carry = b->carry;
        for (ptrdiff_t line = 0; at.iterate < depth; line += LINE) {
            at.stages = at.iterate + loops->deep.levels <= deep ? &loops->deep : &loops->single;
            const ptrdiff_t levels = at.stages->levels;
            const ptrdiff_t done = 2 * at.iterate * strip, stage = 2 * levels * strip;
            /* What the band above hands down is in another core's cache: a stage ahead. */
            for (ptrdiff_t k = 0; above != state && k < stage; k += LINE)
                __builtin_prefetch(above + done + stage + k);
            at.ahead = line <= most ? coming + line : -1;
            run_stage(b, &at, above + done, below + done, carry);
            carry += 2 * levels * (b->bottom - b->top);
            at.iterate += (int)levels;
        }
    }
}
