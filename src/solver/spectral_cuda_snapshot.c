/* Snapshots of the result where it is, on the device: behind a solve in its stream, so that an
 * iterate is on its way to the window without ever being a picture in the host's memory. */
#include "base/trace.h"
#include "kernels/kernels.h"
#include "solver/cuda_status.h"
#include "solver/spectral_cuda.h"

/* Makes room in a free slot; it waits for the device when a window has grown. */
static cudaError_t grow(rec_cuda_engine *e, int slot, size_t bytes)
{
    rec_cuda_view *view = &e->view[slot];
    cudaError_t result = cudaSuccess;
    if (!view->range)
        result = cudaMalloc((void **)&view->range, 2 * sizeof(unsigned));
    if (!view->arrived)
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(&view->arrived, cudaEventDisableTiming));
    if (view->bytes >= bytes)
        return result;
    e->bytes -= view->bytes;
    cudaFree(view->device);
    cudaFreeHost(view->host);
    *view = (rec_cuda_view){.range = view->range, .arrived = view->arrived};
    REC_FIRST_FAILURE(cudaMalloc((void **)&view->device, bytes));
    REC_FIRST_FAILURE(cudaMallocHost((void **)&view->host, bytes));
    if (result == cudaSuccess) {
        view->bytes = bytes;
        e->bytes += bytes;
    }
    return result;
}

rec_status rec_spectral_cuda_snapshot(void *state, const rec_view *view, uint64_t iteration,
                                      int *begun, rec_error *error)
{
    rec_cuda_engine *e = state;
    const rec_spectral_shape *shape = e->shape;
    const size_t bytes = view->out_width * view->out_height * shape->planes;
    const rec_grid grid = {
        .width = shape->transposed ? shape->height : shape->width,
        .height = shape->transposed ? shape->width : shape->height,
        .planes = shape->planes,
        .pitch = e->result_pitch,
    };
    *begun = 0;
    const int slot = rec_slots_find_free(&e->slots);
    if (slot < 0)
        return REC_OK;
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    const rec_device_view on_device = {view->x, view->y, view->width, view->height,
                                       view->out_width, view->out_height, (int)view->tone};
    cudaError_t result = cudaSetDevice(e->device);
    REC_FIRST_FAILURE(grow(e, slot, bytes));
    REC_FIRST_FAILURE(rec_launch_snapshot(&grid, e->result, &on_device, e->view[slot].range,
                                          e->view[slot].device, e->stream));
    REC_FIRST_FAILURE(cudaMemcpyAsync(e->view[slot].host, e->view[slot].device, bytes,
                                      cudaMemcpyDeviceToHost, e->stream));
    REC_FIRST_FAILURE(cudaEventRecord(e->view[slot].arrived, e->stream));
    rec_trace_pop();
    if (result != cudaSuccess)
        return rec_cuda_status(result, "making a snapshot", error);
    rec_slots_begin(&e->slots, slot, view, shape->planes, view->out_width, e->view[slot].host,
                    iteration);
    *begun = 1;
    return REC_OK;
}

static int has_arrived(void *context, int slot)
{
    const rec_cuda_engine *e = context;
    return cudaEventQuery(e->view[slot].arrived) == cudaSuccess;
}

const rec_snapshot *rec_spectral_cuda_poll(void *state)
{
    rec_cuda_engine *e = state;
    cudaSetDevice(e->device); /* this may be another thread */
    return rec_slots_poll(&e->slots, has_arrived, e);
}

void rec_spectral_cuda_release(void *state, const rec_snapshot *snapshot)
{
    rec_slots_release(&((rec_cuda_engine *)state)->slots, snapshot);
}

void rec_spectral_cuda_free_views(rec_cuda_engine *e)
{
    for (int i = 0; i < REC_SLOTS; i++) {
        cudaFree(e->view[i].device);
        cudaFree(e->view[i].range);
        cudaFreeHost(e->view[i].host);
        if (e->view[i].arrived)
            cudaEventDestroy(e->view[i].arrived);
    }
}
