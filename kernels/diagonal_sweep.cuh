// One segment of a strip: what the warps of a block do. The idea is described in diagonal.cu.
#pragma once

#include <utility>

#include "kernels/kernels.h"
#include "kernels/row_memory.cuh"

namespace {

// Elements of a lane, levels of a warp and rows of a step, stages, warps side by side in a stage.
constexpr int V = 6, T = 8, D = 4, G = 2;
constexpr int DEPTH = T * D;                         // iterations of a pass
constexpr int LOSE = T / 2;                          // elements a warp's side loses in a stage
constexpr int STEP = 32 * V - 2 * LOSE;              // from a warp's window to the next
constexpr int WIDTH = (G - 1) * STEP + 32 * V;
constexpr int HALO = DEPTH / 2;                      // elements a strip's side loses
constexpr int USE = WIDTH - 2 * HALO;
constexpr int BLOCK = T * WIDTH;                     // floats of the rows of a step
constexpr int NM = 2, NF = 8;                        // blocks of m and of f in shared memory
// and behind each stage two blocks for its results
constexpr int FLOATS = (NM + NF + 2 * D) * BLOCK;
constexpr int COMPUTING = G * D;                     // warps; a group of four more moves rows
constexpr int THREADS = 32 * (COMPUTING + 4);
constexpr int HANDOVERS = D + 1;                     // from memory, between stages, to memory
constexpr int DONE = 8;                              // barriers of the last stage's steps
constexpr int SHARED_BYTES = FLOATS * 4 + 32 * HANDOVERS + 8 * DONE;
// cells between the rows of the first and of the last stage
constexpr int STAGES_APART = (D - 1) * T / 2;
constexpr int REACH = WIDTH + STAGES_APART + T + T / 2; // cells that a step of the block can touch
// Rows of the torus below the image, so that all cells that a lane can touch are in one copy.
constexpr int GAP = 16;
static_assert(T % 2 == 0 && LOSE % 2 == 0 && WIDTH % 4 == 0 && HALO % 4 == 0 && STEP % 4 == 0, "");
static_assert(V + T - 2 < GAP, "");
static_assert((NF & (NF - 1)) == 0, ""); // stages take the remainder of a number below 0

struct Pass {
    float *out;
    const float *m, *f;
    rec_torus torus;
    int width, height;   // of the image; cells outside hold the halo (none with `tall` rows)
    int strips, overhead; // rows that the start of a strip counts as
    rec_share share[REC_DIAGONAL_BLOCKS]; // rows of the long column, for each block
    unsigned *flags, raised; // of the shares, and their value when a block of this pass has them
};

// Strip n covers cells n USE..(n + 1) USE - 1 of rows 0..length-1. If length is half of the rows,
// each row continues in a row of the second half.
struct Strip {
    int x0, row; // first cell of its window, and row of its first antidiagonal, as stored
    int keep;    // cells that it stores
};
__host__ __device__ inline int across(const rec_torus &torus)
{
    return torus.rows / torus.length * torus.columns;
}
__host__ __device__ inline int strips_of(const rec_torus &torus)
{
    return (across(torus) + USE - 1) / USE;
}
__host__ __device__ inline Strip strip_of(const rec_torus &torus, int n)
{
    const int at = n * USE, keep = across(torus) - at;
    return {(at < torus.columns ? at : at - torus.columns) - HALO,
            at < torus.columns ? 0 : torus.length, keep < USE ? keep : USE};
}

__host__ __device__ inline int wrapped(int a, int n) { return a < 0 ? a + n : a >= n ? a - n : a; }
__host__ __device__ inline int remainder_of(int a, int n)
{
    const int r = a % n;
    return r < 0 ? r + n : r;
}

// The host's compiler reads these functions, too.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define REC_DIAGONAL_HERE 1

// Every warp of a warp group: how many registers its lanes have from now on.
__device__ __forceinline__ void fewer_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
}
__device__ __forceinline__ void more_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
}

// The barriers of handover h (0: from memory, d: to stage d, D: to memory) take 32 bytes: two that
// say full and two that say empty. Behind them, DONE barriers say that the last stage has finished
// a step and no longer needs its f; a warp may wait for a step up to NF - D steps later.
__device__ __forceinline__ unsigned full_of(unsigned h, unsigned k) { return 32 * h + 8 * (k & 1); }
__device__ __forceinline__ unsigned empty_of(unsigned h, unsigned k) { return 16 + full_of(h, k); }
__device__ __forceinline__ unsigned done_of(unsigned k) { return 32 * HANDOVERS + 8 * (k % DONE); }

