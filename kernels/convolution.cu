// Convolutions by the contract of convolution.h. Planes have a border, filled before a stencil is
// applied, so that no kernel asks where the picture ends; samples beyond a kernel's stencil are
// read with weights of 0.
//
//   direct     up to 15 x 15: a thread walks down some columns and keeps one sum for every row of
//              the stencil in registers. A row that is read adds to all of them, the topmost
//              weights to the newest sum, so that each sum gets its rows in order and is complete
//              when the last weights have been added.
//   loop       up to 63 x 63: a thread makes 4 x 4 pixels, the weights come from constant memory.
//   separable  as direct, with one weight a row: rows are first summed across.
#include "kernels/convolution.h"
#include "kernels/kernels.h"

namespace {

constexpr int threads = 128;

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

// The end of sums, for those of C columns that are in the picture. A division by 1 is none.
template <int C>
__device__ void store(float *__restrict__ out, float (&acc)[C], float scale, float offset,
                      unsigned columns)
{
    if (scale == 1) {
#pragma unroll
        for (int c = 0; c < C; c++)
            acc[c] += offset;
    } else {
#pragma unroll
        for (int c = 0; c < C; c++)
            acc[c] = rec_convolution_end(acc[c], scale, offset);
    }
    // Written as float4 the compiler makes four stores of it, because of those below.
    if (C == 4 && columns >= 4) {
        asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out), "f"(acc[0]),
                     "f"(acc[1]), "f"(acc[C - 2]), "f"(acc[C - 1])
                     : "memory");
        return;
    }
#pragma unroll
    for (int c = 0; c < C; c++)
        if (c < (int)columns)
            out[c] = acc[c];
}

// Where a thread works: `columns` of the picture, C at most, from x on, and `rows` from y on.
struct strip {
    unsigned columns;
    int rows;
    size_t at; // of its first pixel
};

template <int C> __device__ strip my_strip(const rec_device_planes &planes, int rows)
{
    const size_t x = ((size_t)blockIdx.x * threads + threadIdx.x) * C;
    const size_t y = (size_t)blockIdx.y * (unsigned)rows, left = planes.height - y;
    const size_t columns = x < planes.width ? planes.width - x : 0;
    return {columns < C ? (unsigned)columns : C, left < (unsigned)rows ? (int)left : rows,
            blockIdx.z * planes.step + y * planes.pitch + x};
}

// ---- rolling sums: direct and separable ----

template <int W_> struct square {
    static constexpr int W = W_, C = 4;   // columns of a thread
    static constexpr int BLOCKS = W < 9 ? 32 : 36 / W; // at most, on a multiprocessor (cut)
    static constexpr bool ADDS = true;    // it may have an f
    float weights[W][W] = {}, scale, offset;

    square(const rec_taps &taps, const rec_factors *) : scale(taps.scale), offset(taps.offset)
    {
        for (int y = 0; y < taps.height; y++)
            for (int x = 0; x < taps.width; x++)
                weights[y + (W - taps.height) / 2][x + (W - taps.width) / 2] =
                    taps.weights[y * taps.width + x];
    }
    // Adds a row to the sums; that of the topmost weights begins with `start`.
    __device__ __forceinline__ void add(float (&acc)[W][C], const float *row,
                                        const float (&start)[C]) const
    {
#pragma unroll
        for (int s = W - 1; s >= 0; s--)
#pragma unroll
            for (int c = 0; c < C; c++) {
                float sum = s ? acc[s ? s - 1 : 0][c] : start[c];
#pragma unroll
                for (int dx = 0; dx < W; dx++)
                    sum = fmaf(weights[s][dx], row[dx + c], sum);
                acc[s][c] = sum;
            }
    }
};

template <int W_, int C_> struct product {
    static constexpr int W = W_, C = C_, BLOCKS = 32;
    static constexpr bool ADDS = false;
    float down[W] = {}, across[W] = {}, scale, offset;

    product(const rec_taps &taps, const rec_factors *of) : scale(taps.scale), offset(taps.offset)
    {
        for (int y = 0; y < taps.height; y++)
            down[y + (W - taps.height) / 2] = of->down[y];
        for (int x = 0; x < taps.width; x++)
            across[x + (W - taps.width) / 2] = of->across[x];
    }
    __device__ __forceinline__ void add(float (&acc)[W][C], const float *row,
                                        const float (&)[C]) const
    {
        float h[C] = {};
#pragma unroll
        for (int dx = 0; dx < W; dx++)
#pragma unroll
            for (int c = 0; c < C; c++)
                h[c] = fmaf(across[dx], row[dx + c], h[c]);
#pragma unroll
        for (int s = W - 1; s >= 0; s--)
#pragma unroll
            for (int c = 0; c < C; c++)
                acc[s][c] = fmaf(down[s], h[c], s ? acc[s ? s - 1 : 0][c] : 0.0f);
    }
};

