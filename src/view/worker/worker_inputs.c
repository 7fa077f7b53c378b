/* The worker's inputs: opened, left, and added. */
#include <stdlib.h>

#include "job/job.h"
#include "view/worker/worker_type.h"

int rec_worker_is_signalled(const rec_worker *worker)
{
    const volatile sig_atomic_t *stop = worker->jobs->settings->run.stop;
    return stop && *stop;
}

/* ---- runs that wait ---- */

void rec_worker_interrupt(rec_worker *worker)
{
    rec_session *session = worker->session;
    if (!session->jumped)
        session->before = session->steps ? REC_PHASE_PAUSED : worker->now.phase;
}

void rec_worker_resume(rec_worker *worker)
{
    worker->now.phase = worker->session->before;
    rec_session_begin_batch(worker->session, 0);
    rec_worker_show_solvers(worker);
    rec_worker_probe(worker);
}

/* Closes the runs of other inputs; returns how many. */
static size_t close_others(rec_worker *worker)
{
    size_t closed = 0;
    for (size_t i = 0; i < worker->jobs->count; i++)
        if (&worker->sessions[i] != worker->session && worker->sessions[i].run) {
            rec_session_close(&worker->sessions[i]);
            closed++;
        }
    return closed;
}

/* The result is written, or the checkpoint when a signal ended it. */
static void write_result(rec_worker *worker)
{
    const int signalled = rec_worker_is_signalled(worker);
    rec_job *job = worker->session->job;
    rec_error error;
    rec_worker_end_iterating(worker);
    if (job && job->settings->output && !signalled)
        rec_worker_finish_filling(worker);
    worker->now.phase = REC_PHASE_LEAVING;
    rec_worker_publish(worker);
    if (worker->session->run && (signalled ? rec_job_interrupt(job, &error)
                                 : job->settings->output ? rec_job_save(job, &error) : REC_OK)) {
        if (signalled)
            worker->failure = error;
        rec_worker_keep_failure(worker, &error);
        rec_worker_tell(worker, 1, "%s", error.message);
    }
}

/* After a signal: the checkpoints of inputs that are not shown. Those with an output have their
 * results already. */
static void write_checkpoints(rec_worker *worker)
{
    rec_error error;
    for (size_t i = 0; i < worker->jobs->count; i++) {
        const rec_session *session = &worker->sessions[i];
        if (session == worker->session || !session->run || session->job->settings->output)
            continue;
        const rec_status status = rec_job_interrupt(session->job, &error);
        if (status != REC_STOPPED && status != REC_SIGNALLED)
            worker->failure = error;
    }
}

void rec_worker_leave(rec_worker *worker)
{
    write_result(worker);
    if (rec_worker_is_signalled(worker))
        write_checkpoints(worker);
    rec_worker_close(worker);
    close_others(worker);
}

/* ---- opening ---- */

static void begin_loading(rec_worker *worker, size_t index)
{
    rec_view_state *now = &worker->now;
    worker->session = &worker->sessions[index];
    now->phase = REC_PHASE_LOADING;
    now->index = index;
    now->missing = 0;
    rec_worker_publish(worker);
}

int rec_worker_open(rec_worker *worker, size_t index, int restart)
{
    rec_job *job = worker->jobs->at[index];
    rec_error error;
    begin_loading(worker, index);
    rec_session *session = worker->session;
    worker->exchange.reading = 1;
    rec_status status = rec_session_load(session, job, &error);
    worker->exchange.reading = 0;
    if (!status) {
        if (!restart) /* else there is a picture already */
            rec_worker_preview(worker, job);
        if (!job->settings->output && worker->exchange.leave)
            return 0; /* creating the solver of a huge image takes seconds */
        status = rec_session_open(session, restart, &error);
    }
    if (status == REC_LIMIT && close_others(worker)) /* they may have had what it needs */
        status = rec_session_open(session, restart, &error);
    if (status) {
        rec_worker_give_up(worker, &error);
        return 0;
    }
    if (rec_session_give_reference(session, rec_run_solver(session->run), &error))
        rec_worker_tell(worker, 1, "no reference: %s", error.message);
    else if (!restart && rec_job_takes_edges(job) && job->settings->reading.role == REC_EITHER)
        rec_worker_tell(worker, 0, "a JPEG is a picture: its edges are taken, and it comes back; e "
                                   "takes it for edges");
    else if (!restart && session->paint.brush.mask)
        rec_worker_tell(
            worker, 0, "%s; h lists all keys",
            job->settings->edit.kind == REC_EDIT_CLONE
                ? "drag moves the source, e changes its gradients"
                : "left paints what shall go, right erases, Ctrl+click takes from there");
    session->before = REC_PHASE_ITERATING;
    rec_worker_resume(worker);
    return 1;
}

