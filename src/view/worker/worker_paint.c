/* Painting: which pixels are unknown, and where their gradients come from, changes while the
 * solver fills them. From picture to picture the solver gets what has changed, and some time. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "job/job.h"
#include "view/worker/worker_type.h"

#define FILL_SECONDS 0.01 /* of solving, from picture to picture */

static rec_area box_of(const rec_mask *mask)
{
    return (rec_area){mask->x, mask->y, mask->box_width, mask->box_height};
}

rec_status rec_session_begin_painting(rec_session *session, rec_error *error)
{
    rec_job *job = session->job;
    const rec_edit_kind kind = job->settings->edit.kind;
    const rec_solver_type *type = job->settings->run.solver;
    if ((kind != REC_EDIT_HEAL && kind != REC_EDIT_CLONE) || !rec_solver_type_jumps(type))
        return REC_OK;
    session->paint.guidance = rec_edit_guidance(job, &job->start);
    return rec_brush_create(&session->paint.brush, &job->mask, error);
}

void rec_session_end_painting(rec_session *session)
{
    if (session->paint.waiting) {
        rec_run_destroy(session->run);
        session->run = session->job->run = session->paint.waiting;
    }
    rec_brush_destroy(&session->paint.brush);
    session->paint = (rec_paint){.strokes = 0};
}

int rec_session_paints(const rec_session *session)
{
    return session->run && session->paint.brush.mask && !session->paint.waiting;
}

void rec_session_describe_painting(const rec_session *session, rec_view_state *now)
{
    const rec_paint *paint = &session->paint;
    const rec_guidance *guidance = &session->paint.guidance;
    const int takes = paint->brush.mask && guidance->rule != REC_GRADIENT_ZERO && !paint->aims;
    now->painted = paint->brush.mask ? session->job->settings->edit.kind : REC_EDIT_NONE;
    now->filled = rec_session_paints(session);
    if (now->filled)
        now->run.stop = REC_STOP_LIMIT;
    now->unknown = session->job->mask.count;
    now->strokes = paint->strokes;
    now->aims = paint->aims;
    now->from_x = paint->aims ? paint->x : takes ? -guidance->x : 0;
    now->from_y = paint->aims ? paint->y : takes ? -guidance->y : 0;
}

/* ---- Jacobi's iteration in its place ---- */

static void replace_run(rec_worker *worker, rec_run *run)
{
    rec_session *session = worker->session;
    session->run = session->job->run = run;
    session->numbers.distance = NAN;
    session->numbers.measured_at = rec_run_get_state(run)->iterations;
    session->numbers.history = (rec_history){0};
    session->marked = 0;
    session->fresh_batch = 1;
    session->before = REC_PHASE_ITERATING;
    rec_worker_resume(worker);
}

void rec_worker_end_iterating(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_run *exact = session->paint.waiting;
    if (!exact)
        return;
    rec_worker_detach(worker);
    rec_run_destroy(session->run);
    session->paint.waiting = NULL;
    replace_run(worker, exact);
}

void rec_worker_iterate(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    const rec_job *job = session->job;
    rec_solver_info info;
    rec_run *run = NULL;
    rec_error error;
    if (session->paint.waiting) {
        rec_worker_end_iterating(worker);
        return;
    }
    if (!rec_session_paints(session) || !job->mask.count)
        return;
    rec_worker_fill(worker); /* the edges are those of the whole mask then */
    if (!session->run)
        return;
    rec_solver_get_info(rec_run_solver(session->run), &info);
    rec_run_options options = {.iterations = REC_ENDLESS,
                               .problem = job->problem,
                               .stop = job->settings->run.stop,
                               .fresh = 1};
    rec_status status = rec_solver_find(info.devices ? "cuda" : "cpu", &options.solver, &error);
    if (!status)
        status = rec_run_create(&run, &options, &job->edges, &job->start, &error);
    if (status) {
        rec_worker_tell(worker, 1, "no iteration: %s", error.message);
        return;
    }
    rec_worker_detach(worker);
    rec_session_give_reference(session, rec_run_solver(run), &error); /* else: no difference */
    session->paint.waiting = session->run;
    session->numbers.pace = 0;
    replace_run(worker, run);
}

/* ---- what changes ---- */

/* 0: nothing can be painted. Locks the mask. */
static int begin_change(rec_worker *worker)
{
    rec_worker_end_iterating(worker);
    if (!rec_session_paints(worker->session))
        return 0;
    pthread_mutex_lock(&worker->exchange.handover);
    return 1;
}

