// Kernels that take every pixel, or every row, by itself. No such kernel is in the loop of an
// iteration: constant terms, margins and borders, rows that slabs exchange, and how planes differ.
#include "kernels/kernels.h"
#include "kernels/sums.cuh"

namespace {

constexpr int threads = 128; // of a block, unless another number is given

// A thread for each element, up to as many blocks as a grid can have in each direction.
unsigned blocks_for(size_t count, size_t threads)
{
    const size_t blocks = (count + threads - 1) / threads;
    return (unsigned)(blocks < 65535 ? blocks : 65535);
}

// ---- of grids ----

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

// ---- of planes with a border ----

__global__ void __launch_bounds__(threads)
fill(float *to, size_t count, float value)
{
    for (size_t i = (size_t)blockIdx.x * threads + threadIdx.x; i < count;
         i += (size_t)gridDim.x * threads)
        to[i] = value;
}

// First the columns beside the picture's rows, then the rows above and below with their own border
// columns. All border cells are copies of pixels.
__global__ void __launch_bounds__(threads)
fill_border(rec_device_planes planes, rec_beyond rule, int radius, float *m)
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
        m[y * pitch + x] = m[rec_boundary_index(rule, y, height) * pitch +
                             rec_boundary_index(rule, x, width)];
    }
}

__global__ void __launch_bounds__(threads)
make_terms(rec_device_planes planes, double gain, double level, float *f, const float *edges)
{
    const size_t x = (size_t)blockIdx.x * threads + threadIdx.x;
    if (x >= planes.width)
        return;
    for (size_t row = blockIdx.y; row < planes.height; row += gridDim.y) {
        const size_t at = blockIdx.z * planes.step + row * planes.pitch + x;
        f[at] = (float)(gain * ((double)edges[at] - level));
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
    const Sums sums = sum_warp(change.sums());
    if (threadIdx.x % 32 == 0)
        rows[row] = {squares, 0.0, sums.maximum, sums.alternating, sums.moving};
}

// ---- the squared distance from a reference: a warp adds a row, in an order that depends only on
// the width of the image ----

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

} // namespace

cudaError_t rec_launch_margins(const rec_grid *grid, float *plane, cudaStream_t stream)
{
    const size_t count = grid->planes * grid->height * (grid->pitch - grid->width);
    if (!count)
        return cudaSuccess;
    margins<<<blocks_for(count, 256), 256, 0, stream>>>(plane, *grid);
    return cudaGetLastError();
}

cudaError_t rec_launch_bands(const rec_grid *grid, float *plane, const rec_band *bands, int count,
                             int into, cudaStream_t stream)
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

cudaError_t rec_launch_fill(float *to, size_t count, float value, cudaStream_t stream)
{
    fill<<<blocks_for(count, threads), threads, 0, stream>>>(to, count, value);
    return cudaGetLastError();
}

cudaError_t rec_launch_border(const rec_device_planes *planes, rec_beyond rule, int radius,
                              float *m, cudaStream_t stream)
{
    const size_t both = 2 * (size_t)radius;
    const size_t count = both * (planes->height + planes->width + both);
    if (rule == REC_FIXED || !count)
        return cudaSuccess;
    const dim3 blocks(blocks_for(count, threads), (unsigned)planes->planes);
    fill_border<<<blocks, threads, 0, stream>>>(*planes, rule, radius, m);
    return cudaGetLastError();
}

cudaError_t rec_launch_terms(const rec_device_planes *planes, double gain, double level, float *f,
                             const float *edges, cudaStream_t stream)
{
    const dim3 blocks((unsigned)((planes->width + threads - 1) / threads),
                      (unsigned)(planes->height < 65535 ? planes->height : 65535),
                      (unsigned)planes->planes);
    make_terms<<<blocks, threads, 0, stream>>>(*planes, gain, level, f, edges);
    return cudaGetLastError();
}

cudaError_t rec_launch_row_changes(const rec_device_planes *planes, const float *now,
                                   const float *last, const float *before, rec_row_change *rows,
                                   cudaStream_t stream)
{
    constexpr size_t warps = threads / 32;
    const size_t blocks = (planes->planes * planes->height + warps - 1) / warps;
    find_changes<<<(unsigned)blocks, threads, 0, stream>>>(*planes, now, last, before, rows);
    return cudaGetLastError();
}

cudaError_t rec_launch_compare(const rec_device_planes *planes, const float *m,
                               const float *reference, double *rows, cudaStream_t stream)
{
    const size_t count = planes->planes * planes->height, warps = sum_threads / 32;
    const unsigned blocks = (unsigned)((count + warps - 1) / warps);
    square_rows<<<blocks, sum_threads, 0, stream>>>(m, reference, *planes, rows);
    return cudaGetLastError();
}
