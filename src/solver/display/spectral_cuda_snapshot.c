/* Snapshots of the result where it is, on the device: behind a solve in its stream, so that an
 * iterate is on its way to the window without ever being a picture in the host's memory. */
#include "base/trace.h"
#include "kernels/kernels.h"
#include "solver/cuda/cuda_status.h"
#include "solver/spectral/device/spectral_cuda.h"

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

/* The result, which has rows as the picture has them. */
static rec_cuda_planes planes_of(const rec_cuda_engine *e)
{
    const rec_spectral_shape *shape = e->shape;
    return (rec_cuda_planes){
        .device = e->device,
        .grid = {.width = shape->transposed ? shape->height : shape->width,
                 .height = shape->transposed ? shape->width : shape->height,
                 .planes = shape->planes,
                 .pitch = e->result_pitch},
        .m = e->result,
        .stream = e->stream,
    };
}

rec_status rec_spectral_cuda_snapshot(void *state, const rec_view *view, uint64_t iteration,
                                      int *begun, rec_error *error)
{
    rec_cuda_engine *e = state;
    const rec_cuda_planes planes = planes_of(e);
    const size_t bytes =
        REC_CUDA_ENDS_BYTES + view->out_width * view->out_height * planes.grid.planes;
    *begun = 0;
    const int slot = rec_slots_find_free(&e->slots);
    if (slot < 0)
        return REC_OK;
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    cudaError_t result = cudaSetDevice(e->device);
    REC_FIRST_FAILURE(grow(e, slot, bytes));
    REC_FIRST_FAILURE(rec_cuda_layers_show(&e->layers, &planes, view, e->view[slot].range,
                                           e->view[slot].device));
    REC_FIRST_FAILURE(cudaMemcpyAsync(e->view[slot].host, e->view[slot].device, bytes,
                                      cudaMemcpyDeviceToHost, e->stream));
    REC_FIRST_FAILURE(cudaEventRecord(e->view[slot].arrived, e->stream));
    rec_trace_pop();
    if (result != cudaSuccess) {
        cudaGetLastError(); /* a refusal of memory is told once */
        return rec_cuda_status(result, "making a snapshot", error);
    }
    rec_slots_begin(&e->slots, slot, view, planes.grid.planes, view->out_width,
                    e->view[slot].host + REC_CUDA_ENDS_BYTES, iteration, (rec_tone_range){0, 0});
    *begun = 1;
    return REC_OK;
}

static int has_arrived(void *context, int slot, rec_snapshot *snapshot)
{
    const rec_cuda_engine *e = context;
    if (cudaEventQuery(e->view[slot].arrived) != cudaSuccess)
        return 0;
    rec_cuda_layers_arrive(e->view[slot].host, snapshot);
    return 1;
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
    rec_cuda_layers_destroy(&e->layers);
    for (int i = 0; i < REC_SLOTS; i++) {
        cudaFree(e->view[i].device);
        cudaFree(e->view[i].range);
        cudaFreeHost(e->view[i].host);
        if (e->view[i].arrived)
            cudaEventDestroy(e->view[i].arrived);
    }
}

/* ---- a reference and single pixels ---- */

rec_status rec_spectral_cuda_set_reference(void *state, const rec_image *reference,
                                           rec_error *error)
{
    rec_cuda_engine *e = state;
    const rec_cuda_planes planes = planes_of(e);
    return rec_cuda_layers_set_reference(&e->layers, &planes, reference, error);
}

rec_status rec_spectral_cuda_compare(void *state, double *mean_square, rec_error *error)
{
    rec_cuda_engine *e = state;
    const rec_cuda_planes planes = planes_of(e);
    return rec_cuda_layers_compare(&e->layers, &planes, mean_square, error);
}

rec_status rec_spectral_cuda_probe(void *state, size_t x, size_t y, rec_probe *probe,
                                   rec_error *error)
{
    rec_cuda_engine *e = state;
    const rec_cuda_planes planes = planes_of(e);
    return rec_cuda_layers_probe(&e->layers, &planes, x, y, probe, error);
}
