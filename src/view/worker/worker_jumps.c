/* Jumps: another iterate is shown while the run waits. Then the run goes on as it was, or from that
 * iterate. */
#include <math.h>

#include "view/worker/worker_type.h"

static void restore(rec_worker *worker)
{
    rec_error ignored; /* it says how near the run is, and nothing depends on it */
    worker->session->jumped = 0;
    worker->session->numbers.psnr = NAN;
    rec_session_look(worker->session, &ignored);
    rec_worker_resume(worker);
}

void rec_worker_go_back(rec_worker *worker, const rec_request *request)
{
    (void)request;
    if (worker->session->jumped)
        restore(worker);
}

/* The first jump opens the jumper and transforms the edges. */
static rec_status jump(rec_session *session, uint64_t iteration, rec_error *error)
{
    rec_status status = REC_OK;
    if (!session->jumper) {
        status = rec_job_open_jumper(session->job, &session->jumper, error);
        if (status) {
            session->jumper = NULL;
            return status;
        }
        rec_error ignored; /* without room for it a jump has no difference to show */
        rec_session_give_reference(session, session->jumper, &ignored);
    }
    status = rec_solver_jump(session->jumper, iteration, error);
    if (status)
        return status;
    session->jumped = 1;
    session->jump = iteration;
    session->next_levels = 0;
    return rec_session_compare(session, error);
}

void rec_worker_seek(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    rec_view_state *now = &worker->now;
    const int first = !session->jumped;
    rec_error error;
    if (!session->run || !rec_jumper_available(worker->jobs->settings))
        return;
    rec_worker_interrupt(worker);
    if (!session->jumper) {
        now->phase = REC_PHASE_PREPARING;
        rec_worker_publish(worker);
    }
    if (jump(session, request->iteration, &error)) {
        restore(worker);
        rec_session_close_jumper(session);
        rec_worker_tell(worker, 1, "no jump: %s", error.message);
        return;
    }
    now->phase = REC_PHASE_JUMPED;
    if (first)
        rec_worker_show_solvers(worker);
    rec_worker_make_due(worker, 1);
    rec_worker_show(worker);
    rec_worker_probe(worker);
}

/* After a failure the run may have no solver any more. */
static rec_status go_on_from_jump(rec_session *session, rec_error *error)
{
    rec_image image;
    rec_status status = rec_solver_read_image(session->jumper, &image, error);
    if (status)
        return status;
    status = rec_job_jump(session->job, session->jump, &image, error);
    rec_image_destroy(&image);
    if (status)
        return status;
    session->jumped = session->marked = 0;
    session->numbers.distance = session->numbers.psnr = NAN;
    session->numbers.history = (rec_history){0};
    session->fresh_batch = 1;
    rec_error ignored; /* it had room for it before */
    rec_session_give_reference(session, rec_run_solver(session->run), &ignored);
    return REC_OK;
}

int rec_worker_play(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_error error;
    /* The run's solver goes, and nobody may poll it then. */
    rec_worker_hand_over(worker, session->jumper, NULL, NULL);
    if (go_on_from_jump(session, &error)) {
        if (rec_run_solver(session->run)) { /* the run is as it was */
            if (session->before == REC_PHASE_ITERATING)
                session->before = REC_PHASE_PAUSED;
            restore(worker);
            rec_worker_tell(worker, 1, "no jump: %s", error.message);
        } else {
            rec_worker_give_up(worker, &error);
        }
        return 0;
    }
    /* With a solver that jumps it is there. */
    const int stays = rec_run_get_state(session->run)->stop != REC_STOP_NONE;
    session->before = stays ? REC_PHASE_STOPPED : REC_PHASE_ITERATING;
    rec_worker_resume(worker);
    if (stays)
        rec_worker_rest(worker);
    return !stays;
}
