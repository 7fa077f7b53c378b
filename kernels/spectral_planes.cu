/* Transpositions, so that every FFT reads contiguous rows, and the step from the modes of the
 * edges to those of an iterate. */
#include "kernels/spectral.h"
#include "kernels/spectral_modes.h"

namespace {

constexpr unsigned tile = 32, lines = 8;

template <class Cell>
__global__ void transpose(Cell *out, size_t out_pitch, const Cell *in, size_t in_pitch,
                          size_t width, size_t rows)
{
    __shared__ Cell cells[tile][tile + 1]; /* a column more: no two rows in one bank */
    const size_t left = (size_t)blockIdx.x * tile, top = (size_t)blockIdx.y * tile;
    for (unsigned i = threadIdx.y; i < tile; i += lines)
        if (left + threadIdx.x < width && top + i < rows)
            cells[i][threadIdx.x] = in[(top + i) * in_pitch + left + threadIdx.x];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < tile; i += lines)
        if (top + threadIdx.x < rows && left + i < width)
            out[(left + i) * out_pitch + top + threadIdx.x] = cells[threadIdx.x][i];
}

template <class Cell>
cudaError_t launch_transpose(Cell *out, size_t out_pitch, const Cell *in, size_t in_pitch,
                             size_t width, size_t rows, cudaStream_t stream)
{
    const dim3 grid((unsigned)((width + tile - 1) / tile), (unsigned)((rows + tile - 1) / tile));
    transpose<<<grid, dim3(tile, lines), 0, stream>>>(out, out_pitch, in, in_pitch, width, rows);
    return cudaGetLastError();
}

/* A row of the transposed plane a step of y, so that any number of rows fits the grid. */
__global__ void make_modes(rec_device_axis x, rec_device_axis y, double *modes, const double *edges,
                           const double *start, size_t pitch, double halo, double n, int odd)
{
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= y.n)
        return;
    const double low = y.low[p], high = y.high[p], ones = halo * y.ones[p];
    for (size_t q = blockIdx.y; q < x.n; q += gridDim.y) {
        const size_t at = q * pitch + p;
        const rec_mode mode = rec_mode_after(x.low[q] + low, x.high[q] + high, n, odd);
        modes[at] = mode.keep * (start[at] - ones * x.ones[q]) + mode.take * edges[at];
    }
}

} // namespace

cudaError_t rec_launch_transpose(double *out, size_t out_pitch, const double *in, size_t in_pitch,
                                 size_t width, size_t rows, cudaStream_t stream)
{
    return launch_transpose(out, out_pitch, in, in_pitch, width, rows, stream);
}

cudaError_t rec_launch_transpose_floats(float *out, size_t out_pitch, const float *in,
                                        size_t in_pitch, size_t width, size_t rows,
                                        cudaStream_t stream)
{
    return launch_transpose(out, out_pitch, in, in_pitch, width, rows, stream);
}

cudaError_t rec_launch_modes(const rec_device_axis *x, const rec_device_axis *y, double *modes,
                             const double *edges, const double *start, size_t pitch, double halo,
                             double n, int odd, cudaStream_t stream)
{
    constexpr unsigned threads = 256, most = 65535;
    const dim3 grid((unsigned)((y->n + threads - 1) / threads),
                    (unsigned)(x->n < most ? x->n : most));
    make_modes<<<grid, threads, 0, stream>>>(*x, *y, modes, edges, start, pitch, halo, n, odd);
    return cudaGetLastError();
}
