/* What is painted and where it comes from: strokes, each with a source of its own, the place of a
 * clone, the rule, and what undoes them. */
#include <math.h>

#include "job/job.h"
#include "view/worker/worker_type.h"

/* 0: nothing can be painted. Locks the mask. */
int rec_worker_begin_change(rec_worker *worker)
{
    rec_worker_end_jacobi(worker);
    if (!rec_session_paints(worker->session))
        return 0;
    pthread_mutex_lock(&worker->exchange.handover);
    return 1;
}

void rec_worker_end_change(rec_worker *worker, rec_area area)
{
    rec_paint *paint = &worker->session->paint;
    pthread_mutex_unlock(&worker->exchange.handover);
    paint->changed = rec_area_join(paint->changed, area);
    paint->strokes++;
    worker->session->phase = REC_PHASE_ITERATING;
}

char *rec_session_write_place(const rec_session *session, char text[64])
{
    const rec_guidance *guidance = &session->paint.guidance;
    const rec_patch *patch = rec_session_patch(session);
    if (rec_session_clones(session))
        snprintf(text, 64, "--at %td,%td", guidance->x, guidance->y);
    else if (patch->smooth)
        snprintf(text, 64, "--from none");
    else
        snprintf(text, 64, "--from %td,%td", patch->x, patch->y);
    return text;
}

/* The pixel at a point becomes that of the last label; 0: it is not in the picture. */
static int stand_at(rec_session *session, double x, double y)
{
    const rec_sources *sources = &session->job->sources;
    const int inside = lround(x) >= 0 && lround(y) >= 0 && lround(x) < (long)sources->width &&
                       lround(y) < (long)sources->height;
    if (inside) {
        session->paint.at_x = lround(x);
        session->paint.at_y = lround(y);
    }
    return inside;
}

/* A stroke has a label of its own, whose source is to be sought, or was pointed at. */
static rec_outcome begin_stroke(rec_session *session, const rec_stroke *stroke)
{
    rec_paint *paint = &session->paint;
    rec_patch patch = rec_edit_new_patch(session->job);
    const int aims = paint->aims;
    rec_error error;
    if (aims) {
        patch = (rec_patch){.x = paint->x - lround(stroke->x), .y = paint->y - lround(stroke->y)};
        patch.smooth = !patch.x && !patch.y;
    }
    if (rec_sources_add(&session->job->sources, &patch, &paint->label, &error))
        return (rec_outcome){.error = error};
    paint->brush.label = paint->label;
    paint->paints = 1;
    paint->aims = 0;
    if (!aims)
        return rec_nothing;
    if (paint->guidance.rule == REC_GRADIENT_ZERO)
        paint->guidance.rule = REC_GRADIENT_SOURCE;
    paint->moved = 1;
    return rec_told(0, "%s", rec_session_write_place(session, (char[64]){0}));
}

rec_outcome rec_worker_paint(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    rec_paint *paint = &session->paint;
    rec_stroke stroke = request->stroke;
    rec_outcome outcome = rec_nothing;
    if (!rec_worker_begin_change(worker))
        return rec_nothing;
    if (stroke.unknown && !paint->of_source) {
        if (!paint->paints)
            outcome = begin_stroke(session, &stroke);
        stand_at(session, stroke.to_x, stroke.to_y);
        stroke.radius += stroke.radius < 0
                             ? 0 : (double)session->job->settings->edit.stroke_grow;
    }
    rec_worker_end_change(worker, rec_brush_stroke(&paint->brush, &stroke));
    return outcome;
}

rec_outcome rec_worker_lift(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    if (!rec_session_paints(session))
        return rec_nothing;
    rec_brush_end(&session->paint.brush);
    session->paint.paints = session->paint.aiming = session->paint.drags = 0;
    session->phase = REC_PHASE_ITERATING; /* a source may be sought now */
    return rec_nothing;
}

/* The place of a clone is a source, which is smooth where there is none: its mask is cleared. */
static void move_clone(rec_session *session, ptrdiff_t x, ptrdiff_t y, int cleared)
{
    const rec_patch to = {.x = x, .y = y, .smooth = cleared};
    rec_brush_move(&session->paint.brush, 1, &to);
    session->paint.moved = 1;
}

