// Images that fit on the chip stay there: every block of the grid keeps one tile of the image in its
// registers for all iterations of a launch, f beside it in shared memory and what registers are left.
// Memory is for the edges of tiles alone.
//
//      +--------------+                  Tiles overlap. What lies outside the tile it does not know,
//      |  tile   +----+---------+        so every iteration costs the outermost good column and row:
//      |         |////|  tile   |        after `depth` iterations neighbours trade: each writes what
//      |         |////|         |        others lack to global memory (L2), raises its flag, waits
//      +---------+----+         |        for theirs, and reads.
//                |              |
//                +--------------+        The warps of a tile: resident_warp.cuh.
//
// The two planes of the image serve in turn, so nobody overwrites what a slower neighbour still
// reads, and a flag says how many rounds its tile has done: a tile waits for its eight neighbours,
// never for the whole grid. All tiles must be on the chip together, hence the cooperative launch.
//
// What made it faster, each measured: f and the shuffles come a row ahead; a release and an acquire
// instead of fences; flags that lie apart; as many iterations between two trades as the tiles allow;
// two iterations in one sweep where f does not fit into registers; an image that ends between two
// lanes, which takes one coefficient a lane; nothing kept for a trade that it can work out anew.
#include "kernels/kernels.h"
#include "kernels/resident_warp.cuh"
#include "kernels/stencil.h"

