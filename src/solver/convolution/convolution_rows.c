/* The inner loops on the host. Compiled once for each instruction set, with -DREC_ROWS=base, avx2
 * or avx512. A block of ROWS rows and COLUMNS vectors is made at once in registers: a sample that
 * is loaded serves ROWS pixels, and a weight COLUMNS vectors. */
#include <limits.h>
#include <string.h>

#include "solver/convolution/convolution.h"

#include "solver/cpu/vector.h"

enum {
    ROWS = LANES == 16 ? 6 : 4, /* 24 sums in 32 registers, or 12 in 16 */
    COLUMNS = LANES == 16 ? 4 : 3,
    STEP = COLUMNS * LANES,
    WHOLE = STEP * (1 + COLUMNS % 2), /* columns of steps and of pairs of vectors */
    CACHE = 64 << 10 /* bytes that a strip's rows may take: they stay in the second cache */
};
_Static_assert((int)WHOLE <= (int)REC_CONVOLUTION_OVER && (int)ROWS <= (int)REC_CONVOLUTION_ROWS,
               "a block ends before the next row");

/* Weights and their samples, for a block. */
typedef struct source {
    const float *in; /* that of the first weight for the first pixel */
    ptrdiff_t stride;
    int left;       /* after this number of rows from `in` on, ... */
    ptrdiff_t back; /* ... this number of floats back: a ring */
    const float *weights;
    int width, height;
} source;

/* Adds a row of samples to rows first..end-1 of the block, and goes on to the next one. */
static inline __attribute__((always_inline)) void add_row(source *s, vec acc[ROWS][COLUMNS],
                                                          const int first, const int end)
{
    UNROLLED_TWICE
    for (int column = 0; column < s->width; column++) {
        vec sample[COLUMNS];
        UNROLLED
        for (int i = 0; i < COLUMNS; i++)
            sample[i] = vec_load(s->in + column + i * LANES);
        UNROLLED
        for (int r = first; r < end; r++) {
            const vec weight = vec_fill(s->weights[column - r * s->width]);
            UNROLLED
            for (int i = 0; i < COLUMNS; i++)
                acc[r][i] = vec_fma(weight, sample[i], acc[r][i]);
        }
    }
    s->weights += s->width;
    s->in += --s->left ? s->stride : s->stride - s->back;
}

/* A stencil that is lower than a block. */
static inline __attribute__((always_inline)) void add_short(source s, vec acc[ROWS][COLUMNS],
                                                            const int height)
{
    UNROLLED
    for (int row = 0; row < height + ROWS - 1; row++)
        add_row(&s, acc, row < height ? 0 : row - height + 1, row < ROWS ? row + 1 : ROWS);
}

/* The first and the last rows of samples do not reach all rows of the block. */
static inline __attribute__((always_inline)) void add(source s, vec acc[ROWS][COLUMNS])
{
    if (s.height == 1)
        add_short(s, acc, 1);
    else if (s.height < ROWS - 1)
        add_short(s, acc, 3);
    else {
        UNROLLED
        for (int r = 1; r < ROWS; r++)
            add_row(&s, acc, 0, r);
        for (int row = ROWS - 1; row < s.height; row++)
            add_row(&s, acc, 0, ROWS);
        UNROLLED
        for (int r = 1; r < ROWS; r++)
            add_row(&s, acc, r, ROWS);
    }
}

/* Makes STEP columns from column x on, and of the ROWS rows from row y on the first `rows`. */
static inline __attribute__((always_inline)) void make_block(const rec_convolution_task *task,
                                                             const source *sources, int count,
                                                             size_t y, size_t x, size_t rows)
{
    const rec_taps *taps = task->taps;
    const float *const f = task->f ? task->f + y * task->stride + x : NULL;
    vec acc[ROWS][COLUMNS];
    UNROLLED
    for (int r = 0; r < ROWS; r++) {
        UNROLLED
        for (int i = 0; i < COLUMNS; i++)
            acc[r][i] = f ? vec_load(f + (size_t)r * task->stride + i * LANES)
                          : vec_fill(0.0f);
    }
    for (int i = 0; i < count; i++)
        add(sources[i], acc);
    UNROLLED
    for (size_t r = 0; r < ROWS; r++) {
        float last[STEP], *const to = task->out + (y + r) * task->stride + x;
        const int fits = x + STEP <= task->width, streams = fits && task->streams;
        if (r >= rows)
            break;
        UNROLLED
        for (int i = 0; i < COLUMNS; i++) {
            vec made = acc[r][i];
            if (taps->scale != 1)
                made /= vec_fill(taps->scale);
            made += vec_fill(taps->offset);
            if (streams)
                vec_stream(to + i * LANES, made);
            else
                vec_store((fits ? to : last) + i * LANES, made);
        }
        if (!fits)
            memcpy(to, last, (task->width - x) * sizeof *to);
    }
}