struct Segment {
    int x0, y0, y1; // columns x0.. of rows y0..y1-1, y0 even
    int keep;       // columns
    int first;      // input row of the first step
    int steps;      // of every stage
};

__device__ __forceinline__ Segment segment_of(const Strip &strip, int y0, int y1)
{
    y0 += strip.row, y1 += strip.row;
    return {strip.x0, y0, y1, strip.keep, y0 - DEPTH, (y1 - y0 + 2 * DEPTH + T - 1) / T};
}

// ---- moving rows ----

// By one lane: work(i, place) for cells x.. of the rows row + first..row + end - 1 of the torus,
// `place` in the plane. Row and first may be out of range by less than the torus has rows.
template <class Work>
__device__ __forceinline__ void each_row(const rec_torus &torus, int row, int x, int first, int end,
                                         Work &&work)
{
    row = wrapped(wrapped(row + first, torus.rows), torus.rows);
    long long place = (long long)row * torus.columns + x;
#pragma unroll 1
    for (int i = first; i < end; i++) {
        work(i, place);
        place += torus.columns;
        if (++row == torus.rows)
            place -= (long long)torus.rows * torus.columns;
    }
}

// One warp loads m, another one f, which comes one row later: when row y of m is here, row y - 1
// can be updated. One warp for both is slower than the computing ones where rows cross the seam.
template <bool F>
__device__ __forceinline__ void load_rows(const Pass &a, const Segment &segment, float *sm,
                                          unsigned bars, unsigned &k)
{
    const int columns = a.torus.columns, seam = a.torus.seam;
    const float *const from = F ? a.f : a.m;
    // Beyond the seam a row continues in another row; `left` cells are before the seam.
    const bool before = segment.x0 < 0;
    const int x = before ? segment.x0 + columns : segment.x0, left = min(WIDTH, columns - x);
#pragma unroll 1
    for (int n = 0; n < segment.steps; n++, k++) {
        const unsigned full = bars + full_of(0, k);
        barrier_wait(bars + empty_of(0, k), (k >> 1 & 1) ^ 1);
        // the step of the last stage that used this place of f
        const int user = (int)k - NF + D - 1;
        if (F && user >= 0)
            barrier_wait(bars + done_of(user), user / DONE & 1);
        const unsigned to = shared_address(sm + (F ? NM + k % NF : k & 1) * BLOCK);
        if (elected()) {
            const int y = segment.first + n * T - F;
            barrier_expect(BLOCK, full);
            each_row(a.torus, before ? y - seam : y, x, 0, T, [&](int i, long long place) {
                receive(to + 4 * i * WIDTH, from + place, 4 * left, full);
            });
            if (left < WIDTH)
                each_row(a.torus, before ? y : y + seam, 0, 0, T, [&](int i, long long place) {
                    receive(to + 4 * (i * WIDTH + left), from + place, 4 * (WIDTH - left), full);
                });
        }
        __syncwarp();
    }
}

__device__ __forceinline__ void store_rows(const Pass &a, const Segment &segment, const float *sm,
                                           unsigned bars, unsigned &k)
{
    const int x = segment.x0 + HALO;
    const int here = min(segment.keep, a.torus.columns - x); // the rest is beyond the seam
#pragma unroll 1
    for (int n = 0; n < segment.steps; n++, k++) {
        barrier_wait(bars + full_of(D, k), k >> 1 & 1);
        if (elected()) {
            const int y = segment.first + (n - D) * T; // every stage is T rows behind
            const int first = max(segment.y0 - y, 0), end = min(segment.y1 - y, T);
            const float *const s = sm + (NM + NF + 2 * (D - 1) + (k & 1)) * BLOCK + HALO;
            each_row(a.torus, y, x, first, end, [&](int i, long long place) {
                send(a.out + place, s + i * WIDTH, here);
            });
            if (here < segment.keep)
                each_row(a.torus, y + a.torus.seam, 0, first, end, [&](int i, long long place) {
                    send(a.out + place, s + i * WIDTH + here, segment.keep - here);
                });
            sends_wait();
            barrier_arrive(bars + empty_of(D, k));
        }
        __syncwarp();
    }
}

// ---- T rows through T levels ----

template <class F, int... I>
__device__ __forceinline__ void each(F &&f, std::integer_sequence<int, I...>)
{
    (f(std::integral_constant<int, I>{}), ...);
}

