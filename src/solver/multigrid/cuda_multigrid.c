/* The multigrid solver on a CUDA device: solving. */
#include <math.h>

#include "base/clock.h"
#include "solver/multigrid/cuda_multigrid.h"

/* Queues a V-cycle and a step. */
static cudaError_t queue_cycle(const rec_cuda_multigrid *e)
{
    const rec_device_solve *solve = &e->solve;
    const rec_device_level *level = e->level;
    cudaError_t result = cudaSuccess;
    for (size_t l = 0; l < e->tiled; l++)
        REC_FIRST_FAILURE(
            rec_launch_multigrid_down(solve, &level[l], &level[l + 1], e->room.stream));
    REC_FIRST_FAILURE(rec_launch_multigrid_small(solve, &level[e->tiled],
                                                 e->shape.levels - e->tiled, e->room.stream));
    for (size_t l = e->tiled; l-- > 0;)
        REC_FIRST_FAILURE(rec_launch_multigrid_up(solve, &level[l], &level[l + 1], e->room.stream));
    REC_FIRST_FAILURE(rec_launch_multigrid_step(solve, e->room.stream));
    return result;
}

/* A graph of the cycle, which repeats itself on the device until all planes are done or no cycles
 * are left. Drivers before CUDA 12.4 cannot: there the host launches it for each cycle. */
static cudaError_t make_cycles(rec_cuda_multigrid *e)
{
    cudaGraph_t graph, body, unused;
    cudaGraphNode_t node;
    struct cudaGraphNodeParams loop = {.type = cudaGraphNodeTypeConditional};
    int driver = 0;
    if (e->cycles)
        return cudaSuccess;
    cudaError_t result = cudaGraphCreate(&graph, 0);
    if (result != cudaSuccess)
        return result;
    body = graph;
    REC_FIRST_FAILURE(cudaDriverGetVersion(&driver));
    e->host_loops = e->host_loops || driver < 12040;
    if (!e->host_loops) {
        REC_FIRST_FAILURE(cudaGraphConditionalHandleCreate(&e->solve.again, graph, 1,
                                                           cudaGraphCondAssignDefault));
        loop.conditional.handle = e->solve.again;
        loop.conditional.type = cudaGraphCondTypeWhile;
        loop.conditional.size = 1;
#if CUDART_VERSION >= 13000
        REC_FIRST_FAILURE(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &loop));
#else
        REC_FIRST_FAILURE(cudaGraphAddNode(&node, graph, NULL, 0, &loop));
#endif
        if (result == cudaSuccess)
            body = loop.conditional.phGraph_out[0];
    }
    if (result == cudaSuccess) {
        result = cudaStreamBeginCaptureToGraph(e->room.stream, body, NULL, NULL, 0,
                                               cudaStreamCaptureModeThreadLocal);
        REC_FIRST_FAILURE(queue_cycle(e));
        const cudaError_t ended = cudaStreamEndCapture(e->room.stream, &unused);
        REC_FIRST_FAILURE(ended);
    }
    REC_FIRST_FAILURE(cudaGraphInstantiate(&e->cycles, graph, 0));
    cudaGraphDestroy(graph);
    return result;
}

/* 1: all planes are done. */
static int all_done(const rec_cuda_multigrid *e)
{
    int all = 1;
    for (size_t p = 0; p < e->shape.planes; p++)
        all = all && e->run->next[p].last;
    return all;
}

/* Sends the numbers of all planes and the number of cycles, and brings them back. With a limit of
 * time it starts as many cycles as fit, at the speed of the cycles before. */
