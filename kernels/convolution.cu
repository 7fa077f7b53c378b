// Convolutions as convolution.h defines them. Planes have a border that is filled before a stencil
// is applied, so that no kernel asks where the picture ends. A smaller stencil than a kernel's is
// padded with weights of 0.
//
//   direct     up to 15 x 15: a thread walks down four or eight columns and keeps one sum for each
//              row of the stencil in registers. A row that is read adds to all of them: times the
//              topmost weights to the newest sum, times the lowest weights to the oldest one, which
//              is complete then. So each sum gets its rows in order.
//   separable  as direct, but a row is first summed across, and then has one weight a sum.
//
// Larger stencils: convolution_loop.cu.
#include <cuda_pipeline.h>

#include "kernels/convolution.cuh"

namespace {

constexpr int warps = 4, threads = 32 * warps; // of a block, side by side

// ---- rolling sums: direct and separable ----

template <int W_> struct square {
    static constexpr int W = W_, C = W < 9 || W > 13 ? 4 : 8; // columns of a thread
    static constexpr int BLOCKS = W < 9 ? 4 : W < 13 ? 3 : 2; // most on a multiprocessor (cut)
    static constexpr bool separable = false;
    float weights[W][W] = {}, scale, offset;

    square(const rec_taps &taps, const rec_factors *, int) : scale(taps.scale), offset(taps.offset)
    {
        for (int y = 0; y < taps.height; y++)
            for (int x = 0; x < taps.width; x++)
                weights[y + (W - taps.height) / 2][x + (W - taps.width) / 2] =
                    taps.weights[y * taps.width + x];
    }
    // Adds the products of a row of samples with row s of the weights to a sum.
    __device__ __forceinline__ float add(float sum, int s, const float *row) const
    {
#pragma unroll
        for (int dx = 0; dx < W; dx++)
            sum = fmaf(weights[s][dx], row[dx], sum);
        return sum;
    }
};

template <int W_> struct product {
    static constexpr int W = W_, C = W < 32 ? 4 : 2, BLOCKS = W < 16 ? 4 : 2;
    static constexpr bool separable = true;
    float down[W] = {}, across[W] = {}, scale, offset;

    // One term of the factors; the last one has the scale and the offset.
    product(const rec_taps &taps, const rec_factors *of, int term)
        : scale(term + 1 == of->terms ? taps.scale : 1),
          offset(term + 1 == of->terms ? taps.offset : 0)
    {
        for (int y = 0; y < taps.height; y++)
            down[y + (W - taps.height) / 2] = of->down[term][y];
        for (int x = 0; x < taps.width; x++)
            across[x + (W - taps.width) / 2] = of->across[term][x];
    }
    __device__ __forceinline__ float add(float sum, int s, const float *row) const
    {
        return fmaf(down[s], row[0], sum);
    }
};

// f may be `out`: then it holds the sum of the terms before.
template <class Stencil, bool Adds>
__global__ void __launch_bounds__(threads, Stencil::BLOCKS)
convolve_rolling(rec_device_planes planes, int rows, const float *__restrict__ m, const float *f,
                 float *out, const __grid_constant__ Stencil stencil)
{
    constexpr int W = Stencil::W, R = W / 2, C = Stencil::C;
    constexpr bool separable = Stencil::separable;
    constexpr int products = C * W * (separable ? 2 : W); // of a row
    constexpr int stages = separable ? 5 : 4; // rows of a warp that are here or on their way
    constexpr int G = C > 4 ? 1 : W < 15 || separable ? W : (W + 1) / 2; // sums of a group
    constexpr int reach = (R + 3) / 4 * 4;                // in vectors
    constexpr int margin = (R + 7) / 8 * 8, length = 32 * C + 2 * margin; // in sectors of memory
    __shared__ float4 shared[warps][stages][length / 4];
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int x = (int)(blockIdx.x * threads + threadIdx.x) * C, first = x - lane * C;
    const int columns = (int)planes.width - x, top = (int)blockIdx.y * rows;
    const ptrdiff_t pitch = (ptrdiff_t)planes.pitch;
    if (first >= (int)planes.width)
        return;
    rows = min(rows, (int)planes.height - top);
    const size_t at = blockIdx.z * planes.step + (size_t)top * planes.pitch + (size_t)x;
    f += at;
    out += at;

    // A lane copies every 32nd vector of a row, up to the end of the border.
    const int left = first - margin + 4 * lane;
    const int vectors = ((int)planes.width + R - left + 127) / 128;
    const float *from = m + at - x + left - R * pitch;
    const auto bring = [&](int y, int to) {
#pragma unroll
        for (int i = 0; i < (length / 4 + 31) / 32; i++)
            if (y < rows && i < vectors && 32 * i + lane < length / 4)
                __pipeline_memcpy_async(&shared[warp][to][32 * i + lane], from + 128 * i,
                                        sizeof(float4));
        __pipeline_commit();
        from += pitch;
    };
#pragma unroll
    for (int i = 0; i < stages - 1; i++)
        bring(i - 2 * R, i);

    float acc[W][C] = {};
    const auto step = [&](int y, int stage) { // y: the row that is complete, from 0 on
        __pipeline_wait_prior(stages - 2);
        __syncwarp();
        bring(y + stages - 1, stage ? stage - 1 : stages - 1); // its place: all have read it
        float samples[C + 2 * reach], start[C] = {}, sums[C] = {};
        load((const float *)shared[warp][stage] + margin - reach + lane * C, samples);
        const float *row = samples + reach - R;
        if constexpr (separable) {
#pragma unroll
            for (int dx = 0; dx < W; dx++)
#pragma unroll
                for (int c = 0; c < C; c++)
                    sums[c] = fmaf(stencil.across[dx], row[dx + c], sums[c]);
            row = sums;
        }
        if (Adds && columns > 0) {
            if (y + 2 * R < rows)
                load(f, start); // rows of f have room for whole vectors
            f += pitch;
        }
        // At the ends of the strip some groups of sums are of rows outside it.
#pragma unroll
        for (int group = (W - 1) / G; group >= 0; group--) {
            const int last = y + 2 * R - group * G; // row of the group's newest sum
            if (G == 1 ? (unsigned)last >= (unsigned)rows
                       : (group && last < 0) || ((group + 1) * G < W && last - (G - 1) >= rows))
                continue;
#pragma unroll
            for (int s = group * G + G - 1; s >= group * G; s--)
#pragma unroll
                for (int c = 0; s < W && c < C; c++)
                    acc[s][c] = stencil.add(s ? acc[s ? s - 1 : 0][c] : start[c], s, row + c);
        }
        if (y >= 0) {
            store(out, acc[W - 1], stencil.scale, stencil.offset, columns);
            out += pitch;
        }
    };
    for (int y = -2 * R; y < rows; y += stages)
#pragma unroll (products > 256 ? 1 : stages)
        for (int stage = 0; stage < stages; stage++)
            if (y + stage < rows)
                step(y + stage, stage);
}

// ---- launching ----

template <class Stencil>
cudaError_t launch(const rec_device_planes &planes, const rec_taps &taps, const rec_factors *of,
                   int term, const float *m, const float *f, float *out, cudaStream_t stream)
{
    strips made;
    const auto kernel = f ? convolve_rolling<Stencil, true> : convolve_rolling<Stencil, false>;
    const size_t columns = threads * Stencil::C;
    const cudaError_t result = cut(kernel, threads, (planes.width + columns - 1) / columns,
                                   Stencil::BLOCKS, Stencil::W > 8 ? Stencil::W : 8, planes, &made);
    if (result != cudaSuccess)
        return result;
    kernel<<<made.blocks, threads, 0, stream>>>(planes, made.rows, m, f ? f : m, out,
                                                Stencil(taps, of, term));
    return cudaGetLastError();
}

// The kernels by the side of their stencils.
struct sized {
    int side;
    decltype(&launch<square<3>>) run;
};
template <template <int> class Stencil, int... Sides>
constexpr sized table[] = {{Sides, launch<Stencil<Sides>>}..., {}};

int longer_side(const rec_taps *taps)
{
    return taps->width > taps->height ? taps->width : taps->height;
}

// The smallest kernel for the stencil; its side is 0 where there is none, and the loop serves.
const sized *find_kernel(const rec_taps *taps, int separable)
{
    const sized *kernel = separable ? table<product, 7, 15, 31, 63>
                                    : table<square, 3, 5, 7, 9, 11, 13, 15>;
    while (kernel->side && kernel->side < longer_side(taps))
        kernel++;
    return kernel;
}

} // namespace

extern "C" int rec_convolution_reach(const rec_taps *taps, int separable)
{
    const int side = find_kernel(taps, separable)->side;
    return (side ? side : longer_side(taps)) / 2;
}

extern "C" cudaError_t rec_launch_convolution(const rec_device_planes *planes,
                                              const rec_taps *taps, const float *m, const float *f,
                                              float *out, cudaStream_t stream)
{
    const sized *kernel = find_kernel(taps, 0);
    return kernel->side ? kernel->run(*planes, *taps, nullptr, 0, m, f, out, stream)
                        : launch_loop(*planes, *taps, m, f, out, stream);
}

extern "C" cudaError_t rec_launch_separable(const rec_device_planes *planes, const rec_taps *taps,
                                            const rec_factors *of, const float *m, float *out,
                                            cudaStream_t stream)
{
    const sized *kernel = find_kernel(taps, 1);
    cudaError_t result = cudaSuccess;
    for (int term = 0; result == cudaSuccess && term < of->terms; term++)
        result = kernel->run(*planes, *taps, of, term, m, term ? out : nullptr, out, stream);
    return result;
}