namespace {

struct Job {
    float *plane[2]; // [0] holds the start; round r = 1, 2, ... writes plane[r & 1]
    const float *f;
    int width, height, pitch; // columns width..pitch-1 of plane[0] and f hold the halo
    float halo;
    int iterations, depth; // in all, and between two trades; both even
    int tiles_x, tiles_y;
    unsigned *flags; // one a tile: rounds done, of this launch and all before
    unsigned raised; // of all before
};

// Where tile i of n begins: the first at `first`, the last at `last`, in steps of `grain` between.
__host__ __device__ inline int tile_start(int i, int n, int first, int last, int grain)
{
    return n == 1 ? first : first + (int)((long long)(last - first) / grain * i / (n - 1)) * grain;
}
// Halo at both ends, and where 16 bytes allow it whole lanes of it.
template <class S> __host__ __device__ inline int tile_x(int width, int tiles, int i)
{
    const int last = width % 4 ? (width + 1 - S::COLS + 3) / 4 * 4 : width + S::V - S::COLS;
    return tile_start(i, tiles, -S::V, last, 4);
}
template <class S> __host__ __device__ inline int tile_y(int height, int tiles, int i)
{
    return tile_start(i, tiles, 0, height - S::ROWS, 1);
}

// Where the image's sides are: nowhere in the tile, between its lanes, or anywhere.
enum Sides { NONE, BETWEEN, RAGGED };

template <class S, Sides SIDES>
__device__ __forceinline__ void run_tile(const Job &a, int tx, int ty, float *shared)
{
    constexpr int V = S::V, R = S::R, NC = V / 4;
    const int lane = threadIdx.x & 31, w = __shfl_sync(~0u, threadIdx.x >> 5, 0);
    const int X0 = tile_x<S>(a.width, a.tiles_x, tx), Y0 = tile_y<S>(a.height, a.tiles_y, ty);
    const int x = X0 + lane * V, y = Y0 + w * R;
    const auto in = [&](int c) { return x + 4 * c >= 0 && x + 4 * c < a.pitch; };
    // What to do with the lane's chunks of 4 columns in memory, row by row. The compiler shall not know
    // that the step is always the same, or it keeps the addresses of all rows.
    const auto walk = [&](float *plane, auto what) {
        int step = a.pitch;
        asm volatile("" : "+r"(step));
        float *p = plane + (long long)y * step + x;
#pragma unroll
        for (int r = 0; r < R; r++, p += step)
#pragma unroll
            for (int c = 0; c < NC; c++)
                what(p + 4 * c, r, c);
    };

    Warp<S, SIDES == NONE> warp;
    warp.lane = lane;
    warp.edges = shared + (w + 1) * 2 * S::COLS;
    warp.f = shared + S::EDGE + w * (R - S::F) * S::COLS;
#pragma unroll
    for (int v = 0; v < V; v++) {
        const int k = x + (SIDES == RAGGED ? v : 0);
        warp.coefficient[v] = k >= 0 && k < a.width ? 0.25f : 0.f;
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        const long long row = (long long)(y + r) * a.pitch + x;
        float t[V];
#pragma unroll
        for (int v = 0; v < V; v++)
            warp.m[r][v] = t[v] = a.halo;
#pragma unroll
        for (int c = 0; c < NC; c++) {
            get4(warp.m[r] + 4 * c, a.plane[0] + row + 4 * c, in(c), 0);
            get4(t + 4 * c, a.f + row + 4 * c, in(c), 0);
        }
        warp.put_f(r, t);
    }
    // Above the first warp and below the last one: halo at the image's edge, stale anyway elsewhere.
    for (int i = threadIdx.x; i < S::COLS; i += blockDim.x)
        for (int level = 0; level < 2; level++) {
            float *const edges = shared + level * (S::W + 2) * 2 * S::COLS;
            edges[S::COLS + i] = edges[(S::W + 1) * 2 * S::COLS + i] = a.halo;
        }
    __syncthreads();

    // One bit a row for each of the lane's chunks: give, take.
    const bool up = ty > 0, down = ty < a.tiles_y - 1, left = tx > 0, right = tx < a.tiles_x - 1;
    const int B = a.depth, C = (B + 3) / 4 * 4; // rows and columns that are lost between two trades
    // What the neighbours need begins at:
    const int yu = up ? tile_y<S>(a.height, a.tiles_y, ty - 1) + S::ROWS - B : 0;
    const int yd = down ? tile_y<S>(a.height, a.tiles_y, ty + 1) : 0;
    const int xl = left ? tile_x<S>(a.width, a.tiles_x, tx - 1) + S::COLS - C : 0;
    const int xr = right ? tile_x<S>(a.width, a.tiles_x, tx + 1) : 0;
    const int xa = X0 + (left ? C : 0), xb = X0 + S::COLS - (right ? C : 0); // good columns
    const int ya = Y0 + (up ? B : 0), yb = Y0 + S::ROWS - (down ? B : 0);    // good rows
    unsigned give[NC] = {}, take[NC] = {};
#pragma unroll
    for (int c = 0; c < NC; c++) {
        const int k = x + 4 * c;
        const bool good = in(c) && k >= xa && k < xb;
        const bool side = (left && k >= xl && k < xl + C) || (right && k >= xr && k < xr + C);
#pragma unroll 1
        for (int r = 0; r < R; r++) {
            const int l = y + r;
            const bool row = l >= ya && l < yb;
            const bool whole = (up && l >= yu && l < yu + B) || (down && l >= yd && l < yd + B);
            give[c] |= (unsigned)(row && good && (whole || side)) << r;
            take[c] |= (unsigned)(in(c) && !(row && good)) << r;
        }
    }

    unsigned round = 0;
    for (int to_do = a.iterations;;) {
        warp.begin();
        const int n = min(to_do, a.depth);
#pragma unroll 1
        for (int i = 0; i < n; i += 2)
            warp.sweep();
        to_do -= n;
        float *const plane = ++round & 1 ? a.plane[1] : a.plane[0];
        if (to_do == 0) {
            walk(plane, [&](float *p, int r, int c) {
                put4(p, warp.m[r] + 4 * c, in(c) ? ~take[c] : 0, r);
            });
            return;
        }
        walk(plane, [&](float *p, int r, int c) { put4(p, warp.m[r] + 4 * c, give[c], r); });
        __syncthreads();
        if (threadIdx.x == 32) // tell; from another warp than those that ask, which would hold it up
            raise_flag(a.flags + (ty * a.tiles_x + tx) * REC_FLAG_WORDS, a.raised + round);
        if (threadIdx.x < 9) { // ask: one thread a neighbour
            const int nx = tx + (int)threadIdx.x % 3 - 1, ny = ty + (int)threadIdx.x / 3 - 1;
            if (nx >= 0 && nx < a.tiles_x && ny >= 0 && ny < a.tiles_y) {
                const unsigned *flag = a.flags + (ny * a.tiles_x + nx) * REC_FLAG_WORDS;
                while ((int)(read_flag(flag) - a.raised - round) < 0) {}
            }
        }
        __syncthreads();
        walk(plane, [&](float *p, int r, int c) { get4(warp.m[r] + 4 * c, p, take[c], r); });
    }
}

template <class S> __global__ void __launch_bounds__(S::THREADS, 1) resident(Job a)
{
    extern __shared__ float4 raw[];
    const int tiles = a.tiles_x * a.tiles_y, tile = blockIdx.x % tiles, plane = blockIdx.x / tiles;
    const size_t skip = (size_t)plane * a.height * a.pitch;
    a.plane[0] += skip, a.plane[1] += skip, a.f += skip, a.flags += plane * tiles * REC_FLAG_WORDS;
    const int tx = tile % a.tiles_x, ty = tile / a.tiles_x, x0 = tile_x<S>(a.width, a.tiles_x, tx);
    if (x0 >= 0 && x0 + S::COLS <= a.width)
        run_tile<S, NONE>(a, tx, ty, (float *)raw);
    else if ((x0 >= 0 || x0 % S::V == 0) && (x0 + S::COLS <= a.width || (a.width - x0) % S::V == 0))
        run_tile<S, BETWEEN>(a, tx, ty, (float *)raw);
    else
        run_tile<S, RAGGED>(a, tx, ty, (float *)raw);
}

// ---- the shapes and their launches ----

// The fewest tiles that overlap enough for the depth; 0 where `most` are not enough.
template <class S> int cover(const rec_grid *grid, int depth, int most, rec_resident *made)
{
    const int columns = (depth + 3) / 4 * 4, width = (int)grid->width, height = (int)grid->height;
    int x = width < S::COLS - S::V ? 1 : 2, y = height == S::ROWS ? 1 : 2;
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
        depth -= 2;
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
    WAY(16, 14, 4, 12, 4, 12, false), //  256: 0.24 us
    WAY(20, 12, 4, 16, 4, 16, false), //  512: 0.25 us
    WAY(24, 12, 4, 10, 8, 10, false), //  768: 0.33 us
    WAY(24, 12, 4, 16, 8, 16, false), // 1024: 0.41 us
    WAY(24, 10, 4, 20, 8, 20, false), // 1280: 0.54 us
    WAY(24, 6, 4, 24, 8, 24, false),  // 1536: 0.69 us
    WAY(24, 8, 8, 18, 8, 3, true),    // 1792: 0.86 us
    WAY(24, 8, 8, 21, 8, 0, true),    // 2048: 1.16 us
    WAY(24, 6, 8, 24, 8, 1, true),    // 2304: 1.44 us
    WAY(24, 4, 8, 25, 8, 2, true),    // 2400: 1.69 us
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
