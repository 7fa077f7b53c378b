/* The calls of solver.h that show and compare: their checks, and the double buffer. */
#include "solver/display/display.h"

#include <math.h>

#include "base/text.h"
#include "solver/type.h"

const char *const rec_layer_names[REC_LAYERS] = {[REC_LAYER_PICTURE] = "picture",
                                                 [REC_LAYER_EDGES] = "edges",
                                                 [REC_LAYER_CHANGE] = "change",
                                                 [REC_LAYER_DIFFERENCE] = "difference"};

rec_status rec_display_create(rec_display *display, const rec_planes *planes, rec_error *error)
{
    *display = (rec_display){.memory = &rec_memory_host};
#if REC_HAVE_CUDA
    if (planes->on_device)
        display->memory = &rec_memory_cuda;
#endif
    return display->memory->create(&display->state, planes, error);
}

void rec_display_destroy(rec_display *display) { display->memory->destroy(display->state); }

/* The planes with the current iterate in them. */
static rec_status find_planes(rec_solver *solver, rec_planes *planes, rec_error *error)
{
    const rec_status status = rec_slabs_settle(&solver->slabs, error);
    solver->display.used = 1;
    rec_slabs_planes(&solver->slabs, planes);
    planes->boundary = solver->boundary;
    return status;
}

/* ---- what the picture is compared with ---- */

rec_status rec_solver_mark(rec_solver *solver, rec_error *error)
{
    rec_planes planes;
    if (!rec_solver_shows(solver, REC_LAYER_CHANGE))
        return rec_fail(error, REC_UNAVAILABLE,
                        "the %s solver does not iterate, so there is no change to show",
                        solver->type->name);
    const rec_status status = find_planes(solver, &planes, error);
    return status ? status : solver->display.memory->mark(solver->display.state, &planes, error);
}

void rec_solver_unmark(rec_solver *solver)
{
    solver->display.memory->unmark(solver->display.state);
}

rec_status rec_solver_set_reference(rec_solver *solver, const rec_image *reference,
                                    rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    if (reference && (reference->width != solver->width || reference->height != solver->height ||
                      reference->planes != solver->planes))
        return rec_fail(error, REC_USAGE,
                        "the reference is %zu x %zu with %zu plane%s and the picture is %zu x %zu "
                        "with %zu; they must be the same",
                        reference->width, reference->height, reference->planes,
                        rec_plural(reference->planes), solver->width, solver->height,
                        solver->planes);
    rec_status status = find_planes(solver, &planes, error);
    if (!status)
        status = display->memory->set_reference(display->state, &planes, reference, error);
    display->has_reference = !status && reference;
    return status;
}

rec_status rec_solver_compare(rec_solver *solver, double *mean_square, rec_error *error)
{
    rec_planes planes;
    if (!solver->display.has_reference)
        return rec_fail(error, REC_USAGE, "there is no reference to compare the picture with");
    const rec_status status = find_planes(solver, &planes, error);
    return status ? status
                  : solver->display.memory->compare(solver->display.state, &planes, mean_square,
                                                    error);
}

rec_status rec_solver_probe(rec_solver *solver, size_t x, size_t y, rec_probe *probe,
                            rec_error *error)
{
    rec_planes planes;
    if (x >= solver->width || y >= solver->height)
        return rec_fail(error, REC_FAULT, "the pixel (%zu, %zu) is outside the %zu x %zu image", x,
                        y, solver->width, solver->height);
    for (size_t p = 0; p < 3; p++)
        probe->picture[p] = probe->edges[p] = probe->reference[p] = NAN;
    rec_status status = find_planes(solver, &planes, error);
    if (!status)
        status = solver->display.memory->probe(solver->display.state, &planes, x, y, probe, error);
    for (size_t p = 0; p < solver->planes; p++)
        probe->edges[p] +=
            rec_boundary_folded(solver->boundary, x, y, solver->width, solver->height);
    return status;
}

int rec_display_unfolds(const rec_planes *planes)
{
    return planes->f && planes->boundary == REC_BOUNDARY_SAWTOOTH;
}

void rec_display_unfold(const rec_planes *planes, size_t x, float *terms, size_t stride)
{
    for (size_t y = 0; y < planes->height; y++)
        terms[y * stride] -=
            0.25f * rec_boundary_folded(planes->boundary, x, y, planes->width, planes->height);
}

/* ---- snapshots ---- */

int rec_solver_type_shows(const rec_solver_type *type, rec_layer layer)
{
    return layer < REC_LAYERS && (type->layers >> layer & 1);
}

int rec_solver_shows(const rec_solver *solver, rec_layer layer)
{
    return rec_solver_type_shows(solver->type, layer) &&
           (layer != REC_LAYER_DIFFERENCE || solver->display.has_reference);
}

static rec_status check_view(const rec_solver *solver, const rec_view *view, rec_error *error)
{
    if (!view->width || !view->height || view->x > solver->width ||
        view->width > solver->width - view->x || view->y > solver->height ||
        view->height > solver->height - view->y || !view->out_width || !view->out_height ||
        view->out_width > view->width || view->out_height > view->height)
        return rec_fail(error, REC_FAULT, "a view of %zu x %zu at (%zu, %zu) leaves the image",
                        view->width, view->height, view->x, view->y);
    if (view->layer >= REC_LAYERS)
        return rec_fail(error, REC_FAULT, "a view shows layer %d, and there are %d",
                        (int)view->layer, (int)REC_LAYERS);
    if (!isfinite(view->contrast) || view->contrast < 0 || !isfinite(view->shift))
        return rec_fail(error, REC_FAULT,
                        "a contrast of %g is not above 0 and finite, or a shift of %g not finite",
                        (double)view->contrast, (double)view->shift);
    if (!rec_solver_type_shows(solver->type, view->layer))
        return rec_fail(error, REC_USAGE, "the %s solver does not show the layer '%s'",
                        solver->type->name, rec_layer_names[view->layer]);
    if (view->layer == REC_LAYER_DIFFERENCE && !solver->display.has_reference)
        return rec_fail(error, REC_USAGE, "there is no reference to show the difference from");
    return REC_OK;
}

rec_status rec_solver_snapshot(rec_solver *solver, const rec_view *view, int *begun,
                               rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    *begun = 0;
    rec_status status = check_view(solver, view, error);
    if (!status)
        status = find_planes(solver, &planes, error);
    const int index = rec_double_buffer_find_free(&display->buffers);
    if (status || index < 0)
        return status;
    rec_snapshot snapshot = {
        .width = view->out_width,
        .height = view->out_height,
        .planes = planes.planes,
        .stride = view->out_width,
        .view = *view,
        .iteration = planes.iteration,
    };
    if (snapshot.view.contrast == 0)
        snapshot.view.contrast = 1;
    status = display->memory->show(display->state, &planes, index, &snapshot, error);
    if (status)
        return status;
    rec_double_buffer_begin(&display->buffers, index, &snapshot);
    *begun = 1;
    return REC_OK;
}

const rec_snapshot *rec_solver_poll(rec_solver *solver)
{
    rec_display *display = &solver->display;
    return rec_double_buffer_poll(&display->buffers, display->memory->arrived, display->state);
}

void rec_solver_release(rec_solver *solver, const rec_snapshot *snapshot)
{
    rec_double_buffer_release(&solver->display.buffers, snapshot);
}
