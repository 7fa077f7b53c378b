// Convolutions by the contract of convolution.h. Planes have a border, filled before a stencil is
// applied, so that no kernel asks where the picture ends; samples beyond a kernel's stencil are
// read with weights of 0.
//
//   direct     up to 15 x 15: a thread walks down some columns and keeps one sum for every row of the
//              stencil in registers. A row that is read adds to all of them, the topmost weights to
//              the newest sum, so that each sum gets its rows in order and is complete when the last
//              weights have been added.
//   loop       up to 63 x 63: a thread makes 4 x 4 pixels, the weights come from constant memory.
//   separable  as direct, with one weight a row: rows are first summed across.
#include "kernels/convolution.h"
#include "kernels/kernels.h"

namespace {

constexpr int threads = 128;

__device__ void prefetch(const float *row) { asm volatile("prefetch.global.L2 [%0];" ::"l"(row)); }

// N floats from an address that is aligned for V of them.
template <int V, int N> __device__ void load(const float *__restrict__ from, float (&to)[N])
{
    static_assert(N % V == 0 && (V == 4 || V == 2), "vectors");
#pragma unroll
    for (int i = 0; i < N; i += V) {
        if (V == 4) {
            const float4 four = __ldg((const float4 *)(from + i));
            to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
        } else {
            const float2 two = __ldg((const float2 *)(from + i));
            to[i] = two.x, to[i + 1] = two.y;
        }
    }
}

// The end of a sum, for those of C columns that are in the picture.
template <int C>
__device__ void store(float *__restrict__ out, const float (&acc)[C], float scale, float offset,
                      size_t columns)
{
    float done[C];
#pragma unroll
    for (int c = 0; c < C; c++)
        done[c] = rec_convolution_end(acc[c], scale, offset);
    if (C == 4 && columns >= 4) {
        *(float4 *)out = make_float4(done[0], done[1], done[2], done[3]);
        return;
    }
#pragma unroll
    for (int c = 0; c < C; c++)
        if ((size_t)c < columns)
            out[c] = done[c];
}

// Where a thread works: C columns from x on, rows first..end - 1 of a plane.
struct strip {
    size_t x, plane;
    ptrdiff_t first, end;
};

template <int C> __device__ strip my_strip(const rec_device_planes &planes, int rows)
{
    strip mine;
    mine.x = ((size_t)blockIdx.x * threads + threadIdx.x) * C;
    mine.plane = blockIdx.z * planes.step;
    mine.first = (ptrdiff_t)blockIdx.y * rows;
    mine.end = mine.first + rows < (ptrdiff_t)planes.height ? mine.first + rows
                                                            : (ptrdiff_t)planes.height;
    return mine;
}

// ---- direct ----

template <int W> struct square {
    float weights[W][W];
    float scale, offset;
};

template <int W, bool Adds>
__global__ void __launch_bounds__(threads)
convolve_direct(rec_device_planes planes, int rows, const float *__restrict__ m,
                const float *__restrict__ f, float *__restrict__ out, square<W> stencil)
{
    constexpr int R = W / 2, C = 4, left = (R + 3) / 4 * 4, N = C + 2 * left;
    // Rows in registers: the one in use, and those to come. The loop has its body once for each, and
    // must fit into the instruction cache.
    constexpr int ring = W <= 5 ? 3 : W <= 11 ? 2 : 1;
    const strip mine = my_strip<C>(planes, rows);
    if (mine.x >= planes.width)
        return;
    const ptrdiff_t last = mine.end + R - 1, pitch = (ptrdiff_t)planes.pitch;
    m += mine.plane + mine.x - left;
    f += mine.plane + mine.x;
    out += mine.plane + mine.x;

    float acc[W][C] = {}, row[ring][N];
#pragma unroll
    for (int i = 0; i + 1 < ring; i++)
        load<4>(m + (mine.first - R + i < last ? mine.first - R + i : last) * pitch, row[i]);
    for (ptrdiff_t y = mine.first - R; y <= last; y += ring) {
#pragma unroll
        for (int i = 0; i < ring; i++) {
            const ptrdiff_t now = y + i, next = now + ring - 1;
            if (now > last)
                break;
            load<4>(m + (next < last ? next : last) * pitch, row[(i + ring - 1) % ring]);
            if (ring == 1)
                prefetch(m + left + (now + 3 < last ? now + 3 : last) * pitch);
            float start[C] = {};
            if (Adds && now + R < mine.end)
                load<4>(f + (now + R) * pitch, start); // which has room for whole vectors
#pragma unroll
            for (int s = W - 1; s >= 0; s--)
#pragma unroll
                for (int c = 0; c < C; c++) {
                    float sum = s ? acc[s ? s - 1 : 0][c] : start[c];
#pragma unroll
                    for (int dx = 0; dx < W; dx++)
                        sum = fmaf(stencil.weights[s][dx], row[i][left - R + dx + c], sum);
                    acc[s][c] = sum;
                }
            if (now - R >= mine.first)
                store(out + (now - R) * pitch, acc[W - 1], stencil.scale, stencil.offset,
                      planes.width - mine.x);
        }
    }
}

// ---- separable ----

template <int W> struct factors {
    float down[W], across[W];
    float scale, offset;
};

template <int W, int C>
__global__ void __launch_bounds__(threads)
convolve_separable(rec_device_planes planes, int rows, const float *__restrict__ m,
                   float *__restrict__ out, factors<W> stencil)
{
    constexpr int R = W / 2, left = (R + 3) / 4 * 4, N = (C + left + R + C - 1) / C * C;
    const strip mine = my_strip<C>(planes, rows);
    if (mine.x >= planes.width)
        return;
    const ptrdiff_t last = mine.end + R - 1, pitch = (ptrdiff_t)planes.pitch;
    m += mine.plane + mine.x;
    out += mine.plane + mine.x;

    float acc[W][C] = {};
    for (ptrdiff_t y = mine.first - R; y <= last; y++) {
        prefetch(m + (y + 4 < last ? y + 4 : last) * pitch);
        float row[N], h[C] = {};
        load<C>(m - left + y * pitch, row);
#pragma unroll
        for (int dx = 0; dx < W; dx++)
#pragma unroll
            for (int c = 0; c < C; c++)
                h[c] = fmaf(stencil.across[dx], row[left - R + dx + c], h[c]);
#pragma unroll
        for (int s = W - 1; s >= 0; s--)
#pragma unroll
            for (int c = 0; c < C; c++)
                acc[s][c] = fmaf(stencil.down[s], h[c], s ? acc[s ? s - 1 : 0][c] : 0.0f);
        if (y - R >= mine.first)
            store(out + (y - R) * pitch, acc[W - 1], stencil.scale, stencil.offset,
                  planes.width - mine.x);
    }
}

// ---- loop ----

constexpr int side = 4;            // a thread makes side x side pixels
constexpr int table_columns = 64;  // enough for 63 weights behind those that align them
constexpr int table_rows = REC_TAPS_SIDE + 2 * (side - 1);

// Weights with side - 1 rows of 0 above and below, and with columns of 0 to the left, so that the
// first of them belongs to an aligned sample.
struct table {
    float weights[table_rows][table_columns];
    float scale, offset;
    int height, columns; // of the stencil; that are used, a multiple of 4
    int up, left;        // from a pixel to the first row and column
};

template <bool Adds>
__global__ void __launch_bounds__(threads)
convolve_loop(rec_device_planes planes, const float *__restrict__ m, const float *__restrict__ f,
              float *__restrict__ out, const __grid_constant__ table stencil)
{
    const size_t x = ((size_t)blockIdx.x * 32 + threadIdx.x) * side;
    const size_t y = ((size_t)blockIdx.y * (threads / 32) + threadIdx.y) * side;
    if (x >= planes.width || y >= planes.height)
        return;
    const size_t at = blockIdx.z * planes.step + y * planes.pitch + x;
    const float *row = m + at - (ptrdiff_t)(stencil.up * planes.pitch) - stencil.left;
    float acc[side][side] = {};
    if (Adds) {
#pragma unroll
        for (int r = 0; r < side; r++)
#pragma unroll
            for (int c = 0; c < side; c++)
                acc[r][c] = f[at + r * planes.pitch + c];
    }
    for (int i = 0; i < stencil.height + side - 1; i++, row += planes.pitch) {
        float window[8];
        float4 four = __ldg((const float4 *)row);
        window[4] = four.x, window[5] = four.y, window[6] = four.z, window[7] = four.w;
        for (int column = 0; column < stencil.columns; column += 4) {
            four = __ldg((const float4 *)(row + column + 4));
#pragma unroll
            for (int k = 0; k < 4; k++)
                window[k] = window[k + 4];
            window[4] = four.x, window[5] = four.y, window[6] = four.z, window[7] = four.w;
#pragma unroll
            for (int r = 0; r < side; r++)
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const float weight = stencil.weights[i - r + side - 1][column + k];
#pragma unroll
                    for (int c = 0; c < side; c++)
                        acc[r][c] = fmaf(weight, window[k + c], acc[r][c]);
                }
        }
    }
#pragma unroll
    for (int r = 0; r < side; r++)
        if (y + r < planes.height)
            store(out + at + r * planes.pitch, acc[r], stencil.scale, stencil.offset,
                  planes.width - x);
}

