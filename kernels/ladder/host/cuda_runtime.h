/* CUDA C++ for the host's compiler: what `reconstruct bench --mine my.cu` knows where no GPU is.
 * The program translates kernel<<<grid, block>>> and `extern __shared__`, and fibres.cpp beside
 * this runs the threads. What is not here the compiler refuses, with line and word. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nvcc inlines what it can: a load in a function is another one for each call of it. */
#define __device__ __attribute__((always_inline))
#define __forceinline__ inline
#define __noinline__
#define __global__
#define __host__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/* Apart from all other memory, and there once: blocks run one after the other. */
#define __shared__ static thread_local
/* The program makes fibre_shared(type, name, sides) of an array: with cells around it. */
enum { FIBRE_AROUND = 4096 };
void fibre_hold(const char *name, void *array, size_t size);
template <class T> __attribute__((no_sanitize("thread"))) T &fibre_held(const char *name, T &array)
{
    fibre_hold(name, (void *)&array, sizeof array);
    return array;
}
#define fibre_shared(type, name, sides)                                                            \
    static thread_local struct {                                                                   \
        alignas(FIBRE_AROUND) char before[FIBRE_AROUND];                                           \
        type name sides;                                                                           \
        char after[FIBRE_AROUND];                                                                  \
    } name##_held;                                                                                 \
    auto &name = fibre_held(#name, name##_held.name)
#define asm PTX_is_not_known_without_a_GPU

struct uint3 {
    unsigned x, y, z;
};
struct dim3 : uint3 {
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : uint3{a, b, c} {}
};
struct Fibre { /* of the thread that runs */
    uint3 thread, block;
    dim3 block_shape, grid_shape;
};
extern Fibre fibre;
#define threadIdx fibre.thread
#define blockIdx fibre.block
#define blockDim fibre.block_shape
#define gridDim fibre.grid_shape
enum { warpSize = 32 };

/* Copied by one instruction, as on the device. */
struct alignas(16) float4 {
    union {
        struct {
            float x, y, z, w;
        };
        float all __attribute__((vector_size(16)));
    };
    float4() = default;
    float4(float a, float b, float c, float d) : all{a, b, c, d} {}
    float4(const float4 &other) : all(other.all) {}
    float4 &operator=(const float4 &other)
    {
        all = other.all;
        return *this;
    }
};
static inline float4 make_float4(float a, float b, float c, float d) { return {a, b, c, d}; }

template <class T> __device__ T __ldg(const T *from) { return *from; }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }

/* Not seen, so that threads which meet there are no race. */
template <class T, class U>
__attribute__((noinline, no_sanitize("thread"))) T atomicAdd(T *to, U by)
{
    const T before = *to;
    *to = before + by;
    return before;
}

void __syncthreads();
extern char fibre_dynamic[]; /* extern __shared__ */
void fibre_run(const char *kernel, void (*body)(const void *), const void *closure, dim3 grid,
               dim3 block, size_t shared);

/* kernel<<<grid, block>>>(arguments) is fibre_kernel(..., grid, block)(arguments). */
typedef struct CUstream_st *cudaStream_t;
template <class F> auto fibre_kernel(const char *name, F kernel, dim3 grid, dim3 block,
                                     size_t shared = 0, cudaStream_t = 0)
{
    return [=](auto... arguments) {
        const auto call = [&] { kernel(arguments...); };
        fibre_run(name, [](const void *of) { (*(decltype(call) *)of)(); }, &call, grid, block,
                  shared);
    };
}

enum cudaError_t { cudaSuccess };
static inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }
