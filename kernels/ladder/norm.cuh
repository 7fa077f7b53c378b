// What the rungs with a norm share: the update with its squared change, in double, and the
// launches.
#ifndef REC_KERNELS_LADDER_NORM_CUH
#define REC_KERNELS_LADDER_NORM_CUH

#include "kernels/ladder/rung.cuh"

constexpr int norm_columns = 64, norm_rows = 4;

__device__ inline double square_of_change(float *out, const float *m, const float *f, size_t i,
                                          size_t stride)
{
    const float now = update(m, f, i, stride);
    const double change = (double)now - (double)m[i];
    out[i] = now;
    return change * change;
}

// The next iteration's sum, so that no launch is needed to clear it.
__device__ inline void clear_next(double *next_squares)
{
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0)
        *next_squares = 0;
}

__device__ inline double sum_of_warp(double value)
{
    for (int distance = 16; distance; distance /= 2)
        value += __shfl_down_sync(~0u, value, distance);
    return value;
}

__device__ inline void add(double *squares, double value) { atomicAdd(squares, value); }

using NormKernel = void (*)(float *, const float *, const float *, Grid, double *, double *);

inline cudaError_t launch_norm(rec_planes *planes, uint64_t n, NormKernel kernel,
                               dim3 block = dim3(norm_columns, norm_rows))
{
    cudaError_t result = cudaSuccess;
    for (uint64_t i = 0; i < n && result == cudaSuccess; i++) {
        double *const next = planes->squares + planes->iterations % 2;
        double *const squares = planes->squares + (planes->iterations + 1) % 2;
        kernel<<<planes->blocks(block), block, 0, planes->stream>>>(
            planes->other, planes->m, planes->f, planes->grid, squares, next);
        result = cudaGetLastError();
        planes->swap();
    }
    return result;
}

#endif
