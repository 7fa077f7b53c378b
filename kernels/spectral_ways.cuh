/* Two rows into the complex numbers whose FFT has their transforms, and out of them again: the
 * first row in the real parts, the second in the imaginary ones
 * (src/solver/spectral/spectral_axis.h has the sines').
 *
 * Cosines (Makhoul, "A Fast Cosine Transform in One and Two Dimensions", 1980): with v the even
 * pixels followed by the odd ones from the end, V its FFT and w_k = exp(-i pi k / (2 n)),
 *
 * X_k = 2 Re(w_k V_k), and back V_k = conj(w_k) (X_k - i X_(n-k)) / 2 with X_n = 0
 *
 * The inverse FFT is the forward one between two conjugations. Hartley: X_k = Re V_k - Im V_k. */
#pragma once

#include "kernels/spectral.h"
#include "kernels/spectral_fft.cuh"

namespace {

enum way { SINE, COSINE, COSINE_BACK, HARTLEY, RESPONSE };

/* A chunk of rows on its way: `from`, through complex rows of axis.length numbers, `to`. */
struct task {
    rec_device_axis axis;
    way what;
    rec_device_rows from, to;
    double scale, offset;
    /* axis.length of each pair, where that is more than a block's shared memory holds */
    double2 *z;
};

/* The rows of a pair of `Cell`; the last row of an odd number goes with itself. */
template <class Cell> struct two_rows {
    Cell *first, *second;
    __device__ two_rows(Cell *cells, const rec_device_rows &rows, unsigned pair)
        : first(cells + 2 * (size_t)pair * rows.pitch),
          second(2 * (size_t)pair + 1 < rows.count ? first + rows.pitch : first)
    {
    }
    __device__ double2 read(unsigned x) const { return {(double)first[x], (double)second[x]}; }
    __device__ void write(unsigned x, double2 value) const
    {
        second[x] = (Cell)value.y;
        first[x] = (Cell)value.x;
    }
};

/* The pixel that is v_i. */
__device__ inline unsigned pixel_of(unsigned i, unsigned n)
{
    return 2 * i < n ? 2 * i : 2 * (n - i) - 1;
}

/* Number e of what the padded FFT of a pair takes. Without branches, so that many are read at
 * once. */
template <way what, class Cell>
__device__ inline double2 source(const rec_device_axis &axis, const two_rows<const Cell> &rows,
                                 unsigned e)
{
    const unsigned period = (unsigned)axis.period;
    const bool there = e < period && (what != SINE || e > 0);
    const unsigned i = there ? e : period - 1;
    double2 z;
    if (what == SINE) {
        const unsigned j = i ? i - 1 : 0, mirrored = j + 2 < period ? period - j - 2 : 0;
        const double2 f = rows.read(j), g = rows.read(mirrored);
        const double sine = __ldg(axis.turn + i);
        z = {fma(sine, f.x + g.x, 0.5 * (f.x - g.x)), fma(sine, f.y + g.y, 0.5 * (f.y - g.y))};
    } else if (what == COSINE_BACK) {
        const double2 u = rows.read(i), v = rows.read(i ? period - i : 0);
        const double2 w = conjugate(complex_at(axis.turn, i));
        const double half = i ? -0.5 : 0;
        const double2 a = w * double2{0.5 * u.x, half * v.x};
        const double2 b = w * double2{0.5 * u.y, half * v.y};
        z = {a.x - b.y, -a.y - b.x};
    } else {
        z = rows.read(what == COSINE ? pixel_of(i, period) : i);
    }
    if (axis.chirp)
        z = z * complex_at(axis.chirp, i);
    return there ? z : double2{0, 0};
}

/* conj(w_d) / length, of the offset d = e or e - length */
__device__ inline double2 response(const rec_device_axis &axis, unsigned e)
{
    const unsigned length = (unsigned)axis.length, d = e < length - e ? e : length - e;
    const double scale = d < axis.period ? 1.0 / length : 0;
    const double2 w = complex_at(axis.chirp, d < axis.period ? d : 0);
    return {scale * w.x, -scale * w.y};
}

/* x[i] = number first + i * step, for all i; 0 from READ on: padding begins at length / 2 + 1. */
template <int COUNT, int READ, way what, class Cell>
__device__ inline void gather(const task &task, const Cell *cells, unsigned pair, unsigned first,
                              unsigned step, double2 *x)
{
    const two_rows<const Cell> rows(cells, task.from, pair);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        x[i] = i < READ ? source<what>(task.axis, rows, first + i * step) : double2{0, 0};
}

template <int COUNT, int READ = COUNT / 2 + 1>
__device__ inline void gather(const task &task, unsigned pair, unsigned first, unsigned step,
                              double2 *x)
{
    const auto from = [&](const auto *cells) {
        switch (task.what) {
        case SINE: return gather<COUNT, READ, SINE>(task, cells, pair, first, step, x);
        case COSINE: return gather<COUNT, READ, COSINE>(task, cells, pair, first, step, x);
        case COSINE_BACK:
            return gather<COUNT, READ, COSINE_BACK>(task, cells, pair, first, step, x);
        case HARTLEY: return gather<COUNT, READ, HARTLEY>(task, cells, pair, first, step, x);
        default:
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                x[i] = response(task.axis, first + i * step);
        }
    };
    task.from.floats ? from(task.from.floats) : from(task.from.cells);
}

/* ---- out: z(k) is number k of the FFT ---- */

/* A thread takes BATCH k of a tile: F_(2k+1) by the running sum of F_(2k+1) - F_(2k-1) (of k = 0:
 * F_1), which goes through the thread, the warp, the warps of the block, and from tile to tile, and
 * F_(2k+2). A block that has all numbers in shared memory has one tile. */
template <int THREADS, int BATCH, class Cell, class Numbers>
__device__ inline void put_sines(const task &task, const two_rows<Cell> &rows, const Numbers &z)
{
    constexpr int WARPS = THREADS / 32;
    __shared__ double2 totals[2][WARPS]; /* double buffered: one barrier a tile */
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned n = (unsigned)task.axis.n, period = n + 1;
    const double half = 0.5 * task.scale;
    const double2 offset = {task.offset, task.offset};
    double2 carry = offset;
    int buffer = 0;
    for (unsigned tile = 0; 2 * tile < n; tile += BATCH * THREADS, buffer ^= 1) {
        const unsigned k = tile + BATCH * threadIdx.x;
        double2 odd[BATCH], even[BATCH], here = z(k < period ? k : 0);
        double2 mirrored = k && k < period ? z(period - k) : double2{0, 0};
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            odd[i] = {half * (here.x + mirrored.x), half * (here.y + mirrored.y)};
            if (i)
                odd[i] = odd[i] + odd[i - 1];
            const bool there = k + i + 1 < period;
            here = z(there ? k + i + 1 : 0);
            mirrored = z(there ? period - (k + i + 1) : 0);
            even[i] = {half * (mirrored.y - here.y), half * (here.x - mirrored.x)};
        }
        double2 sum = odd[BATCH - 1];
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const double2 before = {__shfl_up_sync(~0u, sum.x, distance),
                                    __shfl_up_sync(~0u, sum.y, distance)};
            if (lane >= distance)
                sum = sum + before;
        }
        if (lane == 31)
            totals[buffer][warp] = sum;
        __syncthreads();
        sum = sum - odd[BATCH - 1];
        for (unsigned w = 0; w < WARPS; w++) {
            if (w == warp)
                sum = sum + carry;
            carry = carry + totals[buffer][w];
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            if (2 * (k + i) < n)
                rows.write(2 * (k + i), sum + odd[i]);
            if (2 * (k + i) + 1 < n)
                rows.write(2 * (k + i) + 1, even[i] + offset);
        }
    }
}

