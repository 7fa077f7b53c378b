// Convolutions with large stencils: a thread makes 4 x 8 pixels, and the weights come from shared
// memory. Weights and samples are loaded by fours, which serve 4 x 8 sums.
#include "kernels/convolution.cuh"

namespace {

constexpr int warps = 4, threads = 32 * warps;
constexpr int rows = 4, C = 8; // of a thread

// The weights of a stencil, in rows of width / 4 + 1 vectors.
struct table {
    float4 weights[REC_TAPS_SIDE * (REC_TAPS_SIDE + 1) / 4];
    float scale, offset;
    int width, height;
};

// `shift`: columns from the start of a vector to the first column of the stencil, for a pixel at
// the start of a vector.
template <int shift, bool Adds>
__global__ void __launch_bounds__(threads, 5)
convolve_loop(rec_device_planes planes, const float *__restrict__ m, const float *__restrict__ f,
              float *__restrict__ out, const __grid_constant__ table stencil)
{
    constexpr int rest = shift % 2 ? 3 : 1;       // columns of the stencil after whole groups of 4
    constexpr int V = (shift + 3 + C + 3) / 4;    // vectors with the samples of a group
    extern __shared__ float4 weights[];
    const int height = stencil.height, groups = stencil.width / 4, line = groups + 1;
    for (int i = (int)threadIdx.x; i < height * line; i += threads)
        weights[i] = stencil.weights[i];
    __syncthreads();
    const int x = (int)(blockIdx.x * 32 + threadIdx.x % 32) * C;
    const int y = (int)(blockIdx.y * warps + threadIdx.x / 32) * rows;
    if (x >= (int)planes.width || y >= (int)planes.height)
        return;
    const ptrdiff_t pitch = (ptrdiff_t)planes.pitch;
    const size_t at = blockIdx.z * planes.step + (size_t)y * planes.pitch + (size_t)x;
    const float *row = m + at - height / 2 * pitch - stencil.width / 2 - shift;
    float acc[rows][C] = {};
    if (Adds) {
#pragma unroll
        for (int r = 0; r < rows; r++)
            load(f + at + r * pitch, acc[r]);
    }
    for (int i = 0; i < height + rows - 1; i++, row += pitch) {
        const float4 *next = (const float4 *)row, *weight = weights + i * line;
        float samples[4 * V];
        load(row, samples);
        next += V;
        // Row i of the samples is row i - r of the stencil for row r of the pixels.
        const auto add = [&](const int taps) {
#pragma unroll
            for (int r = 0; r < rows; r++) {
                if ((unsigned)(i - r) >= (unsigned)height)
                    continue;
                float four[4];
                load((const float *)(weight - r * line), four);
#pragma unroll
                for (int k = 0; k < taps; k++)
#pragma unroll
                    for (int c = 0; c < C; c++)
                        acc[r][c] = fmaf(four[k], samples[shift + k + c], acc[r][c]);
            }
        };
#pragma unroll 4
        for (int group = 0; group < groups; group++, next++, weight++) {
            const float4 four = __ldg(next);
            add(4);
#pragma unroll
            for (int i = 0; i < 4 * V - 4; i++)
                samples[i] = samples[i + 4];
            samples[4 * V - 4] = four.x, samples[4 * V - 3] = four.y;
            samples[4 * V - 2] = four.z, samples[4 * V - 1] = four.w;
        }
        add(rest);
    }
#pragma unroll
    for (int r = 0; r < rows; r++)
        if (y + r < (int)planes.height)
            store(out + at + r * pitch, acc[r], stencil.scale, stencil.offset,
                  (int)planes.width - x);
}

template <int shift>
cudaError_t launch(const rec_device_planes &planes, const table &stencil, const float *m,
                        const float *f, float *out, cudaStream_t stream)
{
    const dim3 blocks((unsigned)((planes.width + 255) / 256),
                      (unsigned)((planes.height + 4 * warps - 1) / (4 * warps)),
                      (unsigned)planes.planes);
    const auto kernel = f ? convolve_loop<shift, true> : convolve_loop<shift, false>;
    const size_t bytes = (size_t)(stencil.height * (stencil.width / 4 + 1)) * sizeof(float4);
    kernel<<<blocks, threads, bytes, stream>>>(planes, m, f, out, stencil);
    return cudaGetLastError();
}

} // namespace

cudaError_t launch_loop(const rec_device_planes &planes, const rec_taps &taps, const float *m,
                        const float *f, float *out, cudaStream_t stream)
{
    table stencil = {{}, taps.scale, taps.offset, taps.width, taps.height};
    for (int y = 0; y < taps.height; y++)
        memcpy(stencil.weights + y * (taps.width / 4 + 1), taps.weights + y * taps.width,
               (size_t)taps.width * sizeof(float));
    switch (taps.width / 2 % 4) {
    case 0: return launch<0>(planes, stencil, m, f, out, stream);
    case 1: return launch<3>(planes, stencil, m, f, out, stream);
    case 2: return launch<2>(planes, stencil, m, f, out, stream);
    default: return launch<1>(planes, stencil, m, f, out, stream);
    }
}
