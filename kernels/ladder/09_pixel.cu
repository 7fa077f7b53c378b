// 09: one thread a pixel. Millions of threads instead of thousands: while some wait for memory, the
// loads of others are in flight, and only that many loads keep the memory busy. Blocks
// of 16 x 16, as the texts have them. The result is still copied back over the old picture.
#include "kernels/ladder/rung.cuh"

namespace {

__global__ void ladder_pixel(float *__restrict__ out, const float *__restrict__ m,
                             const float *__restrict__ f, Grid grid)
{
    update_pixel(out, m, f, grid);
}

const dim3 block(16, 16);

} // namespace

LADDER_RUNG(pixel, iterate_and_copy(planes, n, ladder_pixel, planes->blocks(block), block))