template <int THREADS, class Cell, class Numbers>
__device__ inline void put_others(const task &task, const two_rows<Cell> &rows, const Numbers &z)
{
    const unsigned n = (unsigned)task.axis.n;
    for (unsigned k = threadIdx.x; k < n; k += THREADS) {
        const double2 here = z(k), mirrored = z(k ? n - k : 0);
        /* the FFTs of the first row and of the second */
        const double2 a = {0.5 * (here.x + mirrored.x), 0.5 * (here.y - mirrored.y)};
        const double2 b = {0.5 * (here.y + mirrored.y), 0.5 * (mirrored.x - here.x)};
        double2 value = {a.x - a.y, b.x - b.y};
        if (task.what == COSINE) {
            const double2 w = complex_at(task.axis.turn, k);
            value = {2 * (w * a).x, 2 * (w * b).x};
        } else if (task.what == COSINE_BACK) {
            value = {2 * here.x, -2 * here.y};
        }
        rows.write(task.what == COSINE_BACK ? pixel_of(k, n) : k,
                   {task.scale * value.x + task.offset, task.scale * value.y + task.offset});
    }
}

template <int THREADS, int BATCH, class Numbers>
__device__ inline void put(const task &task, unsigned pair, const Numbers &z)
{
    const auto to = [&](auto *cells) {
        const two_rows rows(cells, task.to, pair);
        if (task.what == SINE)
            put_sines<THREADS, BATCH>(task, rows, z);
        else
            put_others<THREADS>(task, rows, z);
    };
    task.to.floats ? to(task.to.floats) : to(task.to.cells);
}

} // namespace