static cudaError_t run_until_done(rec_cuda_multigrid *e, double stop, double seconds)
{
    const double begun = rec_now();
    cudaError_t result = cudaSuccess;
    int count = seconds < 1 ? 1 : REC_MULTIGRID_MOST_STEPS, done = 0;
    while (result == cudaSuccess) {
        for (size_t p = 0; p < e->shape.planes; p++) { /* those that have reached `stop` are done */
            rec_device_steps *plane = &e->run->next[p];
            plane->stop = stop / e->shape.safety;
            plane->exact = rec_multigrid_rounding_allowed(&e->shape, stop);
            plane->last = rec_multigrid_is_done(&plane->steps, plane->stop);
        }
        if (all_done(e))
            break;
        e->run->cycles = count;
        for (int n = 0; n == 0 || (e->host_loops && n < count && !all_done(e)); n++) {
            REC_FIRST_FAILURE(cudaMemcpyAsync(e->solve.run, e->run, sizeof *e->run,
                                              cudaMemcpyHostToDevice, e->room.stream));
            REC_FIRST_FAILURE(cudaGraphLaunch(e->cycles, e->room.stream));
            REC_FIRST_FAILURE(cudaMemcpyAsync(e->run, e->solve.run, sizeof *e->run,
                                              cudaMemcpyDeviceToHost, e->room.stream));
            REC_FIRST_FAILURE(cudaStreamSynchronize(e->room.stream));
        }
        done += count;
        const double left = seconds - (rec_now() - begun);
        if (!(left > 0))
            break;
        count = (int)fmax(1, fmin(REC_MULTIGRID_MOST_STEPS, left * done / (seconds - left)));
    }
    return result;
}

static rec_status cuda_jump(void *state, uint64_t iteration, double seconds, int *reached,
                            rec_error *error)
{
    rec_cuda_multigrid *e = state;
    const double stop = e->head.tolerance;
    double *const means = e->shape.free_mean ? e->means + REC_MULTIGRID_PLANES : NULL;
    rec_multigrid_steps steps[REC_MULTIGRID_PLANES] = {{0}};
    *reached = rec_multigrid_conclude(&e->head, &e->shape, steps); /* where all is known */
    if (!e->shape.levels)
        return REC_OK;
    cudaError_t result = cudaSetDevice(e->room.device);
    REC_FIRST_FAILURE(make_cycles(e));
    REC_FIRST_FAILURE(cudaEventRecord(e->room.event[REC_BEGUN], e->room.stream));
    REC_FIRST_FAILURE(run_until_done(e, stop, seconds));
    if (means)
        REC_FIRST_FAILURE(cudaMemcpyAsync(means, e->shape.mean, sizeof e->shape.mean,
                                          cudaMemcpyHostToDevice, e->room.stream));
    REC_FIRST_FAILURE(rec_launch_multigrid_picture(&e->solve, &e->picture, means, e->room.stream));
    REC_FIRST_FAILURE(cudaEventRecord(e->room.event[REC_ENDED], e->room.stream));
    REC_FIRST_FAILURE(rec_cuda_room_elapsed(&e->room, &e->head.costs.seconds_jump));
    e->head.costs.seconds_jump += e->begin_seconds;
    e->begin_seconds = 0;
    for (size_t p = 0; p < e->shape.planes; p++)
        steps[p] = e->run->next[p].steps;
    *reached = rec_multigrid_conclude(&e->head, &e->shape, steps);
    return rec_cuda_status(result, "solving", error);
}

static rec_status cuda_planes(void *state, rec_planes *shown, rec_error *error)
{
    rec_cuda_multigrid *e = state;
    *shown = e->room.planes;
    return REC_OK;
}

const rec_solver_type rec_multigrid_cuda = {
    .kernels = (const char *const[]){"cuda", NULL},
    .takes = REC_MASKS,
    .memory = &(const rec_solver_memory){
        .size = sizeof(rec_cuda_multigrid), .create = rec_cuda_multigrid_create,
        .load = rec_cuda_multigrid_load, .destroy = rec_cuda_multigrid_destroy,
        .get_info = rec_multigrid_get_info, .planes = cuda_planes},
    .jump = &(const rec_solver_jumper){
        .look = rec_multigrid_look, .to = cuda_jump, .change = rec_cuda_multigrid_change},
    REC_MULTIGRID_SHARED,
};
