/* The worker's jumps: an iterate is shown in place of the run's, which waits meanwhile; then the
 * run goes on as it was, or from there. */
#include "view/worker/worker_type.h"

static void restore(rec_worker *worker)
{
    rec_session_return(&worker->session);
    rec_error ignored; /* it says how near the run is, and nothing depends on it */
    rec_session_look(&worker->session, &ignored);
    rec_worker_note_numbers(worker);
    rec_worker_show_solvers(worker);
    worker->now.phase = worker->before;
    worker->active = worker->goes_on;
    if (worker->active)
        rec_session_begin_batch(&worker->session, 0);
    rec_worker_publish(worker);
}

void rec_worker_go_back(rec_worker *worker)
{
    if (worker->session.jumped)
        restore(worker);
}

void rec_worker_seek(rec_worker *worker, uint64_t iteration)
{
    rec_session *session = &worker->session;
    rec_view_state *now = &worker->now;
    const int first = !session->jumped;
    rec_error error;
    if (!session->run || !rec_jumper_available(worker->jobs->settings))
        return;
    if (first) {
        worker->goes_on = worker->active && !worker->stepping;
        worker->before = worker->active && worker->stepping ? REC_PHASE_PAUSED : now->phase;
        worker->active = 0;
        worker->stepping = 0;
    }
    if (!session->jumper) {
        now->phase = REC_PHASE_PREPARING;
        rec_worker_publish(worker);
    }
    if (rec_session_seek(session, iteration, &error)) {
        restore(worker);
        rec_session_close_jumper(session);
        rec_worker_tell(worker, 1, "no jump: %s", error.message);
        return;
    }
    now->phase = REC_PHASE_JUMPED;
    now->jump = iteration;
    now->psnr = session->psnr;
    if (first)
        rec_worker_show_solvers(worker);
    rec_worker_make_due(worker, 1);
    rec_worker_show(worker);
    rec_worker_probe(worker);
}

int rec_worker_play(rec_worker *worker)
{
    rec_session *session = &worker->session;
    rec_error error;
    /* The run's solver goes, and nobody may poll it then. */
    rec_exchange_set_solvers(worker->exchange, session->jumper, NULL, worker->now.size);
    if (rec_session_play(session, &error)) {
        if (rec_run_solver(session->run)) { /* the run is as it was */
            worker->goes_on = 0;
            if (worker->before == REC_PHASE_ITERATING)
                worker->before = REC_PHASE_PAUSED;
            rec_worker_go_back(worker);
            rec_worker_tell(worker, 1, "no jump: %s", error.message);
        } else {
            rec_worker_give_up(worker, &error);
        }
        return 0;
    }
    rec_worker_show_solvers(worker);
    rec_worker_note_numbers(worker);
    if (worker->now.stop) { /* a solver that jumps is there */
        rec_worker_rest(worker);
        return 0;
    }
    worker->now.phase = REC_PHASE_ITERATING;
    worker->active = 1;
    rec_session_begin_batch(session, 0);
    rec_worker_publish(worker);
    return 1;
}
