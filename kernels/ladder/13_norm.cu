// 13 to 15 and 26: the norm of each iteration's change, for a solver that stops by itself: how the
// squares of all pixels are added up. Rung 11 (64 x 4) is the same without a norm, the upper bound
// for 13 to 15, and rung 87 for 26. A sum is cleared by the iteration before, without a launch.
#include <cub/block/block_reduce.cuh>

#include "kernels/ladder/rung.cuh"

constexpr int columns = 64, rows = 4, warps = columns * rows / 32; // of a block
constexpr int side = 32;                                           // of a block of 26

// Updates the thread's pixel. The square of its change; of a thread outside the image 0.
static __device__ double square_of_change(float *out, const float *m, const float *f,
                                          const Pixel &own, const Grid &grid)
{
    if (!own.inside)
        return 0;
    const float now = update(m, f, own.i, grid.stride);
    const double change = (double)now - (double)m[own.i];
    out[own.i] = now;
    return change * change;
}

static __device__ void clear_next(double *next_squares)
{
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0)
        *next_squares = 0;
}

// 13: every thread adds its square to one double by an atomic: all queue for one address, and the
// norm costs hundreds of iterations. It is the least exact, too: a large number plus small ones.
static __global__ void ladder_norm_atomic(float *__restrict__ out, const float *__restrict__ m,
                                          const float *__restrict__ f, Grid grid, double *squares,
                                          double *next_squares)
{
    const Pixel own = own_pixel(grid);
    clear_next(next_squares);
    if (own.inside)
        atomicAdd(squares, square_of_change(out, m, f, own, grid));
}

// 14: the squares of a warp are added up through the registers by shuffles, those of a block's
// warps through shared memory, and one atomic a block is left: 256 times fewer than in 13.
template <int warps> static __device__ void add_sum_of_block(double *squares, double value)
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

static __global__ void ladder_norm_shuffle(float *__restrict__ out, const float *__restrict__ m,
                                           const float *__restrict__ f, Grid grid, double *squares,
                                           double *next_squares)
{
    clear_next(next_squares);
    add_sum_of_block<warps>(squares, square_of_change(out, m, f, own_pixel(grid), grid));
}

// 15: the reduction of 14 from CUB, which comes with the compiler: as fast, tested, three lines.
using Reduce = cub::BlockReduce<double, columns, cub::BLOCK_REDUCE_WARP_REDUCTIONS, rows>;

static __global__ void ladder_norm_cub(float *__restrict__ out, const float *__restrict__ m,
                                       const float *__restrict__ f, Grid grid, double *squares,
                                       double *next_squares)
{
    __shared__ typename Reduce::TempStorage storage;
    clear_next(next_squares);
    const double square = Reduce(storage).Sum(square_of_change(out, m, f, own_pixel(grid), grid));
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicAdd(squares, square);
}

// 26: the tutorial's last step: a block of 32 x 32 threads with a tile of 34 x 34 cells in shared
// memory, and the norm of every iteration. It combines 12 and 14.
static __global__ void ladder_tile_norm(float *__restrict__ out, const float *__restrict__ m,
                                        const float *__restrict__ f, Grid grid, double *squares,
                                        double *next_squares)
{
    clear_next(next_squares);
    const double square = update_in_tile<side, side>(out, m, f, grid);
    add_sum_of_block<side>(squares, square); // a row of the block is a warp
}

// A sum for each iteration; the two take turns.
static rec_status iterate_norm(rec_ladder_planes *planes, uint64_t n,
                               LadderKernel<double *, double *> kernel, dim3 threads,
                               rec_error *error)
{
    for (; n; n--) {
        double *const next = planes->squares + planes->iterations % 2;
        double *const squares = planes->squares + (planes->iterations + 1) % 2;
        REC_TRY(iterate(planes, 1, kernel, planes->pixels(threads), error, squares, next));
    }
    return REC_OK;
}

RUNG(norm_atomic) { return iterate_norm(planes, n, ladder_norm_atomic, {columns, rows}, error); }
RUNG(norm_shuffle) { return iterate_norm(planes, n, ladder_norm_shuffle, {columns, rows}, error); }
RUNG(norm_cub) { return iterate_norm(planes, n, ladder_norm_cub, {columns, rows}, error); }
RUNG(tile_norm) { return iterate_norm(planes, n, ladder_tile_norm, {side, side}, error); }
