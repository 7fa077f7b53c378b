// Made once for each problem: the constant term of the update, and the margins of planes.
#include "kernels/kernels.h"
#include "kernels/stencil.h"

namespace {

__global__ void edge_terms(float *f, const float *edges, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        f[i] = rec_edge_term(edges[i]);
}

__global__ void margins(float *plane, rec_grid grid)
{
    const size_t width = grid.pitch - grid.width, count = grid.planes * grid.height * width;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        plane[i / width * grid.pitch + grid.width + i % width] = grid.halo;
}

} // namespace

extern "C" cudaError_t rec_launch_margins(const rec_grid *grid, float *plane, cudaStream_t stream)
{
    const size_t count = grid->planes * grid->height * (grid->pitch - grid->width);
    const size_t blocks = (count + 255) / 256;
    if (!count)
        return cudaSuccess;
    margins<<<(unsigned)(blocks < 65535 ? blocks : 65535), 256, 0, stream>>>(plane, *grid);
    return cudaGetLastError();
}

extern "C" cudaError_t rec_launch_edge_terms(const rec_grid *grid, float *f, const float *edges,
                                             cudaStream_t stream)
{
    const size_t count = grid->planes * grid->height * grid->pitch;
    const size_t blocks = (count + 255) / 256;
    edge_terms<<<(unsigned)(blocks < 65535 ? blocks : 65535), 256, 0, stream>>>(f, edges, count);
    return cudaGetLastError();
}
