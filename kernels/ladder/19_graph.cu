// 19: one graph instead of many launches. Each launch costs the host some microseconds; if an
// iteration is shorter, the device waits for the host. Here 32 launches are recorded once and then
// started together. On a large image nothing changes: its kernels already hide the launches.
#include "kernels/ladder/rung.cuh"

namespace {

constexpr uint64_t length = REC_LADDER_GRAPH;

rec_status record(rec_ladder_planes *planes, rec_error *error)
{
    cudaGraph_t graph;
    const uint64_t iterations = planes->iterations;
    LADDER_TRY(cudaStreamBeginCapture(planes->stream, cudaStreamCaptureModeThreadLocal));
    const cudaError_t launched = launch_swap(planes, length);
    planes->iterations = iterations;
    LADDER_TRY(cudaStreamEndCapture(planes->stream, &graph));
    LADDER_TRY(launched);
    LADDER_TRY(cudaGraphInstantiate(&planes->graph, graph, 0));
    LADDER_TRY(cudaGraphDestroy(graph));
    return REC_OK;
}

} // namespace

extern "C" rec_status rec_ladder_graph(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    // The graph holds the pointers as they were when it was recorded: an odd iterate goes first.
    if (n && planes->iterations % 2) {
        LADDER_TRY(launch_swap(planes, 1));
        n--;
    }
    if (n >= length && !planes->graph) {
        const rec_status status = record(planes, error);
        if (status)
            return status;
    }
    for (; n >= length; n -= length, planes->iterations += length)
        LADDER_TRY(cudaGraphLaunch(planes->graph, planes->stream));
    LADDER_TRY(launch_swap(planes, n));
    return REC_OK;
}
