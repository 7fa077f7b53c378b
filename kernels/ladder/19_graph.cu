// 19: one graph instead of 32 launches. Each launch costs the host some microseconds; if an
// iteration is shorter, the device waits for the host. The kernels of a large image hide that.
#include "kernels/ladder/rung.cuh"

constexpr uint64_t length = REC_LADDER_GRAPH;

static rec_status record(rec_ladder_planes *planes, rec_error *error)
{
    cudaGraph_t graph;
    const uint64_t iterations = planes->iterations;
    LADDER_TRY(cudaStreamBeginCapture(planes->stream, cudaStreamCaptureModeThreadLocal));
    const rec_status launched = rec_ladder_swap(planes, length, error);
    planes->iterations = iterations;
    LADDER_TRY(cudaStreamEndCapture(planes->stream, &graph));
    REC_TRY(launched);
    LADDER_TRY(cudaGraphInstantiate(&planes->graph, graph, 0));
    LADDER_TRY(cudaGraphDestroy(graph));
    return REC_OK;
}

RUNG(graph)
{
    // The graph holds the pointers as they were when it was recorded: an odd iterate goes first.
    if (n && planes->iterations % 2) {
        REC_TRY(rec_ladder_swap(planes, 1, error));
        n--;
    }
    if (n >= length && !planes->graph)
        REC_TRY(record(planes, error));
    for (; n >= length; n -= length, planes->iterations += length)
        LADDER_TRY(cudaGraphLaunch(planes->graph, planes->stream));
    return rec_ladder_swap(planes, n, error);
}