template <class Stencil, bool Adds>
__global__ void __launch_bounds__(threads)
convolve_rolling(rec_device_planes planes, int rows, const float *__restrict__ m,
                 const float *__restrict__ f, float *__restrict__ out, const Stencil stencil)
{
    constexpr int W = Stencil::W, R = W / 2, C = Stencil::C, left = (R + 3) / 4 * 4;
    constexpr int N = (C + left + R + C - 1) / C * C;
    const strip mine = my_strip<C>(planes, rows);
    const ptrdiff_t pitch = (ptrdiff_t)planes.pitch;
    if (!mine.columns)
        return;
    m += (ptrdiff_t)mine.at - R * pitch - left;
    f += mine.at;
    out += mine.at;

    // The next row is on its way; the one after the last is in the border.
    float acc[W][C] = {}, row[N], next[N];
    load<C>(m, row);
    for (int y = -2 * R; y < mine.rows; y++) {
        m += pitch;
        load<C>(m, next);
        float start[C] = {};
        if (Adds && y + 2 * R < mine.rows) {
            load<C>(f, start); // which has room for whole vectors
            f += pitch;
        }
        stencil.add(acc, row + left - R, start);
        if (y >= 0) {
            store(out, acc[W - 1], stencil.scale, stencil.offset, mine.columns);
            out += pitch;
        }
#pragma unroll
        for (int i = 0; i < N; i++)
            row[i] = next[i];
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
                  (unsigned)(planes.width - x));
}

// ---- launching ----

// Strips of rows: as many as keep the device busy once, none much shorter than the stencil is high.
// At most `most` blocks a multiprocessor: large stencils keep it busy with a few warps, which have
// less to sum above and below their strips.
template <typename Kernel>
cudaError_t cut(Kernel kernel, const rec_device_planes &planes, int columns, int side_length,
                int most, dim3 *blocks, int *rows)
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
    resident = resident < 1 ? 1 : resident < most ? resident : most;
    const size_t wanted = (size_t)processors * (size_t)resident;
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

template <class Stencil>
cudaError_t launch(const rec_device_planes &planes, const rec_taps &taps, const rec_factors *of,
                   const float *m, const float *f, float *out, cudaStream_t stream)
{
    dim3 blocks;
    int rows;
    const auto kernel = f ? convolve_rolling<Stencil, Stencil::ADDS>
                          : convolve_rolling<Stencil, false>;
    const cudaError_t result =
        cut(kernel, planes, Stencil::C, Stencil::W, Stencil::BLOCKS, &blocks, &rows);
    if (result != cudaSuccess)
        return result;
    kernel<<<blocks, threads, 0, stream>>>(planes, rows, m, f ? f : m, out, Stencil(taps, of));
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
    case 3: return launch<square<3>>(*planes, *taps, nullptr, m, f, out, stream);
    case 5: return launch<square<5>>(*planes, *taps, nullptr, m, f, out, stream);
    case 7: return launch<square<7>>(*planes, *taps, nullptr, m, f, out, stream);
    case 9: return launch<square<9>>(*planes, *taps, nullptr, m, f, out, stream);
    case 11: return launch<square<11>>(*planes, *taps, nullptr, m, f, out, stream);
    case 15: return launch<square<15>>(*planes, *taps, nullptr, m, f, out, stream);
    default: return launch_loop(*planes, *taps, m, f, out, stream);
    }
}

extern "C" cudaError_t rec_launch_separable(const rec_device_planes *planes, const rec_taps *taps,
                                            const rec_factors *of, const float *m, float *out,
                                            cudaStream_t stream)
{
    switch (separable_side(taps)) {
    case 7: return launch<product<7, 4>>(*planes, *taps, of, m, nullptr, out, stream);
    case 15: return launch<product<15, 4>>(*planes, *taps, of, m, nullptr, out, stream);
    case 31: return launch<product<31, 4>>(*planes, *taps, of, m, nullptr, out, stream);
    default: return launch<product<63, 2>>(*planes, *taps, of, m, nullptr, out, stream);
    }
}
