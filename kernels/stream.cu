// Temporal blocking in registers, for images of any size: many iterations in one pass over memory.
//
// A block of the grid owns a strip of columns and sweeps it from top to bottom. Its 8 warps are a
// pipeline of 4 stages, two warps side by side in each:
//
//      rows of iterate N                                          rows of iterate N + 4 T
//      and of f, by bulk copy     shared      shared      shared      (shared, and then)
//            |  ->  stage 0  ->  memory  ->  ...  ->  stage 3  ->  global memory
//                 T iterations                      T iterations
//
// A stage keeps T iterations in flight in registers ("levels"): when row r of iterate n arrives,
// row r - 1 of n + 1 can be made, from it row r - 2 of n + 2, and so on down the levels. Of every
// level only the row before and its pair sums are kept. The pair sums are why an update takes three
// instructions: q[r][x] = m[r][x+1] + m[r+1][x] is the right + down of pixel (r, x) and the
// up + left of pixel (r + 1, x + 1), so a pixel costs two additions and an fma (kernels/stencil.h).
//
// What makes it fast, the largest gain first:
// - Depth. Memory moves once for 4 T iterations: 12 bytes a pixel for 32 of them.
// - A lane owns 6 columns, so a level needs two shuffles for 6 updates. Only the next row needs
//   their results, so no warp waits for them.
// - Between two barriers T rows are one basic block without a branch, so that the compiler
//   interleaves them: stores are predicated in PTX, the coefficient is 0 outside the image instead
//   of a test, and strips and rows away from the border have instances of their own.
// - This basic block has only arithmetic, shuffles and shared memory. Rows move between two of
//   them: when a step begins, half of the warps, one on each scheduler, ask for the next rows; when
//   it ends, the other half writes what the last stage made in the step before. So a warp that
//   moves rows shares its scheduler with one that computes.
// - All blocks end together: the strips, one below the other, are one long column, and each block
//   takes an equal share of its rows. The start of a segment of a strip counts as rows, by the time
//   it takes, and rows of the outermost strips, which are slower, count more.
// At each side T columns of a warp's window and 4 T columns of a strip are computed twice; so are
// the rows above and below a share. Figures: docs/measurements.md.
//
// Left out on purpose: a ninth warp that only moves rows (each warp would have 168 registers);
// clusters of blocks that exchange columns (their barrier takes longer than computing the columns
// twice); wider windows (they spilled or were slower).
#include <type_traits>

#include "kernels/kernels.h"
#include "kernels/stencil.h"
#include "kernels/row_memory.cuh"

