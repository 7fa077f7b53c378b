// The norms: one block a row, its threads' sums added up in a tree, and then one block a plane for the
// rows. Who adds what to what depends on the size of the image alone, so the same image gives the same
// number on every run. Everything is summed in double.
#include "kernels/kernels.h"
#include "kernels/stencil.h"

namespace {

constexpr int threads = 256;

struct Sums {
    double squares, maximum;
    unsigned long long alternating, moving;
};

__device__ Sums combine(const Sums &a, const Sums &b)
{
    return {a.squares + b.squares, fmax(a.maximum, b.maximum), a.alternating + b.alternating,
            a.moving + b.moving};
}

__device__ Sums from_lane(const Sums &sums, int distance)
{
    return {__shfl_down_sync(~0u, sums.squares, distance),
            __shfl_down_sync(~0u, sums.maximum, distance),
            __shfl_down_sync(~0u, sums.alternating, distance),
            __shfl_down_sync(~0u, sums.moving, distance)};
}

// The sum over the block, in thread 0.
__device__ Sums reduce_block(Sums sums)
{
    __shared__ Sums warps[threads / 32];
    for (int distance = 16; distance; distance /= 2)
        sums = combine(sums, from_lane(sums, distance));
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sums;
    __syncthreads();
    if (threadIdx.x < 32) {
        sums = threadIdx.x < threads / 32 ? warps[threadIdx.x] : Sums{};
        for (int distance = threads / 64; distance; distance /= 2)
            sums = combine(sums, from_lane(sums, distance));
    }
    return sums;
}

__device__ bool differ(float a, float b) { return __float_as_uint(a) != __float_as_uint(b); }

// A mirrored border: what is one outside the image is the nearest inside.
__device__ void mirror(const rec_grid &grid, long long *y, long long *x)
{
    *y = max(0ll, min(*y, (long long)grid.height - 1));
    *x = max(0ll, min(*x, (long long)grid.width - 1));
}

// M at row y, column x, which may be one outside the image: the halo.
template <bool Mirror>
__device__ float cell(const float *m, const rec_grid &grid, long long y, long long x)
{
    if (Mirror)
        mirror(grid, &y, &x);
    return y >= 0 && y < (long long)grid.height && x >= 0 && x < (long long)grid.width
               ? m[y * (long long)grid.pitch + x]
               : grid.halo;
}

template <bool Mirror>
__global__ void __launch_bounds__(threads)
change_rows(float *__restrict__ out, const float *__restrict__ m, const float *__restrict__ f,
            rec_grid grid, Sums *rows)
{
    const size_t row = blockIdx.x, y = row % grid.height;
    const size_t plane = row / grid.height * grid.height * grid.pitch;
    const float *mp = m + plane;
    Sums sums = {};
    for (size_t x = threadIdx.x; x < grid.width; x += threads) {
        const size_t i = y * grid.pitch + x;
        const long long r = (long long)y, c = (long long)x;
        const float last = mp[i], before = out[plane + i];
        const float now = rec_update(cell<Mirror>(mp, grid, r - 1, c),
                                     cell<Mirror>(mp, grid, r, c - 1),
                                     cell<Mirror>(mp, grid, r, c + 1),
                                     cell<Mirror>(mp, grid, r + 1, c), f[plane + i]);
        out[plane + i] = now;
        const double d = (double)now - (double)last;
        sums = combine(sums, {d * d, fabs(d), differ(now, last), differ(now, before)});
    }
    sums = reduce_block(sums);
    if (threadIdx.x == 0)
        rows[row] = sums;
}

// r = J(M) - M; outside the image 0, or mirrored as M.
template <bool Mirror>
__device__ double residual(const float *m, const float *f, const rec_grid &grid, long long y,
                           long long x)
{
    if (Mirror)
        mirror(grid, &y, &x);
    if (y < 0 || y >= (long long)grid.height || x < 0 || x >= (long long)grid.width)
        return 0.0;
    const long long i = y * (long long)grid.pitch + x;
    return rec_residual(cell<Mirror>(m, grid, y - 1, x), cell<Mirror>(m, grid, y, x - 1),
                        cell<Mirror>(m, grid, y, x + 1), cell<Mirror>(m, grid, y + 1, x), f[i],
                        m[i]);
}

// J(J(M)) - M = r + A r. Every residual is worked out five times, by the threads that need it: the
// pass is made when somebody looks, and the caches have the rows.
template <bool Mirror>
__global__ void __launch_bounds__(threads)
distance_rows(const float *__restrict__ m, const float *__restrict__ f, rec_grid grid, Sums *rows)
{
    const size_t row = blockIdx.x, plane = row / grid.height * grid.height * grid.pitch;
    const long long y = (long long)(row % grid.height);
    Sums sums = {};
    for (long long x = threadIdx.x; x < (long long)grid.width; x += threads) {
        const float *mp = m + plane, *fp = f + plane;
        const double up = residual<Mirror>(mp, fp, grid, y - 1, x);
        const double left = residual<Mirror>(mp, fp, grid, y, x - 1);
        const double right = residual<Mirror>(mp, fp, grid, y, x + 1);
        const double down = residual<Mirror>(mp, fp, grid, y + 1, x);
        const double own = residual<Mirror>(mp, fp, grid, y, x);
        const double d = own + 0.25 * ((up + left) + (right + down));
        sums.squares += d * d;
    }
    sums = reduce_block(sums);
    if (threadIdx.x == 0)
        rows[row] = sums;
}

__global__ void __launch_bounds__(threads)
sum_rows(const Sums *rows, size_t height, rec_device_norms *norms)
{
    const Sums *own = rows + blockIdx.x * height;
    Sums sums = {};
    for (size_t y = threadIdx.x; y < height; y += threads)
        sums = combine(sums, own[y]);
    sums = reduce_block(sums);
    if (threadIdx.x == 0)
        norms[blockIdx.x] = {sums.squares, sums.maximum, sums.alternating, sums.moving};
}

cudaError_t finish(const rec_grid *grid, const Sums *rows, rec_device_norms *norms,
                   cudaStream_t stream)
{
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess)
        return launched;
    sum_rows<<<(unsigned)grid->planes, threads, 0, stream>>>(rows, grid->height, norms);
    return cudaGetLastError();
}

} // namespace

extern "C" size_t rec_norms_scratch_bytes(const rec_grid *grid)
{
    return grid->planes * grid->height * sizeof(Sums);
}

extern "C" cudaError_t rec_launch_change(const rec_grid *grid, float *out, const float *m,
                                         const float *f, void *scratch, rec_device_norms *norms,
                                         cudaStream_t stream)
{
    Sums *rows = static_cast<Sums *>(scratch);
    const unsigned blocks = (unsigned)(grid->planes * grid->height);
    if (grid->mirror)
        change_rows<true><<<blocks, threads, 0, stream>>>(out, m, f, *grid, rows);
    else
        change_rows<false><<<blocks, threads, 0, stream>>>(out, m, f, *grid, rows);
    return finish(grid, rows, norms, stream);
}

extern "C" cudaError_t rec_launch_distance(const rec_grid *grid, const float *m, const float *f,
                                           void *scratch, rec_device_norms *norms,
                                           cudaStream_t stream)
{
    Sums *rows = static_cast<Sums *>(scratch);
    const unsigned blocks = (unsigned)(grid->planes * grid->height);
    if (grid->mirror)
        distance_rows<true><<<blocks, threads, 0, stream>>>(m, f, *grid, rows);
    else
        distance_rows<false><<<blocks, threads, 0, stream>>>(m, f, *grid, rows);
    return finish(grid, rows, norms, stream);
}