// What a lane keeps of its levels: the pair sums of the last even and odd row, f of the last T.
struct Levels {
    float q[T][2][V], f[T][V];
};

// A step: T rows of m and f come from shared memory (pm, pf), go through T levels, and are stored
// in shared memory (to). Halo: some cells may be outside the image; there the coefficient is 0 and
// f is the halo's value. Bit o of my says that the cell with y = (the lane's first y) + o is
// outside, bit o of mx the same of x = (the lane's last x) - o.
template <bool Halo>
__device__ __forceinline__ void work(Levels &levels, const float *pm, const float *pf, unsigned to,
                                     const bool (&own)[V / 2], unsigned my, unsigned mx)
{
    float next[V], fnext[V], inside[T][V]; // coefficients of the rows of levels.f
    const auto look = [&](int row) __attribute__((always_inline)) {
        const unsigned out = my >> (T / 2 + ((row - 1) >> 1)) | mx >> (T / 2 - (row >> 1));
#pragma unroll
        for (int v = 0; v < V; v++) // 0.25, or 0
            inside[(row + T) % T][v] = __uint_as_float((~out & 1u << v) * (0x3e800000u >> v));
    };
#pragma unroll
    for (int row = 1 - T; row < 0; row++)
        look(row);
    get_columns(next, pm);
    get_columns(fnext, pf);
    each([&](auto row) __attribute__((always_inline)) {
        constexpr int i = decltype(row)::value;
        float cur[V], fnow[V];
#pragma unroll
        for (int v = 0; v < V; v++)
            cur[v] = next[v], fnow[v] = fnext[v];
        look(i);
        // read before this row is worked on: it could not move up across the stores at its end
        if (i + 1 < T) {
            get_columns(next, pm + (i + 1) * WIDTH);
            get_columns(fnext, pf + (i + 1) * WIDTH);
        }
#pragma unroll
        for (int t = 0; t < T; t++) {
            const int slot = (i - t + T) % T, odd = (i - t + T) & 1;
            const float beside = odd ? __shfl_down_sync(~0u, cur[0], 1)
                                     : __shfl_up_sync(~0u, cur[V - 1], 1);
            float qn[V];
#pragma unroll
            for (int v = 0; v < V; v++)
                qn[v] = odd ? cur[v] + (v < V - 1 ? cur[v < V - 1 ? v + 1 : 0] : beside)
                            : (v > 0 ? cur[v > 0 ? v - 1 : 0] : beside) + cur[v];
#pragma unroll
            for (int v = 0; v < V; v++) {
                const float s = levels.q[t][odd][v] + qn[v];
                cur[v] = fmaf(Halo ? inside[slot][v] : 0.25f, s,
                              t == 0 ? fnow[v] : levels.f[slot][v]);
                levels.q[t][odd][v] = qn[v];
            }
        }
        get_columns(levels.f[i], pf + i * WIDTH); // again: cheaper than copies between registers
#pragma unroll
        for (int c = 0; c < V / 2; c++)
            put_pair(to + (i * WIDTH + 2 * c) * 4, own[c], cur + 2 * c);
    }, std::make_integer_sequence<int, T>{});
}

// ---- one of the computing warps: stage d, place g ----

