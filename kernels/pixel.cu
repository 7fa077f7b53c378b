// One thread a pixel: the stencil as one would write it down. Neighbouring threads of a warp read
// neighbouring floats, so every load is coalesced, and the rows above and below come from the cache
// that the block's other rows have filled. Each iteration moves the whole image through memory once;
// the pointers change places, the data stays on the device.
#include "kernels/kernels.h"
#include "kernels/stencil.h"

namespace {

// Mirror: what is outside the image is the pixel at its border, which is this one.
template <bool Mirror>
__global__ void pixel(float *__restrict__ out, const float *__restrict__ m,
                      const float *__restrict__ f, rec_grid grid)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= grid.width)
        return;
    const size_t plane = blockIdx.z * grid.height * grid.pitch;
    // A grid has at most 65535 blocks this way, an image may have more rows: hence the stride.
    for (size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y; y < grid.height;
         y += (size_t)gridDim.y * blockDim.y) {
        const size_t i = plane + y * grid.pitch + x;
        const float outside = Mirror ? m[i] : grid.halo;
        const float up = y > 0 ? m[i - grid.pitch] : outside;
        const float down = y + 1 < grid.height ? m[i + grid.pitch] : outside;
        const float left = x > 0 ? m[i - 1] : outside;
        const float right = x + 1 < grid.width ? m[i + 1] : outside;
        out[i] = rec_update(up, left, right, down, f[i]);
    }
}

} // namespace

extern "C" cudaError_t rec_launch_pixel(const rec_grid *grid, float *out, const float *m,
                                        const float *f, unsigned block_columns,
                                        unsigned block_rows, cudaStream_t stream)
{
    const size_t rows = (grid->height + block_rows - 1) / block_rows;
    const dim3 blocks((unsigned)((grid->width + block_columns - 1) / block_columns),
                      (unsigned)(rows < 65535 ? rows : 65535), (unsigned)grid->planes);
    const dim3 block(block_columns, block_rows);
    if (grid->mirror)
        pixel<true><<<blocks, block, 0, stream>>>(out, m, f, *grid);
    else
        pixel<false><<<blocks, block, 0, stream>>>(out, m, f, *grid);
    return cudaGetLastError();
}
