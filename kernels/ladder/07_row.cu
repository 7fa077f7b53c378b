// 07: the picture stays on the device, so only the kernel counts. One thread walks along each row,
// as a loop on a CPU does. That is wrong here: at any moment the 32 threads of a warp are in 32
// rows, so each load and store touches 32 lines of memory for 4 bytes of each.
#include "kernels/ladder/rung.cuh"

namespace {

__global__ void ladder_row(float *__restrict__ out, const float *__restrict__ m,
                           const float *__restrict__ f, Grid grid)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= grid.height)
        return;
    for (size_t x = 0; x < grid.width; x++) {
        const size_t i = y * grid.stride + x;
        out[i] = update(m, f, i, grid.stride);
    }
}

const unsigned threads = 64; // few, so that a small image too has blocks for many processors

} // namespace

cudaError_t launch_row(rec_planes *planes)
{
    return launch_once(planes, ladder_row, planes->blocks(planes->grid.height, threads), threads);
}

LADDER_RUNG(row, iterate_and_copy(planes, n, ladder_row,
                                  planes->blocks(planes->grid.height, threads), threads))
