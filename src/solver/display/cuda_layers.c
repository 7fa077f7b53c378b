#include "solver/display/cuda_layers.h"

#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "kernels/tone.h"
#include "solver/cuda/cuda_status.h"

#define EDGE_RANGE_BYTES (2 * sizeof(unsigned))

static size_t bytes_of(const rec_grid *grid)
{
    return grid->planes * grid->height * grid->pitch * sizeof(float);
}

static size_t sums_bytes(const rec_grid *grid)
{
    return (1 + grid->planes * grid->height) * sizeof(double);
}

static rec_status choose_device(const rec_cuda_planes *planes, rec_error *error)
{
    return rec_cuda_status(cudaSetDevice(planes->device), "choosing the device", error);
}

/* Memory that is counted. A refusal must not be found again by whoever asks CUDA for its last error
 * next, and it says how much there is. */
static rec_status take(rec_cuda_layers *layers, void **memory, size_t bytes, const char *what,
                       rec_error *error)
{
    size_t available = 0, all = 0;
    char needs[32], has[32];
    *memory = NULL;
    rec_trace_push(REC_TRACE_ALLOCATE, bytes);
    const cudaError_t result = cudaMalloc(memory, bytes);
    rec_trace_pop();
    if (result == cudaSuccess) {
        layers->bytes += bytes;
        return REC_OK;
    }
    cudaGetLastError();
    if (result != cudaErrorMemoryAllocation || cudaMemGetInfo(&available, &all) != cudaSuccess)
        return rec_cuda_status(result, "taking memory on the device", error);
    return rec_fail(error, REC_LIMIT, "%s takes %s on the device, and %s is free", what,
                    rec_format_bytes(needs, (double)bytes),
                    rec_format_bytes(has, (double)available));
}

static void give_back(rec_cuda_layers *layers, void *memory, size_t bytes)
{
    if (!memory)
        return;
    cudaFree(memory);
    layers->bytes -= bytes;
}

void rec_cuda_layers_destroy(rec_cuda_layers *layers)
{
    cudaFree(layers->mark);
    cudaFree(layers->reference);
    cudaFree(layers->sums);
    cudaFree(layers->edge_range);
    *layers = (rec_cuda_layers){0};
}

/* ---- the mark and the reference ---- */

rec_status rec_cuda_layers_mark(rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                rec_error *error)
{
    const size_t bytes = bytes_of(&planes->grid);
    rec_status status = choose_device(planes, error);
    if (!status && !layers->mark) {
        void *memory;
        status = take(layers, &memory, bytes, "the iterate to compare with", error);
        layers->mark = memory;
    }
    if (status)
        return status;
    return rec_cuda_status(cudaMemcpyAsync(layers->mark, planes->m, bytes,
                                           cudaMemcpyDeviceToDevice, planes->stream),
                           "remembering the iterate", error);
}

/* Freeing memory waits for the kernels that still read it. */
void rec_cuda_layers_unmark(rec_cuda_layers *layers, const rec_cuda_planes *planes)
{
    cudaSetDevice(planes->device);
    give_back(layers, layers->mark, bytes_of(&planes->grid));
    layers->mark = NULL;
}

static void drop_reference(rec_cuda_layers *layers, const rec_grid *grid)
{
    give_back(layers, layers->reference, bytes_of(grid));
    give_back(layers, layers->sums, sums_bytes(grid));
    layers->reference = NULL;
    layers->sums = NULL;
}

rec_status rec_cuda_layers_set_reference(rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                         const rec_image *reference, rec_error *error)
{
    const rec_grid *grid = &planes->grid;
    rec_status status = choose_device(planes, error);
    if (!status && reference && !layers->reference) {
        void *memory, *sums = NULL;
        status = take(layers, &memory, bytes_of(grid), "the reference", error);
        if (!status)
            status = take(layers, &sums, sums_bytes(grid), "comparing", error);
        layers->reference = memory;
        layers->sums = sums;
    }
    if (status || !reference) {
        drop_reference(layers, grid);
        return status;
    }
    rec_trace_push(REC_TRACE_UPLOAD, bytes_of(grid));
    /* Planes follow each other without a gap on both sides: one copy of planes * height rows. */
    cudaError_t result = cudaMemcpy2DAsync(
        layers->reference, grid->pitch * sizeof(float), reference->data,
        reference->stride * sizeof(float), grid->width * sizeof(float),
        grid->height * grid->planes, cudaMemcpyHostToDevice, planes->stream);
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    rec_trace_pop();
    return rec_cuda_status(result, "copying the reference to the device", error);
}

