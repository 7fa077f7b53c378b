/* The worker's thread, iterating, jumps, and a file that changes. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "job/job.h"
#include "view/worker/worker_type.h"

#define SHORT_SECONDS 0.004      /* to wait while both buffers are busy, or for the pace */
#define LONG_SECONDS 0.5         /* to wait for an action: then files are looked after */
#define FILE_SECONDS 0.5         /* between two looks at the input's file */

/* ---- iterating ---- */

/* If a frame cannot be written, the run pauses, also at its end, and tries again when it goes on.
 * Returns 0 then. */
static int record(rec_worker *worker)
{
    rec_error error;
    if (!rec_job_between_batches(worker->session->job, &error))
        return 1;
    rec_worker_rest(worker);
    if (worker->now.phase == REC_PHASE_STOPPED)
        worker->now.phase = REC_PHASE_PAUSED;
    rec_worker_tell(worker, 1, "%s; Space tries again", error.message);
    rec_worker_keep_failure(worker, &error);
    return 0;
}

/* Nobody may poll the run's solver while another one takes over. */
static void hand_over(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_error ignored; /* it had room for a reference before */
    rec_worker_hand_over(worker, NULL, NULL, NULL);
    rec_job_hand_over(session->job);
    session->marked = 0;
    session->fresh_batch = 1;
    rec_session_give_reference(session, rec_run_solver(session->run), &ignored);
    rec_worker_show_solvers(worker);
}

static void worker_advance(rec_worker *worker)
{
    rec_error error;
    int batch_ended, rests;
    if (rec_session_paints(worker->session)) {
        rec_worker_fill(worker);
        return;
    }
    if (!record(worker))
        return;
    if (rec_job_can_hand_over(worker->session->job))
        hand_over(worker);
    rec_status status = rec_session_mark(worker->session, &error);
    if (status == REC_LIMIT) { /* the change is only not shown */
        rec_worker_make_due(worker, 1);
        rec_worker_tell(worker, 1, "no change can be shown: %s", error.message);
        status = REC_OK;
    }
    if (!status)
        status = rec_session_advance(worker->session, &batch_ended, &rests, &error);
    if (status) {
        rec_worker_give_up(worker, &error);
        return;
    }
    if (!record(worker))
        return;
    if (rests)
        rec_worker_rest(worker);
    else if (rec_worker_wants_picture(worker, batch_ended))
        rec_worker_show_newest(worker);
}

/* While the run waits for its pace, the picture may still be an older one. */
static void catch_up(rec_worker *worker)
{
    const rec_session *session = worker->session;
    if (session->shown_at != rec_run_get_state(session->run)->iterations &&
        rec_worker_wants_picture(worker, 1))
        rec_worker_show_newest(worker);
}

/* ---- jumps: another iterate is shown while the run waits ---- */

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
    if (worker->session->jumped)
        restore(worker);
}

/* The first jump opens the jumper and transforms the edges. */
static rec_status worker_jump(rec_session *session, uint64_t iteration, rec_error *error)
{
    if (!session->jumper) {
        REC_TRY(rec_job_open_jumper(session->job, &session->jumper, error));
        rec_error ignored; /* without room for it a jump has no difference to show */
        rec_session_give_reference(session, session->jumper, &ignored);
    }
    REC_TRY(rec_solver_jump(session->jumper, iteration, error));
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
    if (!session->run || !rec_jumper_available(worker->jobs->settings) ||
        (session->jumped && session->jump == request->iteration))
        return;
    rec_worker_interrupt(worker);
    if (!session->jumper) {
        now->phase = REC_PHASE_PREPARING;
        rec_worker_publish(worker);
    }
    if (worker_jump(session, request->iteration, &error)) {
        restore(worker);
        rec_session_close_jumper(session);
        rec_worker_tell(worker, 1, "no jump: %s", error.message);
        return;
    }
    now->phase = REC_PHASE_JUMPED;
    if (session->jump == REC_LIMIT_ITERATION)
        rec_session_count_equal(session);
    if (first)
        rec_worker_show_solvers(worker);
    rec_worker_show_newest(worker);
}