// ---- launching ----

// Strips of rows: as many as keep the device busy once, none much shorter than the stencil is high.
template <typename Kernel>
cudaError_t cut(Kernel kernel, const rec_device_planes &planes, int columns, int side_length,
                dim3 *blocks, int *rows)
{
    int device = 0, processors = 0, resident = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess)
        result = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (result == cudaSuccess)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0);
    if (result != cudaSuccess)
        return result;
    const size_t across = (planes.width + (size_t)(threads * columns) - 1) / (threads * columns);
    const size_t wanted = (size_t)processors * (size_t)(resident > 0 ? resident : 1);
    const size_t row_of_strips = across * planes.planes;
    size_t strips = wanted / row_of_strips > 0 ? wanted / row_of_strips : 1;
    const size_t least = (size_t)side_length > 8 ? (size_t)side_length : 8;
    size_t height = (planes.height + strips - 1) / strips;
    height = height > least ? height : least;
    strips = (planes.height + height - 1) / height;
    while (strips > 65535)
        height *= 2, strips = (planes.height + height - 1) / height;
    *rows = (int)height;
    *blocks = dim3((unsigned)across, (unsigned)strips, (unsigned)planes.planes);
    return cudaSuccess;
}

template <int W>
cudaError_t launch_direct(const rec_device_planes &planes, const rec_taps &taps, const float *m,
                          const float *f, float *out, cudaStream_t stream)
{
    square<W> stencil = {};
    dim3 blocks;
    int rows;
    stencil.scale = taps.scale;
    stencil.offset = taps.offset;
    for (int y = 0; y < taps.height; y++)
        for (int x = 0; x < taps.width; x++)
            stencil.weights[y + (W - taps.height) / 2][x + (W - taps.width) / 2] =
                taps.weights[y * taps.width + x];
    const auto kernel = f ? convolve_direct<W, true> : convolve_direct<W, false>;
    const cudaError_t result = cut(kernel, planes, 4, W, &blocks, &rows);
    if (result != cudaSuccess)
        return result;
    kernel<<<blocks, threads, 0, stream>>>(planes, rows, m, f ? f : m, out, stencil);
    return cudaGetLastError();
}

