// 08: one thread walks down each column instead. The 32 threads of a warp now stand side by side in
// one row, and their loads coalesce into 4 sectors (5 where x-1 and x+1 straddle a line). Only
// the order of the indices has changed. There are still only as many threads as columns.
#include "kernels/ladder/rung.cuh"

namespace {

__global__ void ladder_column(float *__restrict__ out, const float *__restrict__ m,
                              const float *__restrict__ f, Grid grid)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= grid.width)
        return;
    for (size_t y = 0; y < grid.height; y++) {
        const size_t i = y * grid.stride + x;
        out[i] = update(m, f, i, grid.stride);
    }
}

const unsigned threads = 64; // as in 07

} // namespace

LADDER_RUNG(column, iterate_and_copy(planes, n, ladder_column,
                                     planes->blocks(planes->grid.width, threads), threads))
