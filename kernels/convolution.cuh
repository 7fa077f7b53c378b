// What the kernels of convolutions share.
#ifndef REC_KERNELS_CONVOLUTION_CUH
#define REC_KERNELS_CONVOLUTION_CUH

#include "kernels/kernels.h"

// As rec_launch_convolution, for stencils of any size. convolution_loop.cu
cudaError_t launch_loop(const rec_device_planes &planes, const rec_taps &taps, const float *m,
                        const float *f, float *out, cudaStream_t stream);

namespace {

template <int N> __device__ void load(const float *from, float (&to)[N])
{
#pragma unroll
    for (int i = 0; i < N; i += N % 4 ? 2 : 4)
        if (N % 4) {
            const float2 two = *(const float2 *)(from + i);
            to[i] = two.x, to[i + 1] = two.y;
        } else {
            const float4 four = *(const float4 *)(from + i);
            to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
        }
}

// Scales and stores C sums, of the columns that are in the picture.
template <int C>
__device__ void store(float *out, const float (&acc)[C], float scale, float offset, int columns)
{
    float end[C];
    if (scale == 1) {
#pragma unroll
        for (int c = 0; c < C; c++)
            end[c] = acc[c] + offset;
    } else {
#pragma unroll
        for (int c = 0; c < C; c++)
            end[c] = rec_convolution_end(acc[c], scale, offset);
    }
    // In assembly: beside the single stores below the compiler would make four of a float4.
    if (C % 4 == 0 && columns >= C) {
#pragma unroll
        for (int c = 0; c < C; c += 4)
            asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + c), "f"(end[c]),
                         "f"(end[c + 1]), "f"(end[C > 2 ? c + 2 : 0]), "f"(end[C > 2 ? c + 3 : 0])
                         : "memory");
        return;
    }
    asm volatile("" : "+l"(out)); // else the compiler keeps another pointer for these
#pragma unroll
    for (int c = 0; c < C; c++)
        if (c < columns)
            out[c] = end[c];
}

// ---- strips of rows, for kernels whose threads walk down the columns ----

struct strips {
    dim3 blocks;
    int rows; // of a strip
};

// Cuts planes into as many strips as the device holds at once, with at most `most` blocks on a
// multiprocessor, so that all end together. A strip has at least `least` rows, because the rows
// that a kernel reads above and below it are extra work. `across`: the number of blocks in a row.
template <typename Kernel>
cudaError_t cut(Kernel kernel, int threads, size_t across, int most, size_t least,
                const rec_device_planes &planes, strips *made)
{
    int device = 0, processors = 0, resident = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess)
        result = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (result == cudaSuccess)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0);
    if (result != cudaSuccess)
        return result;
    const size_t blocks = (size_t)processors * (size_t)(resident < most ? resident : most);
    const size_t wanted = blocks / (across * planes.planes);
    size_t rows = wanted ? (planes.height + wanted - 1) / wanted : planes.height;
    rows = rows > least ? rows : least;
    while ((planes.height + rows - 1) / rows > 65535)
        rows *= 2;
    *made = {dim3((unsigned)across, (unsigned)((planes.height + rows - 1) / rows),
                  (unsigned)planes.planes), (int)rows};
    return cudaSuccess;
}

} // namespace

#endif
