/* Two rows at a time into and out of the complex FFT of the sine transform (src/solver/spectral/spectral_axis.h has the
 * formulas). */
#include "kernels/spectral.h"

namespace {

constexpr unsigned threads = 256;

__device__ inline double2 multiply(double2 a, double2 b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

__device__ inline double2 conjugate(double2 a) { return {a.x, -a.y}; }

/* Thread i of a pair makes z_i and its mirror z_(N-i); those beyond the middle fill the padding.
 * The last row of an odd number goes with itself. */
template <class Cell>
__global__ void pack(rec_device_axis axis, double2 *z, const Cell *cells, size_t pitch, size_t rows)
{
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x, period = axis.period;
    const size_t middle = period / 2;
    double2 *out = z + blockIdx.y * axis.length;
    if (i == 0) {
        out[0] = {0, 0};
        return;
    }
    if (i > middle) {
        if (period + i - middle - 1 < axis.length)
            out[period + i - middle - 1] = {0, 0};
        return;
    }
    const Cell *first = cells + 2 * (size_t)blockIdx.y * pitch;
    const Cell *second = 2 * (size_t)blockIdx.y + 1 < rows ? first + pitch : first;
    const size_t k = period - i;
    const double f = first[i - 1], g = first[k - 1], u = second[i - 1], v = second[k - 1];
    const double sine = axis.turn[i];
    const double2 even = {sine * (f + g), sine * (u + v)};
    const double2 odd = {0.5 * (f - g), 0.5 * (u - v)};
    double2 at_i = {even.x + odd.x, even.y + odd.y}, at_k = {even.x - odd.x, even.y - odd.y};
    if (axis.chirp) {
        const double2 *chirp = (const double2 *)axis.chirp;
        at_i = multiply(at_i, chirp[i]);
        at_k = multiply(at_k, chirp[k]);
    }
    out[i] = at_i;
    out[k] = at_k;
}

/* The inverse FFT is the forward one between two conjugations; the second is unpack's. */
__global__ void convolve(rec_device_axis axis, double2 *z)
{
    const size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
    if (i < axis.length) {
        double2 *at = z + blockIdx.y * axis.length + i;
        *at = conjugate(multiply(*at, ((const double2 *)axis.response)[i]));
    }
}

/* What the FFT of length N holds at k. */
template <bool padded>
__device__ inline double2 transformed(const rec_device_axis &axis, const double2 *z, size_t k)
{
    return padded ? multiply(conjugate(z[k]), ((const double2 *)axis.chirp)[k]) : z[k];
}

/* Of both rows: F_(2k+1) - F_(2k-1) (of k = 0: F_1), and F_(2k). */
struct step {
    double odd[2], even[2];
};

template <bool padded>
__device__ inline step read_step(const rec_device_axis &axis, const double2 *z, size_t k,
                                 double half)
{
    const double2 at = transformed<padded>(axis, z, k);
    if (k == 0)
        return {{half * at.x, half * at.y}, {0, 0}};
    const double2 mirrored = transformed<padded>(axis, z, axis.period - k);
    return {{half * (at.x + mirrored.x), half * (at.y + mirrored.y)},
            {half * (mirrored.y - at.y), half * (at.x - mirrored.x)}};
}

template <class Cell> struct two;
template <> struct two<double> { using type = double2; };
template <> struct two<float> { using type = float2; };

template <class Cell>
__device__ inline void write_two(Cell *row, size_t x, size_t n, double a, double b)
{
    if (x + 1 < n)
        *(typename two<Cell>::type *)(row + x) = {(Cell)a, (Cell)b};
    else if (x < n)
        row[x] = (Cell)a;
}

/* A block a pair of rows. A thread takes one k of a tile; the running sum goes through the warp,
 * the warps of the block, and from tile to tile. */
template <class Cell, bool padded>
__global__ void unpack(rec_device_axis axis, const double2 *z, Cell *cells, size_t pitch,
                       size_t rows, double half, double offset)
{
    constexpr unsigned warps = threads / 32;
    __shared__ double totals[2][2][warps]; /* double buffered: one barrier a tile */
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    z += (size_t)blockIdx.x * axis.length;
    Cell *row[2] = {cells + 2 * (size_t)blockIdx.x * pitch, nullptr};
    row[1] = 2 * (size_t)blockIdx.x + 1 < rows ? row[0] + pitch : row[0];
    const size_t last = axis.n / 2;
    double carry[2] = {0, 0};
    int buffer = 0;
    for (size_t tile = 0; tile <= last; tile += threads, buffer ^= 1) {
        const size_t k = tile + threadIdx.x;
        step own = {{0, 0}, {0, 0}};
        if (k <= last)
            own = read_step<padded>(axis, z, k, half);
        double next[2];
        for (int i = 0; i < 2; i++) {
            next[i] = __shfl_down_sync(~0u, own.even[i], 1);
            for (unsigned distance = 1; distance < 32; distance *= 2) {
                const double before = __shfl_up_sync(~0u, own.odd[i], distance);
                if (lane >= distance)
                    own.odd[i] += before;
            }
            if (lane == 31)
                totals[buffer][i][warp] = own.odd[i];
        }
        if (lane == 31 && k + 1 <= last) {
            const step after = read_step<padded>(axis, z, k + 1, half);
            next[0] = after.even[0];
            next[1] = after.even[1];
        }
        __syncthreads();
        for (int i = 0; i < 2; i++) {
            double sum = carry[i];
            for (unsigned w = 0; w < warps; w++) {
                if (w == warp)
                    own.odd[i] += sum;
                sum += totals[buffer][i][w];
            }
            carry[i] = sum;
        }
        for (int i = 0; i < 2; i++)
            if (k <= last && (i == 0 || row[1] != row[0]))
                write_two(row[i], 2 * k, axis.n, own.odd[i] + offset, next[i] + offset);
    }
}

template <class Cell>
void launch_unpack(const rec_device_axis *axis, const double2 *z, Cell *cells, size_t pitch,
                   size_t rows, double scale, double offset, cudaStream_t stream)
{
    const unsigned pairs = (unsigned)((rows + 1) / 2);
    if (axis->chirp)
        unpack<Cell, true><<<pairs, threads, 0, stream>>>(*axis, z, cells, pitch, rows, 0.5 * scale,
                                                          offset);
    else
        unpack<Cell, false><<<pairs, threads, 0, stream>>>(*axis, z, cells, pitch, rows,
                                                           0.5 * scale, offset);
}

unsigned blocks_for(size_t count) { return (unsigned)((count + threads - 1) / threads); }

} // namespace

cudaError_t rec_launch_pack(const rec_device_axis *axis, int back, double *z,
                            const rec_device_rows *rows, cudaStream_t stream)
{
    if (axis->basis != REC_SINE)
        return rec_launch_pack_even(axis, back, z, rows, stream);
    const size_t count = axis->period / 2 + 1 + axis->length - axis->period;
    const dim3 grid(blocks_for(count), (unsigned)((rows->count + 1) / 2));
    if (rows->floats)
        pack<<<grid, threads, 0, stream>>>(*axis, (double2 *)z, rows->floats, rows->pitch,
                                           rows->count);
    else
        pack<<<grid, threads, 0, stream>>>(*axis, (double2 *)z, rows->cells, rows->pitch,
                                           rows->count);
    return cudaGetLastError();
}

cudaError_t rec_launch_convolve(const rec_device_axis *axis, double *z, size_t pairs,
                                cudaStream_t stream)
{
    convolve<<<dim3(blocks_for(axis->length), (unsigned)pairs), threads, 0, stream>>>(*axis,
                                                                                    (double2 *)z);
    return cudaGetLastError();
}

cudaError_t rec_launch_unpack(const rec_device_axis *axis, int back, const double *z,
                              const rec_device_rows *rows, double scale, double offset,
                              cudaStream_t stream)
{
    if (axis->basis != REC_SINE)
        return rec_launch_unpack_even(axis, back, z, rows, scale, offset, stream);
    if (rows->floats)
        launch_unpack(axis, (const double2 *)z, rows->floats, rows->pitch, rows->count, scale,
                      offset, stream);
    else
        launch_unpack(axis, (const double2 *)z, rows->cells, rows->pitch, rows->count, scale,
                      offset, stream);
    return cudaGetLastError();
}
