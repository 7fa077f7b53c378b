// Separable convolutions: a row is summed across, and then has one weight in each of the sums that
// roll down the columns, as in convolution.cu. A term is a pass over memory.
//
// The warps of a block stand one above the other. The first rows that a warp sums across are the
// last rows that the warp above needs. They are kept in shared memory, so that a block sums few
// rows twice. Rows are made two by two: an even lane sums the upper row across, and an odd lane the
// lower row, both for the columns of the pair of lanes. Then the lanes exchange half of their sums.
#include "kernels/convolution.cuh"

namespace {

// The weights: a column times a row, of W each. Smaller stencils have zeros around them.
template <int W_> struct outer_product {
    static constexpr int W = W_, R = W / 2, C = W < 32 ? 4 : 2; // columns of a lane
    static constexpr int G = W < 16 ? (W + 1) / 2 : 8;          // sums of a group
    static constexpr int most = W < 16 ? 16 : 8;                // warps of a block
    static constexpr int ahead = 3;                             // pairs of rows on their way
    // Floats of a row, and of the rows of f beside it; the two rows of a pair are read from
    // different banks.
    static constexpr int margin = (R + 7) / 8 * 8, length = 32 * C + 2 * margin;
    static constexpr int row = length + (C == 4 ? 4 : 16), pair = 2 * (row + 32 * C);
    static constexpr int kept = 2 * R * 32 * C; // floats that each warp but the first keeps
    static int bytes(int warps) { return 4 * (warps * ahead * pair + (warps - 1) * kept); }
    float down[W] = {}, across[W] = {}, scale, offset;

    // One term of the factors; the last one has the scale and the offset.
    outer_product(const rec_taps &taps, const rec_factors &factors, int term)
        : scale(term + 1 == factors.terms ? taps.scale : 1),
          offset(term + 1 == factors.terms ? taps.offset : 0)
    {
        for (int y = 0; y < taps.height; y++)
            down[y + (W - taps.height) / 2] = factors.down[term][y];
        for (int x = 0; x < taps.width; x++)
            across[x + (W - taps.width) / 2] = factors.across[term][x];
    }
};

// f may be `out`: then it holds the sum of the terms before.
template <class Stencil, bool Adds>
__global__ void __launch_bounds__(32 * Stencil::most, 1)
convolve_separable(rec_device_planes planes, int strip, const float *__restrict__ m,
                   const float *f, float *out, const __grid_constant__ Stencil stencil)
{
    constexpr int W = Stencil::W, R = Stencil::R, C = Stencil::C, G = Stencil::G;
    constexpr int ahead = Stencil::ahead, margin = Stencil::margin, length = Stencil::length;
    constexpr int reach = (R + 3) / 4 * 4; // in vectors
    extern __shared__ float4 shared[];
    const int warps = (int)blockDim.x / 32, lane = (int)threadIdx.x % 32;
    const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32, 0); // seen to be one for all
    const int first = (int)blockIdx.x * 32 * C, x = first + lane * C;
    const int columns = (int)planes.width - x;
    const bool plain = stencil.scale == 1 && first + 32 * C <= (int)planes.width;
    const ptrdiff_t pitch = (ptrdiff_t)planes.pitch;

    // The rows of the warp. The last warp has fewer: no warp below sums rows across for it.
    const int start_row = (int)blockIdx.y * strip, end = min(start_row + strip, (int)planes.height);
    const int each = max((end - start_row + R + 2 * warps - 1) / (2 * warps) * 2, 2 * R);
    const int top = start_row + warp * each, rows = min(each, end - top);
    const bool given = warp + 1 < warps && top + each < end; // the next warp keeps the last ones
    if (rows <= 0)
        return;
    const int own = given ? rows : rows + 2 * R;
    const size_t at = blockIdx.z * planes.step + (size_t)top * planes.pitch + (size_t)x;
    f += at;
    out += at;
    wait_for_last_kernel();
    float *const ring = (float *)shared + warp * ahead * Stencil::pair, *const to = ring + 4 * lane;
    float *const kept = (float *)shared + warps * ahead * Stencil::pair +
                        (warp - 1) * Stencil::kept + lane * C;
    int slot = 0; // where rows i and i + 1 are in the ring

    // Rows i and i + 1 from the topmost one that is read, and of f from the first one; one row too
    // many does no harm. A lane copies every 32nd vector of a row, up to the end of the border.
    const int left = first - margin + 4 * lane;
    const int vectors = min(((int)planes.width + R - left + 127) / 128,
                            (length - 4 * lane + 127) / 128);
    const float *from = m + at - x + left - R * pitch, *from_f = f - x + first + 4 * lane;
    const auto bring = [&](int i) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
#pragma unroll
            for (int k = 0; k < (length / 4 + 31) / 32; k++)
                if (i < own && k < vectors)
                    copy_four(to + slot + r * Stencil::row + 128 * k, from + 128 * k);
            if (Adds && i < rows && 4 * lane < min(32 * C, (int)planes.width - first))
                copy_four(to + slot + 2 * Stencil::row + r * 32 * C, from_f);
            from += pitch;
            from_f += pitch;
        }
        __pipeline_commit();
        slot = slot == (ahead - 1) * Stencil::pair ? 0 : slot + Stencil::pair;
    };
