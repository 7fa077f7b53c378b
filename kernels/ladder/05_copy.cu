// 05: no stencil at all: every pixel is copied, one thread each. A warp's 32 neighbouring floats
// are 4 sectors of 32 bytes a request, as few as there can be, and nothing waits for anything
// else. Yet the driver's own copy, the measure of all rungs, is faster by half: one float a thread
// does not keep enough bytes in flight.
#include "kernels/ladder/rung.cuh"

namespace {

__global__ void ladder_copy(float *__restrict__ out, const float *__restrict__ m, const float *,
                            Grid grid)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        out[own.i] = m[own.i];
}

const dim3 block(64, 4);

} // namespace

LADDER_RUNG(copy, iterate(planes, n, ladder_copy, planes->blocks(block), block))