namespace {

// Columns a lane, warps side by side, stages at most.
constexpr int V = 6, G = 2, D = 4;
constexpr int THREADS = 32 * G * D;
constexpr int HALF = G * D / 2; // warps 0, 1 .. load rows, warps HALF, HALF + 1 .. store them
// Blocks of rows that a stage is behind the one before: one for the levels, one for the barrier.
constexpr int LAG = 2;

// Blocks of f in shared memory: each is kept until the last stage has used it.
__host__ __device__ constexpr int ring_of_f(int stages) { return (stages - 1) * LAG + 2; }

template <int T_> struct Shape {
    // levels of a warp, rows between two barriers
    static constexpr int T = T_;
    static constexpr int STEP = 32 * V - 2 * T;        // columns from a warp's window to the next
    static constexpr int WIDTH = (G - 1) * STEP + 32 * V;
    static constexpr int HALO = (T * D + 3) / 4 * 4;   // columns of a strip's side that are lost
    static constexpr int USE = WIDTH - 2 * HALO;
    static constexpr int BLK = T * WIDTH;              // floats of a block of rows
    static constexpr int NM = 2;                       // blocks of m: at work, and on its way
    // In the shape for large images all stages always work. That the compiler knows it saves
    // registers.
    static constexpr bool FULL = T > 6;
    static_assert(T % 2 == 0 && T <= 2 * HALF && WIDTH % 4 == 0, "two rows a warp");
};

struct Pass {
    float *out;
    const float *m, *f;
    int width, height, pitch; // columns width..pitch-1 of m and f hold the halo, then of out too
    float halo;
    int strips;
    int stages, nf;     // stages at work; blocks in the ring of f
    int overhead;       // rows that the start of a segment counts as
    int outer_rows;     // rows that the first and the last strip of a plane count as
    long long total, share; // rows of the long column: all, and those of one block of the grid
};

// Shared memory, in this order: blocks of m; the ring of f; behind each stage two blocks for its
// results; the mbarriers of the warps that load.
template <int T> __host__ __device__ constexpr int floats_of_blocks(int stages)
{
    return (Shape<T>::NM + ring_of_f(stages) + 2 * stages) * Shape<T>::BLK;
}
template <int T> constexpr int shared_bytes(int stages)
{
    return floats_of_blocks<T>(stages) * 4 + HALF * 8;
}

// ---- one segment: rows y0..y1-1 of the strip from column x0 on; XE: it has columns outside ----

// y0 is even. `phase` counts the phases of the mbarriers from segment to segment.
template <class S, bool XE>
__device__ __forceinline__ void sweep(const Pass &a, int x0, int y0, int y1, float *sm,
                                      unsigned &phase)
{
    constexpr int T = S::T;
    const int stages = S::FULL ? D : a.stages, nf = S::FULL ? ring_of_f(D) : a.nf;
    const int lane = threadIdx.x & 31, warp = __shfl_sync(~0u, threadIdx.x >> 5, 0);
    const int d = warp / G, g = warp - d * G; // stage; place beside the others of the stage
    const int last = stages - 1;
    float *const sf = sm + S::NM * S::BLK, *const sh = sf + nf * S::BLK;
    const int ys = y0 - T * stages, blocks = (y1 - y0 + 2 * T * stages + T - 1) / T;
    const int steps = blocks + last;

    // ---- loading: two rows of a block of m and of f a warp ----
    const bool loads = warp < T / 2;
    const unsigned barrier = shared_address(sm + floats_of_blocks<T>(stages)) + 8 * warp;
    const int first = XE ? max(-x0, 0) : 0, beyond = XE ? min(S::WIDTH, a.pitch - x0) : S::WIDTH;
    int lf = 0; // place in the ring of f of the next block to load
    auto fetch = [&](int block) {
        // f comes one row later than m: row y of f is needed when row y + 1 of m arrives.
        const int y = ys + block * T + 2 * warp, two = 2 * warp * S::WIDTH;
        float *const m = sm + (block & 1) * S::BLK + two, *const f = sf + lf * S::BLK + two;
        const long long from = (long long)y * a.pitch + x0;
        if (y >= 1 && y + 2 <= a.height) {
            transfers_expect(4 * (beyond - first), barrier);
            transfer(m, a.m + from, first, beyond, barrier);
            transfer(f, a.f + from - a.pitch, first, beyond, barrier);
            transfer(m + S::WIDTH, a.m + from + a.pitch, first, beyond, barrier);
            transfer(f + S::WIDTH, a.f + from, first, beyond, barrier);
        } else { // rows outside the image are filled with the halo
            int columns = 0;
#pragma unroll 1
            for (int i = 0; i < 4; i++) {
                const int row = y + i / 2 - i % 2, to = i / 2 * S::WIDTH;
                float *const s = i % 2 ? f + to : m + to;
                if ((unsigned)row < (unsigned)a.height) {
                    transfer(s, (i % 2 ? a.f : a.m) + (long long)row * a.pitch + x0, first, beyond,
                             barrier);
                    columns += beyond - first;
                } else {
                    fill_row(s, first, beyond, a.halo);
                }
            }
            transfers_expect(columns, barrier);
        }
        if (++lf == nf)
            lf = 0;
    };
    __syncthreads(); // the segment before is done with the rings
    if (XE) {        // columns outside the image are never loaded: they keep the halo
        for (int row = warp; row < (S::NM + nf) * T; row += G * D)
            fill_row(sm + row * S::WIDTH, 0, S::WIDTH, a.halo);
        __syncthreads();
    }
    if (loads)
        fetch(0);

    // ---- the levels ----

    // What is kept of every level: the row before (mp), its pair sums (q), and their neighbours in
    // the lanes beside (mr, ql). Level t works t rows behind, so f of the last T rows is kept (fr).
    float mp[T][V], q[T][V], fr[T][V], mr[T], ql[T], coefficient[V];
#pragma unroll
    for (int t = 0; t < T; t++) {
        mr[t] = ql[t] = 0.f;
#pragma unroll
        for (int v = 0; v < V; v++)
            mp[t][v] = q[t][v] = fr[t][v] = 0.f;
    }
    const int lc = g * S::STEP + lane * V, gx = x0 + lc; // first column in the strip, in the image
#pragma unroll
    for (int v = 0; v < V; v++) // outside the image 0 * s + f = f, which is the halo's value there
        coefficient[v] = !XE || (gx + v >= 0 && gx + v < a.width) ? 0.25f : 0.f;
    bool own[V / 2]; // pairs of columns that this lane hands on
#pragma unroll
    for (int c = 0; c < V / 2; c++) {
        const int w = lane * V + 2 * c;
        own[c] = (w >= T || g == 0) && (w < 32 * V - T || g == G - 1);
    }
    // T rows through T levels; EY: rows outside the image may be among them.
    auto body = [&](auto ey, const float *pm, const float *pf, unsigned to, int row) {
        constexpr bool EY = decltype(ey)::value;
        float next[V], fnext[V];
        get_columns(next, pm);
        get_columns(fnext, pf);
#pragma unroll
        for (int i = 0; i < T; i++) {
            // The next row is read before this one is worked on: the compiler cannot move the read
            // up across the stores at the end of this row.
            float cur[V], fnow[V];
#pragma unroll
            for (int v = 0; v < V; v++)
                cur[v] = next[v], fnow[v] = fnext[v];
            if (i + 1 < T) {
                get_columns(next, pm + (i + 1) * S::WIDTH);
                get_columns(fnext, pf + (i + 1) * S::WIDTH);
            }
#pragma unroll
            for (int t = 0; t < T; t++) {
                const int slot = (i - t + T) % T;
                const bool in = !EY || (unsigned)(row + i - t - 1) < (unsigned)a.height;
                float out[V];
#pragma unroll
                for (int v = V - 1; v >= 0; v--) {
                    const float qn = (v < V - 1 ? mp[t][v < V - 1 ? v + 1 : 0] : mr[t]) + cur[v];
                    const float s = (v > 0 ? q[t][v > 0 ? v - 1 : 0] : ql[t]) + qn;
                    out[v] = fmaf(in ? coefficient[v] : 0.f, s, t == 0 ? fnow[v] : fr[slot][v]);
                    q[t][v] = qn;
                }
#pragma unroll
                for (int v = 0; v < V; v++)
                    mp[t][v] = cur[v], cur[v] = out[v];
                mr[t] = __shfl_down_sync(~0u, mp[t][0], 1); // both wanted by the next row
                ql[t] = __shfl_up_sync(~0u, q[t][V - 1], 1);
            }
#pragma unroll
            for (int v = 0; v < V; v++)
                fr[i][v] = fnow[v];
#pragma unroll
            for (int c = 0; c < V / 2; c++)
                put_pair(to + (i * S::WIDTH + 2 * c) * 4, own[c], cur + 2 * c);
        }
    };

    // ---- storing: two rows a warp of what the last stage made in the step before ----
    const bool stores = warp >= HALF && warp < HALF + T / 2;
    const int columns = XE ? min(S::USE, a.pitch - x0 - S::HALO) : S::USE;
    auto store = [&](int k) {
        constexpr int N = (S::USE + 127) / 128; // pieces of 16 bytes of a row, a lane
        const int u = 2 * (warp - HALF), y = ys + (k - last * LAG - 2) * T + u, x = 4 * lane_id();
        if (y < y0 || y >= y1)
            return;
        const float *s = sh + (2 * last + ((k - 1) & 1)) * S::BLK + u * S::WIDTH + S::HALO + x;
        float *const o = a.out + (long long)y * a.pitch + x0 + S::HALO + x;
        float4 r[2][N];
#pragma unroll
        for (int i = 0; i < 2 * N; i++)
            if (x + i % N * 128 < columns)
                r[i / N][i % N] = *(const float4 *)(s + i / N * S::WIDTH + i % N * 128);
#pragma unroll
        for (int i = 0; i < 2 * N; i++)
            if (x + i % N * 128 < columns && (i < N || y + 1 < y1))
                *(float4 *)(o + (i < N ? 0 : a.pitch) + i % N * 128) = r[i / N][i % N];
    };

    // ---- the steps ----
    const int begin = d * (LAG + 1), end = S::FULL || d <= last ? blocks + d : 0; // this stage's
    int row = ys - d * LAG * T; // the first input row of a step
    int fs = (nf - d * LAG % nf) % nf;
    // Its rows are in two places that take turns.
    int at = d == 0 ? 0 : (int)(sh - sm) + (2 * d - 1) * S::BLK;
    const int both = d == 0 ? S::BLK : 2 * at - S::BLK;
    const unsigned hand = shared_address(sh + d * 2 * S::BLK + lc);
    if (loads)
        transfers_wait(barrier, phase & 1);
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        const bool more = loads && k + 1 < blocks;
        if (more)
            fetch(k + 1);
        if (k >= begin && k < end) {
            const unsigned to = hand + (k & 1) * S::BLK * 4;
            if (row - T >= 0 && row + T - 1 <= a.height)
                body(std::false_type{}, sm + at + lc, sf + fs * S::BLK + lc, to, row);
            else
                body(std::true_type{}, sm + at + lc, sf + fs * S::BLK + lc, to, row);
        }
        if (stores)
            store(k);
        if (more)
            transfers_wait(barrier, (phase + k + 1) & 1);
        row += T;
        at = both - at;
        if (++fs == nf)
            fs = 0;
    }
    phase += blocks;
    __syncthreads();
    if (stores)
        store(steps);
}

