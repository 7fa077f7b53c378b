// 14: the squares of a warp are added up through the registers by shuffles, those of a block's
// warps through shared memory, and one atomic a block is left: 256 times fewer than in 13. That is
// add_sum_of_block, in norm.cuh.
#include "kernels/ladder/norm.cuh"

namespace {

constexpr int warps = norm_columns * norm_rows / 32;

__global__ void ladder_norm_shuffle(float *__restrict__ out, const float *__restrict__ m,
                                    const float *__restrict__ f, Grid grid, double *squares,
                                    double *next_squares)
{
    clear_next(next_squares);
    add_sum_of_block<warps>(squares, square_of_change(out, m, f, own_pixel(grid), grid));
}

} // namespace

LADDER_RUNG(norm_shuffle, launch_norm(planes, n, ladder_norm_shuffle))
