/* What is shown of an iterate, for every kind of memory: copies that layers need, and the double
 * buffer. */
#include "base/memory.h"
#include "base/trace.h"
#include "display/display.h"

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

static void drop_reference(rec_display *display)
{
    const rec_memory *memory = rec_memory_of(&display->room.planes);
    display->reference = NULL;
    memory->give_back(&display->room, REC_KEPT_REFERENCE);
    memory->give_back(&display->room, REC_KEPT_ROWS);
}

void rec_display_destroy(rec_display *display)
{
    rec_memory_of(&display->room.planes)->destroy(&display->room);
    display->room = (rec_room){0};
}

rec_status rec_display_start(rec_display *display, const rec_planes *planes, rec_error *error)
{
    const rec_display_compute *compute =
        REC_HAVE_CUDA && planes->on_device ? &rec_display_cuda : &rec_display_host;
    if (display->compute)
        return REC_OK;
    display->room = (rec_room){.planes = *planes, .device = planes->device,
                               .costs = &display->costs, .instead = ""};
    const rec_status status = compute->start ? compute->start(display, error) : REC_OK;
    if (status)
        rec_display_destroy(display);
    else
        display->compute = compute;
    return status;
}

static size_t kept_bytes(const rec_planes *planes)
{
    return ((planes->planes - 1) * planes->step + planes->height * planes->pitch) * sizeof(float);
}

rec_status rec_display_keep(rec_display *display, const rec_planes *planes, int kept,
                            const float *from, size_t stride, size_t step, const char *what,
                            rec_error *error)
{
    const rec_memory *memory = rec_memory_of(planes);
    size_t wanted[REC_BLOCKS] = {0};
    wanted[kept] = kept_bytes(planes);
    rec_status status = memory->allocate(&display->room, wanted, what, error);
    for (size_t p = 0; !status && p < planes->planes; p++)
        status = memory->write(planes, (float *)display->room.block[kept] + p * planes->step,
                               planes->pitch, from + p * step, stride, planes->width,
                               planes->height, error);
    if (status)
        memory->give_back(&display->room, kept);
    return status;
}

rec_status rec_display_set_reference(rec_display *display, const rec_planes *planes,
                                     const rec_image *reference, size_t first, int stays,
                                     const char *what, rec_error *error)
{
    const size_t step = reference->height * reference->stride;
    const int borrows = stays && !planes->on_device && reference->stride == planes->pitch &&
                        (planes->planes == 1 || step == planes->step);
    const float *const from = rec_image_row(reference, 0, first);
    const size_t rows[REC_BLOCKS] = {
        [REC_KEPT_ROWS] = planes->planes * planes->height * sizeof(double)};
    REC_TRY(rec_display_start(display, planes, error));
    if (borrows)
        drop_reference(display);
    rec_status status = rec_memory_of(planes)->allocate(&display->room, rows, "comparing", error);
    REC_TRACE("upload", kept_bytes(planes));
    if (!borrows)
        REC_THEN(status, rec_display_keep(display, planes, REC_KEPT_REFERENCE, from,
                                          reference->stride, step, what, error));
    if (status)
        drop_reference(display);
    else
        display->reference = borrows ? from : display->room.block[REC_KEPT_REFERENCE];
    return status;
}

/* If something was folded into the edges (into the first and the last column), makes a copy of f
 * without it, on the host. */
static rec_status unfold(rec_display *display, const rec_planes *planes, rec_error *error)
{
    const size_t width = planes->width, height = planes->height;
    rec_owned_image f = {0};
    if (display->room.block[REC_KEPT_EDGES] || !planes->f || !rec_boundaries[planes->boundary].side)
        return REC_OK;
    REC_TRY(rec_image_create(&f, width, height, planes->planes, error));
    for (size_t p = 0; p < planes->planes; p++) {
        REC_TRY(rec_memory_of(planes)->read(planes, rec_image_row(&f, p, 0), f.stride,
                                            planes->f + p * planes->step, planes->pitch, width,
                                            height, error));
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x<width; x += width> 1 ? width - 1 : 1)
                rec_image_row(&f, p, y)[x] -= 0.25f * rec_boundary_folded(planes->boundary, x, y,
                                                                          width, height);
    }
    return rec_display_keep(display, planes, REC_KEPT_EDGES, f.data, f.stride, height * f.stride,
                            "showing the edges", error);
}

rec_status rec_display_layer(rec_display *display, const rec_planes *planes, rec_layer *layer,
                             rec_layer_plane *first, rec_error *error)
{
    const float *const mark = display->room.block[REC_KEPT_MARK], *edges;
    *first = (rec_layer_plane){planes->m, NULL, planes->pitch, planes->width, planes->height};
    switch (rec_layers[*layer].source) {
    case REC_SOURCE_EDGES:
        REC_TRY(unfold(display, planes, error));
        edges = display->room.block[REC_KEPT_EDGES];
        first->values = edges ? edges : planes->f ? planes->f : display->reference;
        if (!planes->f)
            *layer = REC_LAYER_PICTURE;
        break;
    case REC_SOURCE_MARK: /* nothing has changed if there is none */
        first->minus = mark ? mark : planes->m;
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

rec_status rec_display_values(const rec_planes *planes, const rec_view *view, rec_layer layer,
                              rec_layer_plane from, float *values, rec_error *error)
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
        REC_TRY(rec_memory_of(planes)->read(planes, rec_image_row(&part, 0, side * height),
                                            part.stride, sides[side] + top * from.pitch + left,
                                            from.pitch, width, height, error));
    const rec_layer_plane of = {rec_image_row(&part, 0, 0), rec_image_row(&part, 0, height),
                                part.stride, width, height};
    for (size_t y = 0; y < view->height; y++)
        for (size_t x = 0; x < view->width; x++)
            values[y * view->width + x] = rec_layer_value(layer, &of, view->x - left + x,
                                                          view->y - top + y);
    return REC_OK;
}