static void end_change(rec_worker *worker, rec_area area)
{
    rec_paint *paint = &worker->session->paint;
    pthread_mutex_unlock(&worker->exchange.handover);
    paint->changed = rec_area_join(paint->changed, area);
    paint->strokes++;
    worker->now.phase = REC_PHASE_ITERATING;
}

char *rec_session_write_place(const rec_session *session, char text[64])
{
    const rec_guidance *from = &session->paint.guidance;
    if (session->job->settings->edit.kind == REC_EDIT_CLONE)
        snprintf(text, 64, "--at %td,%td", from->x, from->y);
    else
        snprintf(text, 64, "--from %td,%td", -from->x, -from->y);
    return text;
}

/* When healing: pixel (x, y) takes its gradients from the place that Ctrl+click chose. */
static void aim(rec_worker *worker, ptrdiff_t x, ptrdiff_t y)
{
    rec_paint *paint = &worker->session->paint;
    rec_guidance *guidance = &worker->session->paint.guidance;
    guidance->x = x - paint->x;
    guidance->y = y - paint->y;
    if (guidance->rule == REC_GRADIENT_ZERO || (!guidance->x && !guidance->y))
        guidance->rule = guidance->x || guidance->y ? REC_GRADIENT_SOURCE : REC_GRADIENT_ZERO;
    paint->aims = 0;
    paint->moved = 1;
    rec_worker_tell(worker, 0, "%s", rec_session_write_place(worker->session, (char[64]){0}));
}

void rec_worker_paint(rec_worker *worker, const rec_request *request)
{
    if (!begin_change(worker))
        return;
    const rec_area area = rec_brush_stroke(&worker->session->paint.brush, &request->stroke);
    end_change(worker, area);
    if (worker->session->paint.aims && request->stroke.unknown)
        aim(worker, lround(request->stroke.x), lround(request->stroke.y));
}

void rec_worker_lift(rec_worker *worker, const rec_request *request)
{
    if (rec_session_paints(worker->session))
        rec_brush_end(&worker->session->paint.brush);
}

void rec_worker_undo(rec_worker *worker, const rec_request *request)
{
    if (begin_change(worker))
        end_change(worker, rec_brush_undo(&worker->session->paint.brush, request->argument));
}

void rec_worker_clear(rec_worker *worker, const rec_request *request)
{
    if (begin_change(worker))
        end_change(worker, rec_brush_clear(&worker->session->paint.brush));
}

void rec_worker_move_source(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    const rec_stroke *way = &request->stroke;
    if (!begin_change(worker))
        return;
    const rec_area box = box_of(&session->job->mask);
    if (session->job->settings->edit.kind == REC_EDIT_CLONE) {
        session->paint.guidance.x += lround(way->to_x) - lround(way->x);
        session->paint.guidance.y += lround(way->to_y) - lround(way->y);
        session->paint.moved = 1;
        rec_worker_tell(worker, 0, "%s", rec_session_write_place(session, (char[64]){0}));
    } else {
        session->paint.x = lround(way->to_x);
        session->paint.y = lround(way->to_y);
        session->paint.aims = 1;
    }
    end_change(worker, box);
    if (session->paint.aims && box.width)
        aim(worker, (ptrdiff_t)(box.x + box.width / 2), (ptrdiff_t)(box.y + box.height / 2));
}

void rec_worker_change_rule(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    if (!session->job || !begin_change(worker))
        return;
    rec_guidance *guidance = &session->paint.guidance;
    const int clones = session->job->settings->edit.kind == REC_EDIT_CLONE;
    const int has_source = clones || guidance->x || guidance->y;
    const int rules = clones ? REC_GRADIENT_ZERO : REC_GRADIENTS;
    if (has_source)
        guidance->rule = (rec_gradient)(((int)guidance->rule + 1) % rules);
    session->paint.moved = 1;
    end_change(worker, box_of(&session->job->mask));
    const rec_gradient_row *row = &rec_gradients[guidance->rule];
    rec_worker_tell(worker, !has_source, "%s%s%s", has_source ? row->name : "",
                    has_source ? ": " : "Ctrl+click sets the place to take gradients from",
                    has_source ? row->help : "");
}

/* ---- what the solver gets ---- */

/* The mask of a clone lies where its source does. */
static void move_mask(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_job *job = session->job;
    if (job->settings->edit.kind == REC_EDIT_CLONE) {
        pthread_mutex_lock(&worker->exchange.handover);
        rec_mask_place(&job->mask, &job->shape, session->paint.guidance.x,
                       session->paint.guidance.y);
        pthread_mutex_unlock(&worker->exchange.handover);
    }
    session->paint.changed = rec_area_join(session->paint.changed, box_of(&job->mask));
    session->paint.moved = 0;
}

