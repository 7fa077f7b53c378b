// Images that fit on the chip stay there: every block of the grid keeps one tile of the image in its
// registers for all iterations of a launch, f beside it in registers and, what is left of it, in
// shared memory. Memory is for the edges of tiles alone.
//
//      +--------------+                  Tiles overlap. A warp owns R rows of 32 V columns; after an
//      |  tile   +----+---------+        iteration it publishes its first and last row in shared
//      |         |////|  tile   |        memory for the warps above and below. What lies outside the
//      |         |////|         |        tile it does not know, so every iteration costs the
//      +---------+----+         |        outermost good column and row: after `depth` iterations
//                |              |        neighbours trade: each writes what others lack to global
//                +--------------+        memory (L2), raises its flag, waits for theirs, reads.
//
// The two planes of the image serve in turn, so nobody overwrites what a slower neighbour still
// reads, and a flag says how many rounds its tile has done: a tile waits for its eight neighbours,
// never for the whole grid. All tiles must be on the chip together, hence the cooperative launch.
//
// An update costs three instructions by pair sums, as in stream.cu.
// What made it faster, each measured: the rows between are updated first and the edge rows last, so
// that the other warps' rows have long arrived; f and the shuffles come a row ahead; a release and an
// acquire instead of fences; flags that lie apart; as many iterations between two trades as the tiles
// allow.
#include "kernels/kernels.h"
#include "kernels/resident_memory.cuh"
#include "kernels/stencil.h"

