/* The worker's inputs: opened, left, and added. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "view/worker/worker_type.h"

/* ---- left ---- */

/* Nobody polls its solvers; without a run: nothing. */
static void close_run(rec_session *session)
{
    rec_session_close_jumper(session);
    if (session->paint.waiting) {
        rec_run_destroy(session->run);
        session->run = session->job->run = session->paint.waiting;
    }
    session->paint = (rec_paint){.waiting = NULL};
    if (session->run)
        rec_job_close(session->job);
    session->run = NULL;
}

void rec_worker_close(rec_worker *worker)
{
    rec_worker_detach(worker);
    close_run(worker->session);
}

/* Closes other runs; returns how many. all = 0 keeps those with unsaved painting. */
static size_t close_others(rec_worker *worker, int all)
{
    size_t closed = 0;
    for (size_t i = 0; i < rec_worker_rooms(worker); i++)
        if (&worker->sessions[i] != worker->session && worker->sessions[i].run &&
            (all || !rec_session_is_unsaved(&worker->sessions[i]))) {
            close_run(&worker->sessions[i]);
            closed++;
        }
    return closed;
}

/* The result is written, or the checkpoint when a signal ended it. */
static void write_result(rec_worker *worker)
{
    const int signalled = rec_is_stopped();
    rec_session *session = worker->session;
    rec_job *job = session->job;
    const int saves = job && job->settings->output && !signalled;
    rec_worker_end_jacobi(worker);
    rec_error error = saves ? rec_worker_finish_filling(worker).error : rec_nothing.error;
    rec_worker_publish(worker, REC_PHASE_LEAVING, rec_nothing);
    rec_edit *const edit = rec_session_edit(session);
    const int painted = edit && !job->checkpoint;
    if (error.status)
        rec_worker_close(worker);
    else if (session->run && (saves || (signalled && !painted)) &&
             (signalled ? rec_job_interrupt(job, &error) : rec_job_save(job, &error)) && signalled)
        worker->failure = error;
    if (!error.status && saves && job->output && edit)
        rec_edit_keep(edit);
    if (!error.status)
        return;
    rec_worker_keep_failure(worker, &error);
    rec_worker_publish(worker, REC_PHASE_LEAVING, rec_told(REC_BAD, "%s", error.message));
}

void rec_worker_leave(rec_worker *worker)
{
    rec_error error;
    if (rec_is_stopped())
        rec_worker_recover(worker, 1);
    rec_worker_leave_brush(worker);
    write_result(worker);
    rec_worker_recover(worker, 0); /* it could not be written */
    /* The checkpoints of inputs that are not shown. With an output they have their results. */
    for (size_t i = 0; rec_is_stopped() && i < rec_worker_rooms(worker); i++) {
        const rec_session *session = &worker->sessions[i];
        if (session == worker->session || !session->run || session->job->settings->output)
            continue;
        const rec_status status = rec_job_interrupt(session->job, &error);
        if (status != REC_STOPPED && status != REC_SIGNALLED)
            worker->failure = error;
    }
    rec_worker_close(worker);
    close_others(worker, 1);
}

/* ---- opened ---- */

/* Starts over with a job: reads its input. */
static rec_status load(rec_session *session, rec_job *job, rec_error *error)
{
    *session = (rec_session){.job = job, .numbers = {.distance = NAN, .psnr = NAN, .equal = NAN},
                             .every = job->settings->run.every, .between = 1,
                             .stamp = rec_job_stamp(job)};
    session->new_stamp = session->stamp;
    REC_TRY(rec_job_load(job, error));
    session->size = (rec_size){job->report.width, job->report.height};
    session->planes = job->report.planes;
    session->numbers.levels.white =
        job->reading.role == REC_PICTURE ? job->info.maxval : 255;
    return REC_OK;
}

/* Creates its run; restart: from the beginning, whatever its checkpoint has. */
static rec_status open_run(rec_session *session, int restart, rec_error *error)
{
    rec_job *job = session->job;
    REC_TRY(rec_job_open(job, restart, error));
    session->run = job->run;
    session->paint.measured = UINT_MAX; /* the mask of a file is still to be filled */
    /* Of edges the mask is a file's. */
    return rec_job_fills(job) && job->settings->edit.kind != REC_EDIT_ONTO
               ? rec_edit_begin(job->edit, session->paint.of_source, error) : REC_OK;
}

