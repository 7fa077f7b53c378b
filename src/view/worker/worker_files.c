/* The files of the shown input, looked after. Where one was saved, or they have changed and then
 * not for a while, a second job reads them aside while the first one works on; once that has
 * succeeded it takes the first one's place, with all that is painted. A save may be the first of
 * two: where reading fails after it, nothing is said until they have kept still. */
#include "base/text.h"
#include "view/worker/worker_type.h"

#define FILE_SECONDS 0.5 /* between two looks */

/* ---- read aside ---- */

static void *read_aside(void *argument)
{
    rec_reading *reading = argument;
    rec_use_plain_numbers();
    rec_job_load(reading->fresh, &reading->error);
    reading->done = 1;
    return NULL;
}

/* 1: they have changed, and one was saved, or not for a while since. */
static int have_changed(rec_worker *worker)
{
    rec_session *session = worker->session;
    if (!session->job || (!worker->saved && rec_now() - worker->file_time < FILE_SECONDS))
        return 0;
    worker->file_time = rec_now();
    const uint64_t now = rec_job_stamp(session->job), before = session->new_stamp;
    session->new_stamp = now;
    return now && now != session->stamp && (worker->saved || now == before);
}

static void begin_reading(rec_worker *worker)
{
    rec_session *session = worker->session;
    rec_reading *reading = &worker->reading;
    rec_error error;
    session->stamp = session->new_stamp;
    *reading = (rec_reading){.place = (size_t)(session - worker->sessions),
                             .stamp = session->stamp,
                             .at_once = worker->saved};
    const rec_job *job = session->job; /* the same input, beside it */
    rec_status status = rec_job_create(&reading->fresh, job->jobs, job->settings, job->entry,
                                       job->dropped, &error);
    if (!status)
        reading->fresh->reading.role = job->reading.role;
    if (status || pthread_create(&reading->thread, NULL, read_aside, reading)) {
        rec_job_destroy(reading->fresh);
        reading->fresh = NULL;
    }
}

/* Takes the job that was read; NULL after a failure, or where nobody wants it any more. */
static rec_job *accept_fresh(rec_worker *worker, int wanted)
{
    rec_reading *reading = &worker->reading;
    rec_session *session = &worker->sessions[reading->place];
    rec_job *fresh = reading->fresh;
    pthread_join(reading->thread, NULL);
    reading->fresh = NULL;
    wanted = wanted && session == worker->session;
    if (!wanted || reading->error.status) {
        rec_job_destroy(fresh);
        fresh = NULL;
    }
    if (!wanted || (reading->error.status && reading->at_once)) /* when it is shown, or later */
        session->stamp = 0;
    else if (reading->error.status)
        rec_worker_apply(worker, rec_told(REC_BAD, "the file changed, but cannot be read: %s",
                                          reading->error.message));
    return fresh;
}

void rec_worker_end_reading(rec_worker *worker)
{
    if (worker->reading.fresh)
        accept_fresh(worker, 0);
}

/* ---- in the place of the first one ---- */

static void put(rec_worker *worker, rec_job *job)
{
    rec_job **place = &worker->jobs->at[worker->now.index];
    if (worker->now.turned) {
        (*place)->brush = job;
    } else {
        job->brush = (*place)->brush;
        (*place)->brush = NULL;
        *place = job;
    }
}

/* What was painted goes along, or into files. If the new one cannot be opened the old one is. */
static rec_outcome replace(rec_worker *worker, rec_job *fresh)
{
    rec_session *session = worker->session;
    rec_job *old = session->job;
    rec_outcome outcome = rec_nothing;
    rec_error error;
    rec_worker_end_jacobi(worker);
    const int painted = rec_session_edit(session) != NULL;
    const int carried = painted && fresh->report.width == old->report.width &&
                        fresh->report.height == old->report.height &&
                        !rec_edit_carry(fresh->edit, old->edit, &error);
    if (!carried && rec_session_is_unsaved(session))
        outcome = rec_worker_recover_shown(worker);
    old->stays = painted;
    put(worker, fresh);
    const rec_outcome opened = rec_worker_open(worker, worker->now.index, 1);
    if (!opened.error.status || !painted) {
        rec_job_destroy(old);
        return opened.error.status || !(outcome.follow & REC_TELL) ? opened : outcome;
    }
    put(worker, old);
    if (carried)
        rec_edit_carry(old->edit, fresh->edit, &error);
    outcome = rec_worker_open(worker, worker->now.index, 1);
    rec_job_destroy(fresh);
    return outcome.error.status ? outcome
                                : rec_told(outcome.follow | REC_BAD, "the file changed, but: %s",
                                           opened.error.message);
}

/* Its new run is shown where the old one was, by a jump. One that an option has ended ends there
 * again, with the bits of that solver, and as soon as it can. */
static void show_again(rec_worker *worker, rec_job *fresh)
{
    rec_session *session = worker->session;
    const int open = session->run != NULL, jumped = session->jumped;
    const int paused = rec_session_phase(session) != REC_PHASE_ITERATING;
    const rec_stop stop = open ? rec_run_get_state(session->run)->stop : REC_STOP_NONE;
    const int at_end = !jumped && stop == REC_STOP_STANDSTILL;
    const uint64_t iterate = at_end ? REC_LIMIT_ITERATION : open ? rec_session_iterate(session) : 0;
    const rec_outcome replaced = replace(worker, fresh);
    rec_worker_apply(worker, replaced);
    if (!session->run)
        return;
    if (!(replaced.follow & REC_TELL))
        rec_worker_apply(worker, rec_told(0, "the file changed and was reloaded"));
    if (!iterate || rec_session_edit(session))
        return;
    if (!jumped && stop != REC_STOP_NONE && stop != REC_STOP_STANDSTILL) {
        session->numbers.pace = 0;
        return;
    }
    rec_worker_apply(worker, rec_worker_seek(worker, &(rec_request){.iteration = iterate}));
    if (jumped || !session->jumped)
        return;
    rec_outcome outcome = rec_worker_play(worker);
    if (paused && iterate != REC_LIMIT_ITERATION)
        outcome.follow |= REC_REST;
    rec_worker_apply(worker, outcome);
}

void rec_worker_look_after_file(rec_worker *worker)
{
    if (!worker->reading.fresh) {
        if (have_changed(worker))
            begin_reading(worker);
        worker->saved = 0;
    }
    if (!worker->reading.fresh || !worker->reading.done)
        return;
    const uint64_t stamp = worker->reading.stamp;
    rec_job *fresh = accept_fresh(worker, 1);
    if (!fresh)
        return;
    show_again(worker, fresh);
    worker->session->stamp = stamp; /* they may have changed again since */
}