namespace {

struct Job {
    float *plane[2]; // [0] holds the start; round r = 1, 2, ... writes plane[r & 1]
    const float *f;
    int width, height, pitch; // columns width..pitch-1 of plane[0] and f hold the halo
    float halo;
    int iterations, depth; // in all, and between two trades
    int tiles_x, tiles_y;
    unsigned *flags; // one a tile: rounds done, of this launch and all before
    unsigned raised; // of all before
};

// V columns a lane, R rows a warp, W warps one below the other, F of the R rows of f in registers.
template <int V_, int R_, int W_, int F_> struct Tile {
    static constexpr int V = V_, R = R_, W = W_, F = F_;
    static constexpr int COLS = 32 * V, ROWS = R * W, THREADS = 32 * W;
    // The second warp tells the neighbours; a row is a bit.
    static_assert(W >= 2 && R >= 2 && R <= 32, "");
    // Which rows of f: spread, so that reads of the others from shared memory are spread too.
    static constexpr __host__ __device__ bool kept(int r) { return r * F / R != (r + 1) * F / R; }
    static constexpr __host__ __device__ int at(int r) { return kept(r) ? r * F / R : r - r * F / R; }
    static constexpr int EDGE = 2 * (W + 2) * 2 * COLS; // floats: parity, warp, first and last row
    static constexpr int SHARED = (EDGE + W * (R - F) * COLS) * 4;
};

// Where tile i of n begins: the first at `first`, the last at `last`, in steps of `grain` between.
__host__ __device__ inline int tile_start(int i, int n, int first, int last, int grain)
{
    return n == 1 ? first : first + (int)((long long)(last - first) / grain * i / (n - 1)) * grain;
}
template <class S> __host__ __device__ inline int tile_x(int width, int tiles, int i)
{
    return tile_start(i, tiles, -4, (width + 1 - S::COLS + 3) / 4 * 4, 4); // halo at both ends
}
template <class S> __host__ __device__ inline int tile_y(int height, int tiles, int i)
{
    return tile_start(i, tiles, 0, height - S::ROWS, 1);
}

// XE: the tile has columns outside the image.
template <class S, bool XE>
__device__ __forceinline__ void run_tile(const Job &a, int tx, int ty, float *sm)
{
    constexpr int V = S::V, R = S::R, NC = V / 4;
    const int lane = threadIdx.x & 31, w = __shfl_sync(~0u, threadIdx.x >> 5, 0);
    const int me = ty * a.tiles_x + tx;
    float *const edge = sm, *const fs = sm + S::EDGE + w * (R - S::F) * S::COLS;
    auto edge_row = [&](int parity, int slot, int bottom) {
        return edge + ((parity * (S::W + 2) + slot) * 2 + bottom) * S::COLS;
    };
    const int X0 = tile_x<S>(a.width, a.tiles_x, tx), Y0 = tile_y<S>(a.height, a.tiles_y, ty);
    const int x = X0 + lane * V, y = Y0 + w * R;

    float m[R][V], fr[S::F][V], coefficient[V];
    bool in[NC];
#pragma unroll
    for (int v = 0; v < V; v++) // outside the image 0 * s + f = the halo's value, for good
        coefficient[v] = !XE || (x + v >= 0 && x + v < a.width) ? 0.25f : 0.f;
#pragma unroll
    for (int c = 0; c < NC; c++)
        in[c] = !XE || (x + 4 * c >= 0 && x + 4 * c < a.pitch);
    const long long base = (long long)y * a.pitch + x;
#pragma unroll
    for (int r = 0; r < R; r++) {
        float t[V];
#pragma unroll
        for (int v = 0; v < V; v++)
            m[r][v] = t[v] = a.halo;
#pragma unroll
        for (int c = 0; c < NC; c++) {
            get4(m[r] + 4 * c, a.plane[0] + base + (long long)r * a.pitch + 4 * c, in[c]);
            get4(t + 4 * c, a.f + base + (long long)r * a.pitch + 4 * c, in[c]);
        }
        if (S::kept(r))
#pragma unroll
            for (int v = 0; v < V; v++)
                fr[S::kept(r) ? S::at(r) : 0][v] = t[v];
        else
            put_row(fs + S::at(r) * S::COLS, t, lane);
    }
    // Above the first warp and below the last one: halo at the image's edge, stale anyway elsewhere.
    for (int i = threadIdx.x; i < 2 * 2 * S::COLS; i += blockDim.x)
        edge_row(i / S::COLS & 1, i / (2 * S::COLS) ? S::W + 1 : 0,
                 i / (2 * S::COLS) ? 0 : 1)[i % S::COLS] = a.halo;
    __syncthreads();

    // One bit a row for each of the lane's chunks of 4 columns: give, take, keep at the end.
    const bool up = ty > 0, down = ty < a.tiles_y - 1, left = tx > 0, right = tx < a.tiles_x - 1;
    const int B = a.depth, C = (B + 3) / 4 * 4; // rows and columns that are lost between two trades
    // What the neighbours need begins at:
    const int yu = up ? tile_y<S>(a.height, a.tiles_y, ty - 1) + S::ROWS - B : 0;
    const int yd = down ? tile_y<S>(a.height, a.tiles_y, ty + 1) : 0;
    const int xl = left ? tile_x<S>(a.width, a.tiles_x, tx - 1) + S::COLS - C : 0;
    const int xr = right ? tile_x<S>(a.width, a.tiles_x, tx + 1) : 0;
    const int xa = X0 + (left ? C : 0), xb = X0 + S::COLS - (right ? C : 0); // good columns
    const int ya = Y0 + (up ? B : 0), yb = Y0 + S::ROWS - (down ? B : 0);    // good rows
    unsigned give[NC] = {}, take[NC] = {}, keep[NC] = {};
#pragma unroll
    for (int c = 0; c < NC; c++) {
        const int k = x + 4 * c;
        const bool good = in[c] && k >= xa && k < xb;
        const bool side = (left && k >= xl && k < xl + C) || (right && k >= xr && k < xr + C);
#pragma unroll 1
        for (int r = 0; r < R; r++) {
            const int l = y + r;
            const bool row = l >= ya && l < yb;
            const bool whole = (up && l >= yu && l < yu + B) || (down && l >= yd && l < yd + B);
            give[c] |= (unsigned)(row && good && (whole || side)) << r;
            take[c] |= (unsigned)(in[c] && !(row && good)) << r;
            keep[c] |= (unsigned)(row && good) << r;
        }
    }

    int parity = 0;
    unsigned round = 0;
    auto publish = [&]() { // first and last row, for the warps above and below
        put_row(edge_row(parity, w + 1, 0), m[0], lane);
        put_row(edge_row(parity, w + 1, 1), m[R - 1], lane);
    };
    for (int to_do = a.iterations;;) {
        publish();
        const int n = min(to_do, B);
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            // Pair sums q[r][x] = m[r][x+1] + m[r+1][x] are of old values alone. The rows between
            // come first: meanwhile the neighbours' rows arrive.
            float q0[V], qp[V], f[V], ql, mr = __shfl_down_sync(~0u, m[0][0], 1);
            if (!S::kept(1))
                get_row(f, fs + S::at(1) * S::COLS, lane);
#pragma unroll
            for (int v = V - 1; v >= 0; v--)
                qp[v] = q0[v] = (v < V - 1 ? m[0][v < V - 1 ? v + 1 : 0] : mr) + m[1][v];
            ql = __shfl_up_sync(~0u, q0[V - 1], 1);
            mr = __shfl_down_sync(~0u, m[1][0], 1);
#pragma unroll
            for (int r = 1; r < R; r++) {
                float q[V], fn[V], below[V], above[V], qln = 0.f, mrn = 0.f;
                const int rn = (r + 1) % R; // the row after this one; row 0 is the last
                if (!S::kept(rn))
                    get_row(fn, fs + S::at(rn) * S::COLS, lane);
                if (r == R - 1) {
                    __syncthreads(); // long after the rows were published: nobody waits for long
                    get_row(below, edge_row(parity, w + 2, 0), lane);
                    get_row(above, edge_row(parity, w, 1), lane);
                }
#pragma unroll
                for (int v = V - 1; v >= 0; v--)
                    q[v] = (v < V - 1 ? m[r][v < V - 1 ? v + 1 : 0] : mr) +
                           (r < R - 1 ? m[r < R - 1 ? r + 1 : 0][v] : below[v]);
                if (r < R - 1) {
                    qln = __shfl_up_sync(~0u, q[V - 1], 1);
                    mrn = __shfl_down_sync(~0u, m[rn][0], 1);
                } else {
                    mrn = __shfl_down_sync(~0u, above[0], 1);
                }
#pragma unroll
                for (int v = 0; v < V; v++)
                    m[r][v] = fmaf(coefficient[v], (v > 0 ? qp[v > 0 ? v - 1 : 0] : ql) + q[v],
                                   S::kept(r) ? fr[S::kept(r) ? S::at(r) : 0][v] : f[v]);
                if (r == R - 1) { // and row 0
#pragma unroll
                    for (int v = V - 1; v >= 0; v--)
                        qp[v] = (v < V - 1 ? above[v < V - 1 ? v + 1 : 0] : mrn) + m[0][v];
                    qln = __shfl_up_sync(~0u, qp[V - 1], 1);
#pragma unroll
                    for (int v = 0; v < V; v++)
                        m[0][v] = fmaf(coefficient[v], (v > 0 ? qp[v > 0 ? v - 1 : 0] : qln) + q0[v],
                                       S::kept(0) ? fr[S::kept(0) ? S::at(0) : 0][v] : fn[v]);
                }
#pragma unroll
                for (int v = 0; v < V; v++)
                    qp[v] = q[v], f[v] = fn[v];
                ql = qln, mr = mrn;
            }
            parity ^= 1;
            publish();
        }
        __syncthreads(); // nobody wants the rows published last
        parity ^= 1;
        to_do -= n;
        float *const p = (++round & 1 ? a.plane[1] : a.plane[0]) + base;
        const bool end = to_do == 0;
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
            for (int c = 0; c < NC; c++)
                put4(p + (long long)r * a.pitch + 4 * c, (end ? keep[c] : give[c]) >> r & 1,
                     m[r] + 4 * c);
        if (end)
            return;
        __syncthreads();
        if (threadIdx.x == 32) // tell; from another warp than those that ask, which would hold it up
            raise_flag(a.flags + me * REC_FLAG_WORDS, a.raised + round);
        if (threadIdx.x < 9) { // ask: one thread a neighbour
            const int nx = tx + (int)threadIdx.x % 3 - 1, ny = ty + (int)threadIdx.x / 3 - 1;
            if (nx >= 0 && nx < a.tiles_x && ny >= 0 && ny < a.tiles_y) {
                const unsigned *flag = a.flags + (ny * a.tiles_x + nx) * REC_FLAG_WORDS;
                while ((int)(read_flag(flag) - a.raised - round) < 0) {}
            }
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
            for (int c = 0; c < NC; c++)
                get4(m[r] + 4 * c, p + (long long)r * a.pitch + 4 * c, take[c] >> r & 1);
    }
}

template <class S> __global__ void __launch_bounds__(S::THREADS, 1) resident(Job a)
{
    extern __shared__ float4 raw[];
    const int tiles = a.tiles_x * a.tiles_y, tile = blockIdx.x % tiles, plane = blockIdx.x / tiles;
    const size_t skip = (size_t)plane * a.height * a.pitch;
    a.plane[0] += skip, a.plane[1] += skip, a.f += skip, a.flags += plane * tiles * REC_FLAG_WORDS;
    const int tx = tile % a.tiles_x, ty = tile / a.tiles_x, x0 = tile_x<S>(a.width, a.tiles_x, tx);
    if (x0 < 0 || x0 + S::COLS > a.width)
        run_tile<S, true>(a, tx, ty, (float *)raw);
    else
        run_tile<S, false>(a, tx, ty, (float *)raw);
}

// ---- the shapes and their launches ----

// The fewest tiles that overlap enough for the depth; 0 where `most` are not enough.
template <class S> int cover(const rec_grid *grid, int depth, int most, rec_resident *made)
{
    const int columns = (depth + 3) / 4 * 4, width = (int)grid->width, height = (int)grid->height;
    int x = width <= S::COLS - 5 ? 1 : 2, y = height == S::ROWS ? 1 : 2;
    const auto wrong = [](int n, int step, int least, int side) { // one step from tile to tile
        return step > side - 2 * least || (n > 2 && step < least);
    };
    for (int i = 1; i < x && x <= most; i++)
        if (wrong(x, tile_x<S>(width, x, i) - tile_x<S>(width, x, i - 1), columns, S::COLS))
            x++, i = 0;
    for (int i = 1; i < y && x * y <= most; i++)
        if (wrong(y, tile_y<S>(height, y, i) - tile_y<S>(height, y, i - 1), depth, S::ROWS))
            y++, i = 0;
    made->tiles_x = x, made->tiles_y = y, made->depth = depth;
    return height >= S::ROWS && x * y <= most;
}

// With the greatest depth from `most` down to `least` that covers the image: the fewest trades.
template <class S>
cudaError_t plan(const rec_grid *grid, int most, int least, int processors, int shared,
                 rec_resident *made)
{
    int blocks = 0, depth = S::SHARED > shared ? 0 : most;
    rec_resident tried = *made;
    while (depth >= least && !cover<S>(grid, depth, processors, &tried))
        depth--;
    if (depth < least)
        return cudaSuccess;
    cudaError_t result = cudaFuncSetAttribute(
        resident<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::SHARED);
    if (!result)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, resident<S>, S::THREADS,
                                                               S::SHARED);
    if (result || !blocks)
        return result;
    // One tile a multiprocessor: smaller ones, several to a multiprocessor, are slower.
    *made = tried;
    made->planes = min((int)grid->planes, processors / (tried.tiles_x * tried.tiles_y));
    return cudaSuccess;
}

