/* Snapshots of the cuda solver: made on the device behind the iterations, copied on a stream of
 * their own; and what the layers beside the picture need. */
#include "base/trace.h"
#include "solver/cuda/cuda_solver.h"
#include "solver/cuda/cuda_status.h"

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
    rec_cuda_layers_destroy(&solver->layers);
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

static rec_cuda_planes planes_of(const rec_cuda *solver)
{
    const rec_cuda_iterates *of = &solver->iterates;
    return (rec_cuda_planes){.device = solver->device,
                             .grid = of->grid,
                             .m = of->m,
                             .f = of->f,
                             .stream = solver->solving};
}

/* The kernel queues behind the iterations, the copy on its own stream behind the kernel: the next
 * batch need not wait for the bytes to arrive. */
rec_status rec_cuda_snapshot(void *state, const rec_view *view, int *begun, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_cuda_planes planes = planes_of(solver);
    const size_t bytes =
        REC_CUDA_ENDS_BYTES + view->out_width * view->out_height * planes.grid.planes;
    *begun = 0;
    const int slot = rec_slots_find_free(&solver->slots);
    if (slot < 0)
        return REC_OK;
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    cudaError_t result = cudaSetDevice(solver->device);
    REC_FIRST_FAILURE(grow_buffer(solver, slot, bytes));
    REC_FIRST_FAILURE(rec_cuda_layers_show(&solver->layers, &planes, view,
                                           solver->buffer[slot].range,
                                           solver->buffer[slot].device));
    REC_FIRST_FAILURE(cudaEventRecord(solver->buffer[slot].made, solver->solving));
    REC_FIRST_FAILURE(cudaStreamWaitEvent(solver->copying, solver->buffer[slot].made, 0));
    REC_FIRST_FAILURE(cudaMemcpyAsync(solver->buffer[slot].host, solver->buffer[slot].device, bytes,
                                  cudaMemcpyDeviceToHost, solver->copying));
    REC_FIRST_FAILURE(cudaEventRecord(solver->buffer[slot].arrived, solver->copying));
    rec_trace_pop();
    if (result != cudaSuccess) {
        cudaGetLastError(); /* a refusal of memory is told once */
        return rec_cuda_status(result, "making a snapshot", error);
    }
    rec_slots_begin(&solver->slots, slot, view, planes.grid.planes, view->out_width,
                    solver->buffer[slot].host + REC_CUDA_ENDS_BYTES, solver->iterations,
                    (rec_tone_range){0, 0});
    *begun = 1;
    return REC_OK;
}

static int has_arrived(void *context, int slot, rec_snapshot *snapshot)
{
    const rec_cuda *solver = context;
    if (cudaEventQuery(solver->buffer[slot].arrived) != cudaSuccess)
        return 0;
    rec_cuda_layers_arrive(solver->buffer[slot].host, snapshot);
    return 1;
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

/* ---- the mark, the reference and single pixels ---- */

rec_status rec_cuda_mark(void *state, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_cuda_planes planes = planes_of(solver);
    return rec_cuda_layers_mark(&solver->layers, &planes, error);
}

void rec_cuda_unmark(void *state)
{
    rec_cuda *solver = state;
    const rec_cuda_planes planes = planes_of(solver);
    rec_cuda_layers_unmark(&solver->layers, &planes);
}

rec_status rec_cuda_set_reference(void *state, const rec_image *reference, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_cuda_planes planes = planes_of(solver);
    return rec_cuda_layers_set_reference(&solver->layers, &planes, reference, error);
}

rec_status rec_cuda_compare(void *state, double *mean_square, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_cuda_planes planes = planes_of(solver);
    return rec_cuda_layers_compare(&solver->layers, &planes, mean_square, error);
}

rec_status rec_cuda_probe(void *state, size_t x, size_t y, rec_probe *probe, rec_error *error)
{
    rec_cuda *solver = state;
    const rec_cuda_planes planes = planes_of(solver);
    return rec_cuda_layers_probe(&solver->layers, &planes, x, y, probe, error);
}
