/* Snapshots on the host: made at once, by the owner's threads, so that a slot in flight has always
 * arrived. */
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "kernels/snapshot.h"
#include "kernels/tone.h"
#include "solver/host.h"

/* The range of the current iterate, as rec_tone_find_range has it for an image: a view on the plane
 * as an image of one plane. */
static rec_tone_range find_range(const rec_host *host, rec_tone tone)
{
    rec_tone_range range = {0, 0};
    for (size_t p = 0; p < host->planes; p++) {
        const rec_image plane = {host->width, host->height, 1, host->stride, host->m[p].cells};
        const rec_tone_range found = rec_tone_find_range(&plane, tone);
        range.low = p && range.low < found.low ? range.low : found.low;
        range.high = p && range.high > found.high ? range.high : found.high;
    }
    return range;
}

rec_status rec_host_snapshot(void *state, const rec_view *view, int *begun, rec_error *error)
{
    rec_host *host = state;
    *begun = 0;
    const int slot = rec_slots_find_free(&host->slots);
    if (slot < 0)
        return REC_OK;
    const size_t plane_size = view->out_width * view->out_height;
    const size_t bytes = plane_size * host->planes;
    if (bytes > host->pixels_size[slot]) {
        void *pixels;
        const rec_status status = rec_allocate(&pixels, bytes, 1, "a snapshot", error);
        if (status)
            return status;
        rec_free(host->pixels[slot]);
        host->pixels[slot] = pixels;
        host->pixels_size[slot] = bytes;
    }
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    const rec_tone_range range = find_range(host, view->tone);
    for (size_t p = 0; p < host->planes; p++) {
        uint8_t *pixels = host->pixels[slot] + p * plane_size;
        const float *cells = host->m[p].cells + view->y * host->stride + view->x;
#pragma omp parallel for schedule(static) num_threads(host->threads)
        for (size_t y = 0; y < view->out_height; y++) {
            const size_t top = rec_box_edge(y, view->out_height, view->height);
            const size_t rows = rec_box_edge(y + 1, view->out_height, view->height) - top;
            for (size_t x = 0; x < view->out_width; x++) {
                const size_t left = rec_box_edge(x, view->out_width, view->width);
                const size_t columns = rec_box_edge(x + 1, view->out_width, view->width) - left;
                const float mean =
                    rec_box_mean(cells + top * host->stride + left, host->stride, columns, rows);
                pixels[y * view->out_width + x] =
                    (uint8_t)rec_tone_sample(mean, (int)view->tone, range.low, range.high, 255);
            }
        }
    }
    rec_trace_pop();
    rec_slots_begin(&host->slots, slot, view, host->planes, view->out_width, host->pixels[slot],
                    host->iterations);
    *begun = 1;
    return REC_OK;
}

const rec_snapshot *rec_host_poll(void *state)
{
    return rec_slots_poll(&((rec_host *)state)->slots, NULL, NULL);
}

void rec_host_release(void *state, const rec_snapshot *snapshot)
{
    rec_slots_release(&((rec_host *)state)->slots, snapshot);
}
