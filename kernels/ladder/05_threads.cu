// 05 to 11, 25 and 28: which thread works on which pixel, and where the picture is meanwhile.
//
//      a thread a row (06, 07)    a thread a column (08)    a thread a pixel (05, 09 on)
//      0 - - - - - ->             0 1 2 3 4 5               0 1 2 3 4 5
//      1 - - - - - ->             | | | | | |               6 7 8 9 ..
//      2 - - - - - ->             v v v v v v
#include "kernels/ladder/rung.cuh"

namespace {

// ---- 05: no stencil at all ----
//
// Every pixel is copied, one thread each. A warp's 32 neighbouring floats are 4 sectors of 32 bytes
// a request, as few as there can be, and nothing waits for anything else. Yet the driver's own
// copy, the measure of all rungs, is faster by half: one float a thread does not keep enough bytes
// in flight.

__global__ void ladder_copy(float *__restrict__ out, const float *__restrict__ m, const float *,
                            Grid grid)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        out[own.i] = m[own.i];
}

// ---- 06, 07: a thread a row ----
//
// One thread walks along each row, as a loop on a CPU does. That is wrong here: at any moment the
// 32 threads of a warp are in 32 rows, so each load and store touches 32 lines of memory for 4
// bytes of each.
// 06 is the exercise as it is handed out: the picture lives on the host, and every iteration copies
// it to the device and back. The bus is about a hundred times slower than the device's memory, and
// hides everything else.
// 07: the picture stays on the device, so only the kernel counts.

__global__ void ladder_row(float *__restrict__ out, const float *__restrict__ m,
                           const float *__restrict__ f, Grid grid)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= grid.height)
        return;
    for (size_t x = 0; x < grid.width; x++) {
        const size_t i = y * grid.stride + x;
        out[i] = update(m, f, i, grid.stride);
    }
}

// ---- 08: a thread a column ----
//
// The 32 threads of a warp now stand side by side in one row, and their loads coalesce into 4
// sectors (5 where x-1 and x+1 straddle a line). Only the order of the indices has changed. There
// are still only as many threads as columns.

__global__ void ladder_column(float *__restrict__ out, const float *__restrict__ m,
                              const float *__restrict__ f, Grid grid)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= grid.width)
        return;
    for (size_t y = 0; y < grid.height; y++) {
        const size_t i = y * grid.stride + x;
        out[i] = update(m, f, i, grid.stride);
    }
}

const unsigned lines = 64; // threads of a block of 06 to 08: few, so that a small image too has
                           // blocks for many multiprocessors

// ---- 09: a thread a pixel ----
//
// Millions of threads instead of thousands: while some wait for memory, the loads of others are in
// flight, and only that many loads keep the memory busy. Blocks of 16 x 16, as the texts have them.
// The result is still copied back over the old picture.
// 10: the pointers are swapped; the data stays where it is. The copy back moved 8 bytes a pixel,
// the kernel 12; without the copy an iteration is one pass over memory.
// 11: the same with every shape of block. A row of a block should be a whole number of warps, so
// that its loads are whole lines; some rows on top of each other let a row loaded for one serve the
// next.
// 25: the tutorial's first step: 10 in managed memory, and the host waits for each iteration before
// it swaps the pointers. 10 queues the next iteration at once instead.

__global__ void ladder_pixel(float *__restrict__ out, const float *__restrict__ m,
                             const float *__restrict__ f, Grid grid)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        out[own.i] = update(m, f, own.i, grid.stride);
}

// ---- 28: the grid's size apart from the image's (--grid) ----
//
// The threads of a fixed number of blocks stride over the image until every pixel is done. A grid
// that the device holds at once starts no second wave of blocks; the loop costs what that saves.

constexpr int blocks_a_multiprocessor = 8;

__global__ void ladder_grid(float *__restrict__ out, const float *__restrict__ m,
                            const float *__restrict__ f, Grid grid)
{
    const size_t left = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t top = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    for (size_t y = top; y < grid.height; y += (size_t)gridDim.y * blockDim.y)
        for (size_t x = left; x < grid.width; x += (size_t)gridDim.x * blockDim.x) {
            const size_t i = y * grid.stride + x;
            out[i] = update(m, f, i, grid.stride);
        }
}

// ---- launches ----

// n iterations with the result copied back over the old picture after each, as the exercise has it.
cudaError_t iterate_and_copy(rec_ladder_planes *planes, uint64_t n, LadderKernel kernel,
                             dim3 blocks, dim3 threads)
{
    return repeat(n, [&] {
        const cudaError_t result = launch_once(planes, kernel, blocks, threads);
        planes->iterations++;
        return result != cudaSuccess
                   ? result
                   : cudaMemcpyAsync(planes->whole(planes->m), planes->whole(planes->other),
                                     planes->bytes(), cudaMemcpyDeviceToDevice, planes->stream);
    });
}

const dim3 copy_block(64, 4), pixel_block(16, 16);

} // namespace

cudaError_t launch_swap(rec_ladder_planes *planes, uint64_t n)
{
    return iterate(planes, n, ladder_pixel, planes->blocks(planes->block()), planes->block());
}

LADDER_RUNG(copy, iterate(planes, n, ladder_copy, planes->blocks(copy_block), copy_block))
LADDER_RUNG(row, iterate_and_copy(planes, n, ladder_row,
                                  planes->blocks(planes->grid.height, lines), lines))
LADDER_RUNG(column, iterate_and_copy(planes, n, ladder_column,
                                     planes->blocks(planes->grid.width, lines), lines))
LADDER_RUNG(pixel,
            iterate_and_copy(planes, n, ladder_pixel, planes->blocks(pixel_block), pixel_block))
LADDER_RUNG(swap, launch_swap(planes, n))

extern "C" rec_status rec_ladder_handout(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    for (uint64_t i = 0; i < n; i++) {
        LADDER_TRY(cudaMemcpyAsync(planes->whole(planes->m), planes->host, planes->bytes(),
                                   cudaMemcpyHostToDevice, planes->stream));
        LADDER_TRY(launch_once(planes, ladder_row, planes->blocks(planes->grid.height, lines),
                               lines));
        LADDER_TRY(cudaMemcpyAsync(planes->host, planes->whole(planes->other), planes->bytes(),
                                   cudaMemcpyDeviceToHost, planes->stream));
        planes->swap();
    }
    return REC_OK;
}

extern "C" rec_status rec_ladder_swap_host(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    for (uint64_t i = 0; i < n; i++) {
        LADDER_TRY(launch_swap(planes, 1));
        LADDER_TRY(cudaStreamSynchronize(planes->stream));
    }
    return REC_OK;
}

extern "C" rec_status rec_ladder_grid(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    dim3 blocks(planes->problem.block.grid_columns, planes->problem.block.grid_rows);
    if (!blocks.x || !blocks.y) {
        int multiprocessors;
        LADDER_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                          planes->problem.device));
        blocks = dim3(1, (unsigned)(blocks_a_multiprocessor * multiprocessors));
    }
    LADDER_TRY(iterate(planes, n, ladder_grid, blocks, planes->block()));
    return REC_OK;
}
