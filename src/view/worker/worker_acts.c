/* What the worker is asked for while a run is shown, and what follows. */
#include <math.h>

#include "view/worker/worker_type.h"

/* ---- jumps: another iterate is shown while the run waits ---- */

rec_outcome rec_worker_go_back(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    if (!session->jumped)
        return rec_nothing;
    session->jumped = 0;
    session->numbers.psnr = NAN;
    rec_session_measure(session, NULL); /* says how near the run is: nothing depends on it */
    rec_session_resume(session);
    return rec_nothing;
}

/* The first jump opens the jumper and transforms the edges. */
static rec_status jump(rec_session *session, uint64_t iteration, rec_error *error)
{
    REC_TRY(rec_session_open_jumper(session, error));
    REC_TRY(rec_solver_jump(session->jumper, iteration, error));
    session->jumped = 1;
    session->jump = iteration;
    session->next_levels = 0;
    return rec_session_compare(session, error);
}

const rec_request rec_to_limit = {.iteration = REC_LIMIT_ITERATION};

rec_outcome rec_worker_seek(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    rec_error error;
    session->begins_at_limit = 0;
    if (!session->run || !rec_jumper_available(session->job->settings) ||
        (session->jumped && session->jump == request->iteration))
        return rec_nothing;
    if (!session->jumper)
        rec_worker_publish(worker, REC_PHASE_PREPARING, rec_nothing);
    if (jump(session, request->iteration, &error)) {
        rec_worker_go_back(worker, request);
        rec_worker_detach(worker);
        rec_session_close_jumper(session);
        return rec_told(REC_BAD, "no jump: %s", error.message);
    }
    if (session->jump == REC_LIMIT_ITERATION)
        rec_session_count_equal(session);
    return (rec_outcome){.follow = REC_SHOW_NEWEST};
}

/* After a failure the run may have no solver any more. */
static rec_status go_on_from_jump(rec_session *session, rec_error *error)
{
    rec_owned_image image = {0};
    REC_TRY(rec_solver_read_image(session->jumper, &image, error));
    REC_TRY(rec_job_jump(session->job, session->jump, &image, error));
    session->jumped = session->marked = 0;
    session->numbers.distance = session->numbers.psnr = NAN;
    session->numbers.history = (rec_history){0};
    session->fresh_batch = 1;
    rec_session_give_reference(session, rec_run_solver(session->run), NULL); /* had room */
    return REC_OK;
}

/* The run goes on from what the jump shows. */
rec_outcome rec_worker_play(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_error error;
    rec_worker_detach(worker); /* the run's solver goes */
    const rec_status status = go_on_from_jump(session, &error);
    if (status && !rec_run_solver(session->run))
        return (rec_outcome){.error = error};
    if (status) { /* the run is as it was */
        session->jumped = 0;
        return rec_told(REC_REST | REC_BAD, "no jump: %s", error.message);
    }
    rec_session_begin_batch(session, 0);
    const int is_at_end = rec_run_get_state(session->run)->stop != REC_STOP_NONE;
    return (rec_outcome){.follow = is_at_end ? REC_REST : 0};
}

/* ---- other requests ---- */

static rec_outcome tell_end(const rec_session *session, unsigned follow)
{
    return rec_told(follow, "%s",
                    rec_session_iterate(session) == REC_LIMIT_ITERATION
                        ? "iterating does not change the exact picture"
                        : "the run has ended: n runs another batch, r restarts");
}

rec_outcome rec_worker_play_pause(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    if (session->jumped)
        return rec_worker_play(worker);
    if (!session->run)
        return rec_nothing;
    if (session->phase == REC_PHASE_ITERATING)
        return (rec_outcome){.follow = REC_REST};
    if (session->phase == REC_PHASE_STOPPED)
        return tell_end(session, 0);
    rec_session_begin_batch(session, 0);
    return rec_told(0, "%s", ""); /* what was said of the pause is over */
}

rec_outcome rec_worker_step(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    const rec_outcome outcome = session->jumped ? rec_worker_play(worker) : rec_nothing;
    if (!session->run || *outcome.error.message)
        return outcome;
    if (rec_session_iterate(session) == REC_LIMIT_ITERATION)
        return tell_end(session, outcome.follow);
    rec_session_step(session, request->argument);
    return rec_nothing;
}

/* ---- what follows ---- */

/* Iterating stops for now; can_go_on: also at the end of the run it is only paused. */
static rec_status rest(rec_session *session, int can_go_on, rec_error *error)
{
    session->steps = 0;
    session->phase = REC_PHASE_PAUSED;
    REC_TRY(rec_session_measure(session, error));
    if (!rec_run_get_state(session->run)->stop)
        return REC_OK;
    session->phase = can_go_on ? REC_PHASE_PAUSED : REC_PHASE_STOPPED;
    rec_session_count_equal(session);
    return REC_OK;
}

/* Gives the window the session's solvers to poll; all layers are due. */
static void show_solvers(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_solver *shown = rec_session_solver(session);
    rec_solver *edges = rec_session_solver_of(session, REC_LAYER_EDGES);
    worker->due = 0;
    rec_worker_hand_over(worker, shown, edges == shown ? NULL : edges, NULL);
    rec_worker_make_due(worker, 0);
}

void rec_worker_apply(rec_worker *worker, rec_outcome outcome)
{
    rec_session *session = worker->session;
    if (session->begins_at_limit && session->run) { /* its preview is on the screen meanwhile */
        if (!outcome.error.status && (worker->exchange.leave || rec_worker_is_asked(worker))) {
            rec_worker_publish(worker, REC_PHASE_LOADING, outcome);
            return; /* the transform of a large one takes seconds: what was asked comes first */
        }
        const rec_outcome jumped = rec_worker_seek(worker, &rec_to_limit);
        outcome.follow |= jumped.follow;
        outcome = jumped.follow & REC_BAD ? jumped : outcome;
    }
    const unsigned rests = outcome.follow & (REC_REST | REC_PAUSE);
    rec_error error = outcome.error;
    rec_status status = error.status;
    if (!status && session->run && worker->exchange.solver[0] != rec_session_solver(session))
        show_solvers(worker);
    if (!status && rests)
        status = rest(session, rests & REC_PAUSE, &error);
    if (!status && (rests || outcome.follow & REC_SHOW_NEWEST))
        rec_worker_make_due(worker, 1);
    REC_THEN(status, rec_worker_show(worker, &error));
    if (status) { /* other inputs, and another try, are possible */
        rec_worker_keep_failure(worker, &error);
        if (rec_session_is_unsaved(session))
            rec_worker_recover(worker, 1);
        rec_worker_close(worker);
        snprintf(worker->now.failure, sizeof worker->now.failure, "%s", error.message);
    }
    rec_worker_publish(worker, rec_session_phase(session), outcome);
}
