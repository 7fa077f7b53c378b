// What a convolution needs around its stencils: constants and borders, the term of a damped
// iteration, and how an iterate differs from the one before.
#include "kernels/convolution.h"
#include "kernels/kernels.h"

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

// A block a row.
__global__ void __launch_bounds__(threads)
find_changes(rec_device_planes planes, const float *__restrict__ now,
             const float *__restrict__ last, const float *__restrict__ before,
             rec_device_change *__restrict__ rows)
{
    const size_t row = blockIdx.x;
    const size_t first = row / planes.height * planes.step + row % planes.height * planes.pitch;
    double squares = 0, maximum = 0;
    unsigned long long alternating = 0, moving = 0;
    for (size_t x = threadIdx.x; x < planes.width; x += threads) {
        const float a = now[first + x], b = last[first + x], c = before[first + x];
        const double d = (double)a - (double)b;
        squares += d * d;
        maximum = fmax(maximum, fabs(d));
        alternating += __float_as_uint(a) != __float_as_uint(b);
        moving += __float_as_uint(a) != __float_as_uint(c);
    }
    __shared__ rec_device_change warps[threads / 32];
    for (int distance = 16; distance; distance /= 2) {
        squares += __shfl_down_sync(~0u, squares, distance);
        maximum = fmax(maximum, __shfl_down_sync(~0u, maximum, distance));
        alternating += __shfl_down_sync(~0u, alternating, distance);
        moving += __shfl_down_sync(~0u, moving, distance);
    }
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = {squares, maximum, alternating, moving};
    __syncthreads();
    if (threadIdx.x)
        return;
    for (int i = 1; i < threads / 32; i++) {
        squares += warps[i].squares;
        maximum = fmax(maximum, warps[i].maximum);
        alternating += warps[i].alternating;
        moving += warps[i].moving;
    }
    rows[row] = {squares, maximum, alternating, moving};
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
                                              rec_device_change *rows, cudaStream_t stream)
{
    find_changes<<<(unsigned)(planes->planes * planes->height), threads, 0, stream>>>(
        *planes, now, last, before, rows);
    return cudaGetLastError();
}
