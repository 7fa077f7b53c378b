// What a convolution needs around its stencils: constants and borders, the term of a damped
// iteration, and how an iterate differs from the one before.
#include "kernels/convolution.h"
#include "kernels/kernels.h"
#include "kernels/sums.cuh"

namespace {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads)
fill(float *to, size_t count, float value)
{
    for (size_t i = (size_t)blockIdx.x * threads + threadIdx.x; i < count;
         i += (size_t)gridDim.x * threads)
        to[i] = value;
}

// The columns beside the rows of the picture come first, then the rows above and below with theirs.
// All of them are copies of pixels.
__global__ void __launch_bounds__(threads)
fill_border(rec_device_planes planes, rec_boundary_kind kind, int radius, float *m)
{
    const ptrdiff_t width = (ptrdiff_t)planes.width, height = (ptrdiff_t)planes.height;
    const ptrdiff_t pitch = (ptrdiff_t)planes.pitch, both = 2 * radius, line = width + both;
    const ptrdiff_t sides = height * both, count = sides + both * line;
    m += blockIdx.y * planes.step;
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * threads + threadIdx.x; i < count;
         i += (ptrdiff_t)gridDim.x * threads) {
        ptrdiff_t x, y;
        if (i < sides) {
            y = i / both;
            x = i % both < radius ? i % both - radius : width + i % both - radius;
        } else {
            y = (i - sides) / line;
            y = y < radius ? y - radius : height + y - radius;
            x = (i - sides) % line - radius;
        }
        m[y * pitch + x] = m[rec_boundary_index(kind, y, height) * pitch +
                             rec_boundary_index(kind, x, width)];
    }
}

__global__ void __launch_bounds__(threads)
make_terms(rec_device_planes planes, double gain, double level, float *f)
{
    const size_t x = (size_t)blockIdx.x * threads + threadIdx.x;
    if (x >= planes.width)
        return;
    for (size_t row = blockIdx.y; row < planes.height; row += gridDim.y) {
        float *const at = f + blockIdx.z * planes.step + row * planes.pitch + x;
        *at = (float)(gain * ((double)*at - level));
    }
}

// A warp a row.
__global__ void __launch_bounds__(threads)
find_changes(rec_device_planes planes, const float *__restrict__ now,
             const float *__restrict__ last, const float *__restrict__ before,
             rec_row_change *__restrict__ rows)
{
    const size_t row = (size_t)blockIdx.x * (threads / 32) + threadIdx.x / 32;
    if (row >= planes.planes * planes.height)
        return;
    const size_t first = row / planes.height * planes.step + row % planes.height * planes.pitch;
    Change change;
    for (size_t x = threadIdx.x % 32; x < planes.width; x += 32)
        change.add(now[first + x], last[first + x], before[first + x]);
    const double squares = sum_warp(change.take_squares());
    Sums sums = change.sums();
    for (int distance = 16; distance; distance /= 2)
        sums = combine(sums, from_lane(sums, distance));
    if (threadIdx.x % 32 == 0)
        rows[row] = {squares, 0.0, sums.maximum, sums.alternating, sums.moving};
}

} // namespace

extern "C" cudaError_t rec_launch_fill(float *to, size_t count, float value, cudaStream_t stream)
{
    const size_t blocks = (count + threads - 1) / threads;
    fill<<<(unsigned)(blocks < 65535 ? blocks : 65535), threads, 0, stream>>>(to, count, value);
    return cudaGetLastError();
}

extern "C" cudaError_t rec_launch_border(const rec_device_planes *planes, rec_boundary_kind kind,
                                         int radius, float *m, cudaStream_t stream)
{
    const size_t both = 2 * (size_t)radius;
    const size_t count = both * (planes->height + planes->width + both);
    const size_t blocks = (count + threads - 1) / threads;
    if (kind == REC_BOUNDARY_HALO || !count)
        return cudaSuccess;
    fill_border<<<dim3((unsigned)(blocks < 65535 ? blocks : 65535), (unsigned)planes->planes),
                  threads, 0, stream>>>(*planes, kind, radius, m);
    return cudaGetLastError();
}

extern "C" cudaError_t rec_launch_terms(const rec_device_planes *planes, double gain, double level,
                                        float *f, cudaStream_t stream)
{
    const dim3 blocks((unsigned)((planes->width + threads - 1) / threads),
                      (unsigned)(planes->height < 65535 ? planes->height : 65535),
                      (unsigned)planes->planes);
    make_terms<<<blocks, threads, 0, stream>>>(*planes, gain, level, f);
    return cudaGetLastError();
}

extern "C" cudaError_t rec_launch_row_changes(const rec_device_planes *planes, const float *now,
                                              const float *last, const float *before,
                                              rec_row_change *rows, cudaStream_t stream)
{
    constexpr size_t warps = threads / 32;
    const size_t blocks = (planes->planes * planes->height + warps - 1) / warps;
    find_changes<<<(unsigned)blocks, threads, 0, stream>>>(
        *planes, now, last, before, rows);
    return cudaGetLastError();
}