void rec_worker_restart(rec_worker *worker, const rec_request *request)
{
    if (!worker->jobs->count)
        return;
    if (worker->session->paint.strokes) {
        rec_worker_tell(worker, 0, "Delete clears the mask, Ctrl+Z brings it back");
        return;
    }
    rec_worker_close(worker);
    rec_worker_open(worker, worker->now.index, 1);
}

/* A picture of --reference would not be the input; a filter takes the picture itself. */
void rec_worker_take_edges(rec_worker *worker, const rec_request *request)
{
    rec_job *job = worker->session->job;
    if (!job)
        return;
    const rec_settings *settings = job->settings;
    const rec_operator *operators = settings->run.problem.operators;
    const char *why = settings->original ? "the picture of --reference is the original"
                      : operators && !operators->is_inverse ? "a filter takes the picture itself"
                      : rec_job_is_piped(job) ? "a pipe is read once; --picture takes its edges"
                                              : NULL;
    if (why) {
        rec_worker_tell(worker, 1, "no edges are taken: %s", why);
        return;
    }
    free(job->original_path);
    job->original_path = NULL;
    job->reading.role = job->reading.role == REC_PICTURE ? REC_EDGES : REC_PICTURE;
    rec_worker_restart(worker, request);
    if (worker->session->run)
        rec_worker_tell(worker, 0, "%s",
                        rec_job_takes_edges(job)
                            ? "the edges of this picture are taken, and it comes back; e undoes it"
                            : "the input is taken for edges; e takes the edges of a picture");
}

/* Writes the result of the input that is left. The other input goes on with its run, unless its
 * file has changed; a file that is gone has not. */
static void show_input(rec_worker *worker, size_t index)
{
    worker->now.message[0] = '\0'; /* it was about the input that is left */
    rec_worker_interrupt(worker);
    write_result(worker);
    rec_worker_detach(worker);
    rec_session_close_jumper(worker->session);
    rec_session *session = &worker->sessions[index];
    const uint64_t stamp = session->run ? rec_job_stamp(session->job) : 0;
    if (session->run && (!stamp || stamp == session->stamp)) {
        rec_error ignored; /* if it was left from a jump, the numbers are still the jump's */
        begin_loading(worker, index);
        rec_session_look(session, &ignored);
        rec_worker_resume(worker);
    } else {
        rec_session_close(session);
        rec_worker_open(worker, index, 0);
    }
}

void rec_worker_change_input(rec_worker *worker, const rec_request *request)
{
    const size_t index = worker->now.index, inputs = worker->jobs->count;
    const int forward = request->argument > 0;
    if (forward ? index + 1 < inputs : index > 0)
        show_input(worker, forward ? index + 1 : index - 1);
    else if (inputs)
        rec_worker_tell(worker, 0, "this is the %s input",
                        inputs == 1 ? "only" : forward ? "last" : "first");
}

/* Makes room for one more session. */
static rec_status make_room(rec_worker *worker, rec_error *error)
{
    const size_t count = worker->jobs->count + 1, shown = worker->session - worker->sessions;
    rec_session *larger = realloc(worker->sessions, (count + 1) * sizeof *larger);
    if (!larger)
        return rec_fail(error, REC_LIMIT, "out of memory for %zu inputs", count);
    larger[count] = (rec_session){.job = NULL};
    worker->sessions = larger;
    worker->session = &larger[shown];
    return REC_OK;
}

void rec_worker_add(rec_worker *worker, const rec_request *request)
{
    size_t index;
    rec_error error;
    rec_worker_tell(worker, 0, "reading %s ...", request->path);
    rec_status status = make_room(worker, &error);
    worker->exchange.reading = 1;
    if (!status)
        status = rec_jobs_add(worker->jobs, request->path, &index, &error);
    worker->exchange.reading = 0;
    if (status) {
        rec_worker_tell(worker, 1, "%s", error.message);
        return;
    }
    rec_worker_tell(worker, 0, "%s", request->path);
    if (request->argument)
        show_input(worker, index);
}
