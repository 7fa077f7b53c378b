/* Compiled several times, with -DREC_ROWS=base, avx2, avx512 and the flags that go with it. Blocks
 * have a fixed length, so that the compiler makes vectors of them without remainders. */
#include "solver/multigrid/multigrid_rows.h"

#include <math.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* Vectors of the compiler: aligned, and at any address (..._anywhere). */
typedef double doubles __attribute__((vector_size(8 * REC_LANES)));
typedef double doubles_anywhere __attribute__((vector_size(8 * REC_LANES), aligned(8), may_alias));
typedef float floats __attribute__((vector_size(4 * REC_LANES)));
typedef float floats_anywhere __attribute__((vector_size(4 * REC_LANES), aligned(4), may_alias));
typedef unsigned char bytes_anywhere __attribute__((vector_size(REC_LANES), aligned(1), may_alias));

/* Macros: functions that return vectors need the registers for them. */
#define WIDE(from) __builtin_convertvector(*(const floats_anywhere *)(from), doubles)
#define TIMES_A(p, around, i) \
    (WIDE((p) + (i)) * (4 + WIDE((around)->mass + (i))) - \
     ((WIDE((around)->up + (i)) + WIDE((around)->left + (i))) + \
      (WIDE((around)->right + (i)) + WIDE((around)->down + (i)))))

/* The cells i of the active blocks. */
#define EACH_BLOCK(half, at) \
    for (size_t at = 0; at < (half)->blocks * REC_BLOCK; at += REC_BLOCK) \
        if ((half)->active[at / REC_BLOCK])
#define EACH_CELL(half, i) \
    EACH_BLOCK(half, at_) \
    for (size_t i = at_; i < at_ + REC_BLOCK; i++)

static void begin(const rec_half *half, float *restrict factor, float *restrict v,
                  const float *restrict b, const float *restrict inverse, float share)
{
    const unsigned char *restrict unknown = half->unknown;
    EACH_CELL(half, i)
    {
        factor[i] = (float)unknown[i] * inverse[i];
        v[i] = share * factor[i] * b[i];
    }
}

static void correct(const rec_half *half, float *restrict factor, float *restrict v,
                    const float *restrict z, const float *restrict even, const float *restrict odd,
                    const float *restrict inverse, float weight)
{
    const unsigned char *restrict unknown = half->unknown;
    EACH_BLOCK(half, at)
    {
        float c[REC_BLOCK];
        for (size_t i = 0; i < REC_BLOCK / 2; i++) {
            c[2 * i] = even[at / 2 + i];
            c[2 * i + 1] = odd[at / 2 + i];
        }
        for (size_t i = 0; i < REC_BLOCK; i++) {
            factor[at + i] = (float)unknown[at + i] * inverse[at + i];
            v[at + i] = (float)unknown[at + i] * (z[at + i] + weight * c[i]);
        }
    }
}

static void relax(const rec_half *half, float *restrict v, const rec_half_around *around,
                  const float *restrict b, const float *restrict factor)
{
    const float *restrict up = around->up, *restrict down = around->down;
    const float *restrict left = around->left, *restrict right = around->right;
    EACH_CELL(half, i)
    v[i] = factor[i] * (b[i] + ((up[i] + left[i]) + (right[i] + down[i])));
}

static void residual(const rec_half *half, float *restrict sum, const float *restrict v,
                     const rec_half_around *around, const float *restrict b,
                     const float *restrict factor, const float *restrict diagonal, float keep)
{
    const float *restrict up = around->up, *restrict down = around->down;
    const float *restrict left = around->left, *restrict right = around->right;
    EACH_CELL(half, i)
    {
        const float relaxed = factor[i] * (b[i] + ((up[i] + left[i]) + (right[i] + down[i])));
        sum[i] = keep * sum[i] + diagonal[i] * (relaxed - v[i]);
    }
}

static void halve(const rec_half *half, float *restrict even, float *restrict odd,
                  const float *restrict sum)
{
    EACH_BLOCK(half, at)
    for (size_t i = at / 2; i < (at + REC_BLOCK) / 2; i++) {
        even[i] = sum[2 * i];
        odd[i] = sum[2 * i + 1];
    }
}

static void dot(const rec_half *half, const float *restrict a, const float *restrict b,
                double *lanes, float *restrict largest)
{
    doubles sum = *(doubles_anywhere *)lanes, squares = *(doubles_anywhere *)(lanes + REC_LANES);
    EACH_BLOCK(half, at)
    {
        for (size_t i = at; i < at + REC_BLOCK; i += REC_LANES) {
            const doubles wide = WIDE(a + i);
            sum += wide * WIDE(b + i);
            squares += wide * wide;
        }
        for (size_t i = 0; i < REC_BLOCK; i++)
            largest[i] = fabsf(a[at + i]) > largest[i] ? fabsf(a[at + i]) : largest[i];
    }
    *(doubles_anywhere *)lanes = sum;
    *(doubles_anywhere *)(lanes + REC_LANES) = squares;
}

static void direct(const rec_half *half, float *restrict p, const float *restrict z, float beta,
                   double *restrict x, double before, double now)
{
    EACH_BLOCK(half, at)
    for (size_t i = at; i < at + REC_BLOCK; i += REC_LANES) {
        const floats last = *(floats_anywhere *)(p + i);
        const floats next = *(const floats_anywhere *)(z + i) + beta * last;
        *(floats_anywhere *)(p + i) = next;
        if (x)
            *(doubles_anywhere *)(x + i) += before * __builtin_convertvector(last, doubles) +
                                            now * __builtin_convertvector(next, doubles);
    }
}

static void product(const rec_half *half, const float *restrict p, const rec_half_around *around,
                    double *lanes)
{
    doubles sum = *(doubles_anywhere *)lanes;
    EACH_BLOCK(half, at)
    for (size_t i = at; i < at + REC_BLOCK; i += REC_LANES)
        sum += __builtin_convertvector(*(const bytes_anywhere *)(half->unknown + i), doubles) *
               WIDE(p + i) * TIMES_A(p, around, i);
    *(doubles_anywhere *)lanes = sum;
}

static void update(const rec_half *half, float *restrict high, float *restrict low,
                   const float *restrict p, const rec_half_around *around, double alpha)
{
    EACH_BLOCK(half, at)
    for (size_t i = at; i < at + REC_BLOCK; i += REC_LANES) {
        const doubles r = (WIDE(high + i) + WIDE(low + i)) - alpha * TIMES_A(p, around, i);
        const floats rounded = __builtin_convertvector(r, floats);
        *(floats_anywhere *)(high + i) = rounded;
        *(floats_anywhere *)(low + i) =
            __builtin_convertvector(r - __builtin_convertvector(rounded, doubles), floats);
    }
}

static void update_rounded(const rec_half *half, float *restrict high, const float *restrict p,
                           const rec_half_around *around, float alpha)
{
    const float *restrict up = around->up, *restrict down = around->down;
    const float *restrict left = around->left, *restrict right = around->right;
    const float *restrict mass = around->mass;
    EACH_CELL(half, i)
    high[i] -= alpha *
               ((((p[i] - up[i]) + (p[i] - left[i])) + ((p[i] - right[i]) + (p[i] - down[i]))) +
                mass[i] * p[i]);
}

const rec_multigrid_loops JOIN(rec_multigrid_loops_, REC_ROWS) = {
    .begin = begin, .correct = correct, .relax = relax, .residual = residual, .halve = halve,
    .dot = dot, .direct = direct, .product = product, .update = update,
    .update_rounded = update_rounded};
