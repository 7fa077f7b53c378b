// 23, 24: the smallest example there is, adding two matrices of integers. One thread an element
// both times, the same work, the same bytes; the only difference is which index changes along a
// warp.
// 23: neighbouring threads take neighbouring rows: 32 lines of memory for every load and store.
// 24: neighbouring threads take neighbouring columns: the loads coalesce.
// 27: 24 in managed memory, as the tutorial has it: blocks of 32 x 32; the matrices are prefetched
// to the device before each addition, and the sum to the host after it.
#include "kernels/ladder/rung.cuh"

namespace {

__global__ void ladder_add_wrong(unsigned *__restrict__ sum, const unsigned *__restrict__ a,
                                 const unsigned *__restrict__ b, Grid grid)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t x = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    const size_t i = y * grid.stride + x;
    if (x < grid.width && y < grid.height)
        sum[i] = a[i] + b[i];
}

__global__ void ladder_add_right(unsigned *__restrict__ sum, const unsigned *__restrict__ a,
                                 const unsigned *__restrict__ b, Grid grid)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        sum[own.i] = a[own.i] + b[own.i];
}

const dim3 usual_block(32, 8);

using Add = void (*)(unsigned *, const unsigned *, const unsigned *, Grid);

// The planes hold 32-bit words: here those of m and f are added as integers. The sum goes to
// `other`, and the two change places once, so that the sum is what is read; every pass adds the
// same again.
cudaError_t launch_add(rec_ladder_planes *planes, uint64_t n, Add kernel, dim3 blocks, dim3 block)
{
    if (n && !planes->iterations)
        planes->swap();
    return repeat(n, [&] {
        return launch(planes, kernel, blocks, block, 0, (unsigned *)planes->m,
                      (const unsigned *)planes->other, (const unsigned *)planes->f, planes->grid);
    });
}

} // namespace

LADDER_RUNG(add_wrong,
            launch_add(planes, n, ladder_add_wrong,
                       dim3(planes->blocks(planes->grid.height, usual_block.x),
                            planes->blocks(planes->grid.width, usual_block.y)), usual_block))
LADDER_RUNG(add_right,
            launch_add(planes, n, ladder_add_right, planes->blocks(usual_block), usual_block))

extern "C" rec_status rec_ladder_add_prefetch(rec_ladder_planes *planes, uint64_t n,
                                              rec_error *error)
{
    const dim3 block(32, 32);
    for (uint64_t i = 0; i < n; i++) {
        for (float *plane : {planes->m, planes->other, planes->f})
            LADDER_TRY(prefetch(planes, plane, false));
        LADDER_TRY(launch_add(planes, 1, ladder_add_right, planes->blocks(block), block));
        LADDER_TRY(prefetch(planes, planes->m, true));
    }
    return REC_OK;
}
