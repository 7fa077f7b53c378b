// 16 to 18 and 80 to 82: the picture where host and device both want it.
//
// 16 to 18: the host looks at the picture every 25 iterations, as a window or a checkpoint would.
// 16: by one copy into page-locked memory, at the full speed of the bus, in one direction.
// 17: by managed memory. A page that the host reads faults, moves there, and faults back when the
// next kernel needs it: no copy in the program, but far more on the bus.
// 18: managed memory with prefetches: large pieces without faults, but still in both directions.
#include <cstring>

#include "kernels/ladder/rung.cuh"

// n iterations, and see() after each 25.
template <class See>
static rec_status iterate_and_look(rec_ladder_planes *planes, uint64_t n, rec_error *error, See see)
{
    while (n) {
        const uint64_t left = REC_LADDER_LOOK_EVERY - planes->iterations % REC_LADDER_LOOK_EVERY;
        const uint64_t stretch = left < n ? left : n;
        REC_TRY(rec_ladder_swap(planes, stretch, error));
        n -= stretch;
        if (stretch == left)
            REC_TRY(see());
    }
    return REC_OK;
}

RUNG(look)
{
    return iterate_and_look(planes, n, error, [&] {
        LADDER_TRY(cudaMemcpyAsync(planes->host, planes->whole(planes->m), planes->bytes(),
                                   cudaMemcpyDeviceToHost, planes->stream));
        return look(planes, planes->host, error);
    });
}

RUNG(managed)
{
    return iterate_and_look(planes, n, error,
                            [&] { return look(planes, planes->whole(planes->m), error); });
}

RUNG(prefetch)
{
    return iterate_and_look(planes, n, error, [&] {
        REC_TRY(prefetch(planes, planes->m, true, error));
        REC_TRY(look(planes, planes->whole(planes->m), error));
        return prefetch(planes, planes->m, false, error);
    });
}

// ---- 80 to 82: a program moves to the device step by step ----
//
// 80: it still runs on the host; only its memory is managed.
// 81: the update is a kernel, but the copy back a loop of the host: in every iteration two planes
// wander to the host and back, page by page, and the program is slower than before.
// 82: the copy back is a kernel, too. Nothing wanders any more.

static void copy_back_on_host(rec_ladder_planes *planes)
{
    const Grid &grid = planes->grid;
    for (size_t y = 0; y < grid.height; y++)
        memcpy(planes->m + y * grid.stride, planes->other + y * grid.stride,
               grid.width * sizeof(float));
}

RUNG(managed_cpu)
{
    const Grid &grid = planes->grid;
    const ptrdiff_t s = (ptrdiff_t)grid.stride;
    REC_TRY(planes->wait(error));
    for (; n; n--, planes->iterations++) {
        for (ptrdiff_t y = 0; y < (ptrdiff_t)grid.height; y++) {
            const float *m = planes->m + y * s, *f = planes->f + y * s;
            float *__restrict__ out = planes->other + y * s;
            for (ptrdiff_t x = 0; x < (ptrdiff_t)grid.width; x++)
                out[x] = rec_update_without_fma(m[x - s], m[x - 1], m[x + 1], m[x + s], f[x]);
        }
        copy_back_on_host(planes);
    }
    return REC_OK;
}

RUNG(copy_host)
{
    for (; n; n--) {
        REC_TRY(rec_ladder_swap(planes, 1, error));
        std::swap(planes->m, planes->other); // the result is in `other` again
        REC_TRY(planes->wait(error));
        copy_back_on_host(planes);
    }
    return REC_OK;
}

RUNG(copy_kernel)
{
    for (; n; n--, planes->iterations--) { // a copy is none
        REC_TRY(rec_ladder_swap(planes, 1, error));
        REC_TRY(rec_ladder_copy(planes, 1, error)); // rung 5, whose result is where m was
    }
    return REC_OK;
}
