// What the rungs with a norm share: the update with its squared change, in double, how a block adds
// them up, and the launches.
#ifndef REC_KERNELS_LADDER_NORM_CUH
#define REC_KERNELS_LADDER_NORM_CUH

#include "kernels/ladder/rung.cuh"

constexpr int norm_columns = 64, norm_rows = 4;

// Of a thread outside the image 0.
__device__ inline double square_of_change(float *out, const float *m, const float *f,
                                          const Pixel &own, const Grid &grid)
{
    if (!own.inside)
        return 0;
    const float now = update(m, f, own.i, grid.stride);
    const double change = (double)now - (double)m[own.i];
    out[own.i] = now;
    return change * change;
}

// The next iteration's sum, so that no launch is needed to clear it.
__device__ inline void clear_next(double *next_squares)
{
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0)
        *next_squares = 0;
}

// The values of a warp are added up through the registers, those of a block's warps through shared
// memory.
template <int warps> __device__ inline void add_sum_of_block(double *squares, double value)
{
    __shared__ double sums[warps];
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    value = sum_of_warp(value);
    if (thread % 32 == 0)
        sums[thread / 32] = value;
    __syncthreads();
    if (thread >= 32)
        return;
    value = sum_of_warp(thread < warps ? sums[thread] : 0);
    if (thread == 0)
        atomicAdd(squares, value);
}

using NormKernel = void (*)(float *, const float *, const float *, Grid, double *, double *);

inline cudaError_t launch_norm(rec_planes *planes, uint64_t n, NormKernel kernel,
                               dim3 block = dim3(norm_columns, norm_rows))
{
    return repeat(n, [&] {
        double *const next = planes->squares + planes->iterations % 2;
        double *const squares = planes->squares + (planes->iterations + 1) % 2;
        const cudaError_t result = launch(planes, kernel, planes->blocks(block), block, 0,
                                          planes->other, planes->m, planes->f, planes->grid,
                                          squares, next);
        planes->swap();
        return result;
    });
}

#endif
