/* The display of planes on a device. Snapshots are made there, behind the iterations; a stream of
 * their own copies them, for which the next iterations do not wait. */
#include <string.h>

#include "base/memory.h"
#include "device/cuda_room.h"
#include "display/display.h"

/* One copy has a snapshot's low and high, and then its bytes. */
enum { ENDS_BYTES = 2 * sizeof(float) };

/* The numbers of its own memory: two words for each buffer, and two for the range of |E|; the
 * buffers, which are pinned, too. Of its events: a snapshot was made, and has arrived. */
enum { RANGES = REC_KEPTS, BUFFERS };
enum { MADE, ARRIVED = MADE + REC_BUFFERS };
_Static_assert((int)REC_PINNED + (int)REC_BUFFERS <= (int)REC_BLOCKS &&
               (int)ARRIVED + (int)REC_BUFFERS <= (int)REC_EVENTS, "a pinned block for each");

static rec_status cuda_display_start(rec_display *display, rec_error *error)
{
    const size_t wanted[REC_BLOCKS] = {[RANGES] = (REC_BUFFERS + 1) * 2 * sizeof(unsigned)};
    rec_room *room = &display->room;
    cudaError_t result = cudaSetDevice(room->device);
    REC_FIRST_FAILURE(cudaStreamCreateWithFlags(&room->stream, cudaStreamNonBlocking));
    for (int i = 0; i < REC_EVENTS; i++)
        REC_FIRST_FAILURE(cudaEventCreateWithFlags(&room->event[i], cudaEventDisableTiming));
    REC_TRY(rec_cuda_status(result, "making the display", error));
    return rec_memory_cuda.allocate(room, wanted, "the display", error);
}

static rec_status cuda_display_compare(const rec_display *display, const rec_planes *planes,
                                       double sums[3], rec_error *error)
{
    double *const rows = display->room.block[REC_KEPT_ROWS];
    const rec_device_planes sizes = rec_cuda_planes_of(planes);
    const size_t count = planes->planes * planes->height;
    rec_owned double *here = NULL;
    REC_TRY(rec_allocate(&here, count, sizeof *here, "comparing", error));
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(rec_launch_compare(&sizes, planes->m, display->reference, rows,
                                         planes->stream));
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
    rec_room *room = &display->room;
    const rec_view *view = &snapshot->view;
    const rec_device_planes sizes = rec_cuda_planes_of(planes);
    const int edges = view->layer == REC_LAYER_EDGES;
    unsigned *const range = (unsigned *)room->block[RANGES] + 2 * (edges ? REC_BUFFERS : index);
    const size_t bytes = ENDS_BYTES + snapshot->planes * snapshot->height * snapshot->stride;
    size_t wanted[REC_BLOCKS] = {0};
    wanted[BUFFERS + index] = wanted[REC_PINNED + index] = bytes;
    cudaError_t result = cudaSetDevice(planes->device);
    /* In a free buffer. Waits for the device if it grows: when a window has grown. */
    REC_TRY(rec_memory_cuda.allocate(room, wanted, "a snapshot", error));
    uint8_t *const made = room->block[BUFFERS + index];
    uint8_t *const host = room->block[REC_PINNED + index];
    REC_FIRST_FAILURE(rec_launch_snapshot(&sizes, view, first, range,
                                          edges && display->most_edge_known, (float *)(void *)made,
                                          made + ENDS_BYTES, planes->stream));
    if (result == cudaSuccess && edges)
        display->most_edge_known |= rec_tone_needs_range(rec_layers[view->layer].scale, view->tone);
    REC_FIRST_FAILURE(cudaEventRecord(room->event[MADE + index], planes->stream));
    REC_FIRST_FAILURE(cudaStreamWaitEvent(room->stream, room->event[MADE + index], 0));
    REC_FIRST_FAILURE(cudaMemcpyAsync(host, made, bytes, cudaMemcpyDeviceToHost, room->stream));
    REC_FIRST_FAILURE(cudaEventRecord(room->event[ARRIVED + index], room->stream));
    snapshot->pixels = host + ENDS_BYTES;
    return rec_cuda_status(result, "making a snapshot", error);
}

static int arrived(void *context, int index, rec_snapshot *snapshot)
{
    const rec_room *room = &((const rec_display *)context)->room;
    cudaSetDevice(room->device); /* the reader's thread has its own current device */
    if (cudaEventQuery(room->event[ARRIVED + index]) != cudaSuccess)
        return 0;
    float ends[2];
    memcpy(ends, room->block[REC_PINNED + index], sizeof ends);
    snapshot->low = ends[0];
    snapshot->high = ends[1];
    return 1;
}

const rec_display_compute rec_display_cuda = {
    .start = cuda_display_start,
    .compare = cuda_display_compare,
    .show = cuda_display_show,
    .arrived = arrived,
};
