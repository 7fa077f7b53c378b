// 10: the pointers are swapped; the data stays where it is. The copy back moved 8 bytes a pixel,
// the kernel 12; without the copy an iteration is one pass over memory.
// 11: the same with every shape of block. A row of a block should be a whole number of warps, so
// that its loads are whole lines; some rows on top of each other let a row loaded for one serve the
// next.
#include "kernels/ladder/rung.cuh"

namespace {

__global__ void ladder_swap(float *__restrict__ out, const float *__restrict__ m,
                            const float *__restrict__ f, Grid grid)
{
    update_pixel(out, m, f, grid);
}

} // namespace

cudaError_t launch_swap(rec_planes *planes, uint64_t n)
{
    return iterate(planes, n, ladder_swap, planes->blocks(planes->block()), planes->block());
}

LADDER_RUNG(swap, launch_swap(planes, n))
