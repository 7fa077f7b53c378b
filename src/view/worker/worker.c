/* The worker's thread, iterating, jumps, and a file that changes. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "job/job.h"
#include "view/worker/worker_type.h"

#define SHORT_SECONDS 0.004      /* to wait while both buffers are busy, or for the pace */
#define LONG_SECONDS 0.5         /* to wait for an action: then files are looked after */
#define FILE_SECONDS 0.5         /* between two looks at the input's file */

/* ---- iterating ---- */

/* If a frame cannot be written, the run pauses, and tries again when it goes on. */
static rec_outcome not_recorded(rec_worker *worker, const rec_error *error)
{
    rec_worker_keep_failure(worker, error);
    return rec_told(REC_PAUSE | REC_BAD, "%s; Space tries again", error->message);
}

static rec_outcome advance(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_outcome outcome = rec_nothing;
    rec_error error;
    int batch_ended, rests;
    if (rec_session_is_early(session)) { /* the picture may still be an older one */
        const int is_old = session->shown_at != rec_run_get_state(session->run)->iterations;
        if (is_old && rec_session_wants_picture(session, 1))
            outcome.follow = REC_SHOW_NEWEST;
        return outcome;
    }
    if (rec_session_paints(session))
        return rec_worker_fill(worker);
    if (rec_job_between_batches(session->job, &error))
        return not_recorded(worker, &error);
    if (rec_job_can_hand_over(session->job)) {
        rec_worker_detach(worker); /* nobody may poll the solver while its successor takes over */
        rec_job_hand_over(session->job);
        session->marked = 0;
        session->fresh_batch = 1;
        rec_session_give_reference(session, rec_run_solver(session->run), NULL); /* had room */
    }
    rec_status status = rec_session_mark(session, &error);
    if (status == REC_LIMIT) { /* the change is only not shown */
        outcome = rec_told(REC_SHOW_NEWEST | REC_BAD, "no change can be shown: %s", error.message);
        status = REC_OK;
    }
    REC_THEN(status, rec_session_advance(session, &batch_ended, &rests, &error));
    if (status)
        return (rec_outcome){.error = error};
    if (rec_job_between_batches(session->job, &error))
        return not_recorded(worker, &error);
    outcome.follow |= rests                                             ? REC_REST
                      : rec_session_wants_picture(session, batch_ended) ? REC_SHOW_NEWEST
                                                                        : 0;
    return outcome;
}

/* ---- jumps: another iterate is shown while the run waits ---- */

/* The run is shown again. */
static void restore(rec_session *session)
{
    session->jumped = 0;
    session->numbers.psnr = NAN;
    rec_session_measure(session, NULL); /* says how near the run is: nothing depends on it */
    rec_session_resume(session);
}

rec_outcome rec_worker_go_back(rec_worker *worker, const rec_request *request)
{
    if (worker->session->jumped)
        restore(worker->session);
    return rec_nothing;
}

/* The first jump opens the jumper and transforms the edges. */
static rec_status jump(rec_session *session, uint64_t iteration, rec_error *error)
{
    if (!session->jumper) {
        REC_TRY(rec_job_open_jumper(session->job, &session->jumper, error));
        /* Without room for it a jump has no difference to show. */
        rec_session_give_reference(session, session->jumper, NULL);
    }
    REC_TRY(rec_solver_jump(session->jumper, iteration, error));
    session->jumped = 1;
    session->jump = iteration;
    session->next_levels = 0;
    return rec_session_compare(session, error);
}

