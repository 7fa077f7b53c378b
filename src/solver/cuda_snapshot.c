/* Snapshots of the cuda solver: made on the device behind the iterations, copied on a stream of
 * their own. */
#include "base/trace.h"
#include "solver/cuda_solver.h"
#include "solver/cuda_status.h"

cudaError_t rec_cuda_snapshot_create(rec_cuda *solver)
{
    cudaError_t result = cudaStreamCreateWithFlags(&solver->copying, cudaStreamNonBlocking);
    for (int i = 0; i < REC_SLOTS; i++) {
        REC_FIRST_FAILURE(cudaMalloc((void **)&solver->buffer[i].range, 2 * sizeof(unsigned)));
        REC_FIRST_FAILURE(
            cudaEventCreateWithFlags(&solver->buffer[i].made, cudaEventDisableTiming));
        REC_FIRST_FAILURE(
            cudaEventCreateWithFlags(&solver->buffer[i].arrived, cudaEventDisableTiming));
    }
    solver->device_bytes += 2 * REC_SLOTS * sizeof(unsigned);
    return result;
}

void rec_cuda_snapshot_destroy(rec_cuda *solver)
{
    if (solver->copying)
        cudaStreamSynchronize(solver->copying);
    for (int i = 0; i < REC_SLOTS; i++) {
        cudaFree(solver->buffer[i].device);
        cudaFree(solver->buffer[i].range);
        cudaFreeHost(solver->buffer[i].host);
        if (solver->buffer[i].made)
            cudaEventDestroy(solver->buffer[i].made);
        if (solver->buffer[i].arrived)
            cudaEventDestroy(solver->buffer[i].arrived);
    }
    if (solver->copying)
        cudaStreamDestroy(solver->copying);
}

/* Makes room in a free slot. Waits for the device, which happens when a window has grown. */
static cudaError_t grow_buffer(rec_cuda *solver, int slot, size_t bytes)
{
    if (solver->buffer[slot].bytes >= bytes)
        return cudaSuccess;
    solver->device_bytes -= solver->buffer[slot].bytes;
    cudaFree(solver->buffer[slot].device);
    cudaFreeHost(solver->buffer[slot].host);
    solver->buffer[slot].device = solver->buffer[slot].host = NULL;
    solver->buffer[slot].bytes = 0;
    cudaError_t result = cudaMalloc((void **)&solver->buffer[slot].device, bytes);
    REC_FIRST_FAILURE(cudaMallocHost((void **)&solver->buffer[slot].host, bytes));
    if (result == cudaSuccess) {
        solver->buffer[slot].bytes = bytes;
        solver->device_bytes += bytes;
    }
    return result;
}

/* The kernel queues behind the iterations, the copy on its own stream behind the kernel: the next
 * batch need not wait for the bytes to arrive. */
rec_status rec_cuda_snapshot(void *state, const rec_view *view, int *begun, rec_error *error)
{
    rec_cuda *solver = state;
    const size_t bytes = view->out_width * view->out_height * solver->iterates.grid.planes;
    *begun = 0;
    const int slot = rec_slots_find_free(&solver->slots);
    if (slot < 0)
        return REC_OK;
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    const rec_device_view on_device = {view->x, view->y, view->width, view->height,
                                       view->out_width, view->out_height, (int)view->tone};
    cudaError_t result = cudaSetDevice(solver->device);
    REC_FIRST_FAILURE(grow_buffer(solver, slot, bytes));
    REC_FIRST_FAILURE(rec_launch_snapshot(&solver->iterates.grid, solver->iterates.m, &on_device,
                                      solver->buffer[slot].range, solver->buffer[slot].device,
                                      solver->solving));
    REC_FIRST_FAILURE(cudaEventRecord(solver->buffer[slot].made, solver->solving));
    REC_FIRST_FAILURE(cudaStreamWaitEvent(solver->copying, solver->buffer[slot].made, 0));
    REC_FIRST_FAILURE(cudaMemcpyAsync(solver->buffer[slot].host, solver->buffer[slot].device, bytes,
                                  cudaMemcpyDeviceToHost, solver->copying));
    REC_FIRST_FAILURE(cudaEventRecord(solver->buffer[slot].arrived, solver->copying));
    rec_trace_pop();
    if (result != cudaSuccess)
        return rec_cuda_status(result, "making a snapshot", error);
    rec_slots_begin(&solver->slots, slot, view, solver->iterates.grid.planes, view->out_width,
                    solver->buffer[slot].host, solver->iterations);
    *begun = 1;
    return REC_OK;
}

static int has_arrived(void *context, int slot)
{
    rec_cuda *solver = context;
    return cudaEventQuery(solver->buffer[slot].arrived) == cudaSuccess;
}

const rec_snapshot *rec_cuda_poll(void *state)
{
    rec_cuda *solver = state;
    cudaSetDevice(solver->device); /* this may be another thread */
    return rec_slots_poll(&solver->slots, has_arrived, solver);
}

void rec_cuda_release(void *state, const rec_snapshot *taken)
{
    rec_slots_release(&((rec_cuda *)state)->slots, taken);
}
