// Sums over a plane, in an order that does not change, and what follows from those of a cycle. The
// usual sum is p A p, after p = z + beta p is known everywhere; as p is conjugate to the last p, it
// follows from z A z, and a step needs one sum over the plane instead of two.
#pragma once

#include "kernels/multigrid.h"
#include "kernels/sums.cuh"

namespace
{

__device__ __forceinline__ void add(rec_device_sums &to, const rec_device_sums &sums)
{
    to = {to.rz + sums.rz, to.zaz + sums.zaz, fmaxf(to.largest, sums.largest)};
}

// The sums over a warp, in lane 0.
__device__ __forceinline__ rec_device_sums sum_lanes(rec_device_sums sums)
{
    for (int distance = 16; distance; distance /= 2)
        add(sums,
            {__shfl_down_sync(~0u, sums.rz, distance), __shfl_down_sync(~0u, sums.zaz, distance),
             __shfl_down_sync(~0u, sums.largest, distance)});
    return sums;
}

// The sums over a block, in thread 0. By all threads.
template <int Threads> __device__ __forceinline__ rec_device_sums sum_block(rec_device_sums sums)
{
    __shared__ rec_device_sums of_warps[Threads / 32];
    sums = sum_lanes(sums);
    __syncthreads(); // the sums of the last call may still be read
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = sums;
    __syncthreads();
    return threadIdx.x < 32
               ? sum_lanes(threadIdx.x < Threads / 32 ? of_warps[threadIdx.x] : rec_device_sums{})
               : sums;
}

// Adds up the sums of all blocks of a plane, at most as many as solve.sums has: true in one
// thread of the last block, which has them. By all threads of all blocks, in the end.
template <int Threads>
__device__ __forceinline__ bool sum_plane(const rec_device_solve &solve, size_t plane, int block,
                                          int blocks, rec_device_sums &sums)
{
    __shared__ bool is_last;
    rec_device_sums *of_plane = solve.sums + plane * (size_t)blocks;
    sums = sum_block<Threads>(sums);
    if (blocks > 1) {
        if (threadIdx.x == 0) {
            of_plane[block] = sums;
            is_last = take_ticket(&solve.tickets[plane], (unsigned)blocks) == (unsigned)blocks - 1;
        }
        __syncthreads();
        if (!is_last)
            return false;
        sums = {};
        for (int i = threadIdx.x; i < blocks; i += Threads)
            add(sums, of_plane[i]);
        sums = sum_block<Threads>(sums);
    }
    return threadIdx.x == 0;
}

// p A p of the step that follows, from the sums of the cycle before it.
__device__ __forceinline__ double find_pap(const rec_device_steps &now, const rec_device_sums &sums,
                                           double beta)
{
    return sums.zaz - beta * beta * now.pap;
}

} // namespace