/* After a failure the run may have no solver any more. */
static rec_status go_on_from_jump(rec_session *session, rec_error *error)
{
    rec_image image;
    REC_TRY(rec_solver_read_image(session->jumper, &image, error));
    rec_status status = rec_job_jump(session->job, session->jump, &image, error);
    rec_image_destroy(&image);
    REC_TRY(status);
    session->jumped = session->marked = 0;
    session->numbers.distance = session->numbers.psnr = NAN;
    session->numbers.history = (rec_history){0};
    session->fresh_batch = 1;
    rec_error ignored; /* it had room for it before */
    rec_session_give_reference(session, rec_run_solver(session->run), &ignored);
    return REC_OK;
}

/* The run goes on from what the jump shows; 0 when it cannot. */
static int play(rec_worker *worker)
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
    return 1;
}

/* ---- other requests ---- */

static void tell_end(rec_worker *worker)
{
    const int is_limit = rec_session_iterate(worker->session) == REC_LIMIT_ITERATION;
    rec_worker_tell(worker, 0, "%s",
                    is_limit ? "iterating does not change the exact picture"
                             : "the run has ended: n does another batch, r restarts");
}

void rec_worker_pause(rec_worker *worker, const rec_request *request)
{
    if (worker->session->jumped) {
        play(worker);
    } else if (worker->now.phase == REC_PHASE_ITERATING) {
        rec_worker_rest(worker);
    } else if (worker->now.phase == REC_PHASE_PAUSED) {
        worker->now.phase = REC_PHASE_ITERATING;
        rec_session_begin_batch(worker->session, 0);
        rec_worker_tell(worker, 0, "%s", ""); /* what was said of the pause is over */
    } else if (worker->session->run) {
        tell_end(worker);
    }
}

void rec_worker_step(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    if (!session->run || (session->jumped && !play(worker)))
        return;
    if (rec_session_iterate(session) == REC_LIMIT_ITERATION) {
        tell_end(worker);
    } else {
        rec_session_step(session, request->argument);
        worker->now.phase = REC_PHASE_ITERATING;
    }
}

/* ---- a file that has changed ---- */

/* 1: it has changed, and then not for a while, and can be read. */
static int is_other_file(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_error error;
    if (!session->job || session->paint.strokes || rec_now() - worker->look_time < FILE_SECONDS)
        return 0; /* what is painted would be lost */
    worker->look_time = rec_now();
    const uint64_t now = rec_job_stamp(session->job), before = session->new_stamp;
    session->new_stamp = now;
    if (!now || now == session->stamp || now != before)
        return 0;
    session->stamp = now;
    if (!rec_job_check(session->job, &error))
        return 1;
    rec_worker_tell(worker, 1, "the file changed, but cannot be read: %s", error.message);
    return 0;
}

/* Its new run is shown where the old one was, by a jump. One that an option has ended ends there
 * again, with the bits of that solver, and as soon as it can. */
static void look_after_file(rec_worker *worker)
{
    rec_session *session = worker->session;
    if (!is_other_file(worker))
        return;
    const int open = session->run != NULL, jumped = session->jumped;
    const int paused = worker->now.phase != REC_PHASE_ITERATING;
    const rec_stop stop = open ? rec_run_get_state(session->run)->stop : REC_STOP_NONE;
    const int at_end = !jumped && stop == REC_STOP_STANDSTILL;
    const uint64_t iterate = at_end ? REC_LIMIT_ITERATION : open ? rec_session_iterate(session) : 0;
    rec_worker_close(worker);
    if (!rec_worker_open(worker, worker->now.index, 1))
        return;
    rec_worker_tell(worker, 0, "the file changed and was reloaded");
    if (!iterate)
        return;
    if (!jumped && stop != REC_STOP_NONE && stop != REC_STOP_STANDSTILL) {
        session->numbers.pace = 0;
        return;
    }
    rec_worker_seek(worker, &(rec_request){.iteration = iterate});
    if (!jumped && session->jumped && play(worker) && paused && iterate != REC_LIMIT_ITERATION)
        rec_worker_rest(worker);
}

