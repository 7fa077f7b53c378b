/* Transforms of rows, a pair of them by one complex FFT (spectral_ways.cuh), which is a convolution
 * of a padded length, a power of two (spectral_axis.h).
 *
 * Where shared memory holds that length a block does all of it: its only traffic with the memory of
 * the device are the rows. Otherwise the complex rows go through that memory: `outer` passes of up
 * to 16 blocks, a block of threads for each part that fits, and `outer` passes back. */
#include "kernels/spectral.h"
#include "kernels/spectral_fft.cuh"
#include "kernels/spectral_ways.cuh"

namespace {

constexpr int threads = 256; /* of the kernels around those of spectral_fft.cuh */

__global__ void make_roots(const rec_device_axis axis)
{
    const unsigned j = blockIdx.x * threads + threadIdx.x;
    sincospi(-2.0 * j / axis.length, axis.roots + 2 * j + 1, axis.roots + 2 * j);
}

/* Number e of the FFT, of what the way back leaves; of those from axis.period on, anything. */
__device__ inline double2 end_of(const task &task, unsigned e, double2 value)
{
    const unsigned last = (unsigned)task.axis.period - 1;
    return conjugate(value) * complex_at(task.axis.chirp, e < last ? e : last);
}

/* A block the part, of 2^LOG numbers, of a pair that is in shared memory. RESPONSE: the FFT of the
 * response itself, in the order of the threads' registers. */
template <int LOG>
__global__ void __launch_bounds__(fft<LOG>::THREADS, LOG < 13 ? 512 / fft<LOG>::THREADS : 1)
convolve(const task task)
{
    using block_fft = fft<LOG>;
    extern __shared__ double2 cells[];
    const unsigned parts = (unsigned)(task.axis.length >> LOG), pair = blockIdx.x / parts;
    const block_fft own = {cells, task.axis.roots, task.axis.log};
    double2 *const z = task.z + (size_t)blockIdx.x * block_fft::POINTS;
    const unsigned mine = blockIdx.x % parts * block_fft::POINTS + threadIdx.x;
    double2 x[16];
    if (parts > 1) {
#pragma unroll
        for (int i = 0; i < 16; i++)
            x[i] = z[threadIdx.x + i * block_fft::THREADS];
    } else {
        gather<16>(task, pair, threadIdx.x, block_fft::THREADS, x);
    }
    own.forward(x);
    if (task.what == RESPONSE) {
#pragma unroll
        for (int i = 0; i < 16; i++)
            ((double2 *)task.axis.response)[mine + i * block_fft::THREADS] = x[i];
        return;
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        x[i] = conjugate(x[i] * complex_at(task.axis.response, mine + i * block_fft::THREADS));
    own.backward(x);
    if (parts > 1) {
#pragma unroll
        for (int i = 0; i < 16; i++)
            z[threadIdx.x + i * block_fft::THREADS] = x[i];
        return;
    }
#pragma unroll
    for (int i = 0; i < 9; i++) { /* the period ends there at the latest */
        const int e = threadIdx.x + i * block_fft::THREADS;
        cells[placed(e)] = end_of(task, e, x[i]);
    }
    __syncthreads();
    put<block_fft::THREADS, 4>(task, pair, [](unsigned k) { return cells[placed(k)]; });
}

/* A block a pair whose length needs no padding. */
template <int LOG>
__global__ void __launch_bounds__(fft<LOG>::THREADS, LOG < 13 ? 512 / fft<LOG>::THREADS : 1)
transform_pair(const task task)
{
    extern __shared__ double2 cells[];
    double2 x[16];
    gather<16, 16>(task, blockIdx.x, threadIdx.x, fft<LOG>::THREADS, x);
    fft<LOG>{cells, task.axis.roots, LOG}.forward_in_cells(x);
    put<fft<LOG>::THREADS, 4>(task, blockIdx.x,
                              [](unsigned k) { return cells[fft<LOG>::place_of(k)]; });
}

/* A pass in the device's memory over blocks of 2^log_block numbers: forward it makes R blocks of
 * each, of which the first pass makes the numbers, and back one of R, to which the last pass gives
 * their ends. */
template <int R, bool back>
__global__ void __launch_bounds__(threads) outer(const task task, int log_block)
{
    const unsigned step = (1u << log_block) / R, length = (unsigned)task.axis.length;
    const unsigned b = blockIdx.x * threads + threadIdx.x, j = b & (step - 1);
    const unsigned first = (b - j) * R + j;
    const bool outermost = log_block == task.axis.log;
    const double2 w = complex_at(task.axis.roots, j << (task.axis.log - log_block));
    double2 *const z = task.z + (size_t)blockIdx.y * length;
    double2 x[R];
    if (!back && outermost) {
        gather<R>(task, blockIdx.y, first, step, x);
    } else {
#pragma unroll
        for (int k = 0; k < R; k++)
            x[k] = z[first + k * step];
    }
    if (back)
        twist<R, 1>(x, w);
    dft<R, 1>(x);
    if (!back)
        twist<R, 1>(x, w);
#pragma unroll
    for (int k = 0; k < R; k++) {
        const unsigned e = first + k * step;
        if (!back || !outermost)
            z[e] = x[k];
        else if (e < task.axis.period)
            z[e] = end_of(task, e, x[k]);
    }
}

__global__ void __launch_bounds__(1024) put_rows(const task task)
{
    const double2 *z = task.z + blockIdx.x * task.axis.length;
    put<1024, 1>(task, blockIdx.x, [=](unsigned k) { return z[k]; });
}

template <int LOG> cudaError_t launch_inner(const task &task, unsigned pairs, cudaStream_t stream)
{
    constexpr int bytes = fft<LOG>::POINTS * sizeof(double2);
    const auto kernel = task.axis.chirp ? convolve<LOG> : transform_pair<LOG>;
    const cudaError_t result =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (result != cudaSuccess)
        return result;
    const unsigned blocks = pairs * (unsigned)(task.axis.length >> LOG);
    kernel<<<blocks, fft<LOG>::THREADS, bytes, stream>>>(task);
    return cudaGetLastError();
}

template <bool back>
void launch_outer(const task &task, int radix, int log_block, unsigned pairs, cudaStream_t stream)
{
    const dim3 grid((unsigned)(task.axis.length / (unsigned)radix / threads), pairs);
    switch (radix) {
    case 2: outer<2, back><<<grid, threads, 0, stream>>>(task, log_block); break;
    case 4: outer<4, back><<<grid, threads, 0, stream>>>(task, log_block); break;
    case 8: outer<8, back><<<grid, threads, 0, stream>>>(task, log_block); break;
    default: outer<16, back><<<grid, threads, 0, stream>>>(task, log_block); break;
    }
}

/* All passes over some pairs of rows. */
cudaError_t transform(const task &task, unsigned pairs, cudaStream_t stream)
{
    const int inner = task.axis.inner, parts = task.axis.log - inner, rest = parts % 4;
    /* log2 of the radices: the first is what is left of a multiple of 4 */
    for (int done = 0, bits; done < parts; done += bits) {
        bits = done || !rest ? 4 : rest;
        launch_outer<false>(task, 1 << bits, task.axis.log - done, pairs, stream);
    }
    cudaError_t result = inner == 10   ? launch_inner<10>(task, pairs, stream)
                         : inner == 11 ? launch_inner<11>(task, pairs, stream)
                         : inner == 12 ? launch_inner<12>(task, pairs, stream)
                                       : launch_inner<13>(task, pairs, stream);
    if (task.what == RESPONSE || !parts)
        return result;
    for (int left = parts, bits; left > 0; left -= bits) {
        bits = left >= 4 ? 4 : left;
        launch_outer<true>(task, 1 << bits, task.axis.log - left + bits, pairs, stream);
    }
    put_rows<<<pairs, 1024, 0, stream>>>(task);
    return result == cudaSuccess ? cudaGetLastError() : result;
}

} // namespace

size_t rec_spectral_points(int device)
{
    int bytes;
    if (cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
        cudaSuccess)
        return 0;
    /* Beside the numbers are the totals of put_sines. */
    return bytes >= 132 * 1024 + 512 ? 8192 : bytes >= 66 * 1024 + 512 ? 4096 : 2048;
}

cudaError_t rec_launch_response(const rec_device_axis *axis, double *z, cudaStream_t stream)
{
    const task task = {*axis, RESPONSE, {}, {}, 1, 0, (double2 *)z};
    make_roots<<<(unsigned)(axis->length / threads), threads, 0, stream>>>(*axis);
    if (!axis->chirp)
        return cudaGetLastError();
    return transform(task, 1, stream);
}

cudaError_t rec_launch_rows(const rec_device_axis *axis, int back, const rec_device_rows *to,
                            const rec_device_rows *from, double scale, double offset, double *z,
                            size_t pairs, cudaStream_t stream)
{
    const way what = axis->basis == REC_SINE      ? SINE
                     : axis->basis == REC_HARTLEY ? HARTLEY
                     : back                       ? COSINE_BACK
                                                  : COSINE;
    cudaError_t result = cudaSuccess;
    if (axis->basis == REC_SINE && !axis->chirp)
        return rec_launch_sines(axis, to, from, scale, offset, stream);
    for (size_t first = 0; result == cudaSuccess && first < from->count; first += 2 * pairs) {
        const size_t left = from->count - first, count = left < 2 * pairs ? left : 2 * pairs;
        task task = {*axis, what, *from, *to, scale, offset, (double2 *)z};
        for (rec_device_rows *rows : {&task.from, &task.to}) {
            rows->count = count;
            if (rows->floats)
                rows->floats += first * rows->pitch;
            else
                rows->cells += first * rows->pitch;
        }
        result = transform(task, (unsigned)((count + 1) / 2), stream);
    }
    return result;
}
