/* The display of planes in the host's memory. Snapshots are made at once, by the owner's threads,
 * so that one in flight has always arrived. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "kernels/snapshot.h"
#include "kernels/tone.h"
#include "solver/display/display.h"

_Static_assert((int)REC_LAYER_PICTURE == REC_LAYER_NUMBER_PICTURE &&
               (int)REC_LAYER_EDGES == REC_LAYER_NUMBER_EDGES &&
               (int)REC_LAYER_CHANGE == REC_LAYER_NUMBER_CHANGE &&
               (int)REC_LAYER_DIFFERENCE == REC_LAYER_NUMBER_DIFFERENCE,
               "kernels/tone.h counts as rec_layer does");

typedef struct host_display {
    /* Planes behind each other, height rows of `pitch` floats, or NULL; of the edges -E / 4, where
     * the planes' f has something folded into it. */
    float *mark, *reference, *edges;
    double *row_sums;        /* height, there with the reference */
    float most_edge;         /* the largest |E|, which no iteration changes, */
    int most_edge_known;     /* once it was looked for */
    uint8_t *pixels[REC_BUFFERS];
    size_t pixels_size[REC_BUFFERS]; /* bytes */
} host_display;

static rec_status create(void **state, const rec_planes *planes, rec_error *error)
{
    (void)planes;
    *state = calloc(1, sizeof(host_display));
    return *state ? REC_OK : rec_fail(error, REC_LIMIT, "out of memory for the display");
}

static void destroy(void *state)
{
    host_display *display = state;
    rec_free(display->mark);
    rec_free(display->reference);
    rec_free(display->edges);
    rec_free(display->row_sums);
    for (int i = 0; i < REC_BUFFERS; i++)
        rec_free(display->pixels[i]);
    free(display);
}

static size_t device_bytes(const void *state)
{
    (void)state;
    return 0;
}

/* ---- the mark and the reference ---- */

static size_t plane_size(const rec_planes *planes) { return planes->height * planes->pitch; }

/* Memory for all planes, once. */
static rec_status take(float **kept, const rec_planes *planes, const char *what, rec_error *error)
{
    void *memory;
    if (*kept)
        return REC_OK;
    rec_trace_push(REC_TRACE_ALLOCATE, planes->planes * plane_size(planes) * sizeof(float));
    /* The product fits: the solver has as much for its iterates. */
    const rec_status status =
        rec_allocate(&memory, planes->planes * plane_size(planes), sizeof(float), what, error);
    rec_trace_pop();
    if (!status)
        *kept = memory;
    return status;
}

/* Plane p from rows that are `stride` floats apart; the threads write the rows that they will
 * read. */
static void copy_plane(const rec_planes *planes, float *kept, size_t p, const float *rows,
                       size_t stride)
{
    float *plane = kept + p * plane_size(planes);
#pragma omp parallel for schedule(static) num_threads(planes->threads)
    for (size_t y = 0; y < planes->height; y++)
        memcpy(plane + y * planes->pitch, rows + y * stride, planes->width * sizeof *plane);
}

static rec_status mark(void *state, const rec_planes *planes, rec_error *error)
{
    host_display *display = state;
    const rec_status status = take(&display->mark, planes, "the iterate to compare with", error);
    for (size_t p = 0; !status && p < planes->planes; p++)
        copy_plane(planes, display->mark, p, planes->m + p * planes->step, planes->pitch);
    return status;
}

static void unmark(void *state)
{
    host_display *display = state;
    rec_free(display->mark);
    display->mark = NULL;
}

static rec_status set_reference(void *state, const rec_planes *planes, const rec_image *reference,
                                rec_error *error)
{
    host_display *display = state;
    rec_status status = REC_OK;
    if (reference)
        status = take(&display->reference, planes, "the reference", error);
    if (reference && !status && !display->row_sums) {
        void *sums = NULL;
        status = rec_allocate(&sums, planes->height, sizeof(double), "comparing", error);
        display->row_sums = sums;
    }
    if (status || !reference) {
        rec_free(display->reference);
        rec_free(display->row_sums);
        display->reference = NULL;
        display->row_sums = NULL;
        return status;
    }
    for (size_t p = 0; p < planes->planes; p++)
        copy_plane(planes, display->reference, p, rec_image_row(reference, p, 0),
                   reference->stride);
    return REC_OK;
}

/* Summed as the norms are: within rows, and then over rows and planes. */
static rec_status compare(void *state, const rec_planes *planes, double *mean_square,
                          rec_error *error)
{
    (void)error;
    const host_display *display = state;
    double sum = 0;
    for (size_t p = 0; p < planes->planes; p++) {
        const float *reference = display->reference + p * plane_size(planes);
#pragma omp parallel for schedule(static) num_threads(planes->threads)
        for (size_t y = 0; y < planes->height; y++) {
            const float *m = planes->m + p * planes->step + y * planes->pitch;
            const float *r = reference + y * planes->pitch;
            double squares = 0;
            for (size_t x = 0; x < planes->width; x++) {
                const double d = (double)m[x] - (double)r[x];
                squares += d * d;
            }
            display->row_sums[y] = squares;
        }
        for (size_t y = 0; y < planes->height; y++)
            sum += display->row_sums[y];
    }
    *mean_square = sum / ((double)planes->planes * (double)planes->height * (double)planes->width);
    return REC_OK;
}

static rec_status probe_pixel(void *state, const rec_planes *planes, size_t x, size_t y,
                              rec_probe *probe, rec_error *error)
{
    (void)error;
    const host_display *display = state;
    const size_t at = y * planes->pitch + x;
    for (size_t p = 0; p < planes->planes; p++) {
        probe->picture[p] = planes->m[p * planes->step + at];
        if (planes->f)
            probe->edges[p] = -4.0f * planes->f[p * planes->step + at];
        if (display->reference)
            probe->reference[p] = display->reference[p * plane_size(planes) + at];
    }
    return REC_OK;
}

