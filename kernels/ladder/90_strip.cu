// 90 to 92: from the tiles of 20 to 22 to the shipped kernel (kernels/stream.cu), step by step.
//
// A warp owns a strip of 128 columns, four a lane, and walks down the rows. When row r of an
// iterate arrives, row r - 1 of the next one can be made, from it row r - 2 of the one after. A
// level keeps two rows, in registers; neighbours left and right are one shuffle away.
//
//      row r of iterate N arrives            level 0 keeps rows r - 2 and r - 1 of N,
//        -> row r - 1 of N + 1               and makes row r - 1 of N + 1 of all three;
//          -> row r - 2 of N + 2             level 1 does the same with that row
//
// 90: two levels. As in 20 one pass does two iterations, but without shared memory or barriers.
// 91: eight levels. The strips lose 8 columns on each side and start 8 rows early.
// 92: the registers of a warp are full, so four warps stand in a line, with four levels each: a
// warp hands its last row on through shared memory, with a barrier for each row.
//
// What stream.cu does besides: sums that serve two pixels, so that an update takes three
// instructions; 8 rows between two barriers; rows that arrive before they are needed; f by way of
// shared memory (here each level loads its own, from the first-level cache); blocks of equal work.
#include "kernels/ladder/rung.cuh"

constexpr int own = 4, width = 32 * own; // columns of a lane, of a strip

template <int levels, int warps>
static __global__ void __launch_bounds__(32 * warps)
    ladder_strip(float *__restrict__ out, const float *__restrict__ m, const float *__restrict__ f,
                 Grid grid, float halo)
{
    constexpr int depth = levels * warps, lost = REC_LADDER_STRIP_LOST(depth);
    constexpr int useful = width - 2 * lost, rows = REC_LADDER_STRIP_ROWS(depth);
    __shared__ float4 hand[warps][2][32]; // what each warp made last, and the time before
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const long long height = (long long)grid.height, stride = (long long)grid.stride;
    const long long x = (long long)blockIdx.x * useful - lost + lane * own; // first own column
    const long long top = (long long)blockIdx.y * rows;                     // first row to be made
    const bool loads = x >= 0 && x < (long long)grid.width; // a row ends with room for a float4
    bool inside[own];
#pragma unroll
    for (int v = 0; v < own; v++)
        inside[v] = x + v >= 0 && x + v < (long long)grid.width;

    float up[levels][own] = {}, middle[levels][own] = {};
    for (int step = 0; step < rows + 2 * depth + warps - 1; step++) {
        if (warps > 1)
            __syncthreads();
        // The row that arrives. Each warp is one row for each level, and one for the barrier,
        // behind the warp before it.
        const long long row = top - depth + step - warp * (levels + 1);
        float4 next = {halo, halo, halo, halo};
        if (warp > 0)
            next = hand[warp - 1][(step + 1) % 2][lane];
        else if (loads && row >= 0 && row < height)
            next = *(const float4 *)&m[row * stride + x];
        float down[own] = {next.x, next.y, next.z, next.w};
#pragma unroll
        for (int v = 0; v < own; v++) // a pixel's neighbours may be cells of the halo
            down[v] = inside[v] ? down[v] : halo;
#pragma unroll
        for (int t = 0; t < levels; t++) {
            const long long y = row - t - 1; // of the row that this level makes
            const bool pixels = y >= 0 && y < height;
            const float left = __shfl_up_sync(~0u, middle[t][own - 1], 1);
            const float right = __shfl_down_sync(~0u, middle[t][0], 1);
            float4 four = {};
            if (loads && pixels)
                four = *(const float4 *)&f[y * stride + x];
            const float term[own] = {four.x, four.y, four.z, four.w};
            float made[own];
#pragma unroll
            for (int v = 0; v < own; v++) {
                made[v] = rec_update(up[t][v], v ? middle[t][v ? v - 1 : 0] : left,
                                     v < own - 1 ? middle[t][v < own - 1 ? v + 1 : 0] : right,
                                     down[v], term[v]);
                made[v] = inside[v] && pixels ? made[v] : halo;
            }
#pragma unroll
            for (int v = 0; v < own; v++) {
                up[t][v] = middle[t][v];
                middle[t][v] = down[v];
                down[v] = made[v];
            }
        }
        const long long y = row - levels;
        if (warp < warps - 1)
            hand[warp][step % 2][lane] = make_float4(down[0], down[1], down[2], down[3]);
        else if (loads && y >= top && y < top + rows && y < height && lane * own >= lost &&
                 lane * own < width - lost) // what lies beyond the last pixel is the halo again
            *(float4 *)&out[y * stride + x] = make_float4(down[0], down[1], down[2], down[3]);
    }
}

template <int levels, int warps>
static rec_status iterate_strips(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    const unsigned depth = levels * warps, useful = width - 2 * REC_LADDER_STRIP_LOST(depth);
    const dim3 blocks = planes->pixels({useful, REC_LADDER_STRIP_ROWS(depth)}).blocks;
    return iterate_deep(planes, n, depth, ladder_strip<levels, warps>, {blocks, 32 * warps}, error);
}

RUNG(strip_2) { return iterate_strips<2, 1>(planes, n, error); }
RUNG(strip_8) { return iterate_strips<8, 1>(planes, n, error); }
RUNG(pipeline) { return iterate_strips<4, 4>(planes, n, error); }
