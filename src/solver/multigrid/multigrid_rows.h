/* The inner loops on the host. A row is kept in two halves, the even columns and the odd
 * ones, so that the cells of one colour are consecutive in memory. Halves are made of blocks; a
 * block far from all unknown pixels is skipped: what is 0 there stays 0. For the files of this
 * folder alone. */
#pragma once

#include <stddef.h>

enum { REC_BLOCK = 32, REC_LANES = 8 }; /* cells of a half row; sums that grow side by side */

/* Half a row: which of its blocks are worked on, a byte a block, and which cells are unknown. */
typedef struct rec_half {
    const unsigned char *active, *unknown;
    size_t blocks;
} rec_half;

/* The neighbours of half a row. left and right are in the other half of the row: for even columns
 * left[i] is the odd column i - 1. With them what A adds to the diagonal. */
typedef struct rec_half_around {
    const float *up, *down, *left, *right;
    const float *mass; /* `relax` and `residual` do not use it */
} rec_half_around;

/* The loops of one instruction set. All sets give the same bits. */
typedef struct rec_multigrid_loops {
    /* factor = inverse, or 0 at known cells; v = share factor b */
    void (*begin)(const rec_half *half, float *factor, float *v, const float *b,
                  const float *inverse, float share);
    /* factor as above; v = z + weight c at unknown cells, c the coarse row by halves */
    void (*correct)(const rec_half *half, float *factor, float *v, const float *z,
                    const float *even, const float *odd, const float *inverse, float weight);
    /* v = factor (b + the neighbours): one colour of a sweep */
    void (*relax)(const rec_half *half, float *v, const rec_half_around *around, const float *b,
                  const float *factor);
    /* sum = keep sum + the residual of v */
    void (*residual)(const rec_half *half, float *sum, const float *v,
                     const rec_half_around *around, const float *b, const float *factor,
                     const float *diagonal, float keep);
    /* A row of the coarse level, by halves. */
    void (*halve)(const rec_half *half, float *even, float *odd, const float *sum);
    /* lanes[0..REC_LANES-1] += a b, and the lanes behind them += a a; largest[0..REC_BLOCK-1]: of
     * |a|, each of its own cells */
    void (*dot)(const rec_half *half, const float *a, const float *b, double *lanes,
                float *largest);
    /* x += before p, p = z + beta p, x += now p; without x if that is NULL */
    void (*direct)(const rec_half *half, float *p, const float *z, float beta, double *x,
                   double before, double now);
    /* lanes[0..REC_LANES-1] += p A p of the unknown cells */
    void (*product)(const rec_half *half, const float *p, const rec_half_around *around,
                    double *lanes);
    /* high + low -= alpha A p, high their sum rounded to float32. What they become at known cells
     * is not used. */
    void (*update)(const rec_half *half, float *high, float *low, const float *p,
                   const rec_half_around *around, double alpha);
    /* Without low: rounded as high is, by the differences between neighbours. */
    void (*update_rounded)(const rec_half *half, float *high, const float *p,
                           const rec_half_around *around, float alpha);
} rec_multigrid_loops;

extern const rec_multigrid_loops rec_multigrid_loops_avx512, rec_multigrid_loops_avx2,
    rec_multigrid_loops_base;
