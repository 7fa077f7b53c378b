/* The display of planes on a device. Snapshots are made there behind the iterations and copied on a
 * stream of their own, so that the next batch need not wait for the bytes to arrive. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "kernels/kernels.h"
#include "kernels/tone.h"
#include "solver/cuda/cuda_status.h"
#include "solver/display/display.h"

/* A snapshot's low and high come before its bytes, all in one copy. */
enum { ENDS_BYTES = 2 * sizeof(float) };

typedef struct cuda_display {
    int device;
    cudaStream_t copying;
    float *mark, *reference; /* NULL: there is none */
    float *edges;            /* -E / 4, where the planes' f has something folded into it; or NULL */
    size_t mark_bytes;
    double *sums;            /* of rec_launch_compare, there with the reference */
    unsigned *ranges;        /* two words for each buffer, and two for the range of |E|, which no
                                iteration changes; */
    int edge_range_known;    /* a kernel that finds it is queued, or was */
    size_t bytes;            /* of the device, all of these */
    struct {
        uint8_t *device, *host; /* host pinned */
        size_t bytes;
        cudaEvent_t made, arrived;
    } buffer[REC_BUFFERS];
} cuda_display;


/* Of the mark and of the reference, which lie as the planes do. */
static size_t kept_bytes(const rec_planes *planes)
{
    return ((planes->planes - 1) * planes->step + planes->height * planes->pitch) * sizeof(float);
}

static size_t sums_bytes(const rec_planes *planes)
{
    return (1 + planes->planes * planes->height) * sizeof(double);
}

static rec_device_planes on_device(const rec_planes *planes)
{
    return (rec_device_planes){planes->width, planes->height, planes->planes, planes->pitch,
                               planes->step};
}

/* ---- creation ---- */

static void destroy(void *state)
{
    cuda_display *display = state;
    cudaSetDevice(display->device);
    if (display->copying)
        cudaStreamSynchronize(display->copying);
    cudaFree(display->mark);
    cudaFree(display->reference);
    cudaFree(display->edges);
    cudaFree(display->sums);
    cudaFree(display->ranges);
    for (int i = 0; i < REC_BUFFERS; i++) {
        cudaFree(display->buffer[i].device);
        cudaFreeHost(display->buffer[i].host);
        if (display->buffer[i].made)
            cudaEventDestroy(display->buffer[i].made);
        if (display->buffer[i].arrived)
            cudaEventDestroy(display->buffer[i].arrived);
    }
    if (display->copying)
        cudaStreamDestroy(display->copying);
    free(display);
}

static rec_status create(void **state, const rec_planes *planes, rec_error *error)
{
    const size_t range_bytes = (REC_BUFFERS + 1) * 2 * sizeof(unsigned);
    cuda_display *display = calloc(1, sizeof *display);
    if (!display)
        return rec_fail(error, REC_LIMIT, "out of memory for the display");
    display->device = planes->device;
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(cudaStreamCreateWithFlags(&display->copying, cudaStreamNonBlocking));
    REC_FIRST_FAILURE(cudaMalloc((void **)&display->ranges, range_bytes));
    for (int i = 0; i < REC_BUFFERS; i++) {
        REC_FIRST_FAILURE(
            cudaEventCreateWithFlags(&display->buffer[i].made, cudaEventDisableTiming));
        REC_FIRST_FAILURE(
            cudaEventCreateWithFlags(&display->buffer[i].arrived, cudaEventDisableTiming));
    }
    display->bytes = range_bytes;
    if (result == cudaSuccess)
        *state = display;
    else
        destroy(display);
    return rec_cuda_status(result, "taking memory on the device", error);
}

static size_t device_bytes(const void *state) { return ((const cuda_display *)state)->bytes; }

/* ---- the mark and the reference ---- */

static rec_status choose_device(const cuda_display *display, rec_error *error)
{
    return rec_cuda_status(cudaSetDevice(display->device), "choosing the device", error);
}

/* Memory that is counted. A refusal says how much is free, and does not stay behind as CUDA's last
 * error. */
static rec_status take(cuda_display *display, void **memory, size_t bytes, const char *what,
                       rec_error *error)
{
    size_t available = 0, all = 0;
    char needs[32], has[32];
    *memory = NULL;
    rec_trace_push(REC_TRACE_ALLOCATE, bytes);
    const cudaError_t result = cudaMalloc(memory, bytes);
    rec_trace_pop();
    if (result == cudaSuccess) {
        display->bytes += bytes;
        return REC_OK;
    }
    cudaGetLastError();
    if (result != cudaErrorMemoryAllocation || cudaMemGetInfo(&available, &all) != cudaSuccess)
        return rec_cuda_status(result, "taking memory on the device", error);
    return rec_fail(error, REC_LIMIT, "%s needs %s on the device, and %s is free", what,
                    rec_format_bytes(needs, (double)bytes),
                    rec_format_bytes(has, (double)available));
}

static void give_back(cuda_display *display, void *memory, size_t bytes)
{
    if (!memory)
        return;
    cudaFree(memory);
    display->bytes -= bytes;
}

