// The sums of the norms. Squares are summed in double, in an order that depends only on the width
// of the image: first over the lanes of a warp and its few rows, then over the strips of columns,
// for every REC_SUM_ROWS rows. For maxima and counts the order does not matter: the last block to
// end combines the values of all blocks.
#pragma once

#include "kernels/kernels.h"

// Adds up the squares of a launch whose warps take `rows` rows at a time; queued behind that
// launch. norms.cu
cudaError_t rec_launch_add_strips(const rec_grid *grid, size_t columns, int rows,
                                  const double *squares, double *sums, cudaStream_t stream);

namespace {

using Sums = rec_device_norms;

constexpr int sum_threads = 256;

// The blocks of a launch that sums: strips of columns along x, bands of rows along y, planes along
// z. A plane has hardly more than many_blocks, so that combining them is short; each block takes
// the same number of bands.
constexpr size_t many_blocks = 512;
inline dim3 blocks_that_sum(const rec_grid *grid, size_t columns, size_t rows)
{
    const size_t strips = (grid->pitch + columns - 1) / columns;
    const size_t bands = (grid->rows + rows - 1) / rows, most = many_blocks / strips + 1;
    const size_t each = (bands + most - 1) / most;
    return dim3((unsigned)strips, (unsigned)((bands + each - 1) / each), (unsigned)grid->planes);
}

// Where the sums of a launch go. The scratch memory begins with the tickets, a counter for each
// plane that is 0 before and after. `squares` has one sum for a warp's rows at a time:
// [plane][strip][step].
struct Totals {
    Sums *blocks, *norms;
    unsigned *tickets;
    double *squares;
};
inline size_t blocks_bytes(const rec_grid *grid, size_t columns)
{
    return (1 + grid->planes * (many_blocks + grid->pitch / columns + 1)) * sizeof(Sums);
}
inline Totals totals_in(const rec_grid *grid, size_t columns, void *scratch,
                        rec_device_norms *norms)
{
    return {static_cast<Sums *>(scratch) + 1, norms, static_cast<unsigned *>(scratch),
            (double *)((char *)scratch + blocks_bytes(grid, columns))};
}

// The sum over the lanes of a warp, in the first.
__device__ __forceinline__ double sum_warp(double sum)
{
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    return sum;
}

__device__ __forceinline__ Sums combine(const Sums &a, const Sums &b)
{
    return {a.maximum > b.maximum ? a.maximum : b.maximum, a.alternating + b.alternating,
            a.moving + b.moving};
}

__device__ __forceinline__ Sums sum_warp(Sums sums)
{
    for (int distance = 16; distance; distance /= 2)
        sums = combine(sums, {__shfl_down_sync(~0u, sums.maximum, distance),
                              __shfl_down_sync(~0u, sums.alternating, distance),
                              __shfl_down_sync(~0u, sums.moving, distance)});
    return sums;
}

// The sum over the block, in thread 0.
__device__ inline Sums reduce_block(Sums sums)
{
    __shared__ Sums warps[sum_threads / 32];
    sums = sum_warp(sums);
    __syncthreads(); // the sums of the last call may still be read
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sums;
    __syncthreads();
    for (int i = 1; threadIdx.x == 0 && i < sum_threads / 32; i++)
        sums = combine(sums, warps[i]);
    return sums;
}

// Counts to `blocks` and begins anew. The last block sees all that the other blocks wrote before
// they took a ticket. A fence would do the same, but waits for more.
__device__ __forceinline__ unsigned take_ticket(unsigned *ticket, unsigned blocks)
{
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0,[%1],%2;"
                 : "=r"(before) : "l"(ticket), "r"(blocks - 1) : "memory");
    return before;
}

// All threads of all blocks end with this call.
__device__ inline void add_up(Sums sums, const Totals &totals)
{
    __shared__ bool last;
    const unsigned blocks = gridDim.x * gridDim.y, plane = blockIdx.z;
    Sums *of_plane = totals.blocks + (size_t)plane * blocks;
    sums = reduce_block(sums);
    if (threadIdx.x == 0) {
        of_plane[blockIdx.y * gridDim.x + blockIdx.x] = sums;
        last = take_ticket(&totals.tickets[plane], blocks) == blocks - 1;
    }
    __syncthreads();
    if (!last)
        return;
    sums = Sums{};
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < blocks; i += sum_threads)
        sums = combine(sums, of_plane[i]);
    sums = reduce_block(sums);
    if (threadIdx.x == 0)
        totals.norms[plane] = sums;
}

// Stores the sum of the lanes' squares in a warp's rows, number `step` of `steps`.
__device__ __forceinline__ void put_squares(double squares, const Totals &totals, int step,
                                            int steps)
{
    squares = sum_warp(squares);
    if (threadIdx.x % 32 == 0)
        totals.squares[((size_t)blockIdx.z * gridDim.x + blockIdx.x) * steps + step] = squares;
}

// How the pixels of one lane have changed.
struct Change {
    double squares = 0.0, maximum = 0.0;
    unsigned alternating = 0, moving = 0;

    __device__ __forceinline__ void add(float now, float last, float before)
    {
        const double d = fabs((double)now - (double)last);
        squares += d * d;
        maximum = d > maximum ? d : maximum;
        alternating += __float_as_uint(now) != __float_as_uint(last);
        moving += __float_as_uint(now) != __float_as_uint(before);
    }
    __device__ __forceinline__ double take_squares()
    {
        const double taken = squares;
        squares = 0.0;
        return taken;
    }
    __device__ __forceinline__ Sums sums() const { return {maximum, alternating, moving}; }
};

} // namespace
