/* What is shown of an iterate, for every kind of memory: the copies that layers need, snapshots,
 * and the double buffer. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "solver/type.h"

/* ---- the double buffer: its states are all that the two threads share ---- */

enum { FREE, IN_FLIGHT, WITH_READER };

int rec_double_buffer_find_free(rec_double_buffer *buffers)
{
    for (int i = 0; i < REC_BUFFERS; i++)
        if (atomic_load_explicit(&buffers->state[i], memory_order_acquire) == FREE)
            return i;
    return -1;
}

void rec_double_buffer_begin(rec_double_buffer *buffers, int index, const rec_snapshot *snapshot)
{
    buffers->snapshot[index] = *snapshot;
    buffers->sequence[index] = buffers->next++;
    atomic_store_explicit(&buffers->state[index], IN_FLIGHT, memory_order_release);
}

const rec_snapshot *rec_double_buffer_poll(rec_double_buffer *buffers, rec_buffer_arrived *arrived,
                                           void *context)
{
    int here[REC_BUFFERS];
    for (int i = 0; i < REC_BUFFERS; i++) {
        const int state = atomic_load_explicit(&buffers->state[i], memory_order_acquire);
        if (state == WITH_READER)
            return NULL; /* one at a time */
        here[i] = state == IN_FLIGHT && arrived(context, i, &buffers->snapshot[i]);
    }
    if (!here[0] && !here[1])
        return NULL;
    int chosen = here[1];
    if (here[0] && here[1]) {
        const int newer = buffers->sequence[1] > buffers->sequence[0];
        const int same = buffers->snapshot[0].view.layer == buffers->snapshot[1].view.layer;
        chosen = same ? newer : !newer;
        if (same)
            atomic_store_explicit(&buffers->state[!newer], FREE, memory_order_release);
    }
    atomic_store_explicit(&buffers->state[chosen], WITH_READER, memory_order_relaxed);
    return &buffers->snapshot[chosen];
}

void rec_double_buffer_release(rec_double_buffer *buffers, const rec_snapshot *snapshot)
{
    const size_t index = (size_t)(snapshot - buffers->snapshot);
    atomic_store_explicit(&buffers->state[index], FREE, memory_order_release);
}

/* ---- memory ---- */

static void drop(rec_display *display, float **kept)
{
    if (*kept)
        display->memory->give_back(display, *kept);
    *kept = NULL;
}

static void drop_reference(rec_display *display)
{
    if (display->borrowed)
        display->reference = NULL;
    display->borrowed = 0;
    drop(display, &display->reference);
    if (display->rows)
        display->memory->give_back(display, display->rows);
    display->rows = NULL;
}

void rec_display_destroy(rec_display *display)
{
    drop(display, &display->mark);
    drop(display, &display->edges);
    drop_reference(display);
    if (display->memory)
        display->memory->destroy(display);
}

/* Makes the display's state the first time. */
static rec_status start(rec_display *display, const rec_planes *planes, rec_error *error)
{
    if (display->memory)
        return REC_OK;
    const rec_memory *memory = rec_memory_of(planes);
    display->kept_bytes = ((planes->planes - 1) * planes->step + planes->height * planes->pitch) *
                          sizeof(float);
    REC_TRY(memory->create(display, planes, error));
    display->memory = memory;
    return REC_OK;
}

static rec_status prepare(rec_solver *solver, rec_planes *planes, rec_error *error)
{
    REC_TRY(rec_slabs_planes(solver, planes, error));
    return start(&solver->display, planes, error);
}

/* Fills a copy, *kept, plane by plane; takes its memory first if there is none yet, and gives it
 * back after a failure. */
static rec_status keep(rec_display *display, const rec_planes *planes, float **kept,
                       const float *from, size_t stride, size_t step, const char *what,
                       rec_error *error)
{
    rec_status status = REC_OK;
    if (!*kept)
        status = display->memory->take(display, kept, display->kept_bytes, what, error);
    for (size_t p = 0; !status && p < planes->planes; p++)
        status = display->memory->write(planes, *kept + p * planes->step, planes->pitch,
                                        from + p * step, stride, planes->width, planes->height,
                                        error);
    if (status)
        drop(display, kept);
    return status;
}

/* ---- what the picture is compared with ---- */

rec_status rec_solver_mark(rec_solver *solver, rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    REC_TRY(prepare(solver, &planes, error));
    return keep(display, &planes, &display->mark, planes.m, planes.pitch, planes.step,
                "the iterate to compare with", error);
}

