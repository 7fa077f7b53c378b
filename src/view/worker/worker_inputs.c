/* The worker's inputs: opened, left, added, and loaded again when their file has changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The session, which is open, in that phase. */
static void show_session(rec_worker *worker, rec_phase phase, int active)
{
    rec_session *session = &worker->session;
    rec_view_state *now = &worker->now;
    now->phase = phase;
    now->size = session->size;
    now->planes = session->planes;
    worker->active = active;
    rec_session_begin_batch(session, 0);
    rec_worker_note_numbers(worker);
    rec_worker_show_solvers(worker);
    rec_worker_publish_history(worker);
}

int rec_worker_open(rec_worker *worker, size_t index, int restart)
{
    rec_session *session = &worker->session;
    rec_error error;
    begin_loading(worker, index);
    rec_status status = rec_session_open(session, worker->jobs->at[index], restart, &error);
    if (status == REC_LIMIT && worker->kept_count) { /* the others may have what it needs */
        rec_worker_close_kept(worker);
        status = rec_session_open(session, worker->jobs->at[index], restart, &error);
    }
    if (status) {
        rec_worker_give_up(worker, &error);
        return 0;
    }
    if (rec_session_open_reference(session, &error))
        rec_worker_tell(worker, 1, "no reference: %s", error.message);
    show_session(worker, REC_PHASE_ITERATING, 1);
    return 1;
}

int rec_worker_is_signalled(const rec_worker *worker)
{
    const volatile sig_atomic_t *stop = worker->jobs->settings->run.stop;
    return stop && *stop;
}

/* The result is written, or the checkpoint when a signal ended it. */
static void write_result(rec_worker *worker)
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
}

void rec_worker_leave(rec_worker *worker)
{
    write_result(worker);
    rec_worker_close(worker);
    rec_worker_close_kept(worker);
}

/* Where the run of an input is kept; NULL: there is no memory for it. */
static rec_kept *place_of(rec_worker *worker, size_t index)
{
    if (index < worker->kept_count)
        return &worker->kept[index];
    rec_kept *larger = realloc(worker->kept, (index + 1) * sizeof *larger);
    if (!larger)
        return NULL;
    memset(larger + worker->kept_count, 0, (index + 1 - worker->kept_count) * sizeof *larger);
    worker->kept = larger;
    worker->kept_count = index + 1;
    return &larger[index];
}

/* The result is written, and the run stays, to be gone on with when its input is shown again. */
static void put_aside(rec_worker *worker)
{
    rec_session *session = &worker->session;
    const rec_phase phase = session->jumped ? worker->before : worker->now.phase;
    const int active = session->jumped ? worker->goes_on : worker->active && !worker->stepping;
    rec_kept *kept = session->run ? place_of(worker, worker->now.index) : NULL;
    write_result(worker);
    if (kept) {
        rec_exchange_set_solvers(worker->exchange, NULL, NULL, (rec_size){0, 0});
        rec_session_close_jumper(session);
        *kept = (rec_kept){*session, active || phase != REC_PHASE_ITERATING ? phase
                                                                          : REC_PHASE_PAUSED,
                           active, worker->stamp};
        session->run = NULL;
    }
    rec_worker_close(worker);
}

/* 1: the run that was left goes on; 0: there is none, or its file is another one now. */
static int take_up(rec_worker *worker, size_t index)
{
    rec_kept *kept = index < worker->kept_count ? &worker->kept[index] : NULL;
    if (!kept || !kept->session.run)
        return 0;
    if (kept->stamp != rec_job_stamp(worker->jobs->at[index])) {
        rec_session_close(&kept->session);
        return 0;
    }
    begin_loading(worker, index);
    worker->session = kept->session;
    kept->session.run = NULL;
    show_session(worker, kept->phase, kept->active);
    return 1;
}

/* Shows an input, with the run that was left or a new one. */
static void show_input(rec_worker *worker, size_t index)
{
    put_aside(worker);
    if (!take_up(worker, index))
        rec_worker_open(worker, index, 0);
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
    show_input(worker, forward ? index + 1 : index - 1);
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
    show_input(worker, index);
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