// The strips, one below the other, are one long column; each block takes its share of it.
template <int T> __global__ void __launch_bounds__(THREADS, 1) stream_pass(const Pass a)
{
    using S = Shape<T>;
    extern __shared__ float4 raw[];
    float *const sm = (float *)raw;
    if (threadIdx.x < HALF)
        transfers_init(shared_address(sm + floats_of_blocks<T>(S::FULL ? D : a.stages)) +
                       8 * threadIdx.x);
    unsigned phase = 0;
    const long long p0 = blockIdx.x * a.share, p1 = p0 + a.share;
    long long base = 0; // where strip s begins
    for (int s = 0; s < a.strips && base < p1; s++) {
        const long long rows = s == 0 || s == a.strips - 1 ? a.outer_rows : a.height;
        // Every share begins with a segment, so that start is not counted.
        const long long start = base + (s == 0 ? 0 : a.overhead);
        base = start + rows;
        if (base <= p0)
            continue;
        const int y0 = (int)(max(p0 - start, 0ll) * a.height / rows) & ~1;
        const int to = (int)(min(max(p1 - start, 0ll), rows) * a.height / rows);
        const int y1 = to < a.height ? to & ~1 : to;
        if (y1 <= y0)
            continue;
        const int x0 = s * S::USE - S::HALO;
        if (x0 < 0 || x0 + S::WIDTH > a.width)
            sweep<S, true>(a, x0, y0, y1, sm, phase);
        else
            sweep<S, false>(a, x0, y0, y1, sm, phase);
    }
}