/* Those rows of the image from `first` on that the planes have. */
static rec_status set_reference(rec_display *display, const rec_planes *planes,
                                const rec_image *reference, size_t first, int stays,
                                const char *what, rec_error *error)
{
    const size_t step = reference->height * reference->stride;
    const int borrows = stays && !planes->on_device && reference->stride == planes->pitch &&
                        (planes->planes == 1 || step == planes->step);
    rec_status status = start(display, planes, error);
    if (!status && (borrows || display->borrowed))
        drop_reference(display);
    if (!status && !display->rows)
        status = display->memory->take(display, &display->rows,
                                       planes->planes * planes->height * sizeof(double),
                                       "comparing", error);
    REC_TRACE("upload", display->kept_bytes);
    if (!status && borrows)
        display->reference = rec_image_row(reference, 0, first);
    else if (!status)
        status = keep(display, planes, &display->reference, rec_image_row(reference, 0, first),
                      reference->stride, step, what, error);
    display->borrowed = !status && borrows;
    if (status)
        drop_reference(display);
    return status;
}

rec_status rec_solver_set_reference(rec_solver *solver, const rec_image *reference, int stays,
                                    rec_error *error)
{
    rec_planes planes;
    REC_TRY(rec_slabs_planes(solver, &planes, error));
    return set_reference(&solver->display, &planes, reference, 0, stays, "the reference", error);
}

rec_status rec_solver_set_limit(rec_solver *solver, const rec_image *limit,
                                const double stays_off[3], rec_error *error)
{
    rec_status status = REC_OK;
    if (limit && !solver->limits)
        status = rec_allocate_zeroed(&solver->limits, solver->count, sizeof *solver->limits,
                                     "the limit", error);
    for (size_t i = 0; limit && !status && i < solver->count; i++) {
        rec_planes planes = {0};
        status = solver->type->planes(solver->state[i], &planes, error);
        REC_THEN(status, set_reference(&solver->limits[i], &planes, limit, solver->slab[i].first,
                                       0, "the limit", error));
    }
    memcpy(solver->stays_off, stays_off, sizeof solver->stays_off);
    solver->measures = limit && !status;
    if (!solver->measures)
        rec_limits_destroy(solver);
    return status;
}

void rec_limits_destroy(rec_solver *solver)
{
    for (size_t i = 0; solver->limits && i < solver->count; i++)
        rec_display_destroy(&solver->limits[i]);
    rec_free(solver->limits);
    solver->limits = NULL;
}

rec_status rec_solver_compare(rec_solver *solver, double *mean_square, rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    double sums[3] = {0};
    REC_TRY(prepare(solver, &planes, error));
    REC_TRY(display->memory->compare(&planes, display->reference, display->rows, sums, error));
    *mean_square = (sums[0] + sums[1] + sums[2]) /
                   ((double)planes.planes * (double)planes.height * (double)planes.width);
    return REC_OK;
}

rec_status rec_solver_probe(rec_solver *solver, size_t x, size_t y, rec_probe *probe,
                            rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    for (size_t p = 0; p < 3; p++)
        probe->picture[p] = probe->edges[p] = probe->reference[p] = NAN;
    REC_TRY(prepare(solver, &planes, error));
    const float *const from[] = {planes.m, planes.f, display->reference};
    float *const to[] = {probe->picture, probe->edges, probe->reference};
    for (size_t i = 0; i < 3; i++)
        for (size_t p = 0; from[i] && p < planes.planes; p++)
            REC_TRY(display->memory->read(&planes, to[i] + p, 1,
                                          from[i] + p * planes.step + y * planes.pitch + x,
                                          planes.pitch, 1, 1, error));
    for (size_t p = 0; planes.f && p < planes.planes; p++) /* from f, after rec_boundary_fold */
        probe->edges[p] = rec_is_known(probe->edges[p])
                              ? 0
                              : -4.0f * probe->edges[p] +
                                    rec_boundary_folded(planes.boundary, x, y, planes.width,
                                                        planes.height);
    return REC_OK;
}

/* ---- snapshots ---- */

/* If something was folded into the edges (into the first and the last column), makes a copy of f
 * without it, on the host. */
static rec_status unfold(rec_display *display, const rec_planes *planes, rec_error *error)
{
    const size_t width = planes->width, height = planes->height;
    rec_owned_image f = {0};
    if (display->edges || !planes->f || !rec_boundaries[planes->boundary].side)
        return REC_OK;
    REC_TRY(rec_image_create(&f, width, height, planes->planes, error));
    for (size_t p = 0; p < planes->planes; p++) {
        REC_TRY(display->memory->read(planes, rec_image_row(&f, p, 0), f.stride,
                                      planes->f + p * planes->step, planes->pitch, width, height,
                                      error));
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x += width > 1 ? width - 1 : 1)
                rec_image_row(&f, p, y)[x] -=
                    0.25f * rec_boundary_folded(planes->boundary, x, y, width, height);
    }
    return keep(display, planes, &display->edges, f.data, f.stride, height * f.stride,
                "showing the edges", error);
}

/* The first plane of what *layer is made of. Where edges are not kept, *layer becomes the picture,
 * that of the reference. */