static void direct(const rec_convolution_task *task, size_t first, size_t end)
{
    const rec_taps *taps = task->taps;
    const ptrdiff_t stride = (ptrdiff_t)task->stride;
    for (size_t y = first; y < end; y += ROWS)
        for (size_t x = 0; x < task->width; x += STEP) {
            const float *const in = task->in + (ptrdiff_t)x - taps->width / 2;
            const source all = {.in = in + ((ptrdiff_t)y - taps->height / 2) * stride,
                                .stride = stride, .left = INT_MAX, .weights = taps->weights,
                                .width = taps->width, .height = taps->height};
            make_block(task, &all, 1, y, x, end - y);
        }
    vec_fence();
}

/* ---- two passes ---- */

/* Adds `count` weights to vectors first..end-1 of two beside each other, in ROWS rows. */
static inline __attribute__((always_inline)) void slide(vec acc[ROWS][2], const float *const *in,
                                                        size_t at, const float *weights, int count,
                                                        const int first, const int end)
{
    UNROLLED_TWICE
    for (int i = 0; i < count; i++, at++) {
        UNROLLED
        for (int r = 0; r < ROWS; r++) {
            const vec sample = vec_load(in[r] + at);
            UNROLLED
            for (int j = first; j < end; j++)
                acc[r][j] = vec_fma(vec_fill(weights[i - j * LANES]), sample, acc[r][j]);
        }
    }
}

/* A sample serves both vectors if the stencil is wide. */
static void pass_across(const float *const *in, float *const *out, size_t columns,
                        const float *weights, int width)
{
    const int lead = width < LANES ? width : LANES, both = width - lead;
    for (size_t x = 0; x < columns; x += 2 * LANES) {
        vec acc[ROWS][2];
        UNROLLED
        for (int r = 0; r < ROWS; r++)
            acc[r][0] = acc[r][1] = vec_fill(0.0f);
        slide(acc, in, x, weights, lead, 0, 1);
        slide(acc, in, x + LANES, weights + LANES, both, 0, 2);
        slide(acc, in, x + LANES + (size_t)both, weights + LANES + both, lead, 1, 2);
        UNROLLED
        for (int r = 0; r < ROWS; r++) {
            vec_store(out[r] + x, acc[r][0]);
            vec_store(out[r] + x + LANES, acc[r][1]);
        }
    }
}

/* A strip of the picture: so few columns that the rows of it that are summed across stay near. They
 * stand in a ring for each term, row y + radius in slot y modulo `slots`. */
typedef struct strip {
    size_t left, columns, slots;
    float *ring;
} strip;

static inline float *ring_row(const strip *s, int term, size_t slot)
{
    return s->ring + ((size_t)term * s->slots + slot) * s->columns;
}

/* Sums rows first..end-1 across. They are counted from the one that the first row needs. */
static void fill_ring(const rec_convolution_task *task, const strip *s, size_t first, size_t end)
{
    const rec_taps *taps = task->taps;
    const ptrdiff_t stride = (ptrdiff_t)task->stride;
    const float *const in = task->in + (ptrdiff_t)s->left - taps->height / 2 * stride -
                            taps->width / 2;
    for (size_t y = first; y < end; y += ROWS)
        for (int term = 0; term < task->factors->terms; term++) {
            const float *from[ROWS];
            float *to[ROWS];
            for (size_t r = 0; r < ROWS; r++) {
                const size_t row = y + r < end ? y + r : end - 1;
                from[r] = in + (ptrdiff_t)row * stride;
                to[r] = ring_row(s, term, row % s->slots);
            }
            pass_across(from, to, s->columns, task->factors->across[term], taps->width);
        }
}

static void pass_down(const rec_convolution_task *task, const strip *s, size_t y, size_t rows)
{
    const rec_factors *factors = task->factors;
    const size_t slot = y % s->slots;
    for (size_t x = 0; x < s->columns && s->left + x < task->width; x += STEP) {
        source sources[REC_TERMS];
        for (int term = 0; term < factors->terms; term++)
            sources[term] = (source){
                .in = ring_row(s, term, slot) + x, .stride = (ptrdiff_t)s->columns,
                .left = (int)(s->slots - slot), .back = (ptrdiff_t)(s->slots * s->columns),
                .weights = factors->down[term], .width = 1, .height = task->taps->height};
        make_block(task, sources, factors->terms, y, s->left + x, rows);
    }
}

static void separable(const rec_convolution_task *task, size_t first, size_t end)
{
    const size_t height = (size_t)task->taps->height, terms = (size_t)task->factors->terms;
    strip s = {.slots = height - 1 + ROWS, .ring = task->ring};
    const size_t steps = CACHE / sizeof(float) / (s.slots * terms * WHOLE),
                 most = steps ? steps : 1;
    for (; s.left < task->width; s.left += s.columns) {
        const size_t all = (task->width - s.left - 1) / WHOLE + 1;
        size_t filled = first + (task->follows ? height - 1 : 0);
        s.columns = (all < most ? all : most) * WHOLE;
        for (size_t y = first; y < end; y += ROWS) {
            const size_t rows = end - y < ROWS ? end - y : ROWS, needed = y + rows + height - 1;
            fill_ring(task, &s, filled, needed);
            filled = needed;
            pass_down(task, &s, y, rows);
        }
        s.ring += terms * s.slots * s.columns;
    }
    vec_fence();
}

const rec_convolution_loops JOIN(rec_convolution_loops_, REC_ROWS) = {
    .rows = ROWS, .direct = direct, .separable = separable};
