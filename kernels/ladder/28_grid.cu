// 28: the grid's size apart from the image's (--grid): the threads of a fixed number of blocks
// stride over the image until every pixel is done. A grid that the device holds at once starts no
// second wave of blocks; the loop costs what that saves.
#include "kernels/ladder/rung.cuh"

namespace {

constexpr int blocks_a_multiprocessor = 8;

__global__ void ladder_grid(float *__restrict__ out, const float *__restrict__ m,
                            const float *__restrict__ f, Grid grid)
{
    const size_t left = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t top = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    for (size_t y = top; y < grid.height; y += (size_t)gridDim.y * blockDim.y)
        for (size_t x = left; x < grid.width; x += (size_t)gridDim.x * blockDim.x) {
            const size_t i = y * grid.stride + x;
            out[i] = update(m, f, i, grid.stride);
        }
}

} // namespace

extern "C" rec_status rec_ladder_grid(rec_planes *planes, uint64_t n, rec_error *error)
{
    dim3 blocks(planes->of.grid_columns, planes->of.grid_rows);
    if (!blocks.x || !blocks.y) {
        int multiprocessors;
        LADDER_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                          planes->of.device));
        blocks = dim3(1, (unsigned)(blocks_a_multiprocessor * multiprocessors));
    }
    LADDER_TRY(iterate(planes, n, ladder_grid, blocks, planes->block()));
    return REC_OK;
}
