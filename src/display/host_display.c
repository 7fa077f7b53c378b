/* The display of planes in the host's memory. The owner's threads make a snapshot at once, so one
 * in flight has always arrived. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "image/survey.h"
#include "display/display.h"

/* Of the first plane. */
REC_TASK(compare_rows, const rec_planes *planes; const float *reference; double *rows)
{
    const rec_planes *planes = job->planes;
    for (size_t y = first; y < end; y++) {
        const float *m = planes->m + y * planes->pitch;
        const float *r = job->reference + y * planes->pitch;
        double squares = 0;
        for (size_t x = 0; x < planes->width; x++) {
            const double d = (double)m[x] - (double)r[x];
            squares += d * d;
        }
        job->rows[y] = squares;
    }
}

static rec_status host_display_compare(const rec_display *display, const rec_planes *planes,
                                       double sums[3], rec_error *error)
{
    double *const rows = display->room.block[REC_KEPT_ROWS];
    for (size_t p = 0; p < planes->planes; p++) {
        rec_planes one = *planes;
        one.m += p * planes->step;
        REC_SHARE_ROWS(planes->width, planes->height, compare_rows, &one,
                       display->reference + p * planes->step, rows);
        for (size_t y = 0; y < planes->height; y++)
            sums[p] += rows[y];
    }
    return REC_OK;
}

/* The layer is a constant at each call: the compiler makes a loop for it. */
static inline void range_row(rec_layer layer, rec_layer_plane of, int magnitudes, size_t y,
                             rec_tone_range *range)
{
    rec_tone_range row = *range;
    for (size_t x = 0; x < of.width; x++) {
        const float signed_value = rec_layer_value(layer, &of, x, y);
        const float value = magnitudes ? fabsf(signed_value) : signed_value;
        row.low = value < row.low ? value : row.low;
        row.high = value > row.high ? value : row.high;
    }
    *range = row;
}