#pragma unroll
    for (int i = 0; i < ahead; i++)
        bring(2 * i);

    // A pair of lanes has its own columns, and the columns beside them.
    float acc[W][C] = {}, samples[2 * C + 2 * reach], start[2][C] = {};
    const float *const mine = ring + lane % 2 * Stencil::row + margin - reach + lane / 2 * 2 * C;
    __pipeline_wait_prior(ahead - 1);
    __syncwarp();
    load(mine + slot, samples);
    // Rows i and i + 1. Sums of rows outside the warp's are left out by groups: in the head, those
    // of rows above, in the tail, those of rows below.
    const auto step = [&](auto which, int i) {
        constexpr part P = decltype(which)::value;
        float across[2][C], done[C];
        if (P == part::tail && given) {
#pragma unroll
            for (int r = 0; r < 2; r++)
                load(kept + Stencil::kept + (i - rows + r) * 32 * C, across[r]);
        } else {
            float sums[2 * C] = {};
#pragma unroll
            for (int dx = 0; dx < W; dx++)
#pragma unroll
                for (int c = 0; c < 2 * C; c++)
                    sums[c] = fmaf(stencil.across[dx], samples[reach - R + dx + c], sums[c]);
            const bool odd = lane % 2;
            float other[C];
#pragma unroll
            for (int c = 0; c < C; c++)
                other[c] = __shfl_xor_sync(~0u, odd ? sums[c] : sums[C + c], 1);
            if (Adds)
#pragma unroll
                for (int r = 0; r < 2; r++)
                    load(ring + slot + 2 * Stencil::row + (32 * r + lane) * C, start[r]);
            __pipeline_wait_prior(ahead - 2);
            __syncwarp(); // all have read the slot
            bring(i + 2 * ahead);
            load(mine + slot, samples);
#pragma unroll
            for (int c = 0; c < C; c++) {
                across[0][c] = odd ? other[c] : sums[c];
                across[1][c] = odd ? sums[C + c] : other[c];
            }
#pragma unroll
            for (int k = 0; P == part::head && k < 2 * C; k++)
                if (warp)
                    kept[(i + k / C) * 32 * C + k % C] = across[k / C][k % C];
        }
#pragma unroll
        for (int c = 0; c < C; c++)
            done[c] = fmaf(stencil.down[W - 1], across[0][c], acc[W - 2][c]);
#pragma unroll
        for (int group = (W - 1) / G; group >= 0; group--) {
            if ((P == part::head && group * G > i + 1) ||
                (P == part::tail && group * G + G - 1 <= i + 1 - rows))
                continue;
#pragma unroll
            for (int s = min(group * G + G, W) - 1; s >= group * G; s--)
#pragma unroll
                for (int c = 0; c < C; c++) {
                    const float above = s ? fmaf(stencil.down[s ? s - 1 : 0], across[0][c],
                                                 s == 1 ? start[0][c] : acc[s > 1 ? s - 2 : 0][c])
                                          : start[1][c];
                    acc[s][c] = fmaf(stencil.down[s], across[1][c], above);
                }
        }
        if (P == part::head)
            return;
        const bool both = P == part::body || i + 1 - 2 * R < rows;
        if (plain) { // with few branches, which would cost a tenth of the time
            float end[2][C];
#pragma unroll
            for (int c = 0; c < C; c++) {
                end[0][c] = done[c] + stencil.offset;
                end[1][c] = acc[W - 1][c] + stencil.offset;
            }
            store_vectors(out, end[0]);
            if (both)
                store_vectors(out + pitch, end[1]);
        } else {
            store(out, done, stencil.scale, stencil.offset, columns);
            if (both)
                store(out + pitch, acc[W - 1], stencil.scale, stencil.offset, columns);
        }
        out += 2 * pitch;
    };
    int i = 0;
#pragma unroll 1
    for (; i < 2 * R; i += 2)
        step(is<part::head>(), i);
    __syncthreads();
#pragma unroll 1
    for (; i < rows - 1; i += 2)
        step(is<part::body>(), i);
#pragma unroll 1
    for (; i < rows + 2 * R; i += 2)
        step(is<part::tail>(), i);
}

template <int W>
cudaError_t launch(const rec_device_planes &planes, const rec_taps &taps,
                   const rec_factors *factors, int term, const float *m, const float *f, float *out,
                   cudaStream_t stream)
{
    using Stencil = outer_product<W>;
    const auto kernel = f ? convolve_separable<Stencil, true> : convolve_separable<Stencil, false>;
    const size_t across = (planes.width + 32 * Stencil::C - 1) / (32 * Stencil::C);
    rec_asked ask;
    const int processors = ask(cudaDevAttrMultiProcessorCount);
    const int memory = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    int warps = Stencil::most;
    cudaError_t result = ask.result;
    // Smaller blocks where they would not fit, or where not all multiprocessors would get one.
    const size_t rows = planes.height * across * planes.planes;
    while (warps > 2 && (Stencil::bytes(warps) > memory ||
                         (size_t)(W * warps) * (size_t)processors > rows))
        warps /= 2;
    const int bytes = Stencil::bytes(warps);
    if (result == cudaSuccess)
        result = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    strips made;
    if (result == cudaSuccess)
        result = cut(kernel, 32 * warps, across, Stencil::most / warps, (size_t)(W * warps), planes,
                     &made, (size_t)bytes);
    if (result != cudaSuccess)
        return result;
    return launch_early(kernel, made.blocks, 32 * warps, bytes, stream, planes, made.rows, m,
                        f ? f : m, out, Stencil(taps, *factors, term));
}

} // namespace

const sized separable_kernels[] = {
    {7, launch<7>}, {15, launch<15>}, {31, launch<31>}, {63, launch<63>}, {}};
