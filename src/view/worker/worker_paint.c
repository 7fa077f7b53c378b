/* Painting: which pixels are unknown, and where their gradients come from, changes while the
 * solver fills them. From picture to picture the solver gets what has changed, and some time. */
#include <math.h>
#include <string.h>

#include "job/job.h"
#include "view/worker/worker_type.h"

#define FILL_SECONDS 0.01 /* of solving, from picture to picture */
#define LAST_SECONDS 3.0

/* ---- Jacobi's iteration in its place ---- */

static void replace_run(rec_session *session, rec_run *run)
{
    session->run = session->job->run = run;
    session->numbers.distance = NAN;
    session->numbers.measured_at = rec_run_get_state(run)->iterations;
    session->numbers.history = (rec_history){0};
    session->marked = 0;
    rec_session_begin_batch(session, 0);
}

void rec_worker_end_jacobi(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_run *exact = session->paint.waiting;
    if (!exact)
        return;
    rec_worker_detach(worker);
    rec_run_destroy(session->run);
    session->paint.waiting = NULL;
    replace_run(session, exact);
}

rec_outcome rec_worker_toggle_jacobi(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    const rec_job *job = session->job;
    rec_solver_info info;
    rec_run *run = NULL;
    rec_error error;
    const int iterates = session->paint.waiting != NULL;
    rec_worker_end_jacobi(worker);
    if (iterates || !rec_session_paints(session) || !job->mask.count || session->paint.of_source)
        return rec_nothing;
    const rec_outcome filled = rec_worker_fill(worker); /* the edges are of the whole mask then */
    if (filled.error.status)
        return filled;
    rec_solver_get_info(rec_run_solver(session->run), &info);
    rec_run_options options = {.iterations = REC_ENDLESS, .problem = job->problem, .fresh = 1};
    rec_status status = rec_solver_find(info.devices ? "cuda" : "cpu", &options.solver, &error);
    REC_THEN(status, rec_run_create(&run, &options, &job->given, &job->start, &error));
    if (status)
        return rec_told(REC_BAD, "no iteration: %s", error.message);
    rec_worker_detach(worker);
    rec_session_give_reference(session, rec_run_solver(run), &error); /* else: no difference */
    session->paint.waiting = session->run;
    session->numbers.pace = 0;
    replace_run(session, run);
    return rec_nothing;
}

/* ---- what the solver gets ---- */

/* The mask of a clone lies where its source does. */
static void move_mask(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_job *job = session->job;
    if (job->settings->edit.kind == REC_EDIT_CLONE) {
        REC_HOLD(&worker->exchange.handover);
        const rec_patch *at = &job->sources.at[0];
        session->paint.guidance.x = at->x;
        session->paint.guidance.y = at->y;
        rec_mask_place(&job->mask, &job->shape, at->smooth ? (ptrdiff_t)job->mask.width : at->x,
                       at->y);
    }
    session->paint.changed = rec_area_join(session->paint.changed, job->mask.box);
    session->paint.moved = 0;
    session->paint.strokes++; /* the mask is another one now */
}

/* Transparent pixels that lead to the mask are unknown, too. */
static rec_status grow_mask(rec_session *session, rec_error *error)
{
    rec_paint *paint = &session->paint;
    rec_job *job = session->job;
    if (!paint->changed.width || !job->hidden.unknown)
        return REC_OK;
    const rec_area before = job->problem.mask->box;
    const rec_status status = rec_edit_grow(job, error);
    paint->changed = rec_area_join(paint->changed, rec_area_join(before, job->problem.mask->box));
    return status;
}

static rec_status change_solver(rec_session *session, rec_solver *solver, rec_error *error)
{
    rec_paint *paint = &session->paint;
    const rec_area area = paint->changed;
    rec_job *job = session->job;
    rec_problem problem = job->problem;
    problem.given = &job->given;
    problem.start = &job->start;
    if (!area.width)
        return REC_OK;
    paint->changed = (rec_area){0};
    paint->unseen = rec_area_join(paint->unseen, area);
    rec_guidance_make(&paint->guidance, area, &job->given);
    return rec_solver_change(solver, &problem, area, error);
}

