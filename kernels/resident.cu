// Images that fit on the chip stay there: each block of the grid keeps one tile of the image in
// registers for all iterations of a launch, and f in the remaining registers and shared memory.
// Only the edges of tiles go through memory.
//
//      +--------------+                  Tiles overlap. A tile does not know its surroundings, so
//      |  tile   +----+---------+        with each iteration one more row and column at its sides
//      |         |////|  tile   |        become wrong. After `depth` iterations comes an exchange:
//      |         |////|         |        each tile writes what its neighbours need to global memory
//      +---------+----+         |        (L2), raises its flag, waits for the flags of its eight
//                |              |        neighbours, and reads.
//                +--------------+        The warps of a tile: resident_warp.cuh.
//
// The two planes of the image alternate, so that no tile overwrites what a slower neighbour still
// reads. A flag counts the rounds of its tile; a tile never waits for the whole grid. A tile two
// away may be two rounds behind: it reads nothing that this one writes (resident_plan.cu). All
// tiles must be on the chip at the same time, hence the cooperative launch.
//
// What made it faster, each measured: f and the shuffles are asked for a row ahead; a release and
// an acquire instead of fences; flags in different cache lines; as many iterations between two
// exchanges as the tiles allow; two iterations in one sweep where f does not fit into registers;
// tiles placed so that the image ends between two lanes, with one coefficient a lane; addresses of
// an exchange computed anew instead of kept.
#include "kernels/resident_shapes.h"
#include "kernels/resident_warp.cuh"
#include "kernels/stencil.h"

namespace {

// Where the image ends left or right: not in the tile, between two lanes of it, or anywhere.
enum Sides { NONE, BETWEEN, RAGGED };

template <class S, Sides SIDES>
__device__ __forceinline__ void run_tile(const rec_resident_job &a, int tx, int ty, float *shared)
{
    constexpr int V = S::V, R = S::R, NC = V / 4;
    const int lane = threadIdx.x & 31, w = __shfl_sync(~0u, threadIdx.x >> 5, 0);
    const auto start_x = [&](int i) { return rec_tile_x(V, S::COLS, a.width, a.tiles_x, i); };
    const auto start_y = [&](int i) { return rec_tile_y(S::ROWS, a.height, a.tiles_y, i); };
    const int X0 = start_x(tx), Y0 = start_y(ty);
    const int x = X0 + lane * V, y = Y0 + w * R;
    const auto in = [&](int c) { return x + 4 * c >= 0 && x + 4 * c < a.pitch; };
    // Calls what(address, row, chunk) for the lane's chunks of 4 columns in memory, row by row. The
    // step from row to row is hidden from the compiler, which else keeps the addresses of all rows.
    const auto walk = [&](float *plane, int x, int apart, auto what) {
        int step = a.pitch;
        asm volatile("" : "+r"(step));
        float *p = plane + (long long)y * step + x;
#pragma unroll
        for (int r = 0; r < R; r++, p += step)
#pragma unroll
            for (int c = 0; c < NC; c++)
                what(p + apart * c, r, c);
    };
    // Memory moves in sectors of 32 bytes, and a lane moves 16 at a time. So in an exchange the
    // second and the third four of 16 columns change places: then two lanes fill a sector together.
    const int xt = NC == 1 ? x : (x & ~8) | (x & 8) >> 1, apart = 8;

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
    // The rows above the first warp and below the last one: the halo at the image's edge; anywhere
    // else they are wrong anyway.
    for (int i = threadIdx.x; i < S::COLS; i += blockDim.x)
        for (int level = 0; level < 2; level++) {
            float *const edges = shared + level * (S::W + 2) * 2 * S::COLS;
            edges[S::COLS + i] = edges[(S::W + 1) * 2 * S::COLS + i] = a.halo;
        }
    __syncthreads();

    // One bit a row for each of the lane's chunks: give, take.
    const bool up = ty > 0, down = ty < a.tiles_y - 1, left = tx > 0, right = tx < a.tiles_x - 1;
    const int B = a.depth, C = (B + 3) / 4 * 4; // rows and columns lost between two exchanges
    // The first row or column that each neighbour needs:
    const int yu = up ? start_y(ty - 1) + S::ROWS - B : 0;
    const int yd = down ? start_y(ty + 1) : 0;
    const int xl = left ? start_x(tx - 1) + S::COLS - C : 0;
    const int xr = right ? start_x(tx + 1) : 0;
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
            walk(plane, x, 4, [&](float *p, int r, int c) {
                put4(p, warp.m[r] + 4 * c, in(c) ? ~take[c] : 0, r);
            });
            return;
        }
        walk(plane, xt, apart, [&](float *p, int r, int c) {
            put4(p, warp.m[r] + 4 * c, give[c], r);
        });
        __syncthreads();
        // tell the neighbours; not from the warp that asks, which would delay it
        if (threadIdx.x == 32)
            raise_flag(a.flags + (ty * a.tiles_x + tx) * REC_FLAG_WORDS, a.raised + round);
        if (threadIdx.x < 9) { // ask: one thread a neighbour
            const int nx = tx + (int)threadIdx.x % 3 - 1, ny = ty + (int)threadIdx.x / 3 - 1;
            if (nx >= 0 && nx < a.tiles_x && ny >= 0 && ny < a.tiles_y) {
                const unsigned *flag = a.flags + (ny * a.tiles_x + nx) * REC_FLAG_WORDS;
                while ((int)(read_flag(flag) - a.raised - round) < 0) {}
            }
        }
        __syncthreads();
        walk(plane, xt, apart, [&](float *p, int r, int c) {
            get4(warp.m[r] + 4 * c, p, take[c], r);
        });
    }
}

