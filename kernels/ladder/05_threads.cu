// 05 to 11, 25, 28, 83, 93 to 95: which thread works on which pixel, and where the picture is
// meanwhile.
//
//      a thread a row (06, 07)    a thread a column (08)    a thread a pixel (05, 09 on)
//      0 - - - - - ->             0 1 2 3 4 5               0 1 2 3 4 5
//      1 - - - - - ->             | | | | | |               6 7 8 9 ..
//      2 - - - - - ->             v v v v v v
//
// The halo: the neighbours outside the image are cells like all others, a row above and below and a
// column left and right, which hold a constant and are never written. So no kernel asks whether a
// pixel is at the border:
//
//      h h h h h h        h: halo, p: pixel; m, f and other lead to the first p.
//      h p p p p h        m[-1] is the h left of it, m[-stride] the h above it:
//      h p p p p h        an index below 0 is right here.
//      h h h h h h
//
// A row is `stride` cells long, a multiple of 32, so that every row begins on a cache line.
#include "kernels/ladder/rung.cuh"

// iterate() of rung.cuh with the result copied back over the old picture, as the exercise has it.
static rec_status iterate_and_copy(rec_ladder_planes *planes, uint64_t n, LadderKernel<> kernel,
                                   const Shape &shape, rec_error *error)
{
    for (; n; n--) {
        REC_TRY(iterate(planes, 1, kernel, shape, error));
        std::swap(planes->m, planes->other);
        LADDER_TRY(cudaMemcpyAsync(planes->whole(planes->m), planes->whole(planes->other),
                                   planes->bytes(), cudaMemcpyDeviceToDevice, planes->stream));
    }
    return REC_OK;
}

// ---- 05: no stencil at all ----
//
// Every pixel is copied, one thread each. A warp's 32 neighbouring floats are 4 sectors of 32 bytes
// a request, as few as there can be. Yet the driver's own copy, the measure of all rungs, is faster
// by half: one float a thread does not keep enough bytes in flight.

static __global__ void ladder_copy(float *__restrict__ out, const float *__restrict__ m,
                                   const float *, Grid grid)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        out[own.i] = m[own.i];
}

RUNG(copy) { return iterate(planes, n, ladder_copy, planes->pixels(), error); }

// ---- 06, 07: a thread a row ----
//
// One thread walks along each row, as a loop on a CPU does. Here that is wrong: the 32 threads of a
// warp are in 32 rows, so each load and store touches 32 lines of memory for 4 bytes of each.
// 06 is the exercise as it is handed out: every iteration copies the picture to the device and
// back. The bus, a hundred times slower than the device's memory, hides everything else.
// 07: the picture stays on the device, so only the kernel counts.
// Blocks of 06 to 08 have 64 threads, so that a small image too has blocks for many
// multiprocessors. 93 to 95: the same with 256, as the exercise is handed out.

static __global__ void ladder_row(float *__restrict__ out, const float *__restrict__ m,
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

RUNG(handout)
{
    for (; n; n--) {
        LADDER_TRY(cudaMemcpyAsync(planes->whole(planes->m), planes->host, planes->bytes(),
                                   cudaMemcpyHostToDevice, planes->stream));
        REC_TRY(iterate(planes, 1, ladder_row, planes->lines(planes->grid.height), error));
        LADDER_TRY(cudaMemcpyAsync(planes->host, planes->whole(planes->m), planes->bytes(),
                                   cudaMemcpyDeviceToHost, planes->stream));
    }
    return REC_OK;
}

RUNG(row)
{
    return iterate_and_copy(planes, n, ladder_row, planes->lines(planes->grid.height), error);
}

// ---- 08: a thread a column ----
//
// The 32 threads of a warp now stand side by side in one row, and their loads coalesce into 4
// sectors (5 where x-1 and x+1 straddle a line). There are still only as many threads as columns.

static __global__ void ladder_column(float *__restrict__ out, const float *__restrict__ m,
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

RUNG(column)
{
    return iterate_and_copy(planes, n, ladder_column, planes->lines(planes->grid.width), error);
}

// ---- 09, 10, 11, 25: a thread a pixel ----
//
// Millions of threads instead of thousands: while some wait for memory, the loads of others are in
// flight. Blocks of 16 x 16, as the texts have them. The result is still copied back.
// 10: the pointers are swapped instead. The copy back moved 8 bytes a pixel, the kernel 12.
// 11: the same with every shape of block. A row of a block should be whole warps, so that its loads
// are whole lines; a row that is loaded for one row of a block serves the next, too.
// 25: 10 in managed memory, and the host waits for each iteration, where 10 queues the next one.

static __global__ void ladder_pixel(float *__restrict__ out, const float *__restrict__ m,
                                    const float *__restrict__ f, Grid grid)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        out[own.i] = update(m, f, own.i, grid.stride);
}

RUNG(pixel) { return iterate_and_copy(planes, n, ladder_pixel, planes->pixels(), error); }
RUNG(swap) { return iterate(planes, n, ladder_pixel, planes->pixels(), error); }

RUNG(swap_host)
{
    for (; n; n--) {
        REC_TRY(rec_ladder_swap(planes, 1, error));
        REC_TRY(planes->wait(error));
    }
    return REC_OK;
}

// ---- 83: a thread a pixel, the indices the wrong way round ----
//
// 11 in blocks of 32 x 32, with x and y exchanged: the threads of a warp stand one above the other.
// Every load and store is 32 sectors again, however many threads there are.

static __global__ void ladder_pixel_wrong(float *__restrict__ out, const float *__restrict__ m,
                                          const float *__restrict__ f, Grid grid)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t x = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    const size_t i = y * grid.stride + x;
    if (x < grid.width && y < grid.height)
        out[i] = update(m, f, i, grid.stride);
}

RUNG(pixel_wrong)
{
    const Shape shape = planes->cover(planes->grid.height, planes->grid.width, planes->block());
    return iterate(planes, n, ladder_pixel_wrong, shape, error);
}

// ---- 28: the grid's size apart from the image's (--grid) ----
//
// The threads of a fixed number of blocks stride over the image. A grid that the device holds at
// once starts no second wave of blocks; the loop costs what that saves.

constexpr int blocks_a_multiprocessor = 8;

static __global__ void ladder_grid(float *__restrict__ out, const float *__restrict__ m,
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

RUNG(grid)
{
    dim3 blocks(planes->problem.block.grid_columns, planes->problem.block.grid_rows);
    if (!blocks.x || !blocks.y)
        blocks = dim3(1, (unsigned)(blocks_a_multiprocessor * planes->multiprocessors));
    return iterate(planes, n, ladder_grid, {blocks, planes->block()}, error);
}