/* A stroke that has ended, whose source is still to be found; NULL: there is none. */
static rec_patch *find_sought(const rec_session *session)
{
    const rec_sources *sources = &session->job->sources;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->at[i].smooth == REC_SOUGHT && !session->paint.paints &&
            !session->paint.of_source)
            return &sources->at[i];
    return NULL;
}

/* Looks for that source, once what was painted is filled smoothly. */
static rec_status seek(rec_session *session, rec_error *error)
{
    rec_paint *paint = &session->paint;
    const rec_patch *patch = find_sought(session);
    if (!patch || paint->changed.width || paint->moved)
        return REC_OK;
    const size_t label = (size_t)(patch - session->job->sources.at) + 1;
    REC_TRY(rec_edit_seek(session->job, (uint16_t)label, error));
    paint->changed = patch->box;
    return REC_OK;
}

rec_outcome rec_worker_fill(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_solver *solver = rec_run_solver(session->run);
    const rec_problem *problem = &session->job->problem;
    rec_outcome outcome = {.follow = REC_SHOW_NEWEST};
    rec_look look;
    rec_error error;
    int ends = 1;
    if (session->paint.of_source) {
        session->paint.changed = (rec_area){0};
        session->phase = REC_PHASE_STOPPED;
        return rec_nothing;
    }
    if (seek(session, &error))
        return (rec_outcome){.error = error};
    if (session->paint.moved)
        move_mask(worker);
    if (grow_mask(session, &error))
        return (rec_outcome){.error = error};
    if (rec_problem_frees_mean(problem)) { /* nothing is known any more */
        pthread_mutex_lock(&worker->exchange.handover);
        const rec_area undone = rec_brush_undo(&session->paint.brush, 0);
        pthread_mutex_unlock(&worker->exchange.handover);
        session->paint.changed = rec_area_join(session->paint.changed, undone);
        session->paint.paints = 0;
        if (grow_mask(session, &error))
            return (rec_outcome){.error = error};
        outcome = rec_told(REC_SHOW_NEWEST | REC_BAD, "some pixels must stay known");
    }
    if (!rec_problem_frees_mean(problem)) {
        const double before = rec_now();
        rec_status status = change_solver(session, solver, &error);
        REC_THEN(status, rec_solver_solve(solver, FILL_SECONDS, &ends, &error));
        ends |= rec_now() - before < FILL_SECONDS; /* or it can come no nearer */
        REC_THEN(status, rec_solver_advance(solver, 0, REC_LOOK_DISTANCE, &look, &error));
        if (status)
            return (rec_outcome){.error = error};
        session->numbers.distance = look.distance_max;
    }
    session->phase = ends && !find_sought(session) ? REC_PHASE_STOPPED : REC_PHASE_ITERATING;
    return outcome;
}

rec_outcome rec_worker_finish_filling(rec_worker *worker)
{
    const rec_session *session = worker->session;
    rec_outcome outcome = rec_nothing;
    /* After a signal there may be little time. */
    const double end = rec_is_stopped() ? rec_now() + LAST_SECONDS : INFINITY;
    while (rec_session_paints(session) && session->phase == REC_PHASE_ITERATING &&
           !outcome.error.status && rec_now() < end)
        outcome = rec_worker_fill(worker);
    return outcome;
}

/* ---- the mask of a SOURCE ---- */

void rec_worker_leave_brush(rec_worker *worker)
{
    const size_t place = worker->session - worker->sessions;
    rec_session *const brush = worker->session, *const job = &worker->sessions[place & ~(size_t)1];
    rec_paint *const paint = &job->paint;
    worker->session = job;
    if (!brush->paint.of_source || brush->paint.strokes == brush->paint.saved || !job->run)
        return;
    const rec_mask *mask = &brush->job->mask;
    rec_mask *shape = &job->job->shape;
    rec_worker_end_jacobi(worker);
    memcpy(shape->unknown, mask->unknown, mask->width * mask->height);
    rec_mask_measure(shape);
    brush->paint.saved = brush->paint.strokes;
    paint->changed = rec_area_join(paint->changed, job->job->mask.box);
    paint->moved = 1;
    paint->strokes++;
    job->phase = REC_PHASE_ITERATING;
}
