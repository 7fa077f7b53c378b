// Several iterations of a stencil of 3 x 3 in one pass over memory, in the order of convolution.h.
//
// A warp walks down 128 columns, four a lane. A row that it reads is the input of the first level.
// Each level adds its input to the two sums that it keeps for every column, and to a new one. The
// sum that is complete then, one row further up, is the input of the next level. The columns beside
// a lane's come by shuffles. A warp does not see other warps: at each side one more column becomes
// wrong in every level, and wrong columns are not stored. Where the image ends, its boundary is
// written into the input of each level; a wrapped image continues there with its other end.
#include <type_traits>

#include "kernels/convolution.cuh"

namespace {

// A block is a warp, so that the compiler knows which branches all of its lanes take.
constexpr int depth = REC_TEMPORAL_DEPTH, C = 4;
constexpr int kept = 32 * C - 2 * depth; // columns of a warp
static_assert(depth % C == 0, "whole lanes are lost");

struct nine {
    float weights[3][3];
    float scale, offset;
};

// How a lane loads its columns: as one vector, or one by one where a wrapped image continues.
struct source {
    size_t pitch;
    int rows;
    int wraps, scattered;
    int columns[C];

    // inside: the row and the columns are in the image.
    template <bool inside>
    __device__ void load(const float *__restrict__ from, int row, float (&to)[C]) const
    {
        if (!inside && row < 0)
            row = wraps ? row + (-row + rows - 1) / rows * rows : 0;
        else if (!inside && row >= rows)
            row = wraps ? row % rows : rows - 1;
        from += (size_t)row * pitch;
        if (!inside && scattered) {
#pragma unroll
            for (int c = 0; c < C; c++)
                to[c] = __ldg(from + columns[c]);
        } else {
            const float4 four = __ldg((const float4 *)(from + columns[0]));
            to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
        }
    }
};

// Adds the products with a row of weights, from the left.
__device__ void add(float (&sum)[C], const float (&weights)[3], const float (&row)[C + 2])
{
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
        for (int i = 0; i < 3; i++)
            sum[c] = fmaf(weights[i], row[c + i], sum[c]);
}

template <bool Adds, bool Divides>
__global__ void __launch_bounds__(32)
convolve_temporal(rec_device_planes planes, rec_beyond rule, float constant, int strip,
                  const float *__restrict__ m, const float *__restrict__ f,
                  float *__restrict__ out, nine stencil)
{
    const int lane = (int)threadIdx.x, first = (int)blockIdx.x * kept;
    const int width = (int)planes.width, height = (int)planes.height;
    const int x = first - depth + lane * C;
    const int top = (int)blockIdx.y * strip, end = min(top + strip, height);
    const bool wraps = rule == REC_WRAPPED;
    const bool halo = rule == REC_FIXED;
    // Some columns of the warp lie outside the image.
    const bool beside = first < depth || first - depth + 32 * C > width;
    source from = {planes.pitch, height, wraps, wraps && beside, {}};
    for (int c = 0; c < C; c++) {
        const int rest = (x + c) % width;
        from.columns[c] = wraps ? rest < 0 ? rest + width : rest
                                : max(0, min(x, (width - 1) / C * C)) + c;
    }
    m += blockIdx.z * planes.step;
    f += blockIdx.z * planes.step;
    out += blockIdx.z * planes.step + x;
    const bool stores = lane >= depth / C && lane < 32 - depth / C && x < width;

    // The two sums of every level: with one row of weights added, and with two.
    float one[depth][C] = {}, two[depth][C] = {}, row[C], next[C];
    // Takes a row through all levels, without branches if the row is inside the image.
    const auto step = [&](int y, auto is_inside) {
        constexpr bool inside = decltype(is_inside)::value;
        from.load<inside>(m, y + 1, next);
#pragma unroll
        for (int level = 0; level < depth; level++) {
            const int at = y - level; // the row of the input; the one above it becomes complete
            const bool ends = !inside && !wraps;
            float in[C + 2], start[C] = {};
            in[0] = __shfl_up_sync(~0u, row[C - 1], 1);
            in[C + 1] = __shfl_down_sync(~0u, row[0], 1);
#pragma unroll
            for (int c = 0; c < C; c++)
                in[c + 1] = row[c];
            if (Adds)
                from.load<inside>(f, at + 1, start);
            if (ends && halo) {
#pragma unroll
                for (int i = 0; i < C + 2; i++)
                    if (x + i <= 0 || x + i > width || at < 0 || at >= height)
                        in[i] = constant;
            } else if (ends) {
                if (x == 0)
                    in[0] = in[1];
#pragma unroll
                for (int i = 1; i < C + 2; i++)
                    if (x + i == width + 1)
                        in[i] = in[i - 1];
                if (at == 0) { // the row above is the same
                    float again[C] = {};
                    if (Adds)
                        from.load<false>(f, 0, again);
                    add(again, stencil.weights[0], in);
#pragma unroll
                    for (int c = 0; c < C; c++)
                        one[level][c] = again[c];
                }
            }
#pragma unroll
            for (int c = 0; c < C; c++)
                row[c] = two[level][c], two[level][c] = one[level][c], one[level][c] = start[c];
            if (!(ends && !halo && at == height)) // added before
                add(row, stencil.weights[2], in);
            add(two[level], stencil.weights[1], in);
            if (ends && !halo && at == height - 1) // the row below is the same
                add(two[level], stencil.weights[2], in);
            add(one[level], stencil.weights[0], in);
#pragma unroll
            for (int c = 0; c < C; c++)
                row[c] = Divides ? rec_convolution_end(row[c], stencil.scale, stencil.offset)
                                 : row[c] + stencil.offset;
        }
    };

    from.load<false>(m, top - depth, next);
    for (int y = top - depth; y < end + depth; y++) {
#pragma unroll
        for (int c = 0; c < C; c++)
            row[c] = next[c];
        if (!beside && y >= depth && y < height - 1)
            step(y, std::true_type());
        else
            step(y, std::false_type());
        const int made = y - depth;
        if (made < top || !stores)
            continue;
        float *const to = out + (size_t)made * planes.pitch;
        if (x + C <= width)
            *(float4 *)to = make_float4(row[0], row[1], row[2], row[3]);
        else
            for (int c = 0; c < width - x; c++)
                to[c] = row[c];
    }
}

} // namespace

int rec_temporal_can(rec_beyond rule, const rec_taps *taps)
{
    // Within one cell of the border a mirror replicates.
    return rule != REC_MIRRORED_101 && taps->width <= 3 && taps->height <= 3;
}

cudaError_t rec_launch_temporal(const rec_device_planes *planes, rec_beyond rule, float constant,
                                const rec_taps *taps, const float *m, const float *f, float *out,
                                cudaStream_t stream)
{
    nine stencil = {{}, taps->scale, taps->offset};
    for (int y = 0; y < taps->height; y++)
        for (int x = 0; x < taps->width; x++)
            stencil.weights[y + (3 - taps->height) / 2][x + (3 - taps->width) / 2] =
                taps->weights[y * taps->width + x];
    const auto kernel = f                   ? convolve_temporal<true, false>
                        : taps->scale != 1 ? convolve_temporal<false, true>
                                           : convolve_temporal<false, false>;
    strips made;
    const cudaError_t result = cut(kernel, 32, (planes->width + kept - 1) / kept, 32, 2 * depth,
                                   *planes, &made);
    if (result != cudaSuccess)
        return result;
    kernel<<<made.blocks, 32, 0, stream>>>(*planes, rule, constant, made.rows, m, f ? f : m, out,
                                           stencil);
    return cudaGetLastError();
}
