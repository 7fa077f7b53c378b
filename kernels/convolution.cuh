// What the kernels of convolutions share.
#pragma once

#include <cuda_pipeline.h>

#include <type_traits>

#include "kernels/early.cuh"
#include "kernels/kernels.h"

// As rec_launch_convolution, for stencils of any size. convolution_loop.cu
cudaError_t launch_loop(const rec_device_planes &planes, const rec_taps &taps, const float *m,
                        const float *f, float *out, cudaStream_t stream);

// Kernels by the largest side of their stencils, in rising order; ends with side 0. Separable
// kernels take one term of the factors.
struct sized {
    int side;
    cudaError_t (*run)(const rec_device_planes &planes, const rec_taps &taps,
                       const rec_factors *factors, int term, const float *m, const float *f,
                       float *out, cudaStream_t stream);
};
extern const sized separable_kernels[]; // convolution_separable.cu

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

// Starts a copy of 4 floats to shared memory, and brings their neighbours in memory into the L2
// cache: the whole row is read, and few requests are faster than many.
__device__ __forceinline__ void copy_four(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
    __pipeline_memcpy_async(to, from, sizeof(float4));
#endif
}

// Stores C columns. In assembly: beside single stores the compiler would make four of a float4.
template <int C> __device__ __forceinline__ void store_vectors(float *out, const float (&end)[C])
{
#pragma unroll
    for (int c = 0; c < C; c += C % 4 ? 2 : 4)
        if (C % 4)
            *(float2 *)(out + c) = make_float2(end[c], end[c + 1]);
        else
            asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + c), "f"(end[c]),
                         "f"(end[c + 1]), "f"(end[C > 2 ? c + 2 : 0]), "f"(end[C > 2 ? c + 3 : 0])
                         : "memory");
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
    if (columns >= C) {
        store_vectors(out, end);
        return;
    }
    asm volatile("" : "+l"(out)); // else the compiler keeps another pointer for these
#pragma unroll
    for (int c = 0; c < C; c++)
        if (c < columns)
            out[c] = end[c];
}

// ---- strips of rows, for kernels whose threads walk down the columns ----

// The rows that a thread reads: in the first and the last, only some sums belong to its strip.
enum class part { head, body, tail };
template <part P> using is = std::integral_constant<part, P>;

struct strips {
    dim3 blocks;
    int rows; // of a strip
};

// Cuts planes into as many strips as the device holds at once, with at most `most` blocks on a
// multiprocessor, so that all end together. A strip has at least `least` rows, because the rows
// that a kernel reads above and below it are extra work. `across`: the number of blocks in a row;
// `shared`: bytes of dynamic shared memory.
template <typename Kernel>
cudaError_t cut(Kernel kernel, int threads, size_t across, int most, size_t least,
                const rec_device_planes &planes, strips *made, size_t shared = 0)
{
    rec_asked ask;
    const int processors = ask(cudaDevAttrMultiProcessorCount);
    int resident = 0;
    cudaError_t result = ask.result;
    if (result == cudaSuccess)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared);
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
