/* Planes on a device: how they are read, and their display. Snapshots are made there, behind the
 * iterations; a stream of their own copies them, for which the next iterations do not wait. */
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "kernels/kernels.h"
#include "device/cuda_status.h"
#include "device/cuda_transfer.h"
#include "display/display.h"

/* One copy has a snapshot's low and high, and then its bytes. */
enum { ENDS_BYTES = 2 * sizeof(float) };

typedef struct cuda_display {
    int device;
    cudaStream_t copying;
    unsigned *ranges;        /* two words for each buffer, and two for the range of |E| */
    int edge_range_known;    /* it never changes, and the kernel that finds it has been queued */
    struct {
        void *device, *host; /* host pinned */
        size_t bytes;
        cudaEvent_t made, arrived;
    } buffer[REC_BUFFERS];
} cuda_display;

/* ---- memory ---- */

/* Counts the bytes. After a refusal, which says how much is free, CUDA has no last error. */
static rec_status cuda_display_take(rec_display *display, void *place, size_t bytes,
                                    const char *what, rec_error *error)
{
    const cuda_display *own = display->state;
    size_t available = 0, all = 0;
    char needs[32], has[32];
    cudaError_t result = cudaSetDevice(own->device);
    void *memory = NULL;
    rec_trace_push(REC_TRACE_ALLOCATE, bytes);
    REC_FIRST_FAILURE(cudaMalloc(&memory, bytes));
    rec_trace_pop();
    memcpy(place, &memory, sizeof memory);
    if (result == cudaSuccess) {
        display->device_bytes += bytes;
        return REC_OK;
    }
    cudaGetLastError();
    if (result != cudaErrorMemoryAllocation || cudaMemGetInfo(&available, &all) != cudaSuccess)
        return rec_cuda_status(result, "taking memory on the device", error);
    return rec_fail(error, REC_LIMIT, "%s needs %s on the device, and %s is free", what,
                    rec_format_bytes(needs, (double)bytes),
                    rec_format_bytes(has, (double)available));
}

/* cudaFree waits for the kernels that still read the memory. */
static void give_back(rec_display *display, void *memory, size_t bytes)
{
    const cuda_display *own = display->state;
    if (!memory)
        return;
    cudaSetDevice(own->device);
    cudaFree(memory);
    display->device_bytes -= bytes;
}

static rec_status wait_for(const rec_planes *planes, rec_error *error)
{
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    return rec_cuda_status(result, "iterating", error);
}

static rec_status cuda_read(const rec_planes *planes, float *to, size_t to_stride,
                            const float *from, size_t from_stride, size_t width, size_t height,
                            rec_error *error)
{
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(rec_cuda_download(planes->transfer, to, to_stride, from, from_stride, width,
                                        height, planes->stream));
    return rec_cuda_status(result, "copying the picture from the device", error);
}

static rec_status cuda_write(const rec_planes *planes, float *to, size_t to_stride,
                             const float *from, size_t from_stride, size_t width, size_t height,
                             rec_error *error)
{
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(rec_cuda_upload(planes->transfer, to, to_stride, from, from_stride, width,
                                      height, planes->stream));
    return rec_cuda_status(result, "copying a picture to the device", error);
}

static void cuda_display_destroy(rec_display *display)
{
    cuda_display *own = display->state;
    cudaSetDevice(own->device);
    if (own->copying)
        cudaStreamSynchronize(own->copying);
    cudaFree(own->ranges);
    for (int i = 0; i < REC_BUFFERS; i++) {
        cudaFree(own->buffer[i].device);
        cudaFreeHost(own->buffer[i].host);
        if (own->buffer[i].made)
            cudaEventDestroy(own->buffer[i].made);
        if (own->buffer[i].arrived)
            cudaEventDestroy(own->buffer[i].arrived);
    }
    if (own->copying)
        cudaStreamDestroy(own->copying);
    rec_free(own);
}

static rec_status cuda_display_create(rec_display *display, const rec_planes *planes,
                                      rec_error *error)
{
    cuda_display *own;
    REC_TRY(rec_allocate_zeroed(&own, 1, sizeof *own, "the display", error));
    own->device = planes->device;
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(cudaStreamCreateWithFlags(&own->copying, cudaStreamNonBlocking));
    REC_FIRST_FAILURE(cudaMalloc((void **)&own->ranges, (REC_BUFFERS + 1) * 2 * sizeof(unsigned)));
    for (int i = 0; i < REC_BUFFERS; i++) {
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(&own->buffer[i].made, cudaEventDisableTiming));
        REC_FIRST_FAILURE(
            cudaEventCreateWithFlags(&own->buffer[i].arrived, cudaEventDisableTiming));
    }
    display->state = own;
    if (result != cudaSuccess)
        cuda_display_destroy(display);
    return rec_cuda_status(result, "taking memory on the device", error);
}