/* ---- snapshots ---- */

static rec_status unfold(host_display *display, const rec_planes *planes, rec_error *error)
{
    if (display->edges || !rec_display_unfolds(planes))
        return REC_OK;
    const rec_status status = take(&display->edges, planes, "showing the edges", error);
    for (size_t p = 0; !status && p < planes->planes; p++) {
        float *plane = display->edges + p * plane_size(planes);
        copy_plane(planes, display->edges, p, planes->f + p * planes->step, planes->pitch);
        rec_display_unfold(planes, 0, plane, planes->pitch);
        if (planes->width > 1)
            rec_display_unfold(planes, planes->width - 1, plane + planes->width - 1,
                               planes->pitch);
    }
    return status;
}

/* A plane of a layer: rec_layer_value's arguments. */
typedef struct layer_plane {
    const float *of, *minus;
} layer_plane;

static layer_plane plane_of(const host_display *display, const rec_planes *planes, rec_layer layer,
                            size_t p)
{
    const float *m = planes->m + p * planes->step;
    const size_t at = p * plane_size(planes);
    switch (layer) {
    case REC_LAYER_EDGES:
        return (layer_plane){display->edges ? display->edges + at : planes->f + p * planes->step,
                             NULL};
    case REC_LAYER_CHANGE: /* nothing has changed if there is no mark */
        return (layer_plane){m, display->mark ? display->mark + at : m};
    case REC_LAYER_DIFFERENCE:
        return (layer_plane){m, display->reference + at};
    default:
        return (layer_plane){m, NULL};
    }
}

/* Called with constants as the first two arguments, so that the compiler vectorises the loop. */
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
static rec_tone_range find_range(const host_display *display, const rec_planes *planes,
                                 const rec_view *view)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t p = 0; p < planes->planes; p++) {
        const layer_plane plane = plane_of(display, planes, view->layer, p);
#pragma omp parallel for schedule(static) num_threads(planes->threads) reduction(min : low) \
    reduction(max : high)
        for (size_t y = 0; y < planes->height; y++) {
            const rec_tone_range row =
                find_row_range(view, plane, y * planes->pitch, planes->width);
            low = row.low < low ? row.low : low;
            high = row.high > high ? row.high : high;
        }
    }
    return (rec_tone_range){low, high};
}

static rec_tone_map make_map(host_display *display, const rec_planes *planes,
                             const rec_view *view)
{
    rec_tone_map map = {(int)view->layer, (int)view->tone, view->contrast, view->shift, 0, 0};
    if (!rec_tone_needs_range(map.layer, map.tone))
        return map;
    if (view->layer == REC_LAYER_EDGES) {
        if (!display->most_edge_known)
            display->most_edge = find_range(display, planes, view).high;
        display->most_edge_known = 1;
        rec_tone_set_range(&map, 0, display->most_edge);
    } else {
        const rec_tone_range range = find_range(display, planes, view);
        rec_tone_set_range(&map, range.low, range.high);
    }
    return map;
}

/* Row y of the output. The layer is a constant here, too. */
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

static void make_plane(const rec_planes *planes, const rec_view *view, const rec_tone_map *map,
                       layer_plane plane, uint8_t *pixels)
{
#pragma omp parallel for schedule(static) num_threads(planes->threads)
    for (size_t y = 0; y < view->out_height; y++) {
        uint8_t *row = pixels + y * view->out_width;
        switch (view->layer) {
        case REC_LAYER_EDGES:
            make_row(REC_LAYER_EDGES, view, map, plane, planes->pitch, y, row);
            break;
        case REC_LAYER_CHANGE:
            make_row(REC_LAYER_CHANGE, view, map, plane, planes->pitch, y, row);
            break;
        case REC_LAYER_DIFFERENCE:
            make_row(REC_LAYER_DIFFERENCE, view, map, plane, planes->pitch, y, row);
            break;
        default:
            make_row(REC_LAYER_PICTURE, view, map, plane, planes->pitch, y, row);
            break;
        }
    }
}

static rec_status show(void *state, const rec_planes *planes, int index, rec_snapshot *snapshot,
                       rec_error *error)
{
    host_display *display = state;
    const rec_view *view = &snapshot->view;
    const size_t plane_bytes = view->out_width * view->out_height;
    const size_t bytes = plane_bytes * planes->planes;
    rec_status status =
        view->layer == REC_LAYER_EDGES ? unfold(display, planes, error) : REC_OK;
    if (status)
        return status;
    if (bytes > display->pixels_size[index]) {
        void *pixels;
        status = rec_allocate(&pixels, bytes, 1, "a snapshot", error);
        if (status)
            return status;
        rec_free(display->pixels[index]);
        display->pixels[index] = pixels;
        display->pixels_size[index] = bytes;
    }
    rec_trace_push(REC_TRACE_SNAPSHOT, bytes);
    const rec_tone_map map = make_map(display, planes, view);
    for (size_t p = 0; p < planes->planes; p++)
        make_plane(planes, view, &map, plane_of(display, planes, view->layer, p),
                   display->pixels[index] + p * plane_bytes);
    rec_trace_pop();
    snapshot->pixels = display->pixels[index];
    snapshot->low = map.low;
    snapshot->high = map.high;
    return REC_OK;
}

static int arrived(void *state, int index, rec_snapshot *snapshot)
{
    (void)state;
    (void)index;
    (void)snapshot;
    return 1;
}

const rec_memory rec_memory_host = {
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