static rec_status mark(void *state, const rec_planes *planes, rec_error *error)
{
    cuda_display *display = state;
    rec_status status = choose_device(display, error);
    if (!status && !display->mark) {
        void *memory;
        status = take(display, &memory, kept_bytes(planes), "the iterate to compare with", error);
        display->mark = memory;
        display->mark_bytes = kept_bytes(planes);
    }
    if (status)
        return status;
    return rec_cuda_status(cudaMemcpyAsync(display->mark, planes->m, display->mark_bytes,
                                           cudaMemcpyDeviceToDevice, planes->stream),
                           "remembering the iterate", error);
}

/* Freeing memory waits for the kernels that still read it. */
static void unmark(void *state)
{
    cuda_display *display = state;
    cudaSetDevice(display->device);
    give_back(display, display->mark, display->mark_bytes);
    display->mark = NULL;
}

static void drop_reference(cuda_display *display, const rec_planes *planes)
{
    give_back(display, display->reference, kept_bytes(planes));
    give_back(display, display->sums, sums_bytes(planes));
    display->reference = NULL;
    display->sums = NULL;
}

static rec_status set_reference(void *state, const rec_planes *planes, const rec_image *reference,
                                rec_error *error)
{
    cuda_display *display = state;
    rec_status status = choose_device(display, error);
    if (!status && reference && !display->reference) {
        void *memory, *sums = NULL;
        status = take(display, &memory, kept_bytes(planes), "the reference", error);
        if (!status)
            status = take(display, &sums, sums_bytes(planes), "comparing", error);
        display->reference = memory;
        display->sums = sums;
    }
    if (status || !reference) {
        drop_reference(display, planes);
        return status;
    }
    rec_trace_push(REC_TRACE_UPLOAD, kept_bytes(planes));
    cudaError_t result = cudaSuccess;
    for (size_t p = 0; p < planes->planes; p++)
        REC_FIRST_FAILURE(cudaMemcpy2DAsync(
            display->reference + p * planes->step, planes->pitch * sizeof(float),
            rec_image_row(reference, p, 0), reference->stride * sizeof(float),
            planes->width * sizeof(float), planes->height, cudaMemcpyHostToDevice,
            planes->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    rec_trace_pop();
    return rec_cuda_status(result, "copying the reference to the device", error);
}

static rec_status compare(void *state, const rec_planes *planes, double *mean_square,
                          rec_error *error)
{
    const cuda_display *display = state;
    const rec_device_planes sizes = on_device(planes);
    double sum = 0;
    cudaError_t result = cudaSetDevice(display->device);
    REC_FIRST_FAILURE(rec_launch_compare(&sizes, planes->m, display->reference, display->sums,
                                         planes->stream));
    REC_FIRST_FAILURE(cudaMemcpyAsync(&sum, display->sums, sizeof sum, cudaMemcpyDeviceToHost,
                                      planes->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    *mean_square = sum / ((double)planes->planes * (double)planes->height * (double)planes->width);
    return rec_cuda_status(result, "comparing with the reference", error);
}

/* The planes of large images are too far apart for one copy with a pitch. */
static rec_status probe_pixel(void *state, const rec_planes *planes, size_t x, size_t y,
                              rec_probe *probe, rec_error *error)
{
    const cuda_display *display = state;
    const struct {
        const float *from;
        float *to;
    } parts[] = {{planes->m, probe->picture},
                 {planes->f, probe->edges},
                 {display->reference, probe->reference}};
    cudaError_t result = cudaSetDevice(display->device);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t p = 0; parts[i].from && p < planes->planes; p++)
            REC_FIRST_FAILURE(cudaMemcpyAsync(
                parts[i].to + p, parts[i].from + p * planes->step + y * planes->pitch + x,
                sizeof(float), cudaMemcpyDeviceToHost, planes->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    for (size_t p = 0; p < planes->planes; p++)
        probe->edges[p] *= -4.0f; /* it was f */
    return rec_cuda_status(result, "reading a pixel", error);
}

/* ---- snapshots ---- */

/* A copy of f with its first and its last column as they were given. */
static rec_status unfold(cuda_display *display, const rec_planes *planes, rec_error *error)
{
    const size_t pitch = planes->pitch * sizeof(float), last = planes->width - 1;
    void *memory, *host;
    if (display->edges || !rec_display_unfolds(planes))
        return REC_OK;
    rec_status status = rec_allocate(&host, planes->height, sizeof(float), "a column", error);
    if (status)
        return status;
    status = take(display, &memory, kept_bytes(planes), "showing the edges", error);
    display->edges = memory;
    cudaError_t result = status ? cudaSuccess
                                : cudaMemcpyAsync(memory, planes->f, kept_bytes(planes),
                                                  cudaMemcpyDeviceToDevice, planes->stream);
    for (size_t i = 0; !status && i < planes->planes * (last ? 2 : 1); i++) {
        const size_t x = i % 2 && last ? last : 0, p = last ? i / 2 : i;
        float *column = display->edges + p * planes->step + x;
        REC_FIRST_FAILURE(cudaMemcpy2DAsync(host, sizeof(float), column, pitch, sizeof(float),
                                            planes->height, cudaMemcpyDeviceToHost,
                                            planes->stream));
        REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
        rec_display_unfold(planes, x, host, 1);
        REC_FIRST_FAILURE(cudaMemcpy2DAsync(column, pitch, host, sizeof(float), sizeof(float),
                                            planes->height, cudaMemcpyHostToDevice,
                                            planes->stream));
        REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    }
    rec_free(host);
    return status ? status : rec_cuda_status(result, "showing the edges", error);
}

/* Makes room in a free buffer. Waits for the device, which happens when a window has grown. */
static cudaError_t grow_buffer(cuda_display *display, int index, size_t bytes)
{
    if (display->buffer[index].bytes >= bytes)
        return cudaSuccess;
    display->bytes -= display->buffer[index].bytes;
    cudaFree(display->buffer[index].device);
    cudaFreeHost(display->buffer[index].host);
    display->buffer[index].device = display->buffer[index].host = NULL;
    display->buffer[index].bytes = 0;
    cudaError_t result = cudaMalloc((void **)&display->buffer[index].device, bytes);
    REC_FIRST_FAILURE(cudaMallocHost((void **)&display->buffer[index].host, bytes));
    if (result == cudaSuccess) {
        display->buffer[index].bytes = bytes;
        display->bytes += bytes;
    }
    return result;
}

/* Queues the making of a snapshot into `made`, of the device. */
static cudaError_t make(cuda_display *display, const rec_planes *planes, const rec_view *view,
                        int index, uint8_t *made)
{
    const rec_device_planes sizes = on_device(planes);
    const rec_device_view asked = {.x = view->x,
                                   .y = view->y,
                                   .width = view->width,
                                   .height = view->height,
                                   .out_width = view->out_width,
                                   .out_height = view->out_height,
                                   .layer = (int)view->layer,
                                   .tone = (int)view->tone,
                                   .contrast = view->contrast,
                                   .shift = view->shift};
    rec_device_layer layer = {.of = planes->m, .range = display->ranges + 2 * index};
    switch (view->layer) {
    case REC_LAYER_EDGES:
        layer.of = display->edges ? display->edges : planes->f;
        layer.range = display->ranges + 2 * REC_BUFFERS;
        layer.range_known = display->edge_range_known;
        break;
    case REC_LAYER_CHANGE: /* nothing has changed if there is no mark */
        layer.minus = display->mark ? display->mark : planes->m;
        break;
    case REC_LAYER_DIFFERENCE:
        layer.minus = display->reference;
        break;
    default:
        break;
    }
    const cudaError_t result = rec_launch_snapshot(&sizes, &asked, &layer, (float *)(void *)made,
                                                   made + ENDS_BYTES, planes->stream);
    if (result == cudaSuccess && view->layer == REC_LAYER_EDGES)
        display->edge_range_known |= rec_tone_needs_range(asked.layer, asked.tone);
    return result;
}

static rec_status show(void *state, const rec_planes *planes, int index, rec_snapshot *snapshot,
                       rec_error *error)
{
    cuda_display *display = state;
    const size_t bytes =
        ENDS_BYTES + snapshot->width * snapshot->height * snapshot->planes;
    cudaError_t result = cudaSetDevice(display->device);
    const rec_status unfolded =
        snapshot->view.layer == REC_LAYER_EDGES ? unfold(display, planes, error) : REC_OK;
    if (unfolded)
        return unfolded;
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    REC_FIRST_FAILURE(grow_buffer(display, index, bytes));
    REC_FIRST_FAILURE(
        make(display, planes, &snapshot->view, index, display->buffer[index].device));
    REC_FIRST_FAILURE(cudaEventRecord(display->buffer[index].made, planes->stream));
    REC_FIRST_FAILURE(cudaStreamWaitEvent(display->copying, display->buffer[index].made, 0));
    REC_FIRST_FAILURE(cudaMemcpyAsync(display->buffer[index].host, display->buffer[index].device,
                                      bytes, cudaMemcpyDeviceToHost, display->copying));
    REC_FIRST_FAILURE(cudaEventRecord(display->buffer[index].arrived, display->copying));
    rec_trace_pop();
    if (result != cudaSuccess) {
        cudaGetLastError(); /* a refusal of memory is told once */
        return rec_cuda_status(result, "making a snapshot", error);
    }
    snapshot->pixels = display->buffer[index].host + ENDS_BYTES;
    return REC_OK;
}

static int arrived(void *state, int index, rec_snapshot *snapshot)
{
    const cuda_display *display = state;
    float ends[2];
    cudaSetDevice(display->device); /* the reader's thread has its own current device */
    if (cudaEventQuery(display->buffer[index].arrived) != cudaSuccess)
        return 0;
    memcpy(ends, display->buffer[index].host, sizeof ends);
    snapshot->low = ends[0];
    snapshot->high = ends[1];
    return 1;
}

const rec_memory rec_memory_cuda = {
    .create = create,
    .destroy = destroy,
    .device_bytes = device_bytes,
    .mark = mark,
    .unmark = unmark,
    .set_reference = set_reference,
    .compare = compare,
    .probe = probe_pixel,
    .show = show,
    .arrived = arrived,
};
