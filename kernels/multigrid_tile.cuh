// A tile of a level in the registers of a block. A warp has a few rows, a lane two neighbouring
// columns of them:
//
//     warp 0   . . . . . . . . . . . .      . the apron: read, worked on, not written. Each half
//     warp 1   . . o o o o o o o o . .        sweep makes one more ring of it wrong, from outside.
//     warp 2   . . o o o o o o o o . .      o the tile's own cells
//     warp 3   . . . . . . . . . . . .
//
// Left and right neighbours come by shuffles, the rows between two warps through shared memory:
// one barrier a half sweep. Cells are red (y + x even) and black; the first cell of a tile is red.
//
// Around a level memory is padded with known cells. So tiles need no tests, but where a side is
// mirrored or wrapped: these are General. If a wrapped axis is odd, neighbours of one colour meet
// at the seam; a half sweep takes their values from before it. Elsewhere cells of the colour that
// was relaxed last have no residual. With Mass each cell has a diagonal of its own, whose inverse
// is in registers, too.
#pragma once

#include "kernels/multigrid.h"

namespace
{

constexpr int tile_warps = 16, tile_rows = 4; // of a warp
constexpr int tile_threads = 32 * tile_warps, tile_side = tile_warps * tile_rows;
static_assert(tile_side == 64, "32 lanes of two columns");

__host__ __device__ inline int own_side(const rec_device_level &level)
{
    return tile_side - 2 * level.apron;
}
__host__ __device__ inline int tiles_across(const rec_device_level &level)
{
    return (level.x.cells + own_side(level) - 1) / own_side(level);
}
__host__ __device__ inline int tiles_down(const rec_device_level &level)
{
    return (level.y.cells + own_side(level) - 1) / own_side(level);
}

// Whether z A z of the level is made from neighbours.
__host__ __device__ inline bool sums_neighbours(const rec_device_level &level)
{
    return level.apron > 2 * level.sweeps;
}

struct Place {
    size_t plane;
    int i, j; // of the tile
};

// The first and the last row of each warp: a colour's, or with General both colours', in two
// buffers by turns: [buffer or colour][warp + 1][which row][column][lane].
template <bool General> struct Edges {
    float v[2][tile_warps + 2][2][General ? 2 : 1][32];
};

// The cell of an axis that is at i, which may be outside; -1: none.
__device__ __forceinline__ int place_of(const rec_multigrid_axis &axis, int i)
{
    if (axis.low == REC_WRAPPED)
        i = i < 0 ? axis.cells - 1 - (-1 - i) % axis.cells : i % axis.cells;
    return i < axis.cells ? max(i, -1) : -1;
}

// 1 / (4 less the missing neighbours); of a single cell, which lacks all four, anything.
__device__ __forceinline__ float inverse_diagonal(int lacking)
{
    return lacking == 0 ? 0.25f : lacking == 1 ? 1.0f / 3 : lacking == 2 ? 0.5f : 1.0f;
}

template <bool General, bool Mass> struct Tile {
    static constexpr int R = tile_rows, C = 2;

    Edges<General> &edges;
    const rec_device_level &level;
    int warp, lane, x0, y0; // the lane's first cell
    int turn;               // of the buffers
    unsigned known, black;  // bits 2 r + c
    unsigned lacking;       // two bits: the neighbours that do not exist
    float v[R][C], b[R][C];
    float inverses[Mass ? R : 1][C]; // Mass

    __device__ __forceinline__ Tile(const rec_device_level &its_level, Edges<General> &through,
                                    const Place &at)
        : edges(through), level(its_level), warp(threadIdx.x / 32), lane(threadIdx.x % 32),
          x0(at.i * own_side(level) - level.apron + C * lane),
          y0(at.j * own_side(level) - level.apron + R * warp), turn(0), known(0), black(0),
          lacking(0)
    {
        for (int i = 0; General && i < R * C; i++) {
            const int x = place_of(level.x, x0 + i % C), y = place_of(level.y, y0 + i / C);
            const int both = rec_missing(&level.x, x) + rec_missing(&level.y, y);
            lacking |= (unsigned)min(3, both) << 2 * i;
            black |= (unsigned)(x + y & 1) << i;
        }
        for (int r = 0; Mass && r < R; r++) {
            const float2 mass = read<false>(level.mass, level.pitch, r, 0);
            inverses[Mass ? r : 0][0] = 1 / ((float)(4 - lacks(r, 0)) + mass.x);
            inverses[Mass ? r : 0][1] = 1 / ((float)(4 - lacks(r, 1)) + mass.y);
        }
    }

    __device__ __forceinline__ bool knows(int r, int c) const { return known >> (C * r + c) & 1; }
    __device__ __forceinline__ bool owns(int r) const
    {
        const int row = R * warp + r, column = C * lane;
        return min(row, column) >= level.apron && max(row, column) < tile_side - level.apron;
    }
    __device__ __forceinline__ int lacks(int r, int c) const
    {
        return General ? lacking >> 2 * (C * r + c) & 3 : 0;
    }
    __device__ __forceinline__ float inverse(int r, int c) const
    {
        return Mass ? inverses[Mass ? r : 0][c] : inverse_diagonal(lacks(r, c));
    }
    __device__ __forceinline__ auto diagonal(int r, int c) const
    {
        if constexpr (Mass)
            return 1 / inverses[r][c];
        else
            return 4 - lacks(r, c);
    }
    __device__ __forceinline__ bool is_black(int r, int c) const
    {
        return General ? black >> (C * r + c) & 1 : (r + c) & 1;
    }

    // Two cells of a plane of this level, or (Coarse) the cell of the next level that has them.
    template <bool Coarse>
    __device__ __forceinline__ float2 read(const float *plane, int pitch, int r, float beyond) const
    {
        if constexpr (General) {
            const int y = place_of(level.y, y0 + r), x = place_of(level.x, x0);
            const int next = place_of(level.x, x0 + 1);
            const float *row = plane + (size_t)((y < 0 ? 0 : y) >> Coarse) * pitch;
            return make_float2(y < 0 || x < 0 ? beyond : row[x >> Coarse],
                               y < 0 || next < 0 ? beyond : row[next >> Coarse]);
        } else {
            const float *at = plane + (long long)((y0 + r) >> Coarse) * pitch + (x0 >> Coarse);
            return Coarse ? make_float2(*at, *at) : *(const float2 *)at;
        }
    }

    __device__ __forceinline__ void load(const float *plane)
    {
#pragma unroll
        for (int r = 0; r < R; r++) {
            const float2 q = read<false>(plane, level.pitch, r, NAN);
            b[r][0] = q.x;
            b[r][1] = q.y;
            known |= (unsigned)isnan(q.x) << C * r | (unsigned)isnan(q.y) << (C * r + 1);
        }
    }
    // Whether a cell of the tile is unknown. By all threads.
    __device__ __forceinline__ bool has_unknown() const
    {
        return __syncthreads_or(known != (1u << R * C) - 1);
    }

    __device__ __forceinline__ void write(float *plane, int r) const
    {
        *(float2 *)(plane + (size_t)(y0 + r) * level.pitch + x0) = make_float2(v[r][0], v[r][1]);
    }

    // The cell above the warp's first row (which: 0), or below its last one.
    __device__ __forceinline__ float beside(int which, int c) const
    {
        return edges
            .v[General ? turn : (c + !which) & 1][warp + 2 * which][!which][General ? c : 0][lane];
    }

    template <typename Sum = float> __device__ __forceinline__ Sum around(int r, int c) const
    {
        const Sum left = c ? v[r][0] : __shfl_up_sync(~0u, v[r][1], 1);
        const Sum right = c ? __shfl_down_sync(~0u, v[r][0], 1) : v[r][1];
        const Sum up = r ? v[r ? r - 1 : 0][c] : beside(0, c);
        const Sum down = r < R - 1 ? v[r < R - 1 ? r + 1 : r][c] : beside(1, c);
        return (up + left) + (right + down);
    }
    __device__ __forceinline__ float residual(int r, int c) const
    {
        return b[r][c] - ((float)diagonal(r, c) * v[r][c] - around(r, c));
    }

    // Shows the first and the last row to the warps beside; not General: a colour's cells of them.
    template <int Colour> __device__ __forceinline__ void show()
    {
#pragma unroll
        for (int c = 0; c < (General ? C : 1); c++) {
            edges.v[General ? turn : Colour][warp + 1][0][c][lane] = v[0][General ? c : Colour];
            edges.v[General ? turn : Colour][warp + 1][1][c][lane] =
                v[R - 1][General ? c : 1 - Colour];
        }
    }

    template <int Colour> __device__ __forceinline__ void half_sweep()
    {
        float next[R][C];
#pragma unroll
        for (int i = 0; i < R * C; i++) {
            const int r = i / C, c = i % C;
            if (General || (r + c) % 2 == Colour)
                next[r][c] = inverse(r, c) * (b[r][c] + around(r, c));
        }
#pragma unroll
        for (int i = 0; i < R * C; i++) {
            const int r = i / C, c = i % C;
            if ((General || (r + c) % 2 == Colour) && is_black(r, c) == Colour && !knows(r, c))
                v[r][c] = next[r][c];
        }
        turn ^= General;
        show<Colour>();
        __syncthreads();
    }
};

// ---- what is done with a tile ----

// Two sweeps from 0; the residual becomes the next level's b. Does nothing where all is known.
template <bool General, bool Mass>
__device__ __forceinline__ void go_down(const rec_device_level &level, const rec_device_level &next,
                                        const Place &at, Edges<General> &edges)
{
    Tile<General, Mass> tile(level, edges, at);
    constexpr int R = tile.R, C = tile.C;
    tile.load(level.b + at.plane * level.step);
    if (!tile.has_unknown())
        return;
#pragma unroll
    for (int i = 0; i < R * C; i++) { // the first half sweep from 0
        const int r = i / C, c = i % C;
        tile.v[r][c] = tile.is_black(r, c) || tile.knows(r, c)
                           ? 0.0f
                           : tile.inverse(r, c) * tile.b[r][c];
    }
    tile.template show<0>();
    __syncthreads();
    tile.template half_sweep<1>();
#pragma unroll 1
    for (int i = 1; i < level.sweeps; i++) {
        tile.template half_sweep<0>();
        tile.template half_sweep<1>();
    }

    // Not General: the residual of red cells alone. Known children make the coarse cell known.
    // A child beyond a side that is not fixed, or of an axis of one cell, does not exist.
    const bool narrow = General && tile.x0 + 1 == level.x.cells &&
                        (level.x.high != REC_FIXED || level.x.cells == 1);
    const bool low = General && (level.y.high != REC_FIXED || level.y.cells == 1);
    float *v = level.v + at.plane * level.step, *b = next.b + at.plane * next.step;
#pragma unroll
    for (int r = 0; r < R; r += 2) {
        float sum[2];
#pragma unroll
        for (int d = 0; d < 2; d++)
            if constexpr (General) {
                const float left = tile.residual(r + d, 0), right = tile.residual(r + d, 1);
                sum[d] = left + (narrow ? 0.0f : right);
            } else {
                const float red = tile.residual(r + d, d); // by all lanes
                sum[d] = tile.knows(r + d, 1 - d) ? NAN : red;
            }
        const int y = tile.y0 + r;
        if (low && y + 1 == level.y.cells)
            sum[1] = 0;
        if (!tile.owns(r) || (General && (y >= level.y.cells || tile.x0 >= level.x.cells)))
            continue;
        b[(size_t)(y / 2) * next.pitch + tile.x0 / 2] = sum[0] + sum[1];
        tile.write(v, r);
        tile.write(v, r + 1);
    }
}

// The next level's correction, and the sweeps back. With Sums it returns the sums of the tile. A z
// of a red cell is b, as it was relaxed last; so z A z needs no neighbours: those of red cells are
// (4 z - b), and each pair of neighbours has one red cell. Where a side of the box is Free, z may
// be millions times A z: b would be lost in what z is rounded by, and red cells add up neighbours.
template <bool General, bool Sums, bool Mass, bool Free>
__device__ __forceinline__ rec_device_sums go_up(const rec_device_level &level,
                                                 const rec_device_level &next, const Place &at,
                                                 Edges<General> &edges)
{
    Tile<General, Mass> tile(level, edges, at);
    constexpr int R = tile.R, C = tile.C;
    const size_t first = at.plane * level.step;
    tile.load(level.b + first);
    float2 coarse = {};
#pragma unroll
    for (int r = 0; r < R; r++) {
        const float2 v = tile.template read<false>(level.v + first, level.pitch, r, 0.0f);
        if (General || r % 2 == 0)
            coarse = tile.template read<true>(next.z + at.plane * next.step, next.pitch, r, 0.0f);
        tile.v[r][0] = tile.knows(r, 0) ? 0.0f : v.x + level.weight * coarse.x;
        tile.v[r][1] = tile.knows(r, 1) ? 0.0f : v.y + level.weight * coarse.y;
    }
    tile.template show<0>();
    tile.template show<1>();
    if (!tile.has_unknown())
        return {};
#pragma unroll 1
    for (int i = 0; i < level.sweeps; i++) {
        tile.template half_sweep<1>();
        tile.template half_sweep<0>();
    }

    // 4 z z of black cells, plus 2 z A z of red ones less 4 z z; where neighbours may have one
    // colour: z A z of all
    const bool all = General && sums_neighbours(level);
    double rz = 0, zaz = 0;
    float largest = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
        double around[C] = {};
#pragma unroll
        for (int c = 0; Free && Sums && c < C; c++)
            if (General || (r + c) % 2 == 0)
                around[c] = tile.template around<double>(r, c);
        if (!tile.owns(r) ||
            (General && (tile.y0 + r >= level.y.cells || tile.x0 >= level.x.cells)))
            continue;
        tile.write(level.z + first, r);
#pragma unroll
        for (int c = 0; Sums && c < C; c++)
            if (!tile.knows(r, c) && !(General && tile.x0 + c >= level.x.cells)) {
                const float z = tile.v[r][c];
                const auto diagonal = tile.diagonal(r, c);
                const double square = diagonal * ((double)z * z);
                const double of_red = Free ? square - z * around[c] : (double)z * tile.b[r][c];
                rz += (double)z * tile.b[r][c];
                zaz += all ? of_red : tile.is_black(r, c) ? square : 2 * of_red - square;
                largest = fmaxf(largest, fabsf(z));
            }
    }
    return {rz, zaz, largest};
}

} // namespace