// ---- what leaves this file ----

// All of a pass but its planes.
template <int T> Pass shared_out(const rec_grid *grid, int stages, int processors)
{
    using S = Shape<T>;
    const int outer = grid->width > S::USE ? 2 : 1;
    Pass a = {};
    a.width = (int)grid->width, a.height = (int)grid->height, a.pitch = (int)grid->pitch;
    a.halo = grid->halo;
    a.strips = (int)((grid->width + S::USE - 1) / S::USE);
    a.stages = stages, a.nf = ring_of_f(stages);
    // Both measured on an H200: the start of a segment takes a third more than its rows, and the
    // outermost strips are 3/16 slower.
    a.overhead = (2 * stages + stages - 1) * T * 4 / 3 + 8;
    a.outer_rows = (int)(grid->height * 19 / 16);
    a.total = (a.strips - outer) * (long long)a.height + outer * (long long)a.outer_rows +
              (a.strips - 1) * (long long)a.overhead;
    a.share = (a.total + processors - 1) / processors;
    if (a.share < a.overhead + 4) // a smaller share would be all overhead
        a.share = a.overhead + 4;
    return a;
}

template <int T> cudaError_t plan(rec_stream *made, const rec_grid *grid, int most)
{
    int stages = D, blocks = 0;
    while (stages && shared_bytes<T>(stages) > most)
        stages = Shape<T>::FULL ? 0 : stages - 1;
    if (!stages)
        return cudaSuccess;
    const int bytes = shared_bytes<T>(stages);
    cudaError_t result = cudaFuncSetAttribute(
        stream_pass<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (!result)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stream_pass<T>, THREADS,
                                                               bytes);
    // A start, and so much a row: right to 4% at ten sizes from 2048 x 2048 to 16384 x 16384.
    const double rows = (double)shared_out<T>(grid, stages, made->processors).share +
                        (3 * stages - 1) * T;
    made->nanoseconds = 4500 + (T > 6 ? 257 : 212) * rows;
    made->levels = T;
    made->stages = blocks ? stages : 0;
    return result;
}

template <int T>
cudaError_t launch(const rec_stream *planned, int stages, const rec_grid *grid, float *out,
                   const float *m, const float *f, cudaStream_t stream)
{
    Pass a = shared_out<T>(grid, stages, planned->processors);
    const unsigned blocks = (unsigned)((a.total + a.share - 1) / a.share);
    for (size_t p = 0; p < grid->planes; p++) {
        const size_t at = p * grid->height * grid->pitch;
        a.out = out + at, a.m = m + at, a.f = f + at;
        stream_pass<T><<<blocks, THREADS, shared_bytes<T>(stages), stream>>>(a);
    }
    return cudaGetLastError();
}

} // namespace

cudaError_t rec_stream_plan(const rec_grid *grid, int levels, rec_stream *made)
{
    const size_t most = (size_t)1 << 30; // rows and columns are int
    rec_asked ask;
    const int shared = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    *made = rec_stream{};
    made->processors = ask(cudaDevAttrMultiProcessorCount);
    if (ask.result || grid->width >= most || grid->height >= most)
        return ask.result;
    return levels == 8 ? plan<8>(made, grid, shared) : plan<6>(made, grid, shared);
}

cudaError_t rec_launch_stream(const rec_stream *plan, int stages, const rec_grid *grid, float *out,
                              const float *m, const float *f, cudaStream_t stream)
{
    return plan->levels == 8 ? launch<8>(plan, stages, grid, out, m, f, stream)
                             : launch<6>(plan, stages, grid, out, m, f, stream);
}
