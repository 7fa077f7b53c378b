// 06: the exercise as it is handed out. The picture lives on the host: every iteration copies it to
// the device, lets one thread work on each row, and copies it back. The bus is about a hundred
// times slower than the device's memory, and hides everything else.
#include "kernels/ladder/rung.cuh"

extern "C" rec_status rec_ladder_handout(rec_planes *planes, uint64_t n, rec_error *error)
{
    for (uint64_t i = 0; i < n; i++) {
        LADDER_TRY(cudaMemcpyAsync(planes->whole(planes->m), planes->host, planes->bytes(),
                                   cudaMemcpyHostToDevice, planes->stream));
        LADDER_TRY(launch_row(planes));
        LADDER_TRY(cudaMemcpyAsync(planes->host, planes->whole(planes->other), planes->bytes(),
                                   cudaMemcpyDeviceToHost, planes->stream));
        planes->swap();
    }
    return REC_OK;
}