template <class S>
cudaError_t launch(const Job &first, const rec_resident *plan, const rec_grid *grid,
                   unsigned *raised, cudaStream_t stream)
{
    const size_t tiles = (size_t)plan->tiles_x * plan->tiles_y, own = grid->height * grid->pitch;
    cudaError_t result = cudaSuccess;
    for (size_t done = 0; done < grid->planes && !result; done += plan->planes) {
        const size_t now = min(grid->planes - done, (size_t)plan->planes);
        Job a = first;
        a.plane[0] += done * own, a.plane[1] += done * own, a.f += done * own;
        a.raised = *raised;
        void *arguments[] = {&a};
        result = cudaLaunchCooperativeKernel((const void *)resident<S>, (unsigned)(now * tiles),
                                             S::THREADS, arguments, S::SHARED, stream);
        *raised += (unsigned)rec_resident_rounds(plan, a.iterations);
    }
    return result;
}

struct Way {
    int most, least; // depth
    cudaError_t (*plan)(const rec_grid *, int, int, int, int, rec_resident *);
    cudaError_t (*launch)(const Job &, const rec_resident *, const rec_grid *, unsigned *,
                          cudaStream_t);
};
#define WAY(most, least, ...) {most, least, plan<Tile<__VA_ARGS__>>, launch<Tile<__VA_ARGS__>>}

