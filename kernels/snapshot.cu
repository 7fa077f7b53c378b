// Snapshots: the picture or another layer is reduced and mapped to grey on the device, so that only
// the bytes that the screen shows leave it. Each layer has kernels of its own.
#include "kernels/kernels.h"

namespace {

constexpr int threads = 256;

// Floats as unsigned integers of the same order, so that an integer atomic finds the extremes.
// Minimum and maximum do not depend on the order of the comparisons.
__device__ unsigned ordered(float value)
{
    const unsigned bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float from_ordered(unsigned bits)
{
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

// Plane p of what a layer is made of.
__device__ rec_layer_plane plane_of(const float *values, const float *minus,
                                    const rec_device_planes &planes, size_t p)
{
    return {values + p * planes.step, minus + p * planes.step, planes.pitch, planes.width,
            planes.height};
}

template <rec_layer Layer>
__global__ void __launch_bounds__(threads)
    find_range(const float *__restrict__ values, const float *__restrict__ minus,
               rec_device_planes planes, bool magnitudes, unsigned *range)
{
    unsigned low = ~0u, high = 0;
    for (size_t row = blockIdx.x; row < planes.planes * planes.height; row += gridDim.x) {
        const rec_layer_plane of = plane_of(values, minus, planes, row / planes.height);
        for (size_t x = threadIdx.x; x < planes.width; x += threads) {
            const float value = rec_layer_value(Layer, &of, x, row % planes.height);
            // fabsf takes -0 to +0; the plain range keeps it, and -0 < +0 here changes no tone.
            const unsigned bits = ordered(magnitudes ? fabsf(value) : value);
            low = min(low, bits);
            high = max(high, bits);
        }
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

template <rec_layer Layer, rec_scale Scale>
__global__ void __launch_bounds__(threads)
    reduce_and_tone(const float *__restrict__ values, const float *__restrict__ minus,
                    rec_device_planes planes, rec_view view, const unsigned *__restrict__ range,
                    float *__restrict__ ends, uint8_t *__restrict__ pixels)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= view.out_width)
        return;
    rec_tone_map map = {Scale, view.tone, view.contrast, view.shift, 0, 0};
    if (rec_tone_needs_range(Scale, view.tone))
        rec_tone_set_range(&map, from_ordered(range[0]), from_ordered(range[1]));
    if (x == 0 && blockIdx.y == 0 && blockIdx.z == 0) {
        ends[0] = map.low;
        ends[1] = map.high;
    }
    const rec_layer_plane of = plane_of(values, minus, planes, blockIdx.z);
    const size_t left = rec_box_edge(x, view.out_width, view.width);
    const size_t columns = rec_box_edge(x + 1, view.out_width, view.width) - left;
    for (size_t y = blockIdx.y; y < view.out_height; y += gridDim.y) {
        const size_t top = rec_box_edge(y, view.out_height, view.height);
        const size_t rows = rec_box_edge(y + 1, view.out_height, view.height) - top;
        const float mean = rec_box_mean(Layer, &of, view.x + left, view.y + top, columns, rows);
        pixels[(blockIdx.z * view.out_height + y) * view.out_width + x] =
            (uint8_t)rec_tone_byte(mean, &map);
    }
}

template <rec_layer Layer, rec_scale Scale>
cudaError_t launch(const rec_device_planes &planes, const rec_view &view,
                   const rec_layer_plane &first, unsigned *range, int range_known, float *ends,
                   uint8_t *pixels, cudaStream_t stream)
{
    if (rec_tone_needs_range(Scale, view.tone) && !range_known) {
        const size_t rows = planes.planes * planes.height;
        cudaMemsetAsync(range, 0xff, sizeof *range, stream);
        cudaMemsetAsync(range + 1, 0, sizeof *range, stream);
        find_range<Layer><<<(unsigned)(rows < 2048 ? rows : 2048), threads, 0, stream>>>(
            first.values, first.minus, planes, rec_tone_of_magnitudes(Scale, view.tone), range);
    }
    const dim3 blocks((unsigned)((view.out_width + threads - 1) / threads),
                      (unsigned)(view.out_height < 65535 ? view.out_height : 65535),
                      (unsigned)planes.planes);
    reduce_and_tone<Layer, Scale><<<blocks, threads, 0, stream>>>(
        first.values, first.minus, planes, view, range, ends, pixels);
    return cudaGetLastError();
}

} // namespace

cudaError_t rec_launch_snapshot(const rec_device_planes *planes, const rec_view *view,
                                const rec_layer_plane *first, unsigned *range, int range_known,
                                float *ends, uint8_t *pixels, cudaStream_t stream)
{
#define LAUNCH(name, source, scale, value) \
    case REC_LAYER_##name: \
        return launch<REC_LAYER_##name, REC_SCALE_##scale>(*planes, *view, *first, range, \
                                                           range_known, ends, pixels, stream);
    switch (view->layer) {
        REC_LAYER_ROWS(LAUNCH)
    case REC_LAYERS:
        break;
    }
    return cudaErrorInvalidValue;
}
