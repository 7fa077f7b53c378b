// 16 to 18: the host looks at the picture every 25 iterations, as a window or a checkpoint would.
// 16: by one copy into page-locked memory, at the full speed of the bus, in one direction.
// 17: by managed memory. The host just reads. Every page that it touches faults and moves to the
// host, and faults back when the next kernel needs it. No copy in the program, but far more on the
// bus.
// 18: managed memory with prefetches: pages move in large pieces without faults, but still in both
// directions, where 16 goes in one.
#include "kernels/ladder/prefetch.cuh"
#include "kernels/ladder/swap.cuh"

namespace {

// One sample of every 4 KiB, so that the looking itself is short.
float look(const float *cells, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i += 1024)
        sum += cells[i];
    return sum;
}

// The next stretch of iterations: up to the next look.
uint64_t until_look(const rec_planes *planes, uint64_t n)
{
    const uint64_t left = REC_LADDER_LOOK_EVERY - planes->iterations % REC_LADDER_LOOK_EVERY;
    return left < n ? left : n;
}

bool time_to_look(const rec_planes *planes)
{
    return planes->iterations % REC_LADDER_LOOK_EVERY == 0;
}

volatile float seen; // so that the compiler does not leave the looking out

} // namespace

extern "C" rec_status rec_ladder_look(rec_planes *planes, uint64_t n, rec_error *error)
{
    while (n) {
        const uint64_t stretch = until_look(planes, n);
        LADDER_TRY(launch_swap(planes, stretch));
        n -= stretch;
        if (!time_to_look(planes))
            continue;
        LADDER_TRY(cudaMemcpyAsync(planes->host, planes->whole(planes->m),
                                   planes->cells() * sizeof(float), cudaMemcpyDeviceToHost,
                                   planes->stream));
        LADDER_TRY(cudaStreamSynchronize(planes->stream));
        seen = look(planes->host, planes->cells());
    }
    return REC_OK;
}

extern "C" rec_status rec_ladder_managed(rec_planes *planes, uint64_t n, rec_error *error)
{
    while (n) {
        const uint64_t stretch = until_look(planes, n);
        LADDER_TRY(launch_swap(planes, stretch));
        n -= stretch;
        if (!time_to_look(planes))
            continue;
        LADDER_TRY(cudaStreamSynchronize(planes->stream));
        seen = look(planes->whole(planes->m), planes->cells());
    }
    return REC_OK;
}

extern "C" rec_status rec_ladder_prefetch(rec_planes *planes, uint64_t n, rec_error *error)
{
    while (n) {
        const uint64_t stretch = until_look(planes, n);
        LADDER_TRY(launch_swap(planes, stretch));
        n -= stretch;
        if (!time_to_look(planes))
            continue;
        LADDER_TRY(prefetch(planes, planes->m, true));
        LADDER_TRY(cudaStreamSynchronize(planes->stream));
        seen = look(planes->whole(planes->m), planes->cells());
        LADDER_TRY(prefetch(planes, planes->m, false));
    }
    return REC_OK;
}
