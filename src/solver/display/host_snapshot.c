/* Snapshots on the host: made at once, by the owner's threads, so that a slot in flight has always
 * arrived. */
#include <math.h>

#include "base/memory.h"
#include "base/trace.h"
#include "kernels/snapshot.h"
#include "kernels/tone.h"
#include "solver/cpu/host.h"

_Static_assert((int)REC_LAYER_PICTURE == REC_LAYER_NUMBER_PICTURE &&
               (int)REC_LAYER_EDGES == REC_LAYER_NUMBER_EDGES &&
               (int)REC_LAYER_CHANGE == REC_LAYER_NUMBER_CHANGE &&
               (int)REC_LAYER_DIFFERENCE == REC_LAYER_NUMBER_DIFFERENCE,
               "kernels/tone.h counts as rec_layer does");

/* A plane of a layer: rec_layer_value's arguments. */
typedef struct layer_plane {
    const float *of, *minus;
} layer_plane;

static layer_plane plane_of(const rec_host *host, rec_layer layer, size_t p)
{
    const float *m = host->m[p].cells;
    const size_t at = p * host->height * host->stride;
    switch (layer) {
    case REC_LAYER_EDGES:
        return (layer_plane){host->f[p], NULL};
    case REC_LAYER_CHANGE: /* without a mark none */
        return (layer_plane){m, host->mark ? host->mark + at : m};
    case REC_LAYER_DIFFERENCE:
        return (layer_plane){m, host->reference + at};
    default:
        return (layer_plane){m, NULL};
    }
}

/* For constants as the first two arguments: then the compiler vectorises the loop. */
static inline rec_tone_range range_of_row(int layer, int magnitudes, layer_plane plane,
                                          size_t first, size_t width)
{
    rec_tone_range range = {INFINITY, -INFINITY};
    for (size_t i = first; i < first + width; i++) {
        const float signed_value = rec_layer_value(layer, plane.of, plane.minus, i);
        const float value = magnitudes ? fabsf(signed_value) : signed_value;
        range.low = value < range.low ? value : range.low;
        range.high = value > range.high ? value : range.high;
    }
    return range;
}

static rec_tone_range find_row_range(const rec_view *view, layer_plane plane, size_t first,
                                     size_t width)
{
    switch (view->layer) {
    case REC_LAYER_EDGES:
        return range_of_row(REC_LAYER_EDGES, 1, plane, first, width);
    case REC_LAYER_CHANGE:
        return range_of_row(REC_LAYER_CHANGE, 1, plane, first, width);
    case REC_LAYER_DIFFERENCE:
        return range_of_row(REC_LAYER_DIFFERENCE, 1, plane, first, width);
    default:
        return rec_tone_of_magnitudes(REC_LAYER_PICTURE, (int)view->tone)
                   ? range_of_row(REC_LAYER_PICTURE, 1, plane, first, width)
                   : range_of_row(REC_LAYER_PICTURE, 0, plane, first, width);
    }
}

/* One pass over the whole image; the order of minima and maxima does not matter. */
static rec_tone_range find_range(const rec_host *host, const rec_view *view)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t p = 0; p < host->planes; p++) {
        const layer_plane plane = plane_of(host, view->layer, p);
#pragma omp parallel for schedule(static) num_threads(host->threads) reduction(min : low)          \
    reduction(max : high)
        for (size_t y = 0; y < host->height; y++) {
            const rec_tone_range row =
                find_row_range(view, plane, y * host->stride, host->width);
            low = row.low < low ? row.low : low;
            high = row.high > high ? row.high : high;
        }
    }
    return (rec_tone_range){low, high};
}

static rec_tone_map make_map(rec_host *host, const rec_view *view)
{
    rec_tone_map map = {(int)view->layer, (int)view->tone, view->contrast, 0, 0};
    if (!rec_tone_needs_range(map.layer, map.tone))
        return map;
    if (view->layer == REC_LAYER_EDGES) {
        if (!host->most_edge_known)
            host->most_edge = find_range(host, view).high;
        host->most_edge_known = 1;
        rec_tone_set_range(&map, 0, host->most_edge);
    } else {
        const rec_tone_range range = find_range(host, view);
        rec_tone_set_range(&map, range.low, range.high);
    }
    return map;
}

/* Row y of the output; the layer is a constant here, too. */
static inline void make_row(int layer, const rec_view *view, const rec_tone_map *map,
                            layer_plane plane, size_t stride, size_t y, uint8_t *pixels)
{
    const size_t top = rec_box_edge(y, view->out_height, view->height);
    const size_t rows = rec_box_edge(y + 1, view->out_height, view->height) - top;
    rec_tone_map own = *map;
    own.layer = layer;
    for (size_t x = 0; x < view->out_width; x++) {
        const size_t left = rec_box_edge(x, view->out_width, view->width);
        const size_t columns = rec_box_edge(x + 1, view->out_width, view->width) - left;
        const size_t first = (view->y + top) * stride + view->x + left;
        const float mean =
            rec_box_mean(layer, plane.of, plane.minus, first, stride, columns, rows);
        pixels[x] = (uint8_t)rec_tone_layer(mean, &own);
    }
}

static void make_plane(const rec_host *host, const rec_view *view, const rec_tone_map *map,
                       layer_plane plane, uint8_t *pixels)
{
#pragma omp parallel for schedule(static) num_threads(host->threads)
    for (size_t y = 0; y < view->out_height; y++) {
        uint8_t *row = pixels + y * view->out_width;
        switch (view->layer) {
        case REC_LAYER_EDGES:
            make_row(REC_LAYER_EDGES, view, map, plane, host->stride, y, row);
            break;
        case REC_LAYER_CHANGE:
            make_row(REC_LAYER_CHANGE, view, map, plane, host->stride, y, row);
            break;
        case REC_LAYER_DIFFERENCE:
            make_row(REC_LAYER_DIFFERENCE, view, map, plane, host->stride, y, row);
            break;
        default:
            make_row(REC_LAYER_PICTURE, view, map, plane, host->stride, y, row);
            break;
        }
    }
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
    const rec_tone_map map = make_map(host, view);
    for (size_t p = 0; p < host->planes; p++)
        make_plane(host, view, &map, plane_of(host, view->layer, p),
                   host->pixels[slot] + p * plane_size);
    rec_trace_pop();
    rec_slots_begin(&host->slots, slot, view, host->planes, view->out_width, host->pixels[slot],
                    host->iterations, (rec_tone_range){map.low, map.high});
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