/* ---- the thread ---- */

static void *work(void *argument)
{
    rec_worker *worker = argument;
    rec_use_plain_numbers();
    rec_worker_take_wanted(worker);
    const size_t inputs = worker->jobs->count;
    const int opened = !inputs || rec_worker_open(worker, 0, 0);
    const int hopeless = !opened && inputs == 1;
    while (!hopeless && !rec_worker_is_signalled(worker)) {
        if (worker->due)
            rec_worker_show(worker);
        const int iterates = worker->now.phase == REC_PHASE_ITERATING;
        const int is_early = iterates && rec_session_is_early(worker->session);
        const int rests = !iterates && !worker->due;
        const double wait = rests ? LONG_SECONDS : iterates && !is_early ? 0 : SHORT_SECONDS;
        rec_worker_publish(worker);
        rec_request request = rec_worker_next(worker, wait, rests);
        rec_worker_take_wanted(worker);
        if (worker->exchange.leave)
            break;
        if (request.act) {
            request.act(worker, &request);
            worker->now.answered = request.number;
        } else if (rests && rec_session_paints(worker->session)) {
            rec_worker_renew(worker);
        } else if (is_early) {
            catch_up(worker);
        } else if (worker->now.phase == REC_PHASE_ITERATING) {
            worker_advance(worker);
        }
        free(request.path);
        look_after_file(worker);
    }
    const rec_session *session = worker->session;
    if (session->jumped && !rec_run_get_state(session->run)->iterations &&
        worker->jobs->settings->output && !rec_worker_is_signalled(worker))
        play(worker); /* a run that has not begun has only the edges to write */
    rec_worker_leave(worker);
    worker->now.phase = REC_PHASE_LEFT;
    rec_worker_publish(worker);
    return NULL;
}

rec_status rec_worker_create(rec_worker **worker, rec_jobs *jobs, rec_error *error)
{
    rec_worker *made = calloc(1, sizeof *made);
    rec_session *sessions = calloc(jobs->count + 1, sizeof *sessions);
    *worker = made;
    if (!made || !sessions) {
        free(made);
        free(sessions);
        return rec_fail(error, REC_LIMIT, "out of memory for the window");
    }
    made->sessions = made->session = sessions;
    made->jobs = jobs;
    pthread_mutex_init(&made->exchange.lock, NULL);
    made->exchange.handover = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_cond_init(&made->exchange.posted, NULL);
    rec_worker_publish(made);
    return REC_OK;
}

void rec_worker_destroy(rec_worker *worker)
{
    rec_exchange *exchange = &worker->exchange;
    for (size_t i = 0; i < exchange->queued; i++)
        free(exchange->queue[i].path);
    rec_worker_hand_over(worker, NULL, NULL, NULL); /* nor a preview */
    pthread_cond_destroy(&exchange->posted);
    pthread_mutex_destroy(&exchange->handover);
    pthread_mutex_destroy(&exchange->lock);
    free(worker->sessions);
    free(worker);
}

rec_status rec_worker_start(rec_worker *worker, rec_error *error)
{
    return pthread_create(&worker->thread, NULL, work, worker)
               ? rec_fail(error, REC_LIMIT, "the system refused a thread for the run")
               : REC_OK;
}

rec_status rec_worker_join(rec_worker *worker, rec_error *error)
{
    pthread_join(worker->thread, NULL);
    if (worker->failure.status)
        *error = worker->failure;
    return worker->failure.status;
}
