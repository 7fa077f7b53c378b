/* Compiled several times, with -DREC_ROWS=base, avx2, avx512 and the flags that go with it; cpu.c
 * chooses by what the processor has.
 *
 * A stage keeps LEVELS iterations of a strip of STRIP vectors in registers. With the pair sums
 *
 *     q[y][x] = m[y][x+1] + m[y+1][x]          (right + down of a pixel, up + left of the next)
 *     m'[y][x] = fma(0.25, q[y-1][x-1] + q[y][x], f[y][x])
 *
 * an update takes two additions and one fma. From row to row a strip moves one column to the right,
 * so that q[y-1][x-1] and q[y][x] have the same index i. With each level it moves two to the left:
 *
 *     index             0    1    2    3
 *     last, row y      x+1  x+2  x+3  x+4      q[i]  = last[i] + row[i-2]
 *     row, y + 1       x+2  x+3  x+4  x+5      m'[i] = fma(0.25, above[i] + q[i], f[i])
 *     q, m', f of y     x   x+1  x+2  x+3
 *
 * `row` is the row that came from below, `last` the one before it, `above` the pair sums then made.
 * Only one of the four comes from another index, two to the left. At the strip's edge it comes from
 * `carry`, where the strip on the left put it: nothing is made twice. */
#include "solver/cpu/cpu_tiles.h"

#include "solver/cpu/vector.h"

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define UPDATE rec_update
#else
#define UPDATE rec_update_without_fma
#endif

/* Of 32 registers the levels take 24, of 16 they take 8. With 24 clang 14 spills, and needs half as
 * much time again as with 16. */
#ifdef __clang__
enum { STRIP = 4, LEVELS = LANES == 16 ? 2 : 1 };
#else
enum { STRIP = 4, LEVELS = LANES == 16 ? 3 : 1 };
#endif
enum { WIDTH = STRIP * LANES };

static inline __attribute__((always_inline)) void run(const rec_cpu_stage *stage, const int levels,
                                                      const int border, const int fetches)
{
    const ptrdiff_t in_stride = stage->in_stride, out_stride = stage->out_stride;
    const ptrdiff_t f_stride = stage->f_stride;
    const float *in = stage->in, *ahead = stage->ahead[0], *ahead_too = stage->ahead[1];
    float *out = stage->out, *carry = stage->carry;
    ptrdiff_t x = stage->x, y = stage->y;

    vec last[LEVELS][STRIP], above[LEVELS][STRIP];
    const float *f[LEVELS];
    UNROLLED
    for (int n = 0; n < levels; n++) {
        f[n] = stage->f - (n + 1) * (f_stride + 1);
        UNROLLED
        for (int i = 0; i < STRIP; i++) {
            last[n][i] = vec_load(stage->above + (2 * n * STRIP + i) * LANES);
            above[n][i] = vec_load(stage->above + ((2 * n + 1) * STRIP + i) * LANES);
        }
    }
    for (ptrdiff_t rows = stage->rows; rows > 0; rows--) {
        if (fetches) {
            __builtin_prefetch(ahead, 0, 2);
            __builtin_prefetch(ahead_too, 0, 2);
            ahead += f_stride, ahead_too += f_stride;
        }
        const int in_image = !border || (x < stage->width && (size_t)y < (size_t)stage->height);
        const float *const first = in_image ? in : stage->halo;
        vec row[STRIP]; /* of the level below, then of this one */
        UNROLLED
        for (int n = 0; n < levels; n++) {
            /* What this level makes lies n + 1 rows up, 2 (n + 1) columns left of what came in. */
            const int inside = !border || (size_t)(y - n - 1) < (size_t)stage->height;
            const float *const term = inside ? f[n] : stage->halo;
            vec left = vec_fill_two(carry + 2 * n);
            UNROLLED
            for (int i = 0; i < STRIP; i++) {
                const vec now = n ? row[i] : vec_load(first + i * LANES);
                const vec two_left = LANES < 16 && n == 0 && i > 0
                                         ? vec_load(first + i * LANES - 2)
                                         : vec_shift_two(now, left);
                const vec sum = last[n][i] + two_left;
                row[i] = vec_update(above[n][i] + sum, vec_load(term + i * LANES));
                last[n][i] = left = now;
                above[n][i] = sum;
            }
            vec_store_last_two(carry + 2 * n, left);
            if (border) {
                const int32_t *const mask =
                    inside ? stage->inside + x - 2 * (n + 1) : stage->outside;
                const vec halo = vec_load(stage->halo);
                UNROLLED
                for (int i = 0; i < STRIP; i++)
                    row[i] = vec_select(mask + i * LANES, row[i], halo);
            }
            f[n] += f_stride;
        }
        UNROLLED
        for (int i = 0; i < STRIP; i++)
            vec_store(out + i * LANES, row[i]);
        in += in_stride;
        out += out_stride;
        carry += 2 * levels;
        x++;
        y++;
    }
    UNROLLED
    for (int n = 0; n < levels; n++) {
        UNROLLED
        for (int i = 0; i < STRIP; i++) {
            vec_store(stage->below + (2 * n * STRIP + i) * LANES, last[n][i]);
            vec_store(stage->below + ((2 * n + 1) * STRIP + i) * LANES, above[n][i]);
        }
    }
}

static void run_deep(const rec_cpu_stage *stage)
{
    stage->ahead[0] ? run(stage, LEVELS, 0, 1) : run(stage, LEVELS, 0, 0);
}
static void run_deep_border(const rec_cpu_stage *stage) { run(stage, LEVELS, 1, 0); }
static void run_single(const rec_cpu_stage *stage) { run(stage, 1, 0, 0); }
static void run_single_border(const rec_cpu_stage *stage) { run(stage, 1, 1, 0); }

static inline __attribute__((always_inline)) void iterate_rows(float *out, const float *in,
                                                               const float *f, size_t stride,
                                                               size_t width, size_t first,
                                                               size_t end, const int masked)
{
    for (size_t y = first; y < end; y++) {
        const float *restrict row = in + y * stride;
        const float *restrict up = row - stride, *restrict down = row + stride;
        const float *restrict term = f + y * stride;
        float *restrict next = out + y * stride;
        for (ptrdiff_t x = 0; x < (ptrdiff_t)width; x++) {
            const float made = UPDATE(up[x], row[x - 1], row[x + 1], down[x], term[x]);
            next[x] = masked && rec_is_known(term[x]) ? row[x] : made;
        }
    }
}

static void iterate_all(float *out, const float *in, const float *f, size_t stride, size_t width,
                        size_t first, size_t end)
{
    iterate_rows(out, in, f, stride, width, first, end, 0);
}

static void iterate_unknown(float *out, const float *in, const float *f, size_t stride,
                            size_t width, size_t first, size_t end)
{
    iterate_rows(out, in, f, stride, width, first, end, 1);
}

const rec_cpu_loops JOIN(rec_cpu_loops_, REC_ROWS) = {
    .rows = {iterate_all, iterate_unknown},
    .width = WIDTH,
    .deep = {LEVELS, run_deep, run_deep_border},
    .single = {1, run_single, run_single_border},
};
