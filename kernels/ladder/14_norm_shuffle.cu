// 14: the squares of a warp are added up through the registers by shuffles, those of a block's
// warps through shared memory, and one atomic a block is left: 256 times fewer than in 13.
#include "kernels/ladder/norm.cuh"

namespace {

constexpr int warps = norm_columns * norm_rows / 32;

__global__ void ladder_norm_shuffle(float *__restrict__ out, const float *__restrict__ m,
                                    const float *__restrict__ f, Grid grid, double *squares,
                                    double *next_squares)
{
    __shared__ double sums[warps];
    const size_t x = (size_t)blockIdx.x * norm_columns + threadIdx.x;
    const size_t y = (size_t)blockIdx.y * norm_rows + threadIdx.y;
    const int thread = (int)(threadIdx.y * norm_columns + threadIdx.x);
    clear_next(next_squares);
    double square = 0;
    if (x < grid.width && y < grid.height)
        square = square_of_change(out, m, f, y * grid.stride + x, grid.stride);
    square = sum_of_warp(square);
    if (thread % 32 == 0)
        sums[thread / 32] = square;
    __syncthreads();
    if (thread >= 32)
        return;
    square = sum_of_warp(thread < warps ? sums[thread] : 0);
    if (thread == 0)
        add(squares, square);
}

} // namespace

LADDER_RUNG(norm_shuffle, launch_norm(planes, n, ladder_norm_shuffle))