__device__ __forceinline__ void compute(const Pass &a, const Segment &segment, float *sm,
                                        unsigned bars, int d, int g, unsigned &k)
{
    Levels levels;
#pragma unroll
    for (int t = 0; t < T; t++)
#pragma unroll
        for (int v = 0; v < V; v++)
            levels.q[t][0][v] = levels.q[t][1][v] = levels.f[t][v] = 0.f;
    const int lane = threadIdx.x & 31, at = g * STEP + lane * V;
    bool own[V / 2]; // pairs that this lane hands on; the other warp has the rest, or nobody
#pragma unroll
    for (int c = 0; c < V / 2; c++) {
        const int w = lane * V + 2 * c;
        own[c] = (w >= LOSE || g == 0) && (w < 32 * V - LOSE || g == G - 1);
    }
    // ya, xa: the smallest y and x of all warps' windows, T rows before those of the step. own_y,
    // own_x: the distance of this lane's cells from them.
    const int tall = a.torus.tall, wide = a.torus.wide, slide = tall % wide;
    const int row = (segment.first >> 1) - STAGES_APART - T / 2, stages = (D - 1 - d) * T / 2;
    int ya = remainder_of(row + segment.x0, tall);
    int xa = remainder_of(row - segment.x0 - WIDTH + 1 - (row + segment.x0 - ya), wide);
    const int own_y = stages + at, own_x = stages + WIDTH - 1 - at + T;
    float *const rings = sm + (NM + NF) * BLOCK;
    const float *const in = (d == 0 ? sm : rings + (2 * d - 2) * BLOCK) + at;
    const unsigned out = shared_address(rings + 2 * d * BLOCK + at);
    const float *const sf = sm + NM * BLOCK + at;

    auto step = [&](auto halo, bool idle, unsigned my, unsigned mx) __attribute__((always_inline)) {
        barrier_wait(bars + full_of(d, k), k >> 1 & 1);
        barrier_wait(bars + empty_of(d + 1, k), (k >> 1 & 1) ^ 1);
        if (!idle)
            work<decltype(halo)::value>(levels, in + (k & 1) * BLOCK, sf + (k - d) % NF * BLOCK,
                                        out + (k & 1) * BLOCK * 4, own, my, mx);
        if (d == D - 1)
            stores_fence();
        barrier_arrive(bars + empty_of(d, k));
        barrier_arrive(bars + full_of(d + 1, k));
        if (d == D - 1)
            barrier_arrive(bars + done_of(k));
        k++;
    };
    const auto move = [&](int steps) __attribute__((always_inline)) {
        ya += steps * T / 2, xa += steps * T / 2;
        xa -= xa >= wide ? wide : 0;
        if (ya >= tall)
            ya -= tall, xa = wrapped(xa - slide, wide);
    };
    // For how many steps no window has a cell outside the image. Windows that reach beyond the last
    // row of a slab are tested anew for each step.
    const auto steps_inside = [&]() __attribute__((always_inline)) {
        const int right = a.width - REACH - xa, down = a.height - REACH - ya;
        const bool below = a.height == tall && wrapped(xa - slide, wide) + REACH < a.width;
        return down > 0 ? (min(right, down) + T / 2 - 1) / (T / 2) : right > 0 && below;
    };
#pragma unroll 1
    for (int n = 0; n < segment.steps;) {
        // The fast instance has a loop of its own, with nothing else in it: in one loop with the
        // slower one, f would move between registers. All warps use the same instance at a time:
        // both together do not fit into the instruction cache.
        const int fast = n < 2 * d ? 0 : min(steps_inside(), segment.steps - n);
#pragma unroll 1
        for (int i = 0; i < fast; i++)
            step(std::false_type{}, false, 0, 0);
        if (fast > 0) {
            move(fast);
            n += fast;
        } else {
            const int yf = ya + own_y, yb = wrapped(yf, tall);
            const int xb = wrapped(xa + own_x - (yf >= tall - GAP ? slide : 0), wide);
            const unsigned my = (~0u << min(max(a.height - yb, 0), 31)) &
                                ~(~0u << min(tall - yb, 31));
            unsigned mx = (~0u << min(xb + 1, 31)) & ~(~0u << min(xb + wide - a.width + 1, 31));
            if (xb >= a.width)
                mx |= ~(~0u << min(xb - a.width + 1, 31));
            step(std::true_type{}, n < 2 * d, my, mx); // idle until rows have reached this stage
            move(1);
            n++;
        }
    }
}

// By one thread: which share the block works on. Shares are put beside each other as if block n ran
// on multiprocessor n. So a block takes the share of its multiprocessor or, if another block has
// it, the next one that none has.
__device__ __forceinline__ int take_share(const Pass &a)
{
    unsigned share;
    asm("mov.u32 %0,%%smid;" : "=r"(share));
    share %= gridDim.x;
    while (atomicExch(a.flags + share, a.raised) == a.raised)
        share = (share + 1) % gridDim.x;
    return (int)share;
}

// The strips, one below the other, are one long column; each block works on its share of it.
template <class Work>
__device__ __forceinline__ void each_segment(const Pass &a, int share, Work &&work)
{
    const int rows = a.torus.length, p0 = a.share[share].from, p1 = a.share[share].to;
    int base = 0;
    for (int s = 0; s < a.strips && base < p1; s++) {
        const int start = base + (s == 0 ? 0 : a.overhead);
        base = start + rows;
        if (base <= p0)
            continue;
        const int y0 = max(p0 - start, 0) & ~1;
        const int to = min(max(p1 - start, 0), rows), y1 = to < rows ? to & ~1 : to;
        if (y1 > y0)
            work(segment_of(strip_of(a.torus, s), y0, y1));
    }
}

#endif

} // namespace
