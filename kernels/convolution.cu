// Convolutions as convolution.h defines them. Planes have a border that is filled before a stencil
// is applied, so that no kernel asks where the picture ends. A smaller stencil than a kernel's is
// padded with weights of 0.
//
// Up to 15 x 15: a thread walks down four or eight columns and keeps one sum for each row of the
// stencil in registers. A row that is read adds to all of them: times the topmost weights to the
// newest sum, times the lowest weights to the oldest one, which is complete then. So each sum gets
// its rows in order.
//
// Larger stencils: convolution_loop.cu. Separable ones: convolution_separable.cu.
#include "kernels/convolution.cuh"

namespace {

constexpr int warps = 4, threads = 32 * warps; // of a block, side by side

template <int W> struct square {
    float weights[W][W] = {}, scale, offset;

    explicit square(const rec_taps &taps) : scale(taps.scale), offset(taps.offset)
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

// The columns of a thread, and the most blocks on a multiprocessor (cut).
template <int W> constexpr int columns_of = W < 9 || W > 13 ? 4 : 8;
template <int W> constexpr int most_blocks = W < 9 ? 4 : W < 13 ? 3 : 2;

template <int W, bool Adds>
__global__ void __launch_bounds__(threads, most_blocks<W>)
convolve_rolling(rec_device_planes planes, int rows, const float *__restrict__ m, const float *f,
                 float *out, const __grid_constant__ square<W> stencil)
{
    constexpr int R = W / 2, C = columns_of<W>;
    constexpr int stages = 4;             // rows of a warp that are here or on their way
    constexpr bool parts = W < 9;         // head, body and tail have code of their own
    constexpr int G = W < 9 ? W : C > 4 ? 1 : 5; // sums of a group
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
    wait_for_last_kernel();

    // A lane copies every 32nd vector of a row, up to the end of the border.
    const int left = first - margin + 4 * lane;
    const int vectors = ((int)planes.width + R - left + 127) / 128;
    const float *from = m + at - x + left - R * pitch;
    const auto bring = [&](int y, int to) {
#pragma unroll
        for (int i = 0; i < (length / 4 + 31) / 32; i++)
            if (y < rows && i < vectors && 32 * i + lane < length / 4)
                copy_four((float *)&shared[warp][to][32 * i + lane], from + 128 * i);
        __pipeline_commit();
        from += pitch;
    };
#pragma unroll
    for (int i = 0; i < stages - 1; i++)
        bring(i - 2 * R, i);

    float acc[W][C] = {};
    const auto step = [&](auto which, int y, int stage) { // y: the row that is complete, from 0 on
        constexpr part P = decltype(which)::value;
        __pipeline_wait_prior(stages - 2);
        __syncwarp();
        bring(y + stages - 1, stage ? stage - 1 : stages - 1); // its place: all have read it
        float samples[C + 2 * reach], start[C] = {};
        load((const float *)shared[warp][stage] + margin - reach + lane * C, samples);
        const float *row = samples + reach - R;
        if (Adds && columns > 0) {
            if (y + 2 * R < rows)
                load(f, start); // rows of f have room for whole vectors
            f += pitch;
        }
        // At the ends of the strip some sums are of rows outside it. Parts leave them out for all
        // of their rows; else groups of them are.
        constexpr int oldest = parts && P == part::head && W > stages ? stages : W;
        constexpr int newest = parts && P == part::tail && W > stages ? W - stages : 0;
#pragma unroll
        for (int group = (W - 1) / G; group >= 0; group--) {
            const int last = y + 2 * R - group * G; // row of the group's newest sum
            if (G == 1 ? (unsigned)last >= (unsigned)rows
                       : (group && last < 0) || ((group + 1) * G < W && last - (G - 1) >= rows))
                continue;
#pragma unroll
            for (int s = min(group * G + G, oldest) - 1; s >= max(group * G, newest); s--)
#pragma unroll
                for (int c = 0; c < C; c++)
                    acc[s][c] = stencil.add(s ? acc[s ? s - 1 : 0][c] : start[c], s, row + c);
        }
        if (y >= 0) {
            store(out, acc[W - 1], stencil.scale, stencil.offset, columns);
            out += pitch;
        }
    };
    const auto steps = [&](auto which, int y) {
#pragma unroll (C * W * W > 256 ? 1 : stages)
        for (int stage = 0; stage < stages; stage++)
            if ((parts && decltype(which)::value == part::body) || y + stage < rows)
                step(which, y + stage, stage);
    };
    int y = -2 * R;
    if (parts) {
        steps(is<part::head>(), y);
        y += stages;
    }
    for (; y < rows - (parts ? stages : 0); y += stages)
        steps(is<part::body>(), y);
    if (parts)
        steps(is<part::tail>(), y);
}

// ---- launching ----

template <int W>
cudaError_t launch(const rec_device_planes &planes, const rec_taps &taps, const rec_factors *,
                   int, const float *m, const float *f, float *out, cudaStream_t stream)
{
    strips made;
    const auto kernel = f ? convolve_rolling<W, true> : convolve_rolling<W, false>;
    const size_t columns = threads * columns_of<W>;
    const cudaError_t result = cut(kernel, threads, (planes.width + columns - 1) / columns,
                                   most_blocks<W>, W > 8 ? W : 8, planes, &made);
    if (result != cudaSuccess)
        return result;
    return launch_early(kernel, made.blocks, threads, 0, stream, planes, made.rows, m, f ? f : m,
                        out, square<W>(taps));
}

template <int... Sides> constexpr sized table[] = {{Sides, launch<Sides>}..., {}};

int longer_side(const rec_taps *taps)
{
    return taps->width > taps->height ? taps->width : taps->height;
}

// The smallest kernel for the stencil; its side is 0 where there is none, and the loop serves.
const sized *find_kernel(const rec_taps *taps, int separable)
{
    const sized *kernel = separable ? separable_kernels : table<3, 5, 7, 9, 11, 13, 15>;
    while (kernel->side && kernel->side < longer_side(taps))
        kernel++;
    return kernel;
}

} // namespace

int rec_convolution_reach(const rec_taps *taps, int separable)
{
    const int side = find_kernel(taps, separable)->side;
    return (side ? side : longer_side(taps)) / 2;
}

cudaError_t rec_launch_convolution(const rec_device_planes *planes, const rec_taps *taps,
                                   const float *m, const float *f, float *out, cudaStream_t stream)
{
    const sized *kernel = find_kernel(taps, 0);
    return kernel->side ? kernel->run(*planes, *taps, nullptr, 0, m, f, out, stream)
                        : launch_loop(*planes, *taps, m, f, out, stream);
}

cudaError_t rec_launch_separable(const rec_device_planes *planes, const rec_taps *taps,
                                 const rec_factors *factors, const float *m, float *out,
                                 cudaStream_t stream)
{
    const sized *kernel = find_kernel(taps, 1);
    cudaError_t result = cudaSuccess;
    for (int term = 0; result == cudaSuccess && term < factors->terms; term++)
        result = kernel->run(*planes, *taps, factors, term, m, term ? out : nullptr, out, stream);
    return result;
}