rec_outcome rec_worker_seek(rec_worker *worker, const rec_request *request)
{
    rec_session *session = worker->session;
    rec_error error;
    if (!session->run || !rec_jumper_available(session->job->settings) ||
        (session->jumped && session->jump == request->iteration))
        return rec_nothing;
    if (!session->jumper)
        rec_worker_publish(worker, REC_PHASE_PREPARING, rec_nothing);
    if (jump(session, request->iteration, &error)) {
        restore(session);
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
static rec_outcome play(rec_worker *worker)
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
        return play(worker);
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
    const rec_outcome outcome = session->jumped ? play(worker) : rec_nothing;
    if (!session->run || *outcome.error.message)
        return outcome;
    if (rec_session_iterate(session) == REC_LIMIT_ITERATION)
        return tell_end(session, outcome.follow);
    rec_session_step(session, request->argument);
    return rec_nothing;
}

/* ---- what follows ---- */

/* Also begins the snapshots that are due. */
static void apply(rec_worker *worker, rec_outcome outcome)
{
    rec_session *session = worker->session;
    if (session->begins_at_limit && session->run) { /* its preview is on the screen meanwhile */
        if (!outcome.error.status && rec_worker_is_asked(worker)) {
            rec_worker_publish(worker, REC_PHASE_LOADING, outcome);
            return; /* the transform of a large one takes seconds: what was asked comes first */
        }
        const rec_request limit = {.iteration = REC_LIMIT_ITERATION};
        const rec_outcome jumped = rec_worker_seek(worker, &limit);
        session->begins_at_limit = 0;
        outcome.follow |= jumped.follow;
        outcome = jumped.follow & REC_BAD ? jumped : outcome;
    }
    const unsigned rests = outcome.follow & (REC_REST | REC_PAUSE);
    rec_error error = outcome.error;
    rec_status status = error.status;
    if (!status && session->run && worker->exchange.solver[0] != rec_session_solver(session))
        rec_worker_show_solvers(worker);
    if (!status && rests)
        status = rec_session_rest(session, rests & REC_PAUSE, &error);
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

/* ---- a file that has changed ---- */

/* 1: it has changed, and then not for a while, and can be read. */
static int is_other_file(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_error error;
    if (!session->job || session->paint.strokes || rec_now() - worker->file_time < FILE_SECONDS)
        return 0; /* what is painted would be lost */
    worker->file_time = rec_now();
    const uint64_t now = rec_job_stamp(session->job), before = session->new_stamp;
    session->new_stamp = now;
    if (!now || now == session->stamp || now != before)
        return 0;
    session->stamp = now;
    if (!rec_job_check(session->job, &error))
        return 1;
    apply(worker, rec_told(REC_BAD, "the file changed, but cannot be read: %s", error.message));
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
    const int paused = rec_session_phase(session) != REC_PHASE_ITERATING;
    const rec_stop stop = open ? rec_run_get_state(session->run)->stop : REC_STOP_NONE;
    const int at_end = !jumped && stop == REC_STOP_STANDSTILL;
    const uint64_t iterate = at_end ? REC_LIMIT_ITERATION : open ? rec_session_iterate(session) : 0;
    apply(worker, rec_worker_open(worker, worker->now.index, 1));
    if (!session->run)
        return;
    apply(worker, rec_told(0, "the file changed and was reloaded"));
    if (!iterate)
        return;
    if (!jumped && stop != REC_STOP_NONE && stop != REC_STOP_STANDSTILL) {
        session->numbers.pace = 0;
        return;
    }
    apply(worker, rec_worker_seek(worker, &(rec_request){.iteration = iterate}));
    if (jumped || !session->jumped)
        return;
    rec_outcome outcome = play(worker);
    if (paused && iterate != REC_LIMIT_ITERATION)
        outcome.follow |= REC_REST;
    apply(worker, outcome);
}

/* ---- the thread ---- */

static void *work(void *argument)
{
    rec_worker *worker = argument;
    rec_use_plain_numbers();
    rec_worker_take_wanted(worker);
    const size_t inputs = worker->jobs->count;
    apply(worker, inputs ? rec_worker_open(worker, 0, 0) : rec_nothing);
    const int hopeless = inputs == 1 && !worker->session->run;
    while (!hopeless && !rec_is_stopped()) {
        rec_outcome outcome = rec_nothing;
        const int iterates = rec_session_phase(worker->session) == REC_PHASE_ITERATING;
        const int is_early = iterates && rec_session_is_early(worker->session);
        const int rests = !iterates && !worker->due;
        const double wait = rests ? LONG_SECONDS : iterates && !is_early ? 0 : SHORT_SECONDS;
        const rec_request request = rec_worker_next(worker, wait, rests);
        if (worker->exchange.leave) {
            free(request.path);
            break;
        }
        rec_worker_take_wanted(worker);
        if (request.act)
            outcome = request.act(worker, &request);
        else if (iterates)
            outcome = advance(worker);
        free(request.path);
        if (request.act)
            worker->now.answered = request.number;
        apply(worker, outcome);
        look_after_file(worker);
    }
    const rec_session *session = worker->session;
    if (session->jumped && !rec_run_get_state(session->run)->iterations &&
        worker->jobs->settings->output && !rec_is_stopped())
        apply(worker, play(worker)); /* a run that has not begun has only the edges to write */
    rec_worker_leave(worker);
    rec_worker_publish(worker, REC_PHASE_LEFT, rec_nothing);
    return NULL;
}

rec_status rec_worker_create(rec_worker **worker, rec_jobs *jobs, rec_error *error)
{
    rec_worker *made = *worker = calloc(1, sizeof *made);
    if (made)
        made->sessions = made->session = calloc(2 * jobs->count + 2, sizeof *made->sessions);
    if (!made || !made->sessions) {
        free(made);
        return rec_fail(error, REC_LIMIT, "out of memory for the window");
    }
    made->jobs = jobs;
    pthread_mutex_init(&made->exchange.lock, NULL);
    made->exchange.handover = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    rec_condition_create(&made->exchange.posted);
    rec_worker_publish(made, REC_PHASE_EMPTY, rec_nothing);
    return REC_OK;
}

void rec_worker_destroy(rec_worker *worker)
{
    rec_exchange *exchange = &worker->exchange;
    for (size_t i = 0; i < exchange->queued; i++)
        free(exchange->queue[i].path);
    rec_worker_detach(worker); /* and drops a preview */
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

rec_status rec_worker_failure(const rec_worker *worker, rec_error *error)
{
    if (worker->failure.status)
        *error = worker->failure;
    return worker->failure.status;
}

rec_status rec_worker_join(rec_worker *worker, rec_error *error)
{
    pthread_join(worker->thread, NULL);
    return rec_worker_failure(worker, error);
}
