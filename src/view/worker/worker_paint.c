/* Painting: the edit changes while the solver fills it. From picture to picture the solver gets
 * what has changed, and some time. */
#include <math.h>

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
    if (iterates || !rec_session_paints(session) || !rec_edit_mask(job->edit)->count ||
        session->paint.of_source)
        return rec_nothing;
    const rec_outcome filled = rec_worker_fill(worker); /* the edges are of the whole mask then */
    if (filled.error.status)
        return filled;
    rec_solver_get_info(rec_run_solver(session->run), &info);
    rec_run_options options = {.iterations = REC_ENDLESS, .problem = job->problem, .fresh = 1};
    rec_status status = rec_solver_find(info.devices ? "cuda" : "cpu", &options.solver, &error);
    REC_THEN(status, rec_run_create(&run, &options, job->problem.input, job->problem.start,
                                    &error));
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

/* The problem as it is now, its mask locked while it changes. *undone: the last stroke. */
static rec_status change_solver(rec_worker *worker, int *undone, rec_error *error)
{
    rec_session *session = worker->session;
    rec_job *job = session->job;
    const rec_problem *problem;
    pthread_mutex_lock(&worker->exchange.handover);
    const rec_status status = rec_edit_settle(job->edit, undone, error);
    pthread_mutex_unlock(&worker->exchange.handover);
    REC_TRY(status);
    REC_TRY(rec_edit_problem(job->edit, &problem, error));
    job->problem = *problem;
    if (rec_problem_frees_mean(problem))
        return REC_OK; /* it is still another stroke's */
    rec_area area;
    REC_TRY(rec_edit_update_edges(job->edit, &area, error));
    session->paint.unseen = rec_area_join(session->paint.unseen, area);
    return area.width ? rec_solver_change(rec_run_solver(session->run), problem, area, error)
                      : REC_OK;
}

rec_outcome rec_worker_fill(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_solver *solver = rec_run_solver(session->run);
    const rec_job *job = session->job;
    rec_look look;
    rec_error error;
    int ends = 1, undone = 0;
    if (session->paint.of_source) {
        session->phase = REC_PHASE_STOPPED;
        return rec_nothing;
    }
    const double before = rec_now();
    if (rec_edit_seek(job->edit, &error)) /* the stroke stays as it is, the next fill goes on */
        return rec_told(REC_BAD, "%s", error.message);
    rec_status status = change_solver(worker, &undone, &error);
    if (!status && !rec_problem_frees_mean(&job->problem)) {
        const double solving = rec_now();
        status = rec_solver_solve(solver, fmax(FILL_SECONDS - (solving - before), 0), &ends,
                                  &error);
        ends |= rec_now() - before < FILL_SECONDS; /* or it can come no nearer */
        REC_THEN(status, rec_solver_advance(solver, 0, REC_LOOK_DISTANCE, &look, &error));
        if (!status)
            session->numbers.distance = look.distance_max;
    }
    if (status)
        return (rec_outcome){.error = error};
    session->phase = ends && !rec_edit_seeks(job->edit) ? REC_PHASE_STOPPED : REC_PHASE_ITERATING;
    return undone ? rec_told(REC_SHOW_NEWEST | REC_BAD, "some pixels must stay known")
                  : (rec_outcome){.follow = REC_SHOW_NEWEST};
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

/* ---- what changes it ---- */

/* Its edit, whose mask is locked until end_change; NULL: nothing can be painted. of_source: it may
 * also be the one of a clone's SOURCE. */
static rec_edit *begin_change(rec_worker *worker, int of_source)
{
    rec_worker_end_jacobi(worker);
    if (!rec_session_paints(worker->session) ||
        (worker->session->paint.of_source && !of_source))
        return NULL;
    pthread_mutex_lock(&worker->exchange.handover);
    return worker->session->job->edit;
}

static void end_change(rec_worker *worker, const rec_edit *edit)
{
    if (!edit)
        return;
    pthread_mutex_unlock(&worker->exchange.handover);
    worker->session->phase = REC_PHASE_ITERATING; /* a source may be sought now */
}

/* The act `name`: it calls that while there is an edit. */
#define CHANGES(name, of_source, call) \
    rec_outcome name(rec_worker *worker, const rec_request *request) \
    { \
        rec_edit *edit = begin_change(worker, of_source); \
        rec_error error = {0}; \
        if (edit) \
            call; \
        end_change(worker, edit); \
        return (rec_outcome){.error = error}; \
    }
CHANGES(rec_worker_paint, 1, rec_edit_stroke(edit, &request->stroke, &error))
CHANGES(rec_worker_undo, 1, rec_edit_undo(edit, request->argument))
CHANGES(rec_worker_clear, 1, rec_edit_clear(edit))
CHANGES(rec_worker_lift, 1, rec_edit_lift(edit))
CHANGES(rec_worker_move_source, 0, rec_edit_move_source(edit, &request->stroke))

rec_outcome rec_worker_next_source(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    rec_error error;
    int moved;
    rec_worker_end_jacobi(worker);
    if (!rec_session_paints(session) || session->paint.of_source)
        return rec_nothing;
    if (rec_edit_next_source(session->job->edit, &moved, &error))
        return (rec_outcome){.error = error};
    session->phase = REC_PHASE_ITERATING;
    return moved ? rec_nothing : rec_told(REC_BAD, "no stroke that has texture around it");
}

rec_outcome rec_worker_change_rule(rec_worker *worker, const rec_request *request)
{
    const rec_session *session = worker->session;
    rec_edit *edit = begin_change(worker, 0);
    const int has_source = edit && rec_edit_change_rule(edit);
    end_change(worker, edit);
    return !edit         ? rec_nothing
           : !has_source ? rec_told(REC_BAD, "Ctrl+click sets where texture comes from")
           : rec_session_clones(session)
               ? rec_told(0, "%s: %s", rec_session_rule(session),
                          rec_gradients[rec_edit_look(edit).rule].help)
               : rec_told(0, "fill: %s", rec_session_rule(session));
}

/* ---- the mask of a SOURCE ---- */

void rec_worker_leave_brush(rec_worker *worker)
{
    const size_t place = worker->session - worker->sessions;
    rec_session *const brush = worker->session, *const job = &worker->sessions[place & ~(size_t)1];
    worker->session = job;
    if (!brush->paint.of_source || !brush->run || !job->run ||
        !rec_edit_is_unsaved(brush->job->edit))
        return;
    rec_worker_end_jacobi(worker);
    rec_edit_copy_shape(job->job->edit, brush->job->edit);
    rec_edit_keep(brush->job->edit);
    job->phase = REC_PHASE_ITERATING;
}
