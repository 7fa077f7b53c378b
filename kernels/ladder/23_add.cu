// 23, 24, 84, 85: the smallest example there is, adding two matrices of integers, a thread an
// element: the only difference is which index changes along a warp.
// 23: neighbouring threads take neighbouring rows: 32 lines of memory for every load and store.
// 24: neighbouring threads take neighbouring columns: the loads coalesce.
// 84, 85: the same two in blocks of 32 x 32 and in managed memory, on the device after the first
// addition. Where the memory is makes no difference; the order does.
// 86: 85, and the host looks at the sum after each addition, so that its pages wander.
// 27: before each addition the matrices are prefetched to the device, after it the sum to the host.
#include "kernels/ladder/rung.cuh"

static __global__ void ladder_add_wrong(unsigned *__restrict__ sum, const unsigned *__restrict__ a,
                                        const unsigned *__restrict__ b, Grid grid)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t x = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    const size_t i = y * grid.stride + x;
    if (x < grid.width && y < grid.height)
        sum[i] = a[i] + b[i];
}

static __global__ void ladder_add_right(unsigned *__restrict__ sum, const unsigned *__restrict__ a,
                                        const unsigned *__restrict__ b, Grid grid)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        sum[own.i] = a[own.i] + b[own.i];
}

using Add = void (*)(unsigned *, const unsigned *, const unsigned *, Grid);

// The words of m and f are added as integers. The sum goes to `other`, and the two change places
// once, so that the sum is what is read; every pass adds the same again.
static rec_status add(rec_ladder_planes *planes, uint64_t n, Add kernel, const Shape &shape,
                      rec_error *error)
{
    if (n && !planes->iterations)
        planes->swap();
    for (; n; n--) {
        kernel<<<shape.blocks, shape.threads, 0, planes->stream>>>(
            (unsigned *)planes->m, (const unsigned *)planes->other, (const unsigned *)planes->f,
            planes->grid);
        REC_TRY(planes->launched(shape, error));
    }
    return REC_OK;
}

RUNG(add_wrong)
{
    const Shape shape = planes->cover(planes->grid.height, planes->grid.width, planes->block());
    return add(planes, n, ladder_add_wrong, shape, error);
}

RUNG(add_right) { return add(planes, n, ladder_add_right, planes->pixels(), error); }

RUNG(add_look)
{
    for (; n; n--) {
        REC_TRY(rec_ladder_add_right(planes, 1, error));
        REC_TRY(look(planes, planes->whole(planes->m), error));
    }
    return REC_OK;
}

RUNG(add_prefetch)
{
    for (; n; n--) {
        for (float *plane : {planes->m, planes->other, planes->f})
            REC_TRY(prefetch(planes, plane, false, error));
        REC_TRY(rec_ladder_add_right(planes, 1, error));
        REC_TRY(prefetch(planes, planes->m, true, error));
    }
    return REC_OK;
}
