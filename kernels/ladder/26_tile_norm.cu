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
    const int tx = (int)threadIdx.x + 1, ty = (int)threadIdx.y + 1;
    const Pixel own = own_pixel(grid);
    clear_next(next_squares);
    load_tile<side, side>(tile, m, grid, own);
    double square = 0;
    if (own.inside) {
        const float now = rec_update(tile[ty - 1][tx], tile[ty][tx - 1], tile[ty][tx + 1],
                                     tile[ty + 1][tx], f[own.i]);
        const double change = (double)now - (double)tile[ty][tx];
        out[own.i] = now;
        square = change * change;
    }
    add_sum_of_block<side>(squares, square); // a row of the block is a warp
}

} // namespace

LADDER_RUNG(tile_norm, launch_norm(planes, n, ladder_tile_norm, dim3(side, side)))