/* A photograph that nobody wants to see in steps. */
static int begins_at_limit(const rec_job *job)
{
    const rec_settings *settings = job->settings;
    return rec_job_reads_picture(job) && settings->reading.role == REC_EITHER &&
           rec_jumper_available(settings) && settings->run.iterations == REC_ENDLESS &&
           !(settings->run.tolerance > 0) && settings->pace < 0 && !settings->frames &&
           settings->start == REC_START_EDGES && !settings->output && !job->checkpoint;
}

/* What is said of an input when it has been opened. */
static rec_outcome greet(const rec_worker *worker, int restart)
{
    rec_session *session = worker->session;
    const rec_job *job = session->job, *watched = worker->jobs->at[worker->now.index];
    rec_error error;
    if (rec_session_give_reference(session, rec_run_solver(session->run), &error))
        return rec_told(REC_BAD, "no reference: %s", error.message);
    if (!restart && rec_job_reads_picture(job) && job->settings->reading.role == REC_EITHER)
        return rec_told(0, session->begins_at_limit
                               ? "a JPEG is a picture: this is rebuilt from its edges; Home and "
                                 "Space show it come back, b paints in it, e reads it as edges"
                               : "a JPEG is a picture: it comes back from its edges; e reads it as "
                                 "edges");
    if (worker->now.turned && session[-1].run && watched->reading.role == REC_EDGES &&
        !watched->doubt)
        return rec_told(REC_BAD,
                        "these are edges: heal paints in the picture that s saves (b: back)");
    if (!restart && rec_session_edit(session))
        return rec_told(
            0, "%s; h lists the keys",
            session->paint.of_source
                ? "left paints what is cloned, right erases, b shows the clone"
            : job->settings->edit.kind == REC_EDIT_CLONE
                ? "drag moves the source, e changes its gradients"
                : "left paints away, right erases, w is a lasso, Shift+click is straight, "
                  "Ctrl+click sets the source");
    return rec_nothing;
}

rec_outcome rec_worker_open(rec_worker *worker, size_t index, int restart)
{
    rec_job *job = worker->jobs->at[index];
    rec_session *session = &worker->sessions[2 * index + (size_t)worker->now.turned];
    const int clones = job->settings->edit.kind == REC_EDIT_CLONE;
    rec_error error;
    if (worker->now.turned && rec_jobs_create_brush(worker->jobs, index, &job, &error))
        return (rec_outcome){.error = error};
    const int goes_on = session->run && !restart;
    rec_worker_detach(worker);
    rec_session_close_jumper(worker->session);
    if (!goes_on)
        close_run(session);
    worker->session = session;
    worker->now.index = index;
    worker->now.missing = 0;
    rec_worker_watch(worker, rec_job_watch(job));
    rec_worker_publish(worker, REC_PHASE_LOADING, rec_nothing);
    if (goes_on) {
        rec_session_measure(session, &error); /* after a jump the numbers are still the jump's */
        rec_session_resume(session);
        return rec_nothing;
    }
    worker->exchange.reading = 1;
    rec_status status = load(session, job, &error);
    worker->exchange.reading = 0;
    session->paint.of_source = worker->now.turned && clones;
    if (!status) {
        session->begins_at_limit = !restart && begins_at_limit(job);
        if (!restart) /* else there is a picture already */
            rec_worker_preview(worker, job);
        if (!job->settings->output && worker->exchange.leave && !rec_worker_is_asked(worker))
            return rec_nothing; /* creating the solver of a huge image takes seconds */
        status = open_run(session, restart, &error);
    }
    if (status == REC_LIMIT && close_others(worker, 0)) /* they may have had what it needs */
        status = open_run(session, restart, &error);
    if (status)
        return (rec_outcome){.error = error};
    if (session->paint.of_source && session[-1].run) /* SOURCE's mask begins with the clone's */
        rec_edit_give_shape(session[-1].job->edit, job->edit);
    rec_session_begin(session);
    return greet(worker, restart);
}

rec_outcome rec_worker_restart(rec_worker *worker, const rec_request *request)
{
    if (!worker->jobs->count)
        return rec_nothing;
    if (rec_session_strokes(worker->session))
        return rec_told(0, "Delete clears the mask, Ctrl+Z brings it back");
    return rec_worker_open(worker, worker->now.index, 1);
}