template <int W, int C>
cudaError_t launch_separable(const rec_device_planes &planes, const rec_taps &taps,
                             const rec_factors &of, const float *m, float *out,
                             cudaStream_t stream)
{
    factors<W> stencil = {};
    dim3 blocks;
    int rows;
    stencil.scale = taps.scale;
    stencil.offset = taps.offset;
    for (int y = 0; y < taps.height; y++)
        stencil.down[y + (W - taps.height) / 2] = of.down[y];
    for (int x = 0; x < taps.width; x++)
        stencil.across[x + (W - taps.width) / 2] = of.across[x];
    const cudaError_t result =
        cut(convolve_separable<W, C>, planes, C, W, &blocks, &rows);
    if (result != cudaSuccess)
        return result;
    convolve_separable<W, C><<<blocks, threads, 0, stream>>>(planes, rows, m, out, stencil);
    return cudaGetLastError();
}

cudaError_t launch_loop(const rec_device_planes &planes, const rec_taps &taps, const float *m,
                        const float *f, float *out, cudaStream_t stream)
{
    table stencil = {};
    const int radius = taps.width / 2;
    stencil.scale = taps.scale;
    stencil.offset = taps.offset;
    stencil.height = taps.height;
    stencil.up = taps.height / 2;
    stencil.left = (radius + 3) / 4 * 4;
    stencil.columns = (stencil.left - radius + taps.width + 3) / 4 * 4;
    for (int y = 0; y < taps.height; y++)
        for (int x = 0; x < taps.width; x++)
            stencil.weights[y + side - 1][x + stencil.left - radius] =
                taps.weights[y * taps.width + x];
    const size_t down = side * (threads / 32);
    const dim3 blocks((unsigned)((planes.width + 32 * side - 1) / (32 * side)),
                      (unsigned)((planes.height + down - 1) / down), (unsigned)planes.planes);
    const auto kernel = f ? convolve_loop<true> : convolve_loop<false>;
    kernel<<<blocks, dim3(32, threads / 32), 0, stream>>>(planes, m, f, out, stencil);
    return cudaGetLastError();
}