// The first that covers the image with a tile a multiprocessor: the smaller the tile, the faster the
// iteration, as long as trades are few. Beside each a square that it is best for on an H200.
const Way ways[] = {
    WAY(16, 13, 4, 12, 4, 12), //  256: 0.24 us
    WAY(21, 12, 4, 16, 4, 16), //  512: 0.25 us
    WAY(24, 11, 4, 10, 8, 10), //  768: 0.33 us
    WAY(24, 12, 4, 16, 8, 16), // 1024: 0.41 us
    WAY(24, 10, 4, 20, 8, 20), // 1280: 0.57 us
    WAY(24, 7, 4, 24, 8, 24),  // 1536: 0.71 us
    WAY(24, 7, 8, 18, 8, 7),   // 1792: 0.95 us
    WAY(24, 7, 8, 21, 8, 4),   // 2048: 1.30 us
    WAY(24, 9, 8, 24, 8, 1),   // 2176: 1.54 us
    WAY(24, 4, 8, 25, 8, 2),   // 2400: 1.89 us
};
constexpr int WAYS = sizeof ways / sizeof *ways;

} // namespace

extern "C" cudaError_t rec_resident_plan(const rec_grid *grid, rec_resident *made)
{
    int device = 0;
    *made = rec_resident{};
    cudaError_t result = cudaGetDevice(&device);
    const auto ask = [&](cudaDeviceAttr what) {
        int value = 0;
        result = result ? result : cudaDeviceGetAttribute(&value, what, device);
        return value;
    };
    const int shared = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const int processors = ask(cudaDevAttrMultiProcessorCount);
    const int cooperative = ask(cudaDevAttrCooperativeLaunch);
    const size_t most = (size_t)1 << 24; // far more than any chip holds
    if (result || !cooperative || grid->width >= most || grid->height >= most)
        return result;
    for (int i = 0; i < WAYS && !result && !made->planes; i++) {
        made->way = i;
        result = ways[i].plan(grid, ways[i].most, ways[i].least, processors, shared, made);
    }
    return result;
}

extern "C" cudaError_t rec_launch_resident(const rec_resident *plan, const rec_grid *grid, float *m,
                                           float *other, const float *f, int iterations,
                                           unsigned *flags, unsigned *raised, cudaStream_t stream)
{
    const Job job = {{m, other}, f, (int)grid->width, (int)grid->height, (int)grid->pitch,
                     grid->halo, iterations, plan->depth, plan->tiles_x, plan->tiles_y, flags, 0};
    return ways[plan->way].launch(job, plan, grid, raised, stream);
}
