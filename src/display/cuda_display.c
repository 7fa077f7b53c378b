/* Planes on a device: how they are read, and their display. Snapshots are made there, behind the
 * iterations; a stream of their own copies them, for which the next iterations do not wait. */
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "device/cuda_room.h"
#include "display/display.h"

/* One copy has a snapshot's low and high, and then its bytes. */
enum { ENDS_BYTES = 2 * sizeof(float) };

/* The numbers of its memory: two words for each buffer, and two for the range of |E|; the buffers,
 * which are pinned, too; what the display keeps. */
enum { RANGES, BUFFERS, KEPT = BUFFERS + REC_BUFFERS };
_Static_assert((int)REC_PINNED + (int)REC_BUFFERS <= (int)REC_BLOCKS, "a pinned block for each");

typedef struct cuda_display {
    rec_cuda_room room;      /* its stream copies snapshots */
    int edge_range_known;    /* it never changes, and the kernel that finds it has been queued */
    cudaEvent_t made[REC_BUFFERS], arrived[REC_BUFFERS];
} cuda_display;

/* ---- memory ---- */

static rec_status cuda_display_take(rec_display *display, void *place, size_t bytes,
                                    const char *what, rec_error *error)
{
    cuda_display *own = display->state;
    size_t wanted[REC_BLOCKS] = {0};
    int i = KEPT;
    while (own->room.block[i])
        i++;
    wanted[i] = bytes;
    cudaSetDevice(own->room.device);
    const rec_status status = rec_cuda_room_take(&own->room, wanted, what, error);
    memcpy(place, &own->room.block[i], sizeof own->room.block[i]);
    return status;
}

static void give_back(rec_display *display, void *memory)
{
    cuda_display *own = display->state;
    cudaSetDevice(own->room.device);
    for (int i = KEPT; memory && i < REC_PINNED; i++)
        if (own->room.block[i] == memory)
            rec_cuda_room_give_back(&own->room, i);
}

static rec_status wait_for(const rec_planes *planes, rec_error *error)
{
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    return rec_cuda_status(result, "iterating", error);
}

#define COPY(name, transfer_rows, what) \
    static rec_status name(const rec_planes *planes, float *to, size_t to_stride, \
                           const float *from, size_t from_stride, size_t width, size_t height, \
                           rec_error *error) \
    { \
        cudaError_t result = cudaSetDevice(planes->device); \
        REC_FIRST_FAILURE(transfer_rows(planes->transfer, to, to_stride, from, from_stride, width, \
                                        height, planes->stream)); \
        return rec_cuda_status(result, what, error); \
    }
COPY(cuda_read, rec_cuda_download, "copying the picture from the device")
COPY(cuda_write, rec_cuda_upload, "copying a picture to the device")

static void cuda_display_destroy(rec_display *display)
{
    cuda_display *own = display->state;
    rec_cuda_room_destroy(&own->room);
    for (int i = 0; i < REC_BUFFERS; i++) {
        if (own->made[i])
            cudaEventDestroy(own->made[i]);
        if (own->arrived[i])
            cudaEventDestroy(own->arrived[i]);
    }
    rec_free(own);
}

static rec_status cuda_display_create(rec_display *display, const rec_planes *planes,
                                      rec_error *error)
{
    const size_t wanted[REC_BLOCKS] = {[RANGES] = (REC_BUFFERS + 1) * 2 * sizeof(unsigned)};
    cuda_display *own;
    REC_TRY(rec_allocate_zeroed(&own, 1, sizeof *own, "the display", error));
    display->state = own;
    own->room = (rec_cuda_room){
        .device = planes->device, .costs = &display->costs, .planes = *planes, .instead = ""};
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(cudaStreamCreateWithFlags(&own->room.stream, cudaStreamNonBlocking));
    for (int i = 0; i < REC_BUFFERS; i++) {
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(&own->made[i], cudaEventDisableTiming));
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(&own->arrived[i], cudaEventDisableTiming));
    }
    rec_status status = rec_cuda_status(result, "making the display", error);
    REC_THEN(status, rec_cuda_room_take(&own->room, wanted, "the display", error));
    if (status)
        cuda_display_destroy(display);
    return status;
}

/* ---- the comparison and snapshots ---- */

static rec_device_planes on_device(const rec_planes *planes)
{
    return (rec_device_planes){planes->width, planes->height, planes->planes, planes->pitch,
                               planes->step};
}

static rec_status cuda_display_compare(const rec_planes *planes, const float *reference,
                                       double *rows, double sums[3], rec_error *error)
{
    const rec_device_planes sizes = on_device(planes);
    const size_t count = planes->planes * planes->height;
    rec_owned double *here = NULL;
    REC_TRY(rec_allocate(&here, count, sizeof *here, "comparing", error));
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(rec_launch_compare(&sizes, planes->m, reference, rows, planes->stream));
    REC_FIRST_FAILURE(cudaMemcpyAsync(here, rows, count * sizeof *here, cudaMemcpyDeviceToHost,
                                      planes->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    for (size_t i = 0; result == cudaSuccess && i < count; i++)
        sums[i / planes->height] += here[i];
    return rec_cuda_status(result, "comparing with the reference", error);
}

static rec_status cuda_display_show(rec_display *display, const rec_planes *planes,
                                    const rec_layer_plane *first, const rec_area *changed,
                                    int index, rec_snapshot *snapshot, rec_error *error)
{
    cuda_display *own = display->state;
    const rec_view *view = &snapshot->view;
    const rec_device_planes sizes = on_device(planes);
    const int edges = view->layer == REC_LAYER_EDGES;
    unsigned *const range = (unsigned *)own->room.block[RANGES] + 2 * (edges ? REC_BUFFERS : index);
    const size_t bytes = ENDS_BYTES + snapshot->planes * snapshot->height * snapshot->stride;
    size_t wanted[REC_BLOCKS] = {0};
    wanted[BUFFERS + index] = wanted[REC_PINNED + index] = bytes;
    cudaError_t result = cudaSetDevice(planes->device);
    /* In a free buffer. Waits for the device if it grows: when a window has grown. */
    REC_TRY(rec_cuda_room_take(&own->room, wanted, "a snapshot", error));
    uint8_t *const made = own->room.block[BUFFERS + index];
    uint8_t *const host = own->room.block[REC_PINNED + index];
    REC_FIRST_FAILURE(rec_launch_snapshot(&sizes, view, first, range,
                                          edges && own->edge_range_known, (float *)(void *)made,
                                          made + ENDS_BYTES, planes->stream));
    if (result == cudaSuccess && edges)
        own->edge_range_known |= rec_tone_needs_range(rec_layers[view->layer].scale, view->tone);
    REC_FIRST_FAILURE(cudaEventRecord(own->made[index], planes->stream));
    REC_FIRST_FAILURE(cudaStreamWaitEvent(own->room.stream, own->made[index], 0));
    REC_FIRST_FAILURE(cudaMemcpyAsync(host, made, bytes, cudaMemcpyDeviceToHost, own->room.stream));
    REC_FIRST_FAILURE(cudaEventRecord(own->arrived[index], own->room.stream));
    snapshot->pixels = host + ENDS_BYTES;
    return rec_cuda_status(result, "making a snapshot", error);
}

static int arrived(void *state, int index, rec_snapshot *snapshot)
{
    const cuda_display *own = state;
    cudaSetDevice(own->room.device); /* the reader's thread has its own current device */
    if (cudaEventQuery(own->arrived[index]) != cudaSuccess)
        return 0;
    float ends[2];
    memcpy(ends, own->room.block[REC_PINNED + index], sizeof ends);
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
