// Sums over a plane, in an order that does not change, and what follows from those of a cycle. The
// usual sum is p A p, after p = z + beta p is known everywhere; as p is conjugate to the last p, it
// follows from z A z, and a step needs one sum over the plane instead of two.
#pragma once

#include "kernels/multigrid.h"
#include "kernels/sums.cuh"

namespace
{

// The sums over a block, in thread 0. By all threads.
template <int Threads> __device__ __forceinline__ double2 sum_block(double2 sums)
{
    __shared__ double2 of_warps[Threads / 32];
    sums = {sum_warp(sums.x), sum_warp(sums.y)};
    __syncthreads(); // the sums of the last call may still be read
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = sums;
    __syncthreads();
    if (threadIdx.x < 32) {
        sums = threadIdx.x < Threads / 32 ? of_warps[threadIdx.x] : double2{};
        sums = {sum_warp(sums.x), sum_warp(sums.y)};
    }
    return sums;
}

// Adds up the sums of all blocks of a plane, at most as many as level 0 has tiles: true in one
// thread of the last block, which has them. By all threads of all blocks, in the end.
template <int Threads>
__device__ __forceinline__ bool sum_plane(const rec_device_solve &solve, size_t plane, int block,
                                          int blocks, double2 &sums)
{
    __shared__ bool is_last;
    double2 *of_plane = solve.sums + plane * (size_t)blocks;
    sums = sum_block<Threads>(sums);
    if (blocks > 1) {
        if (threadIdx.x == 0) {
            of_plane[block] = sums;
            is_last = take_ticket(&solve.tickets[plane], (unsigned)blocks) == (unsigned)blocks - 1;
        }
        __syncthreads();
        if (!is_last)
            return false;
        sums = double2{};
        for (int i = threadIdx.x; i < blocks; i += Threads) {
            sums.x += of_plane[i].x;
            sums.y += of_plane[i].y;
        }
        sums = sum_block<Threads>(sums);
    }
    return threadIdx.x == 0;
}

// p A p of the step that follows, from the sums of the cycle before it.
__device__ __forceinline__ double find_pap(const rec_device_steps &now, double2 sums, double beta)
{
    return sums.y - beta * beta * now.pap;
}

} // namespace
