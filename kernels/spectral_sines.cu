/* Sine transforms of rows of n = 2^k - 1 numbers, N = n + 1, a row by one FFT of M = N / 2 complex
 * numbers in shared memory. The row is made one of N numbers as a pair of rows is in
 * src/solver/spectral/spectral_axis.h:
 *
 * x_0 = 0, x_j = sin(pi j / N) (f_j + f_(N-j)) + (f_j - f_(N-j)) / 2
 *
 * Z is the FFT of x_(2m) + i x_(2m+1), and with w = exp(-2 pi i / N) that of x is
 *
 * X_k = (Z_k + conj Z_(M-k)) / 2 - i w^k (Z_k - conj Z_(M-k)) / 2
 *
 * F_(2k) = -Im X_k, F_(2k+1) is the sum of Re X_0 / 2, Re X_1, ... Re X_k. */
#include "kernels/spectral.h"
#include "kernels/spectral_fft.cuh"

namespace {

struct task {
    rec_device_axis axis;
    rec_device_rows from, to;
    double scale, offset;
};

/* Where result i waits in shared memory: a thread makes 32 that follow each other. */
__device__ __forceinline__ int staged(int i) { return i + (i >> 5); }

/* Ends with the row in `numbers`, f_j at j, and x made of it; 0 beyond the row's end. */
template <int LOG, class Cell>
__device__ inline void gather(const task &task, const Cell *row, double *numbers, double2 (&x)[16])
{
    constexpr unsigned PERIOD = 2 << LOG, THREADS = fft<LOG>::THREADS;
    Cell cells[32];
#pragma unroll
    for (unsigned i = 0; i < 32; i++) {
        const unsigned at = threadIdx.x + i * THREADS;
        cells[i] = at < task.from.width ? row[at] : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        numbers[(threadIdx.x + i * THREADS + 1) % PERIOD] = (double)cells[i];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
        const unsigned m = threadIdx.x + i * THREADS, j = 2 * m;
        const double2 f = ((const double2 *)numbers)[m], sine = complex_at(task.axis.turn, m);
        const double2 g = {numbers[(PERIOD - j) % PERIOD], numbers[PERIOD - j - 1]};
        x[i] = {fma(sine.x, f.x + g.x, 0.5 * (f.x - g.x)),
                fma(sine.y, f.y + g.y, 0.5 * (f.y - g.y))};
    }
}

/* Results 2 k and 2 k - 1 of the row, counted from 0, for 16 k a thread. */
template <int LOG>
__device__ inline void make_results(const task &task, const double2 *cells, double (&odd)[16],
                                    double (&even)[16])
{
    constexpr int WARPS = fft<LOG>::THREADS / 32, POINTS = fft<LOG>::POINTS;
    __shared__ double totals[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const double half = 0.5 * task.scale;
    const double2 first = complex_at(task.axis.roots, 16 * threadIdx.x);
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const unsigned k = 16 * threadIdx.x + i;
        const double2 z = cells[fft<LOG>::place_of(k)];
        const double2 mirrored = cells[fft<LOG>::place_of((POINTS - k) & (POINTS - 1))];
        const double2 w = first * complex_at(task.axis.roots, i);
        const double2 b = {z.y + mirrored.y, mirrored.x - z.x};
        const double2 turned = w * b;
        odd[i] = half * (z.x + mirrored.x + turned.x) * (k ? 1 : 0.5);
        even[i] = task.offset - half * (z.y - mirrored.y + turned.y);
        if (i)
            odd[i] += odd[i - 1];
    }
    double sum = odd[15];
    for (int distance = 1; distance < 32; distance *= 2) {
        const double before = __shfl_up_sync(~0u, sum, distance);
        if (lane >= distance)
            sum += before;
    }
    if (lane == 31)
        totals[warp] = sum;
    __syncthreads();
    sum += task.offset - odd[15];
    for (int w = 0; w < warp; w++)
        sum += totals[w];
#pragma unroll
    for (int i = 0; i < 16; i++)
        odd[i] += sum;
}

template <int LOG, class From, class To>
__global__ void __launch_bounds__(fft<LOG>::THREADS, LOG < 13 ? 512 / fft<LOG>::THREADS : 1)
transform(const task task, const From *from, To *to)
{
    extern __shared__ double2 cells[];
    double *const results = (double *)cells;
    const fft<LOG> own = {cells, task.axis.roots, LOG + 1};
    double2 x[16];
    gather<LOG>(task, from + blockIdx.x * task.from.pitch, results, x);
    __syncthreads();
    own.forward_in_cells(x);
    double odd[16], even[16];
    make_results<LOG>(task, cells, odd, even); /* every number is read before it returns */
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const int k = 16 * (int)threadIdx.x + i;
        results[staged(2 * k)] = odd[i];
        if (k)
            results[staged(2 * k - 1)] = even[i];
    }
    __syncthreads();
    to += blockIdx.x * task.to.pitch;
    for (unsigned i = threadIdx.x; i < task.to.width; i += fft<LOG>::THREADS)
        to[i] = (To)results[staged((int)i)];
}

template <int LOG, class From, class To>
cudaError_t launch(const task &task, const From *from, To *to, cudaStream_t stream)
{
    constexpr int bytes = (2 * fft<LOG>::POINTS + fft<LOG>::POINTS / 16) * (int)sizeof(double);
    const cudaError_t result = cudaFuncSetAttribute(
        transform<LOG, From, To>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (result != cudaSuccess)
        return result;
    transform<LOG><<<(unsigned)task.from.count, fft<LOG>::THREADS, bytes, stream>>>(task, from, to);
    return cudaGetLastError();
}

template <class From, class To>
cudaError_t launch(const task &task, const From *from, To *to, cudaStream_t stream)
{
    switch (task.axis.log) {
    case 10: return launch<9>(task, from, to, stream);
    case 11: return launch<10>(task, from, to, stream);
    case 12: return launch<11>(task, from, to, stream);
    case 13: return launch<12>(task, from, to, stream);
    default: return launch<13>(task, from, to, stream);
    }
}

} // namespace

cudaError_t rec_launch_sines(const rec_device_axis *axis, const rec_device_rows *to,
                             const rec_device_rows *from, double scale, double offset,
                             cudaStream_t stream)
{
    const task task = {*axis, *from, *to, scale, offset};
    return from->floats ? launch(task, (const float *)from->floats, to->cells, stream)
           : to->floats ? launch(task, (const double *)from->cells, to->floats, stream)
                        : launch(task, (const double *)from->cells, to->cells, stream);
}
