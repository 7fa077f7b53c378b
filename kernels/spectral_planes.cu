/* Transpositions, so that every FFT reads contiguous rows, and the step from the modes of the
 * edges to the modes of an iterate. */
#include "kernels/spectral.h"
#include "kernels/spectral_modes.h"

namespace {

constexpr unsigned tile = 32, lines = 8;

__global__ void transpose(double *out, size_t out_pitch, const double *in, size_t in_pitch,
                          size_t width, size_t rows)
{
    __shared__ double cells[tile][tile + 1]; /* a column more: no two rows in one bank */
    const size_t left = (size_t)blockIdx.x * tile, top = (size_t)blockIdx.y * tile;
    for (unsigned i = threadIdx.y; i < tile; i += lines)
        if (left + threadIdx.x < width && top + i < rows)
            cells[i][threadIdx.x] = in[(top + i) * in_pitch + left + threadIdx.x];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < tile; i += lines)
        if (top + threadIdx.x < rows && left + i < width)
            out[(left + i) * out_pitch + top + threadIdx.x] = cells[threadIdx.x][i];
}

/* A row of the transposed plane a step of y, so that any number of rows fits the grid. */
__global__ void make_modes(rec_device_axis x, rec_device_axis y, const double *symbols,
                           rec_mode_terms terms, double *modes, const double *edges,
                           const double *start, size_t pitch, double halo, double n, int odd)
{
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= y.n)
        return;
    for (size_t q = blockIdx.y; q < x.n; q += gridDim.y) {
        const size_t at = q * pitch + p;
        const double ones = x.ones[q] * y.ones[p];
        const rec_mode mode =
            symbols ? rec_mode_of_symbol(&terms, symbols[at], n, odd)
                    : rec_mode_after(x.low[q] + y.low[p], x.high[q] + y.high[p], n, odd);
        modes[at] = mode.keep * (start[at] - halo * ones) +
                    mode.take * (edges[at] - terms.level * ones);
    }
}

/* Magnitudes are in the order of their bits. */
__global__ void find_largest(rec_device_rows rows, float *largest)
{
    __shared__ unsigned of_block;
    if (!threadIdx.x)
        of_block = 0;
    __syncthreads();
    unsigned own = 0;
    for (size_t y = blockIdx.x; y < rows.count; y += gridDim.x)
        for (size_t x = threadIdx.x; x < rows.width; x += blockDim.x)
            own = max(own, __float_as_uint(fabsf(rows.floats[y * rows.pitch + x])));
    atomicMax(&of_block, own);
    __syncthreads();
    if (!threadIdx.x)
        largest[blockIdx.x] = __uint_as_float(of_block);
}

} // namespace

cudaError_t rec_launch_largest(const rec_device_rows *rows, float *largest, cudaStream_t stream)
{
    find_largest<<<REC_LARGEST, 256, 0, stream>>>(*rows, largest);
    return cudaGetLastError();
}

cudaError_t rec_launch_transpose(double *out, size_t out_pitch, const double *in, size_t in_pitch,
                                 size_t width, size_t rows, cudaStream_t stream)
{
    const dim3 grid((unsigned)((width + tile - 1) / tile), (unsigned)((rows + tile - 1) / tile));
    transpose<<<grid, dim3(tile, lines), 0, stream>>>(out, out_pitch, in, in_pitch, width, rows);
    return cudaGetLastError();
}

cudaError_t rec_launch_modes(const rec_device_axis *x, const rec_device_axis *y,
                             const double *symbols, const rec_mode_terms *terms, double *modes,
                             const double *edges, const double *start, size_t pitch, double halo,
                             double n, int odd, cudaStream_t stream)
{
    constexpr unsigned threads = 256, most = 65535;
    const dim3 grid((unsigned)((y->n + threads - 1) / threads),
                    (unsigned)(x->n < most ? x->n : most));
    make_modes<<<grid, threads, 0, stream>>>(*x, *y, symbols, symbols ? *terms : rec_mode_terms{},
                                             modes, edges, start, pitch, halo, n, odd);
    return cudaGetLastError();
}
