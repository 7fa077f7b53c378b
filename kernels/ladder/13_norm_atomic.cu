// 13: a solver that stops by itself wants the norm of each iteration's change. Here every thread
// adds its own square to one double by an atomic: all of them queue for one address, and the norm
// costs hundreds of times the iteration. It is also the least exact: one small number after the
// other is added to a large one. Rung 11 is the same without a norm, the speed of light for 13 to
// 15.
#include "kernels/ladder/norm.cuh"

namespace {

__global__ void ladder_norm_atomic(float *__restrict__ out, const float *__restrict__ m,
                                   const float *__restrict__ f, Grid grid, double *squares,
                                   double *next_squares)
{
    const Pixel own = own_pixel(grid);
    clear_next(next_squares);
    if (own.inside)
        atomicAdd(squares, square_of_change(out, m, f, own, grid));
}

} // namespace

LADDER_RUNG(norm_atomic, launch_norm(planes, n, ladder_norm_atomic))
