// The squared distance of the picture from a reference: one block a row adds in a tree, then one
// block adds all rows. The order of additions depends only on the size of the image, as in
// norms.cu.
#include "kernels/kernels.h"

namespace {

constexpr int threads = 256;

// The sum over the block, in thread 0.
__device__ double sum_block(double sum)
{
    __shared__ double warps[threads / 32];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < threads / 32 ? warps[threadIdx.x] : 0.0;
        for (int distance = threads / 64; distance; distance /= 2)
            sum += __shfl_down_sync(~0u, sum, distance);
    }
    return sum;
}

__global__ void __launch_bounds__(threads)
square_rows(const float *__restrict__ m, const float *__restrict__ reference,
            rec_device_planes planes, double *__restrict__ rows)
{
    const size_t row = blockIdx.x;
    const size_t first = row / planes.height * planes.step + row % planes.height * planes.pitch;
    double sum = 0.0;
    for (size_t x = threadIdx.x; x < planes.width; x += threads) {
        const size_t i = first + x;
        const double d = (double)m[i] - (double)reference[i];
        sum += d * d;
    }
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        rows[row] = sum;
}

__global__ void __launch_bounds__(threads)
add_rows(const double *__restrict__ rows, size_t count, double *__restrict__ total)
{
    double sum = 0.0;
    for (size_t row = threadIdx.x; row < count; row += threads)
        sum += rows[row];
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        *total = sum;
}

} // namespace

extern "C" cudaError_t rec_launch_compare(const rec_device_planes *planes, const float *m,
                                          const float *reference, double *sums,
                                          cudaStream_t stream)
{
    const size_t rows = planes->planes * planes->height;
    square_rows<<<(unsigned)rows, threads, 0, stream>>>(m, reference, *planes, sums + 1);
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess)
        return launched;
    add_rows<<<1, threads, 0, stream>>>(sums + 1, rows, sums);
    return cudaGetLastError();
}
