/* Vectors of floats for the inner loops: a register of the instruction set that the including file
 * is compiled for, and its operations. Without AVX-512 and without AVX2 and FMA, they are the
 * compiler's own vectors of four lanes. Addition is the operator +. */
#ifndef REC_SOLVER_VECTOR_H
#define REC_SOLVER_VECTOR_H

#include <stdint.h>

#include "kernels/convolution.h"

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__) && defined(__FMA__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t vec_mask __attribute__((vector_size(4 * LANES))); /* a lane: all bits, or none */
/* In memory. (By memcpy gcc 12 loses track of what is in which register, and spills.) */
typedef vec vec_anywhere __attribute__((aligned(4), may_alias));
typedef vec_mask vec_mask_anywhere __attribute__((aligned(4), may_alias));

static inline vec vec_load(const float *from) { return *(const vec_anywhere *)from; }

static inline void vec_store(float *to, vec v) { *(vec_anywhere *)to = v; }

/* a where the mask is set, else b: bit for bit, unlike any arithmetic. */
static inline vec vec_select(const int32_t *mask, vec a, vec b)
{
    const vec_mask m = *(const vec_mask_anywhere *)mask;
    return (vec)((m & (vec_mask)a) | (~m & (vec_mask)b));
}

#if LANES == 16

static inline vec vec_fill(float x) { return _mm512_set1_ps(x); }

/* Lane i of the result is lane i - 1 of v; lane 0 is the last lane of `left`. */
static inline vec vec_shift(vec v, vec left)
{
    return (vec)_mm512_alignr_epi32((__m512i)v, (__m512i)left, 15);
}

static inline vec vec_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }

/* The last lanes of two vectors, one behind the other. */
static inline void vec_store_last(float *to, vec a, vec b)
{
    const __m128 last = _mm512_extractf32x4_ps(_mm512_unpackhi_ps(a, b), 3);
    _mm_storeh_pi((__m64 *)to, last);
}

#elif LANES == 8

static inline vec vec_fill(float x) { return _mm256_set1_ps(x); }

/* Lane i is lane i - 1 of v, lane 0 the last. */
static inline vec vec_turn(vec v)
{
    return _mm256_permutevar8x32_ps(v, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
}

static inline vec vec_shift(vec v, vec left)
{
    return _mm256_blend_ps(vec_turn(v), vec_turn(left), 1);
}

static inline vec vec_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }

static inline void vec_store_last(float *to, vec a, vec b)
{
    const __m128 last = _mm256_extractf128_ps(_mm256_unpackhi_ps(a, b), 1);
    _mm_storeh_pi((__m64 *)to, last);
}

#else

static inline vec vec_fill(float x) { return (vec){x, x, x, x}; }

static inline vec vec_shift(vec v, vec left) { return (vec){left[3], v[0], v[1], v[2]}; }

static inline vec vec_fma(vec a, vec b, vec c)
{
    vec sum;
    for (int i = 0; i < LANES; i++)
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
        sum[i] = fmaf(a[i], b[i], c[i]);
#else
        sum[i] = rec_fma_without_fma(a[i], b[i], c[i]);
#endif
    return sum;
}

static inline void vec_store_last(float *to, vec a, vec b)
{
    to[0] = a[3];
    to[1] = b[3];
}

#endif

/* The update of kernels/stencil.h from the sum of the neighbours. */
static inline vec vec_update(vec sum, vec f)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return vec_fma(vec_fill(0.25f), sum, f);
#else /* as rec_update_without_fma does it */
    typedef double wide __attribute__((vector_size(8 * LANES)));
    const wide next = 0.25 * __builtin_convertvector(sum, wide) + __builtin_convertvector(f, wide);
    return __builtin_convertvector(next, vec);
#endif
}

#endif