/* ---- the comparison and snapshots ---- */

static rec_device_planes on_device(const rec_planes *planes)
{
    return (rec_device_planes){planes->width, planes->height, planes->planes, planes->pitch,
                               planes->step};
}

static rec_status cuda_display_compare(const rec_planes *planes, const float *reference,
                                       double *sums, double *sum, rec_error *error)
{
    const rec_device_planes sizes = on_device(planes);
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(rec_launch_compare(&sizes, planes->m, reference, sums, planes->stream));
    REC_FIRST_FAILURE(
        cudaMemcpyAsync(sum, sums, sizeof *sum, cudaMemcpyDeviceToHost, planes->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    return rec_cuda_status(result, "comparing with the reference", error);
}

/* Makes room in a free buffer. Waits for the device, which happens when a window has grown. */
static rec_status grow_buffer(rec_display *display, int index, size_t bytes, rec_error *error)
{
    cuda_display *own = display->state;
    if (own->buffer[index].bytes >= bytes)
        return REC_OK;
    give_back(display, own->buffer[index].device, own->buffer[index].bytes);
    cudaFreeHost(own->buffer[index].host);
    own->buffer[index].device = own->buffer[index].host = NULL;
    own->buffer[index].bytes = 0;
    const cudaError_t result = cudaMallocHost(&own->buffer[index].host, bytes);
    if (result != cudaSuccess) {
        cudaGetLastError(); /* so that no later call reports it again */
        return rec_cuda_status(result, "making a snapshot", error);
    }
    const rec_status status = cuda_display_take(display, &own->buffer[index].device, bytes,
                                                "a snapshot", error);
    own->buffer[index].bytes = status ? 0 : bytes;
    return status;
}

static rec_status cuda_display_show(rec_display *display, const rec_planes *planes,
                                    const rec_layer_plane *first, int index,
                                    rec_snapshot *snapshot, rec_error *error)
{
    cuda_display *own = display->state;
    const rec_view *view = &snapshot->view;
    const rec_device_planes sizes = on_device(planes);
    const int edges = view->layer == REC_LAYER_EDGES;
    const rec_device_layer layer = {.values = first->values,
                                    .minus = first->minus,
                                    .range = own->ranges + 2 * (edges ? REC_BUFFERS : index),
                                    .range_known = edges && own->edge_range_known};
    const size_t bytes = ENDS_BYTES + snapshot->planes * snapshot->height * snapshot->stride;
    REC_TRY(grow_buffer(display, index, bytes, error));
    uint8_t *const made = own->buffer[index].device, *const host = own->buffer[index].host;
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(rec_launch_snapshot(&sizes, view, &layer, (float *)(void *)made,
                                          made + ENDS_BYTES, planes->stream));
    if (result == cudaSuccess && edges)
        own->edge_range_known |= rec_tone_needs_range(
            rec_layers[view->layer].scale, view->tone);
    REC_FIRST_FAILURE(cudaEventRecord(own->buffer[index].made, planes->stream));
    REC_FIRST_FAILURE(cudaStreamWaitEvent(own->copying, own->buffer[index].made, 0));
    REC_FIRST_FAILURE(cudaMemcpyAsync(host, made, bytes, cudaMemcpyDeviceToHost, own->copying));
    REC_FIRST_FAILURE(cudaEventRecord(own->buffer[index].arrived, own->copying));
    snapshot->pixels = host + ENDS_BYTES;
    return rec_cuda_status(result, "making a snapshot", error);
}

static int arrived(void *state, int index, rec_snapshot *snapshot)
{
    const cuda_display *own = state;
    cudaSetDevice(own->device); /* the reader's thread has its own current device */
    if (cudaEventQuery(own->buffer[index].arrived) != cudaSuccess)
        return 0;
    float ends[2];
    memcpy(ends, own->buffer[index].host, sizeof ends);
    snapshot->low = ends[0];
    snapshot->high = ends[1];
    return 1;
}

const rec_memory rec_memory_cuda = {
    .wait = wait_for,
    .read = cuda_read,
    .write = cuda_write,
    .compare = cuda_display_compare,
    .create = cuda_display_create,
    .destroy = cuda_display_destroy,
    .take = cuda_display_take,
    .give_back = give_back,
    .show = cuda_display_show,
    .arrived = arrived,
};