/* A picture of --reference would not be the input; a filter takes the picture itself. */
rec_outcome rec_worker_make_edges(rec_worker *worker, const rec_request *request)
{
    rec_job *job = worker->session->job;
    if (!job)
        return rec_nothing;
    const rec_settings *settings = job->settings;
    const rec_operator *operators = settings->run.problem.operators;
    const char *why = settings->original ? "the picture of --reference is the original"
                      : operators && !operators->is_inverse ? "a filter takes the picture itself"
                      : rec_job_is_piped(job) ? "a pipe is read once; --picture takes its edges"
                                              : NULL;
    if (why)
        return rec_told(REC_BAD, "no edges are taken: %s", why);
    free(job->original_path);
    job->original_path = NULL;
    job->peak = 0;
    job->reading.role = job->reading.role == REC_PICTURE ? REC_EDGES : REC_PICTURE;
    const rec_outcome opened = rec_worker_restart(worker, request);
    if (!worker->session->run)
        return opened;
    return rec_told(0, "%s",
                    rec_job_reads_picture(job)
                        ? "this picture comes back from its edges; e undoes it"
                        : "the input is read as edges; e takes the edges of a picture");
}

rec_outcome rec_worker_turn(rec_worker *worker, const rec_request *request)
{
    const rec_edit_kind kind = worker->jobs->settings->edit.kind;
    const size_t index = worker->now.index;
    if (kind == REC_EDIT_HEAL || kind == REC_EDIT_ONTO)
        return rec_told(0, kind == REC_EDIT_HEAL ? "this is the brush" : "the mask is a file's");
    if (worker->session->job && rec_job_is_piped(worker->session->job))
        return rec_told(REC_BAD, "no brush: a pipe is read once; heal - paints in it");
    worker->now.turned = !worker->now.turned;
    if (!worker->jobs->count)
        return rec_told(0, worker->now.turned ? "the brush: open a picture to paint in"
                                              : "no brush");
    rec_worker_leave_brush(worker);
    const rec_outcome opened = rec_worker_open(worker, index, 0);
    if (!worker->now.turned || !opened.error.status) /* what was said of the other one is over */
        return opened.error.status || opened.follow & REC_TELL ? opened
                                                               : rec_told(opened.follow, "%s", "");
    worker->now.turned = 0;
    rec_worker_open(worker, index, 0);
    return rec_told(REC_BAD, "no brush: %s", opened.error.message);
}

/* Writes the result of the input that is left. */
static rec_outcome show_input(rec_worker *worker, size_t index)
{
    rec_worker_leave_brush(worker);
    worker->now.message[0] = '\0'; /* it was about the input that is left */
    write_result(worker);
    return rec_worker_open(worker, index, 0);
}

rec_outcome rec_worker_change_input(rec_worker *worker, const rec_request *request)
{
    const size_t index = worker->now.index, inputs = worker->jobs->count;
    const int forward = request->argument > 0;
    if (forward ? index + 1 < inputs : index > 0)
        return show_input(worker, forward ? index + 1 : index - 1);
    return !inputs ? rec_nothing
                   : rec_told(0, "this is the %s input",
                              inputs == 1 ? "only" : forward ? "last" : "first");
}

rec_outcome rec_worker_add(rec_worker *worker, const rec_request *request)
{
    const size_t count = rec_worker_rooms(worker) + 2, shown = worker->session - worker->sessions;
    size_t index;
    rec_error error;
    rec_worker_publish(worker, rec_session_phase(worker->session),
                       rec_told(0, "reading %s ...", request->path));
    rec_session *larger = realloc(worker->sessions, (count + 2) * sizeof *larger);
    if (!larger)
        return rec_told(REC_BAD, "out of memory for %zu inputs", count / 2);
    larger[count] = larger[count + 1] = (rec_session){.job = NULL};
    worker->sessions = larger;
    worker->session = &larger[shown];
    worker->exchange.reading = 1;
    const rec_status status = rec_jobs_add(worker->jobs, request->path, &index, &error);
    worker->exchange.reading = 0;
    if (status)
        return rec_told(REC_BAD, "%s", error.message);
    return request->argument ? show_input(worker, index) : rec_told(0, "%s", request->path);
}
