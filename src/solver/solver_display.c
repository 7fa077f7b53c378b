/* A solver's display: marks, what it is compared with, values and snapshots. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "solver/type.h"

static rec_status prepare(rec_solver *solver, rec_planes *planes, rec_error *error)
{
    REC_TRY(rec_slabs_planes(solver, planes, error));
    return rec_display_start(&solver->display, planes, error);
}

/* ---- what the picture is compared with ---- */

rec_status rec_solver_mark(rec_solver *solver, rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    REC_TRY(prepare(solver, &planes, error));
    return rec_display_keep(display, &planes, REC_KEPT_MARK, planes.m, planes.pitch, planes.step,
                            "the iterate to compare with", error);
}

rec_status rec_solver_set_reference(rec_solver *solver, const rec_image *reference, int stays,
                                    rec_error *error)
{
    rec_planes planes;
    REC_TRY(rec_slabs_planes(solver, &planes, error));
    return rec_display_set_reference(&solver->display, &planes, reference, 0, stays,
                                     "the reference", error);
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
        status = solver->type->memory->planes(solver->state[i], &planes, error);
        REC_THEN(status, rec_display_set_reference(&solver->limits[i], &planes, limit,
                                                   solver->slab[i].first, 0, "the limit", error));
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
    REC_TRY(display->compute->compare(display, &planes, sums, error));
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
            REC_TRY(rec_memory_of(&planes)->read(
                &planes, to[i] + p, 1, from[i] + p * planes.step + y * planes.pitch + x,
                planes.pitch, 1, 1, error));
    for (size_t p = 0; planes.f && p < planes.planes; p++) /* from f, after rec_boundary_fold */
        probe->edges[p] = rec_is_known(probe->edges[p])
                              ? 0
                              : -4.0f * probe->edges[p] + rec_boundary_folded(planes.boundary, x, y,
                                                                              planes.width,
                                                                              planes.height);
    return REC_OK;
}

/* ---- snapshots ---- */

rec_status rec_solver_values(rec_solver *solver, const rec_view *view, float *values,
                             rec_error *error)
{
    rec_display *display = &solver->display;
    rec_planes planes;
    rec_layer layer = view->layer;
    rec_layer_plane first;
    REC_TRY(prepare(solver, &planes, error));
    REC_TRY(rec_display_layer(display, &planes, &layer, &first, error));
    for (size_t p = 0; p < planes.planes; p++)
        REC_TRY(rec_display_values(&planes, view, layer, rec_layer_plane_at(first, p * planes.step),
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
    REC_TRY(rec_display_layer(display, &planes, &snapshot.view.layer, &first, error));
    REC_TRACE("snapshot", snapshot.planes * snapshot.height * snapshot.stride);
    REC_TRY(display->compute->show(display, &planes, &first, changed, index, &snapshot, error));
    snapshot.view.layer = view->layer;
    rec_double_buffer_begin(&display->buffers, index, &snapshot);
    *begun = 1;
    return REC_OK;
}

/* Of a snapshot in flight: so there is a `compute`, which is NULL at first. */
static int has_arrived(void *context, int index, rec_snapshot *snapshot)
{
    const rec_display *display = context;
    return !display->compute->arrived || display->compute->arrived(context, index, snapshot);
}

const rec_snapshot *rec_solver_poll(rec_solver *solver)
{
    return rec_double_buffer_poll(&solver->display.buffers, has_arrived, &solver->display);
}

void rec_solver_release(rec_solver *solver, const rec_snapshot *snapshot)
{
    rec_double_buffer_release(&solver->display.buffers, snapshot);
}