int longer_side(const rec_taps *taps)
{
    return taps->width > taps->height ? taps->width : taps->height;
}

// The sides that kernels are made for; 0: none, the loop.
int direct_side(const rec_taps *taps)
{
    const int sides[] = {3, 5, 7, 9, 11, 15};
    for (int i = 0; i < 6; i++)
        if (longer_side(taps) <= sides[i])
            return sides[i];
    return 0;
}

int separable_side(const rec_taps *taps)
{
    const int longer = longer_side(taps);
    return longer <= 7 ? 7 : longer <= 15 ? 15 : longer <= 31 ? 31 : 63;
}

} // namespace

extern "C" int rec_convolution_reach(const rec_taps *taps, int separable)
{
    const int side_length = separable ? separable_side(taps) : direct_side(taps);
    return (side_length ? side_length : longer_side(taps)) / 2;
}

extern "C" cudaError_t rec_launch_convolution(const rec_device_planes *planes,
                                              const rec_taps *taps, const float *m, const float *f,
                                              float *out, cudaStream_t stream)
{
    switch (direct_side(taps)) {
    case 3: return launch_direct<3>(*planes, *taps, m, f, out, stream);
    case 5: return launch_direct<5>(*planes, *taps, m, f, out, stream);
    case 7: return launch_direct<7>(*planes, *taps, m, f, out, stream);
    case 9: return launch_direct<9>(*planes, *taps, m, f, out, stream);
    case 11: return launch_direct<11>(*planes, *taps, m, f, out, stream);
    case 15: return launch_direct<15>(*planes, *taps, m, f, out, stream);
    default: return launch_loop(*planes, *taps, m, f, out, stream);
    }
}

extern "C" cudaError_t rec_launch_separable(const rec_device_planes *planes, const rec_taps *taps,
                                            const rec_factors *of, const float *m, float *out,
                                            cudaStream_t stream)
{
    switch (separable_side(taps)) {
    case 7: return launch_separable<7, 4>(*planes, *taps, *of, m, out, stream);
    case 15: return launch_separable<15, 4>(*planes, *taps, *of, m, out, stream);
    case 31: return launch_separable<31, 4>(*planes, *taps, *of, m, out, stream);
    default: return launch_separable<63, 2>(*planes, *taps, *of, m, out, stream);
    }
}