rec_status rec_cuda_layers_compare(const rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                   double *mean_square, rec_error *error)
{
    const rec_grid *grid = &planes->grid;
    double sum = 0;
    cudaError_t result = cudaSetDevice(planes->device);
    REC_FIRST_FAILURE(
        rec_launch_compare(grid, planes->m, layers->reference, layers->sums, planes->stream));
    REC_FIRST_FAILURE(
        cudaMemcpyAsync(&sum, layers->sums, sizeof sum, cudaMemcpyDeviceToHost, planes->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    *mean_square = sum / ((double)grid->planes * (double)grid->height * (double)grid->width);
    return rec_cuda_status(result, "comparing with the reference", error);
}

/* The planes lie too far apart in large images for one copy with a pitch. */
rec_status rec_cuda_layers_probe(const rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                 size_t x, size_t y, rec_probe *probe, rec_error *error)
{
    const rec_grid *grid = &planes->grid;
    const struct {
        const float *from;
        float *to;
    } parts[] = {{planes->m, probe->picture},
                 {planes->f, probe->edges},
                 {layers->reference, probe->reference}};
    cudaError_t result = cudaSetDevice(planes->device);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t p = 0; parts[i].from && p < grid->planes; p++)
            REC_FIRST_FAILURE(cudaMemcpyAsync(
                parts[i].to + p, parts[i].from + (p * grid->height + y) * grid->pitch + x,
                sizeof(float), cudaMemcpyDeviceToHost, planes->stream));
    REC_FIRST_FAILURE(cudaStreamSynchronize(planes->stream));
    for (size_t p = 0; p < grid->planes; p++)
        probe->edges[p] *= -4.0f; /* it was f */
    return rec_cuda_status(result, "reading a pixel", error);
}

/* ---- snapshots ---- */

cudaError_t rec_cuda_layers_show(rec_cuda_layers *layers, const rec_cuda_planes *planes,
                                 const rec_view *view, unsigned *range, uint8_t *made)
{
    const rec_device_view on_device = {.x = view->x,
                                       .y = view->y,
                                       .width = view->width,
                                       .height = view->height,
                                       .out_width = view->out_width,
                                       .out_height = view->out_height,
                                       .layer = (int)view->layer,
                                       .tone = (int)view->tone,
                                       .contrast = view->contrast};
    rec_device_layer layer = {.of = planes->m, .range = range};
    cudaError_t result = cudaSuccess;
    switch (view->layer) {
    case REC_LAYER_EDGES:
        if (!layers->edge_range) {
            result = cudaMalloc((void **)&layers->edge_range, EDGE_RANGE_BYTES);
            layers->bytes += result == cudaSuccess ? EDGE_RANGE_BYTES : 0;
        }
        layer.of = planes->f;
        layer.range = layers->edge_range;
        layer.range_known = layers->edge_range_known;
        break;
    case REC_LAYER_CHANGE: /* without a mark none */
        layer.minus = layers->mark ? layers->mark : planes->m;
        break;
    case REC_LAYER_DIFFERENCE:
        layer.minus = layers->reference;
        break;
    default:
        break;
    }
    REC_FIRST_FAILURE(rec_launch_snapshot(&planes->grid, &on_device, &layer,
                                          (float *)(void *)made, made + REC_CUDA_ENDS_BYTES,
                                          planes->stream));
    if (result == cudaSuccess && view->layer == REC_LAYER_EDGES)
        layers->edge_range_known |= rec_tone_needs_range(on_device.layer, on_device.tone);
    return result;
}

void rec_cuda_layers_arrive(const uint8_t *host, rec_snapshot *snapshot)
{
    float ends[2];
    memcpy(ends, host, sizeof ends);
    snapshot->low = ends[0];
    snapshot->high = ends[1];
}
