// Moves of managed memory, announced.
#ifndef REC_KERNELS_LADDER_PREFETCH_CUH
#define REC_KERNELS_LADDER_PREFETCH_CUH

#include "kernels/ladder/rung.cuh"

inline cudaError_t prefetch(rec_planes *planes, float *plane, bool to_host)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation location = {};
    location.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = to_host ? 0 : planes->of.device;
    return cudaMemPrefetchAsync(planes->whole(plane), planes->bytes(), location, 0, planes->stream);
#else
    return cudaMemPrefetchAsync(planes->whole(plane), planes->bytes(),
                                to_host ? cudaCpuDeviceId : planes->of.device, planes->stream);
#endif
}

#endif