template <class S>
__global__ void __launch_bounds__(S::THREADS, 1) resident(rec_resident_job a)
{
    extern __shared__ float4 raw[];
    const int tiles = a.tiles_x * a.tiles_y, tile = blockIdx.x % tiles, plane = blockIdx.x / tiles;
    const size_t skip = (size_t)plane * a.height * a.pitch;
    a.plane[0] += skip, a.plane[1] += skip, a.f += skip, a.flags += plane * tiles * REC_FLAG_WORDS;
    const int tx = tile % a.tiles_x, ty = tile / a.tiles_x;
    const int x0 = rec_tile_x(S::V, S::COLS, a.width, a.tiles_x, tx);
#if __CUDA_ARCH__
    if constexpr (S::SHARED > rec_shared_of(__CUDA_ARCH__ / 10))
        return;
#endif
    if (x0 >= 0 && x0 + S::COLS <= a.width)
        run_tile<S, NONE>(a, tx, ty, (float *)raw);
    else if ((x0 >= 0 || x0 % S::V == 0) && (x0 + S::COLS <= a.width || (a.width - x0) % S::V == 0))
        run_tile<S, BETWEEN>(a, tx, ty, (float *)raw);
    else
        run_tile<S, RAGGED>(a, tx, ty, (float *)raw);
}

// REC_SHAPE is the first number of the table's row that this object is for.
template <int> struct Row;
#define ROW(square, most, least, ...) \
    template <> struct Row<square> { \
        using S = Tile<__VA_ARGS__>; \
        enum { MOST = most, LEAST = least }; \
    };
REC_RESIDENT_SHAPES(ROW)
using ThisRow = Row<REC_SHAPE>;
using This = ThisRow::S;

} // namespace

#define NAMED(square) rec_resident_##square
#define NAME(square) NAMED(square)
const rec_resident_shape NAME(REC_SHAPE) = {
    resident<This>, ThisRow::MOST, ThisRow::LEAST, This::V,
    This::COLS,     This::ROWS,    This::THREADS,  This::SHARED};
