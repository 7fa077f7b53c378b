// 26: the tutorial's last step: a block of 32 x 32 threads with a tile of 34 x 34 cells in shared
// memory, and the norm of every iteration, added up by warps and blocks. It combines 12 and 14.
#include "kernels/ladder/norm.cuh"

namespace {

constexpr int side = 32;

__global__ void ladder_tile_norm(float *__restrict__ out, const float *__restrict__ m,
                                 const float *__restrict__ f, Grid grid, double *squares,
                                 double *next_squares)
{
    __shared__ float tile[side + 2][side + 2];
    __shared__ double sums[side];
    const int tx = (int)threadIdx.x + 1, ty = (int)threadIdx.y + 1;
    const size_t x = (size_t)blockIdx.x * side + threadIdx.x;
    const size_t y = (size_t)blockIdx.y * side + threadIdx.y;
    const size_t i = y * grid.stride + x;
    const bool inside = x < grid.width && y < grid.height;
    clear_next(next_squares);
    if (inside) {
        tile[ty][tx] = m[i];
        if (tx == 1)
            tile[ty][0] = m[i - 1];
        if (tx == side || x + 1 == grid.width)
            tile[ty][tx + 1] = m[i + 1];
        if (ty == 1)
            tile[0][tx] = m[i - grid.stride];
        if (ty == side || y + 1 == grid.height)
            tile[ty + 1][tx] = m[i + grid.stride];
    }
    __syncthreads();
    double square = 0;
    if (inside) {
        const float now = rec_update(tile[ty - 1][tx], tile[ty][tx - 1], tile[ty][tx + 1],
                                     tile[ty + 1][tx], f[i]);
        const double change = (double)now - (double)tile[ty][tx];
        out[i] = now;
        square = change * change;
    }
    square = sum_of_warp(square); // a row of the block is a warp
    if (threadIdx.x == 0)
        sums[threadIdx.y] = square;
    __syncthreads();
    if (threadIdx.y)
        return;
    square = sum_of_warp(sums[threadIdx.x]);
    if (threadIdx.x == 0)
        add(squares, square);
}

} // namespace

LADDER_RUNG(tile_norm, launch_norm(planes, n, ladder_tile_norm, dim3(side, side)))
