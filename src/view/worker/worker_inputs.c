/* The worker's inputs: opened, left, added, and loaded again when their file has changed. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "view/worker/worker_type.h"

#define FILE_SECONDS 0.5 /* between two looks at the input's file */

static uint64_t stamp(const rec_worker *worker)
{
    return rec_job_stamp(worker->jobs->at[worker->now.index]);
}

static void begin_loading(rec_worker *worker, size_t index)
{
    rec_view_state *now = &worker->now;
    now->phase = REC_PHASE_LOADING;
    now->index = index;
    snprintf(now->name, sizeof now->name, "%s", worker->jobs->at[index]->input);
    now->iteration = 0;
    now->rate = now->seconds = 0;
    now->change = now->distance = now->psnr = NAN;
    now->stop = REC_STOP_NONE;
    worker->stamp = worker->new_stamp = stamp(worker);
    rec_worker_publish(worker);
}

int rec_worker_open(rec_worker *worker, size_t index, int restart)
{
    rec_session *session = &worker->session;
    rec_view_state *now = &worker->now;
    rec_error error;
    begin_loading(worker, index);
    if (rec_session_open(session, worker->jobs->at[index], restart, &error)) {
        rec_worker_give_up(worker, &error);
        return 0;
    }
    if (rec_session_open_reference(session, &error))
        rec_worker_tell(worker, 1, "no reference: %s", error.message);
    now->phase = REC_PHASE_ITERATING;
    now->size = session->size;
    now->planes = session->planes;
    worker->active = 1;
    rec_worker_note_numbers(worker);
    rec_worker_show_solvers(worker);
    return 1;
}

int rec_worker_is_signalled(const rec_worker *worker)
{
    const volatile sig_atomic_t *stop = worker->jobs->settings->run.stop;
    return stop && *stop;
}

void rec_worker_leave(rec_worker *worker)
{
    const int signalled = rec_worker_is_signalled(worker);
    rec_job *job = worker->session.job;
    rec_error error;
    worker->now.phase = REC_PHASE_LEAVING;
    rec_worker_publish(worker);
    if (worker->session.run && (signalled ? rec_job_interrupt(job, &error)
                                : job->settings->output ? rec_job_save(job, &error) : REC_OK)) {
        if (signalled)
            worker->failure = error;
        rec_worker_keep_failure(worker, &error);
        rec_worker_tell(worker, 1, "%s", error.message);
    }
    rec_worker_close(worker);
}

void rec_worker_change_input(rec_worker *worker, int forward)
{
    const size_t index = worker->now.index, inputs = worker->now.inputs;
    if (forward ? index + 1 >= inputs : index == 0) {
        if (inputs)
            rec_worker_tell(worker, 0, "this is the %s input",
                            inputs == 1 ? "only" : forward ? "last" : "first");
        return;
    }
    rec_worker_leave(worker);
    rec_worker_open(worker, forward ? index + 1 : index - 1, 0);
}

void rec_worker_add(rec_worker *worker, const char *path, int show)
{
    rec_view_state *now = &worker->now;
    size_t index;
    rec_error error;
    rec_worker_tell(worker, 0, "reading %s ...", path);
    if (rec_jobs_add(worker->jobs, path, &index, &error)) {
        rec_worker_tell(worker, 1, "%s", error.message);
        return;
    }
    now->inputs = worker->jobs->count;
    rec_worker_tell(worker, 0, "%s", path);
    if (!show)
        return;
    rec_worker_leave(worker);
    rec_worker_open(worker, index, 0);
}

void rec_worker_look_after_file(rec_worker *worker)
{
    rec_error error;
    if (!worker->stamp || rec_now() - worker->look_time < FILE_SECONDS)
        return;
    worker->look_time = rec_now();
    const uint64_t now = stamp(worker), before = worker->new_stamp;
    worker->new_stamp = now;
    if (!now || now == worker->stamp || now != before)
        return;
    worker->stamp = now;
    if (rec_job_check(worker->jobs->at[worker->now.index], &error)) {
        rec_worker_tell(worker, 1, "the file changed, but cannot be read: %s", error.message);
        return;
    }
    rec_worker_close(worker);
    if (rec_worker_open(worker, worker->now.index, 1))
        rec_worker_tell(worker, 0, "the file changed and was reloaded");
}
