/* The inner loops on the host. Compiled once for each instruction set, with -DREC_ROWS=base, avx2
 * or avx512.  A block of ROWS rows and COLUMNS vectors is made at once in registers: a sample that
 * is loaded serves ROWS pixels, and a weight COLUMNS vectors. */
#include "solver/convolution/convolution.h"

#include "solver/cpu/vector.h"

enum { ROWS = 4, COLUMNS = 2, STEP = COLUMNS * LANES };
_Static_assert((int)STEP <= (int)REC_CONVOLUTION_OVER, "a block ends before the next row");

/* The result of a row of a block. */
static inline void store(const rec_taps *taps, float *to, const vec *acc)
{
    UNROLLED
    for (int i = 0; i < COLUMNS; i++)
        vec_store(to + i * LANES, acc[i] / vec_fill(taps->scale) + vec_fill(taps->offset));
}

/* `rows` rows from row y on, STEP columns from column x on. */
static inline __attribute__((always_inline)) void make_block(const rec_convolution_task *task,
                                                             const int rows, size_t y, size_t x)
{
    const rec_taps *taps = task->taps;
    const ptrdiff_t stride = (ptrdiff_t)task->in->stride;
    const int height = taps->height, width = taps->width;
    const float *in = task->in->cells + ((ptrdiff_t)y - height / 2) * stride + (ptrdiff_t)x -
                      width / 2;
    vec acc[ROWS][COLUMNS];
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int i = 0; i < COLUMNS; i++)
            acc[r][i] = task->f ? vec_load(task->f + (ptrdiff_t)(y + (size_t)r) * stride +
                                           (ptrdiff_t)x + i * LANES)
                                : vec_fill(0.0f);
    }
    for (int row = 0; row < height + rows - 1; row++, in += stride) {
        const float *weights = taps->weights + row * width;
        for (int column = 0; column < width; column++) {
            vec sample[COLUMNS];
            UNROLLED
            for (int i = 0; i < COLUMNS; i++)
                sample[i] = vec_load(in + column + i * LANES);
            UNROLLED
            for (int r = 0; r < rows; r++) {
                if (row < r || row - r >= height)
                    continue;
                const vec weight = vec_fill(weights[column - r * width]);
                UNROLLED
                for (int i = 0; i < COLUMNS; i++)
                    acc[r][i] = vec_fma(weight, sample[i], acc[r][i]);
            }
        }
    }
    UNROLLED
    for (int r = 0; r < rows; r++)
        store(taps, task->out->cells + (y + (size_t)r) * task->out->stride + x, acc[r]);
}

static void direct(const rec_convolution_task *task, size_t first, size_t end)
{
    size_t y = first;
    for (; y + ROWS <= end; y += ROWS)
        for (size_t x = 0; x < task->width; x += STEP)
            make_block(task, ROWS, y, x);
    for (; y < end; y++)
        for (size_t x = 0; x < task->width; x += STEP)
            make_block(task, 1, y, x);
}

/* ---- two passes ---- */

static void pass_across(const rec_convolution_task *task, int term, ptrdiff_t y, float *to)
{
    const int width = task->taps->width;
    const float *in = task->in->cells + y * (ptrdiff_t)task->in->stride - width / 2;
    for (size_t x = 0; x < task->width; x += STEP) {
        vec h[COLUMNS];
        UNROLLED
        for (int i = 0; i < COLUMNS; i++)
            h[i] = vec_fill(0.0f);
        for (int column = 0; column < width; column++) {
            const vec weight = vec_fill(task->factors->across[term][column]);
            UNROLLED
            for (int i = 0; i < COLUMNS; i++)
                h[i] = vec_fma(weight, vec_load(in + x + column + i * LANES), h[i]);
        }
        UNROLLED
        for (int i = 0; i < COLUMNS; i++)
            vec_store(to + x + i * LANES, h[i]);
    }
}

/* The row of the ring for row y of the image; the first rows lie above it. */
static inline float *ring_row(const rec_convolution_task *task, ptrdiff_t y)
{
    const ptrdiff_t rows = task->taps->height;
    return task->ring + (y + rows) % rows * (ptrdiff_t)task->in->stride;
}

static void pass_down(const rec_convolution_task *task, int term, size_t y)
{
    const int height = task->taps->height;
    const float *rows[REC_TAPS_SIDE];
    for (int row = 0; row < height; row++)
        rows[row] = ring_row(task, (ptrdiff_t)y + row - height / 2);
    float *const out = task->out->cells + y * task->out->stride;
    for (size_t x = 0; x < task->width; x += STEP) {
        vec acc[COLUMNS];
        UNROLLED
        for (int i = 0; i < COLUMNS; i++)
            acc[i] = term ? vec_load(out + x + i * LANES) : vec_fill(0.0f);
        for (int row = 0; row < height; row++) {
            const vec weight = vec_fill(task->factors->down[term][row]);
            UNROLLED
            for (int i = 0; i < COLUMNS; i++)
                acc[i] = vec_fma(weight, vec_load(rows[row] + x + i * LANES), acc[i]);
        }
        if (term + 1 == task->factors->terms)
            store(task->taps, out + x, acc);
        else
            UNROLLED
            for (int i = 0; i < COLUMNS; i++)
                vec_store(out + x + i * LANES, acc[i]);
    }
}

static void separable(const rec_convolution_task *task, size_t first, size_t end)
{
    const ptrdiff_t radius = task->taps->height / 2, last = (ptrdiff_t)end + radius;
    const int terms = task->factors->terms, filled = task->follows && terms == 1;
    for (int term = 0; term < terms; term++)
        for (ptrdiff_t y = (ptrdiff_t)first + (filled ? radius : -radius); y < last; y++) {
            pass_across(task, term, y, ring_row(task, y));
            if (y - radius >= (ptrdiff_t)first)
                pass_down(task, term, (size_t)(y - radius));
        }
}

const rec_convolution_loops JOIN(rec_convolution_loops_, REC_ROWS) = {
    .direct = direct,
    .separable = separable,
};
