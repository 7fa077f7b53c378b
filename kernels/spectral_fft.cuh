/* FFTs of 2^LOG points by a block, 16 of them a thread, in registers and shared memory.
 *
 * Forward by decimation in frequency: a pass makes 16 blocks of S points of every block of 16 S, in
 * place; before the first of them one of a smaller radix where LOG is no multiple of 4. The order
 * that this ends in does not matter, because the way back undoes the passes from the last one.
 * Numbers on the way back are conjugate, so that both ways multiply by the same roots. */
#pragma once

#include <cuda_runtime.h>

namespace {

__device__ __forceinline__ double2 operator+(double2 a, double2 b)
{
    return {a.x + b.x, a.y + b.y};
}

__device__ __forceinline__ double2 operator-(double2 a, double2 b)
{
    return {a.x - b.x, a.y - b.y};
}

__device__ __forceinline__ double2 operator*(double2 a, double2 b)
{
    return {fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x)};
}

__device__ __forceinline__ double2 conjugate(double2 a) { return {a.x, -a.y}; }

__device__ __forceinline__ double2 complex_at(const double *numbers, unsigned i)
{
    return __ldg((const double2 *)numbers + i);
}

/* z * exp(-i pi k / 8), k a constant from 0 to 7 */
__device__ __forceinline__ double2 turn(double2 z, int k)
{
    constexpr double root = 0.70710678118654752440, large = 0.92387953251128675613,
                     small = 0.38268343236508977173;
    switch (k) {
    case 0: return z;
    case 1: return z * double2{large, -small};
    case 2: return {root * (z.x + z.y), root * (z.y - z.x)};
    case 3: return z * double2{small, -large};
    case 4: return {z.y, -z.x};
    case 5: return z * double2{-small, -large};
    case 6: return {root * (z.y - z.x), -root * (z.x + z.y)};
    default: return z * double2{-large, -small};
    }
}

/* x[0], x[D], ... become their DFT of R points. */
template <int R, int D> __device__ __forceinline__ void dft(double2 *x)
{
#pragma unroll
    for (int half = R / 2; half; half /= 2)
#pragma unroll
        for (int i = 0; i < R; i++)
            if (!(i & half)) {
                const double2 a = x[i * D], b = x[(i + half) * D];
                x[i * D] = a + b;
                x[(i + half) * D] = turn(a - b, i % half * (8 / half));
            }
    double2 made[R]; /* in bit-reversed order so far */
#pragma unroll
    for (int i = 0; i < R; i++) {
        int reversed = 0;
#pragma unroll
        for (int bit = 1; bit < R; bit *= 2)
            reversed = 2 * reversed + (i / bit & 1);
        made[i] = x[reversed * D];
    }
#pragma unroll
    for (int i = 0; i < R; i++)
        x[i * D] = made[i];
}

/* x[p D] *= w^p */
template <int R, int D> __device__ __forceinline__ void twist(double2 *x, double2 w)
{
#pragma unroll
    for (int bit = 1; bit < R; bit *= 2, w = w * w)
#pragma unroll
        for (int p = 0; p < R; p++)
            if (p & bit)
                x[p * D] = x[p * D] * w;
}

/* The place of point i in shared memory: no eight threads meet in a bank in any pass, and no more
 * than two where a sorted row is read. */
__device__ __forceinline__ int placed(int i) { return i ^ ((i >> 4 ^ i >> 8) & 7); }

/* A block's FFT. A thread's x[i] is point threadIdx.x + i * THREADS outside of it. */
template <int LOG> struct fft {
    static constexpr int POINTS = 1 << LOG, THREADS = POINTS / 16;
    static constexpr int FIRST = 1 << LOG % 4, D = 16 / FIRST; /* the first radix; 1: none */
    static constexpr int TOP = LOG / 4 * 4 - 4;                /* log S of the first pass of 16 */

    double2 *cells;       /* shared, POINTS */
    const double *roots;  /* exp(-2 pi i j / 2^log), complex */
    int log;

    __device__ double2 root(int j, int log_block) const
    {
        return complex_at(roots, j << (log - log_block));
    }

    /* Of a pass of 16 with S = 2^s. */
    __device__ static int first_of(int s)
    {
        const int t = threadIdx.x, j = t & ((1 << s) - 1);
        return (t - j) * 16 + j;
    }
    __device__ void load(double2 (&x)[16], int first, int step) const
    {
#pragma unroll
        for (int k = 0; k < 16; k++)
            x[k] = cells[placed(first + k * step)];
    }
    __device__ void store(const double2 (&x)[16], int first, int step) const
    {
#pragma unroll
        for (int k = 0; k < 16; k++)
            cells[placed(first + k * step)] = x[k];
    }

    __device__ void forward(double2 (&x)[16]) const
    {
        if (FIRST > 1) {
#pragma unroll
            for (int q = 0; q < D; q++) {
                dft<FIRST, D>(x + q);
                twist<FIRST, D>(x + q, root(threadIdx.x + q * THREADS, LOG));
            }
            store(x, threadIdx.x, THREADS);
            __syncthreads();
            load(x, first_of(TOP), 1 << TOP);
        }
#pragma unroll 1
        for (int s = TOP;; s -= 4) {
            dft<16, 1>(x);
            if (!s)
                return;
            twist<16, 1>(x, root(threadIdx.x & ((1 << s) - 1), s + 4));
            store(x, first_of(s), 1 << s);
            __syncthreads();
            load(x, first_of(s - 4), 1 << (s - 4));
        }
    }

    /* The cell of number k after forward_in_cells. */
    __device__ static int place_of(unsigned k)
    {
        int place = k % FIRST;
        k /= FIRST;
#pragma unroll
        for (int digit = 0; digit < LOG / 4; digit++, k /= 16)
            place = 16 * place + k % 16;
        return placed(place);
    }

    __device__ void forward_in_cells(double2 (&x)[16]) const
    {
        forward(x);
        store(x, 16 * threadIdx.x, 1);
        __syncthreads();
    }

    /* From what forward ends with, conjugate; without the factor 1 / POINTS. */
    __device__ void backward(double2 (&x)[16]) const
    {
#pragma unroll 1
        for (int s = 0;; s += 4) {
            if (s) {
                load(x, first_of(s), 1 << s);
                twist<16, 1>(x, root(threadIdx.x & ((1 << s) - 1), s + 4));
            }
            dft<16, 1>(x);
            if (FIRST == 1 && s == TOP)
                return;
            store(x, first_of(s), 1 << s);
            __syncthreads();
            if (s == TOP)
                break;
        }
        load(x, threadIdx.x, THREADS);
#pragma unroll
        for (int q = 0; q < D; q++) {
            twist<FIRST, D>(x + q, root(threadIdx.x + q * THREADS, LOG));
            dft<FIRST, D>(x + q);
        }
    }
};

} // namespace
