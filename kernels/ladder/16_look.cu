// 16 to 18: the host looks at the picture every 25 iterations, as a window or a checkpoint would.
// 16: by one copy into page-locked memory, at the full speed of the bus, in one direction.
// 17: by managed memory. The host just reads. Every page that it touches faults and moves to the
// host, and faults back when the next kernel needs it. No copy in the program, but far more on the
// bus.
// 18: managed memory with prefetches: pages move in large pieces without faults, but still in both
// directions, where 16 goes in one.
#include "kernels/ladder/rung.cuh"

namespace {

// One sample of every 4 KiB, so that the looking itself is short.
float look(const float *cells, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i += 1024)
        sum += cells[i];
    return sum;
}

volatile float seen; // so that the compiler does not leave the looking out

// n iterations, and see() after each 25.
template <class See>
rec_status iterate_and_look(rec_ladder_planes *planes, uint64_t n, rec_error *error, See see)
{
    while (n) {
        const uint64_t left = REC_LADDER_LOOK_EVERY - planes->iterations % REC_LADDER_LOOK_EVERY;
        const uint64_t stretch = left < n ? left : n;
        LADDER_TRY(launch_swap(planes, stretch));
        n -= stretch;
        if (stretch == left)
            LADDER_TRY(see());
    }
    return REC_OK;
}

cudaError_t look_when_done(rec_ladder_planes *planes, const float *cells)
{
    const cudaError_t result = cudaStreamSynchronize(planes->stream);
    if (result == cudaSuccess)
        seen = look(cells, planes->cells());
    return result;
}

} // namespace

extern "C" rec_status rec_ladder_look(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    return iterate_and_look(planes, n, error, [&] {
        const cudaError_t result =
            cudaMemcpyAsync(planes->host, planes->whole(planes->m), planes->bytes(),
                            cudaMemcpyDeviceToHost, planes->stream);
        return result == cudaSuccess ? look_when_done(planes, planes->host) : result;
    });
}

extern "C" rec_status rec_ladder_managed(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    return iterate_and_look(planes, n, error,
                            [&] { return look_when_done(planes, planes->whole(planes->m)); });
}

extern "C" rec_status rec_ladder_prefetch(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    return iterate_and_look(planes, n, error, [&] {
        cudaError_t result = prefetch(planes, planes->m, true);
        if (result == cudaSuccess)
            result = look_when_done(planes, planes->whole(planes->m));
        return result == cudaSuccess ? prefetch(planes, planes->m, false) : result;
    });
}
