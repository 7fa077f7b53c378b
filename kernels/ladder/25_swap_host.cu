// 25: the tutorial's first step: a thread a pixel in managed memory, and the host waits for each
// iteration before it swaps the pointers. 10 queues the next iteration at once instead.
#include "kernels/ladder/rung.cuh"

extern "C" rec_status rec_ladder_swap_host(rec_planes *planes, uint64_t n, rec_error *error)
{
    for (uint64_t i = 0; i < n; i++) {
        LADDER_TRY(launch_swap(planes, 1));
        LADDER_TRY(cudaStreamSynchronize(planes->stream));
    }
    return REC_OK;
}
