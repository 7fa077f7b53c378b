// 20 to 22: temporal blocking. A block loads a region of the picture into shared memory and does 2,
// 4 or 8 iterations on it before it writes: memory is read and written once for all of them. The
// cost: the part that is right shrinks by one cell a side with each iteration; regions overlap by
// that much. At depth 8 only 48 x 48 pixels of a region of 64 x 64 are kept, 56%. Rung 90 goes on:
// it keeps the rows in registers and streams down.
#include "kernels/ladder/rung.cuh"

constexpr int side = REC_LADDER_REGION, thread_rows = 8, own = side / thread_rows;

template <int depth>
static __global__ void __launch_bounds__(side *thread_rows)
    ladder_temporal(float *__restrict__ out, const float *__restrict__ m,
                    const float *__restrict__ f, Grid grid, float halo)
{
    __shared__ float level[2][side][side];
    constexpr int useful = side - 2 * depth;
    const int tx = (int)threadIdx.x;
    // Of the image, for cell (0, 0) of the region; negative at the rim.
    const long long x = (long long)blockIdx.x * useful - depth + tx;
    const long long top = (long long)blockIdx.y * useful - depth;
    const bool column_inside = x >= 0 && x < (long long)grid.width;

    // The edge term stays in registers. A cell outside the image is the halo, at every level.
    float term[own];
    unsigned inside = 0; // bit j: cell j is a pixel
#pragma unroll
    for (int j = 0; j < own; j++) {
        const int ty = (int)threadIdx.y + j * thread_rows;
        const long long y = top + ty;
        const bool pixel = column_inside && y >= 0 && y < (long long)grid.height;
        const long long i = y * (long long)grid.stride + x;
        inside |= (unsigned)pixel << j;
        term[j] = pixel ? f[i] : 0;
        level[0][ty][tx] = level[1][ty][tx] = pixel ? m[i] : halo;
    }
    __syncthreads();

#pragma unroll
    for (int step = 0; step < depth; step++) {
        const float (*now)[side] = level[step % 2];
        float (*next)[side] = level[(step + 1) % 2];
#pragma unroll
        for (int j = 0; j < own; j++) {
            const int ty = (int)threadIdx.y + j * thread_rows;
            // The rim of the region has no neighbours; what it holds is not used where it is wrong.
            if ((inside >> j & 1) && tx > 0 && tx < side - 1 && ty > 0 && ty < side - 1)
                next[ty][tx] = rec_update(now[ty - 1][tx], now[ty][tx - 1], now[ty][tx + 1],
                                          now[ty + 1][tx], term[j]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int j = 0; j < own; j++) {
        const int ty = (int)threadIdx.y + j * thread_rows;
        if ((inside >> j & 1) && tx >= depth && tx < side - depth && ty >= depth &&
            ty < side - depth)
            out[(top + ty) * (long long)grid.stride + x] = level[depth % 2][ty][tx];
    }
}

template <int depth>
static rec_status iterate_passes(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    const unsigned useful = side - 2 * depth;
    return iterate_deep(planes, n, depth, ladder_temporal<depth>,
                        {planes->pixels({useful, useful}).blocks, dim3(side, thread_rows)}, error);
}

RUNG(temporal2) { return iterate_passes<2>(planes, n, error); }
RUNG(temporal4) { return iterate_passes<4>(planes, n, error); }
RUNG(temporal8) { return iterate_passes<8>(planes, n, error); }
