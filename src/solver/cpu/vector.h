/* Vectors of floats for the inner loops: a register of the instruction set that the including file
 * is compiled for, and its operations. Without AVX-512 and without AVX2 and FMA, they are the
 * compiler's own vectors of four lanes. Addition is the operator +. */
#pragma once

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

/* JOIN: the name of a file's loops, followed by the name of the instruction set. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* An array of vectors lives in registers once the loops over it are unrolled. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#define UNROLLED_TWICE _Pragma("clang loop unroll_count(2)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#define UNROLLED_TWICE _Pragma("GCC unroll 2")
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

#if LANES > 4

#if LANES == 16
#define MM(operation) _mm512_##operation
#define vec_last_four(v) _mm512_extractf32x4_ps(v, 3)
#else
#define MM(operation) _mm256_##operation
#define vec_last_four(v) _mm256_extractf128_ps(v, 1)
#endif

static inline vec vec_fill(float x) { return MM(set1_ps)(x); }

static inline vec vec_fma(vec a, vec b, vec c) { return MM(fmadd_ps)(a, b, c); }

static inline void vec_stream(float *to, vec v) { MM(stream_ps)(to, v); }

/* Lane i of the result is lane i - 2 of v; lanes 0 and 1 are the last two of `left`. */
static inline vec vec_shift_two(vec v, vec left)
{
#if LANES == 16
    return (vec)_mm512_alignr_epi64((__m512i)v, (__m512i)left, 7);
#else /* each turned by two lanes */
    return _mm256_blend_ps((vec)_mm256_permute4x64_pd((__m256d)v, 0x93),
                           (vec)_mm256_permute4x64_pd((__m256d)left, 0x93), 3);
#endif
}

/* The last two lanes, from memory and to memory. */
static inline vec vec_fill_two(const float *from)
{
    return (vec)MM(broadcastsd_pd)(_mm_load_sd((const double *)(const void *)from));
}

static inline void vec_store_last_two(float *to, vec v)
{
    _mm_storeh_pi((__m64 *)(void *)to, vec_last_four(v));
}

#else

static inline vec vec_fill(float x) { return (vec){x, x, x, x}; }

static inline void vec_stream(float *to, vec v) { vec_store(to, v); }

static inline vec vec_shift_two(vec v, vec left) { return (vec){left[2], left[3], v[0], v[1]}; }

static inline vec vec_fill_two(const float *from) { return (vec){0, 0, from[0], from[1]}; }

static inline void vec_store_last_two(float *to, vec v)
{
    to[0] = v[2];
    to[1] = v[3];
}

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

#endif

/* After vec_stream, which goes past the caches: before another thread reads. */
static inline void vec_fence(void)
{
#if LANES > 4
    _mm_sfence();
#endif
}

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
