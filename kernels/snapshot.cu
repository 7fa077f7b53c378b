// Snapshots: the picture made small and grey where the data is, so that only the bytes that a screen
// shows leave the device.
#include "kernels/kernels.h"
#include "kernels/snapshot.h"
#include "kernels/tone.h"

namespace {

constexpr int threads = 256;

// Floats as unsigned integers of the same order, so that an integer atomic finds the extremes. Minimum
// and maximum do not depend on the order in which they are found.
__device__ unsigned ordered(float value)
{
    const unsigned bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float from_ordered(unsigned bits)
{
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

__global__ void reset_range(unsigned *range)
{
    range[0] = ~0u;
    range[1] = 0;
}

__global__ void __launch_bounds__(threads)
find_range(const float *__restrict__ m, rec_grid grid, bool magnitudes, unsigned *range)
{
    unsigned low = ~0u, high = 0;
    const size_t rows = grid.planes * grid.height;
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x)
        for (size_t x = threadIdx.x; x < grid.width; x += threads) {
            const float value = m[row * grid.pitch + x];
            // fabsf takes -0 to +0; the plain range keeps it, and -0 < +0 here changes no tone.
            const unsigned bits = ordered(magnitudes ? fabsf(value) : value);
            low = min(low, bits);
            high = max(high, bits);
        }
    for (int distance = 16; distance; distance /= 2) {
        low = min(low, __shfl_down_sync(~0u, low, distance));
        high = max(high, __shfl_down_sync(~0u, high, distance));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(&range[0], low);
        atomicMax(&range[1], high);
    }
}

__global__ void __launch_bounds__(threads)
reduce_and_tone(const float *__restrict__ m, rec_grid grid, rec_device_view view,
                const unsigned *__restrict__ range, uint8_t *__restrict__ pixels)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= view.out_width)
        return;
    float low = 0, high = 0;
    if (view.tone != REC_TONE_NUMBER_CLAMP) {
        low = from_ordered(range[0]);
        high = from_ordered(range[1]);
    }
    const size_t left = rec_box_edge(x, view.out_width, view.width);
    const size_t columns = rec_box_edge(x + 1, view.out_width, view.width) - left;
    for (size_t y = blockIdx.y; y < view.out_height; y += gridDim.y) {
        const size_t top = rec_box_edge(y, view.out_height, view.height);
        const size_t rows = rec_box_edge(y + 1, view.out_height, view.height) - top;
        const float *box = m + (blockIdx.z * grid.height + view.y + top) * grid.pitch + view.x + left;
        const float mean = rec_box_mean(box, grid.pitch, columns, rows);
        pixels[(blockIdx.z * view.out_height + y) * view.out_width + x] =
            (uint8_t)rec_tone_sample(mean, view.tone, low, high, 255);
    }
}

} // namespace

extern "C" cudaError_t rec_launch_snapshot(const rec_grid *grid, const float *m,
                                           const rec_device_view *view, unsigned *range,
                                           uint8_t *pixels, cudaStream_t stream)
{
    if (view->tone != REC_TONE_NUMBER_CLAMP) {
        const size_t rows = grid->planes * grid->height;
        reset_range<<<1, 1, 0, stream>>>(range);
        find_range<<<(unsigned)(rows < 2048 ? rows : 2048), threads, 0, stream>>>(
            m, *grid, view->tone == REC_TONE_NUMBER_EPCC, range);
    }
    const dim3 blocks((unsigned)((view->out_width + threads - 1) / threads),
                      (unsigned)(view->out_height < 65535 ? view->out_height : 65535),
                      (unsigned)grid->planes);
    reduce_and_tone<<<blocks, threads, 0, stream>>>(m, *grid, *view, range, pixels);
    return cudaGetLastError();
}