rec_outcome rec_worker_undo(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    if (!rec_worker_begin_change(worker))
        return rec_nothing;
    session->paint.paints = session->paint.aiming = session->paint.drags = 0;
    rec_worker_end_change(worker, rec_brush_undo(&session->paint.brush, request->argument));
    session->paint.moved |= rec_session_clones(session);
    return rec_nothing;
}

rec_outcome rec_worker_clear(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    if (!rec_worker_begin_change(worker))
        return rec_nothing;
    session->paint.paints = 0;
    if (rec_session_clones(session)) {
        const rec_patch *at = &session->job->sources.at[0];
        rec_brush_end(&session->paint.brush);
        move_clone(session, at->x, at->y, 1);
        rec_brush_end(&session->paint.brush);
        rec_worker_end_change(worker, session->job->mask.box);
    } else {
        rec_worker_end_change(worker, rec_brush_clear(&session->paint.brush));
    }
    return rec_nothing;
}

/* Of the stroke where the drag began; else the place for the next one. */
static void drag_source(rec_session *session, const rec_stroke *way, int begins)
{
    rec_paint *paint = &session->paint;
    const rec_sources *sources = &session->job->sources;
    const ptrdiff_t x = lround(way->x), y = lround(way->y);
    const ptrdiff_t to_x = lround(way->to_x), to_y = lround(way->to_y);
    if (begins)
        paint->drags = stand_at(session, way->x, way->y)
                           ? sources->label[y * (ptrdiff_t)sources->width + x] : 0;
    if (!paint->drags || begins) {
        paint->x = paint->drags ? x : to_x;
        paint->y = paint->drags ? y : to_y;
    }
    paint->aims = !paint->drags;
    if (!paint->drags || (to_x == paint->x && to_y == paint->y))
        return;
    const rec_patch to = {.x = to_x - paint->x, .y = to_y - paint->y};
    rec_brush_move(&paint->brush, paint->drags, &to);
    paint->label = paint->drags;
    if (paint->guidance.rule == REC_GRADIENT_ZERO)
        paint->guidance.rule = REC_GRADIENT_SOURCE;
    paint->moved = 1;
}

rec_outcome rec_worker_move_source(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    rec_paint *paint = &session->paint;
    const rec_stroke *way = &request->stroke;
    if (paint->of_source || !rec_worker_begin_change(worker))
        return rec_nothing;
    const rec_area box = session->job->mask.box;
    if (rec_session_clones(session)) {
        const rec_patch *at = &session->job->sources.at[0];
        move_clone(session, at->x + lround(way->to_x) - lround(way->x),
                   at->y + lround(way->to_y) - lround(way->y), 0);
    } else {
        drag_source(session, way, !paint->drags && !paint->aiming);
        paint->aiming = 1;
    }
    rec_worker_end_change(worker, box);
    if (rec_session_clones(session))
        return rec_told(0, "--at %td,%td", session->job->sources.at[0].x,
                        session->job->sources.at[0].y);
    return paint->drags ? rec_told(0, "%s", rec_session_write_place(session, (char[64]){0}))
                        : rec_nothing;
}

rec_outcome rec_worker_change_rule(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    rec_guidance *guidance = &session->paint.guidance;
    if (session->paint.of_source || !rec_worker_begin_change(worker))
        return rec_nothing;
    const int clones = rec_session_clones(session);
    int has_source = clones;
    for (size_t i = 0; i < session->job->sources.count; i++)
        has_source |= !session->job->sources.at[i].smooth;
    const int rules = clones ? REC_GRADIENT_ZERO : REC_GRADIENTS;
    do
        guidance->rule = (rec_gradient)(((int)guidance->rule + has_source) % rules);
    while (guidance->mass && guidance->rule != REC_GRADIENT_ZERO &&
           !rec_gradients[guidance->rule].keeps);
    session->paint.moved = 1;
    rec_worker_end_change(worker, session->job->mask.box);
    return !has_source ? rec_told(REC_BAD, "Ctrl+click sets where texture comes from")
           : clones ? rec_told(0, "%s: %s", rec_session_rule(session),
                               rec_gradients[guidance->rule].help)
                    : rec_told(0, "fill: %s", rec_session_rule(session));
}