#define RANGE_ROW(name, source, scale, value) \
    case REC_LAYER_##name: \
        range_row(REC_LAYER_##name, job->of, job->magnitudes, y, &range); \
        break;

REC_TASK(range_rows, rec_tone_range *found; rec_layer_plane of; rec_layer layer; int magnitudes)
{
    rec_tone_range range = {INFINITY, -INFINITY};
    for (size_t y = first; y < end; y++)
        switch (job->layer) {
            REC_LAYER_ROWS(RANGE_ROW)
        case REC_LAYERS:
            break;
        }
    rec_team_lock();
    job->found->low = fminf(job->found->low, range.low);
    job->found->high = fmaxf(job->found->high, range.high);
    rec_team_unlock();
}

/* One pass over the whole image, unless it is known what that finds; the order of minima and maxima
 * does not matter. */
static rec_tone_map make_map(rec_display *display, const rec_planes *planes,
                             const rec_layer_plane *first, const rec_view *view)
{
    rec_tone_map map = {rec_layers[view->layer].scale, view->tone, view->contrast, view->shift,
                        0, 0};
    if (!rec_tone_needs_range(map.scale, map.tone))
        return map;
    const int edges = view->layer == REC_LAYER_EDGES, known = edges && display->most_edge_known;
    rec_tone_range found = {INFINITY, -INFINITY};
    for (size_t p = 0; !known && p < planes->planes; p++)
        REC_SHARE_ROWS(planes->width, planes->height, range_rows, &found,
                       rec_layer_plane_at(*first, p * planes->step), view->layer,
                       rec_tone_of_magnitudes(map.scale, map.tone));
    if (known)
        found = (rec_tone_range){0, display->most_edge};
    display->most_edge = edges ? found.high : display->most_edge;
    display->most_edge_known |= edges;
    rec_tone_set_range(&map, found.low, found.high);
    return map;
}

/* Row y of the output, from one column to another. Layer and scale are constants at each call: the
 * compiler makes a loop for them. */
static inline void make_row(rec_layer layer, rec_scale scale, const rec_view *view,
                            const rec_tone_map *map, rec_layer_plane of, size_t y, size_t from,
                            size_t to, uint8_t *pixels)
{
    const size_t top = rec_box_edge(y, view->out_height, view->height);
    const size_t rows = rec_box_edge(y + 1, view->out_height, view->height) - top;
    rec_tone_map own = *map;
    own.scale = scale;
    for (size_t x = from; x < to; x++) {
        const size_t left = rec_box_edge(x, view->out_width, view->width);
        const size_t columns = rec_box_edge(x + 1, view->out_width, view->width) - left;
        const float mean = rec_box_mean(layer, &of, view->x + left, view->y + top, columns, rows);
        pixels[x] = (uint8_t)rec_tone_byte(mean, &own);
    }
}

#define MAKE_ROW(name, source, scale, value) \
    case REC_LAYER_##name: \
        make_row(REC_LAYER_##name, REC_SCALE_##scale, view, job->map, job->of, y, job->from, \
                 job->to, row); \
        break;

REC_TASK(make_rows, uint8_t *pixels; const rec_view *view; const rec_tone_map *map;
         rec_layer_plane of; size_t from, to, top)
{
    const rec_view *view = job->view;
    for (size_t y = job->top + first; y < job->top + end; y++) {
        uint8_t *row = job->pixels + y * view->out_width;
        switch (view->layer) {
            REC_LAYER_ROWS(MAKE_ROW)
        case REC_LAYERS:
            break;
        }
    }
}

/* The output pixels of a view's axis that show pixels from `begin` to `end`, and one more on each
 * side: *from to *to. */
static void find_touched(size_t at, size_t length, size_t out, size_t begin, size_t end,
                         size_t *from, size_t *to)
{
    const size_t low = begin > at ? begin - at : 0;
    const size_t high = end > at ? rec_smaller(end - at, length) : 0;
    *to = rec_smaller((high * out + length - 1) / length + 1, out);
    *from = rec_smaller(low * out / length, *to);
    *from -= *from > 0;
}

static rec_status host_display_show(rec_display *display, const rec_planes *planes,
                                    const rec_layer_plane *first, const rec_area *changed,
                                    int index, rec_snapshot *snapshot, rec_error *error)
{
    rec_room *room = &display->room;
    const int block = REC_KEPTS + index;
    const rec_view *view = &snapshot->view;
    const size_t plane_bytes = view->out_width * view->out_height;
    const rec_area all = {0, 0, planes->width, planes->height};
    rec_shown *to = &display->shown[index];
    size_t wanted[REC_BLOCKS] = {0}, left, right, top, bottom;
    for (int i = 0; i < REC_BUFFERS; i++)
        display->shown[i].changed = rec_area_join(display->shown[i].changed,
                                                  changed ? *changed : all);
    wanted[block] = plane_bytes * planes->planes;
    if (wanted[block] > room->bytes[block])
        to->view = (rec_view){0};
    REC_TRY(rec_memory_host.allocate(room, wanted, "a snapshot", error));
    uint8_t *const pixels = room->block[block];
    const rec_tone_map map = make_map(display, planes, first, view);
    if (memcmp(&to->view, view, sizeof *view) || memcmp(&to->map, &map, sizeof map))
        to->changed = all;
    find_touched(view->x, view->width, view->out_width, to->changed.x,
                 to->changed.x + to->changed.width, &left, &right);
    find_touched(view->y, view->height, view->out_height, to->changed.y,
                 to->changed.y + to->changed.height, &top, &bottom);
    const size_t each = (view->width / view->out_width) * (view->height / view->out_height);
    for (size_t p = 0; p < planes->planes; p++)
        REC_SHARE(rec_team_for((right - left) * (bottom - top) * each), bottom - top, make_rows,
                  pixels + p * plane_bytes, view, &map,
                  rec_layer_plane_at(*first, p * planes->step), left, right, top);
    to->view = changed ? *view : (rec_view){0}; /* of the same layer, made of the same */
    to->map = map;
    to->changed = (rec_area){0};
    snapshot->pixels = pixels;
    snapshot->low = map.low;
    snapshot->high = map.high;
    return REC_OK;
}

const rec_display_compute rec_display_host = {.compare = host_display_compare,
                                              .show = host_display_show};