static rec_status find_layer(rec_display *display, const rec_planes *planes, rec_layer *layer,
                             rec_layer_plane *first, rec_error *error)
{
    *first = (rec_layer_plane){planes->m, NULL, planes->pitch, planes->width, planes->height};
    switch (rec_layers[*layer].source) {
    case REC_SOURCE_EDGES:
        REC_TRY(unfold(display, planes, error));
        first->values = display->edges ? display->edges
                        : planes->f    ? planes->f
                                       : display->reference;
        if (!planes->f)
            *layer = REC_LAYER_PICTURE;
        break;
    case REC_SOURCE_MARK: /* nothing has changed if there is none */
        first->minus = display->mark ? display->mark : planes->m;
        break;
    case REC_SOURCE_REFERENCE:
        first->minus = display->reference;
        break;
    case REC_SOURCE_PICTURE:
    case REC_SOURCES:
        break;
    }
    return REC_OK;
}

/* Copies a part of a plane to the host, and evaluates the layer there. The part reaches beyond the
 * view as far as values depend on it; at the image's border it ends with the image. */
static rec_status read_values(const rec_display *display, const rec_planes *planes,
                              const rec_view *view, rec_layer layer, rec_layer_plane from,
                              float *values, rec_error *error)
{
    const size_t left = view->x - rec_smaller(view->x, REC_LAYER_REACH);
    const size_t top = view->y - rec_smaller(view->y, REC_LAYER_REACH);
    const size_t right = rec_smaller(view->x + view->width + REC_LAYER_REACH, from.width);
    const size_t bottom = rec_smaller(view->y + view->height + REC_LAYER_REACH, from.height);
    const size_t width = right - left, height = bottom - top;
    rec_owned_image part = {0}; /* the values, and below them what they are compared with */
    REC_TRY(rec_image_create(&part, width, 2 * height, 1, error));
    const float *const sides[] = {from.values, from.minus};
    for (size_t side = 0; side < 2 && sides[side]; side++)
        REC_TRY(display->memory->read(planes, rec_image_row(&part, 0, side * height), part.stride,
                                      sides[side] + top * from.pitch + left, from.pitch, width,
                                      height, error));
    const rec_layer_plane of = {rec_image_row(&part, 0, 0), rec_image_row(&part, 0, height),
                                part.stride, width, height};
    for (size_t y = 0; y < view->height; y++)
        for (size_t x = 0; x < view->width; x++)
            values[y * view->width + x] =
                rec_layer_value(layer, &of, view->x - left + x, view->y - top + y);
    return REC_OK;
}

rec_status rec_solver_values(rec_solver *solver, const rec_view *view, float *values,
                             rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    rec_layer layer = view->layer;
    rec_layer_plane first;
    REC_TRY(prepare(solver, &planes, error));
    REC_TRY(find_layer(display, &planes, &layer, &first, error));
    for (size_t p = 0; p < planes.planes; p++)
        REC_TRY(read_values(display, &planes, view, layer,
                            rec_layer_plane_at(first, p * planes.step),
                            values + p * view->width * view->height, error));
    return REC_OK;
}

rec_status rec_solver_snapshot(rec_solver *solver, const rec_view *view, const rec_area *changed,
                               int *begun, rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    *begun = 0;
    REC_TRY(prepare(solver, &planes, error));
    const int index = rec_double_buffer_find_free(&display->buffers);
    if (index < 0)
        return REC_OK;
    rec_snapshot snapshot = {.width = view->out_width, .height = view->out_height,
                             .planes = planes.planes, .stride = view->out_width, .view = *view,
                             .iteration = planes.iteration};
    if (snapshot.view.contrast == 0)
        snapshot.view.contrast = 1;
    rec_layer_plane first;
    REC_TRY(find_layer(display, &planes, &snapshot.view.layer, &first, error));
    REC_TRACE("snapshot", snapshot.planes * snapshot.height * snapshot.stride);
    REC_TRY(display->memory->show(display, &planes, &first, changed, index, &snapshot, error));
    snapshot.view.layer = view->layer;
    rec_double_buffer_begin(&display->buffers, index, &snapshot);
    *begun = 1;
    return REC_OK;
}

/* Of a snapshot in flight: so there is a `memory`, which is NULL at first. */
static int has_arrived(void *context, int index, rec_snapshot *snapshot)
{
    const rec_display *display = context;
    return !display->memory->arrived || display->memory->arrived(display->state, index, snapshot);
}

const rec_snapshot *rec_solver_poll(rec_solver *solver)
{
    return rec_double_buffer_poll(&solver->display.buffers, has_arrived, &solver->display);
}

void rec_solver_release(rec_solver *solver, const rec_snapshot *snapshot)
{
    rec_double_buffer_release(&solver->display.buffers, snapshot);
}
