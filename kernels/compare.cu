// The squared distance of the picture from a reference: a warp adds a row, then one warp adds all
// rows. The order of additions depends only on the size of the image, as in norms.cu.
#include "kernels/kernels.h"
#include "kernels/sums.cuh"

namespace {

__global__ void __launch_bounds__(sum_threads)
square_rows(const float *__restrict__ m, const float *__restrict__ reference,
            rec_device_planes planes, double *__restrict__ rows)
{
    const size_t row = (size_t)blockIdx.x * (sum_threads / 32) + threadIdx.x / 32;
    if (row >= planes.planes * planes.height)
        return;
    const size_t first = row / planes.height * planes.step + row % planes.height * planes.pitch;
    double sum = 0.0;
    for (size_t i = first + threadIdx.x % 32; i < first + planes.width; i += 32) {
        const double d = (double)m[i] - (double)reference[i];
        sum += d * d;
    }
    sum = sum_warp(sum);
    if (threadIdx.x % 32 == 0)
        rows[row] = sum;
}

__global__ void __launch_bounds__(32)
add_rows(const double *__restrict__ rows, size_t count, double *__restrict__ total)
{
    double sum = 0.0;
#pragma unroll 16
    for (size_t row = threadIdx.x; row < count; row += 32)
        sum += rows[row];
    sum = sum_warp(sum);
    if (threadIdx.x == 0)
        *total = sum;
}

} // namespace

extern "C" cudaError_t rec_launch_compare(const rec_device_planes *planes, const float *m,
                                          const float *reference, double *sums,
                                          cudaStream_t stream)
{
    const size_t rows = planes->planes * planes->height, warps = sum_threads / 32;
    const unsigned blocks = (unsigned)((rows + warps - 1) / warps);
    square_rows<<<blocks, sum_threads, 0, stream>>>(m, reference, *planes, sums + 1);
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess)
        return launched;
    add_rows<<<1, 32, 0, stream>>>(sums + 1, rows, sums);
    return cudaGetLastError();
}