/* If nothing is known any more the last stroke is undone; 0: that does not help. */
static int leave_something(rec_worker *worker)
{
    rec_session *session = worker->session;
    const rec_problem *problem = &session->job->problem;
    if (!rec_problem_frees_mean(problem))
        return 1;
    rec_worker_undo(worker, &(rec_request){.argument = 0});
    rec_worker_tell(worker, 1, "some pixels must stay known");
    return !rec_problem_frees_mean(problem);
}

static rec_status change_solver(rec_session *session, rec_solver *solver, rec_error *error)
{
    rec_paint *paint = &session->paint;
    const rec_area area = paint->changed;
    rec_job *job = session->job;
    rec_problem problem = job->problem;
    problem.edges = &job->edges;
    problem.start = &job->start;
    if (!area.width)
        return REC_OK;
    paint->changed = (rec_area){0};
    rec_guidance_make(&paint->guidance, area.x, area.y, area.width, area.height, &job->edges);
    return rec_solver_change(solver, &problem, area.x, area.y, area.width, area.height, error);
}

void rec_worker_fill(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_solver *solver = rec_run_solver(session->run);
    rec_look look;
    rec_error error;
    int ends = 1;
    if (session->paint.moved)
        move_mask(worker);
    session->paint.seen = rec_area_join(session->paint.seen, session->paint.changed);
    if (leave_something(worker)) {
        const double before = rec_now();
        rec_status status = change_solver(session, solver, &error);
        if (!status)
            status = rec_solver_solve(solver, FILL_SECONDS, &ends, &error);
        ends |= rec_now() - before < FILL_SECONDS; /* or it can come no nearer */
        if (!status)
            status = rec_solver_advance(solver, 0, REC_LOOK_DISTANCE, &look, &error);
        if (status) {
            rec_worker_give_up(worker, &error);
            return;
        }
        session->numbers.distance = look.distance_max;
    }
    worker->now.phase = ends ? REC_PHASE_STOPPED : REC_PHASE_ITERATING;
    rec_worker_show_newest(worker);
}

void rec_worker_finish_filling(rec_worker *worker)
{
    while (rec_session_paints(worker->session) && worker->now.phase == REC_PHASE_ITERATING)
        rec_worker_fill(worker);
}

/* ---- what the window gets ---- */

/* Along one axis: the output pixels that the changed ones are in, with one more on each side. */
static void narrow_axis(size_t *at, size_t *length, size_t *out, size_t from, size_t count)
{
    const size_t begin = rec_smaller(from > *at ? from - *at : 0, *length - 1);
    const size_t behind = from + count > *at ? from + count - *at : 0;
    const size_t end = rec_smaller(rec_larger(behind, begin + 1), *length);
    const size_t first = begin * *out / *length, last = (end * *out + *length - 1) / *length;
    const size_t low = first ? first - 1 : 0, high = rec_smaller(last + 1, *out);
    const size_t left = rec_box_edge(low, *out, *length);
    *length = rec_box_edge(high, *out, *length) - left;
    *at += left;
    *out = high - low;
}

void rec_worker_narrow(rec_worker *worker, rec_view *view)
{
    rec_exchange *exchange = &worker->exchange;
    rec_session *session = worker->session;
    pthread_mutex_lock(&exchange->handover);
    /* If one view is made whole several times, the window may get the first of these alone. */
    const int begins = memcmp(view, &exchange->whole, sizeof *view) != 0;
    const int taken = !begins && exchange->whole_taken;
    exchange->whole = *view;
    exchange->whole_taken = taken;
    pthread_mutex_unlock(&exchange->handover);
    if (begins)
        session->paint.seen = (rec_area){0};
    const rec_area area = rec_area_join(session->paint.seen, box_of(&session->job->mask));
    if (!taken || !area.width)
        return;
    narrow_axis(&view->x, &view->width, &view->out_width, area.x, area.width);
    narrow_axis(&view->y, &view->height, &view->out_height, area.y, area.height);
}

void rec_worker_renew(rec_worker *worker)
{
    rec_exchange *exchange = &worker->exchange;
    pthread_mutex_lock(&exchange->handover);
    const int renews = exchange->whole_taken && worker->session->paint.seen.width;
    if (renews)
        exchange->whole = (rec_view){0}; /* the next one begins again */
    pthread_mutex_unlock(&exchange->handover);
    if (renews)
        rec_worker_make_due(worker, 1);
}
