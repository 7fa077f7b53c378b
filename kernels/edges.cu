// What is not iterating: the constant term of the update and the margins of planes, made once for
// each problem; and rows that slabs trade.
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

struct Copies {
    float4 *to[2];
    const float4 *from[2];
    unsigned count[2];
};

__global__ void __launch_bounds__(256) copy(const __grid_constant__ Copies a)
{
    const unsigned which = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.count[which])
        a.to[which][i] = a.from[which][i];
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

extern "C" cudaError_t rec_launch_bands(const rec_grid *grid, float *plane, const rec_band *bands,
                                        int count, int into, cudaStream_t stream)
{
    for (size_t p = 0; p < grid->planes; p++) {
        Copies a = {};
        unsigned most = 0;
        for (int i = 0; i < count; i++) {
            float *const own = plane + (p * grid->height + bands[i].first) * grid->pitch;
            float *const cells = bands[i].cells + p * bands[i].step;
            a.to[i] = (float4 *)(into ? own : cells);
            a.from[i] = (const float4 *)(into ? cells : own);
            a.count[i] = (unsigned)(bands[i].rows * grid->pitch / 4);
            most = a.count[i] > most ? a.count[i] : most;
        }
        copy<<<dim3((most + 255) / 256, count), 256, 0, stream>>>(a);
    }
    return cudaGetLastError();
}
