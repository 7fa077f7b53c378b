// 07: the picture stays on the device, so only the kernel counts. One thread walks along each row,
// as a loop on a CPU does. That is wrong here: at any moment the 32 threads of a warp are in 32
// rows, so each load and store touches 32 lines of memory for 4 bytes of each.
#include "kernels/ladder/rows.cuh"

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

} // namespace

cudaError_t launch_row(rec_planes *planes)
{
    const unsigned threads = 64; // few, so that a small image too has blocks for many processors
    const unsigned blocks = (unsigned)((planes->grid.height + threads - 1) / threads);
    ladder_row<<<planes->launched(blocks, threads), threads, 0, planes->stream>>>(
        planes->other, planes->m, planes->f, planes->grid);
    return cudaGetLastError();
}

extern "C" rec_status rec_ladder_row(rec_planes *planes, uint64_t n, rec_error *error)
{
    for (uint64_t i = 0; i < n; i++) {
        LADDER_TRY(launch_row(planes));
        LADDER_TRY(cudaMemcpyAsync(planes->whole(planes->m), planes->whole(planes->other),
                                   planes->cells() * sizeof(float), cudaMemcpyDeviceToDevice,
                                   planes->stream));
        planes->iterations++;
    }
    return REC_OK;
}
