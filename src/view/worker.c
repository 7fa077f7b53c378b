#include "view/worker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/save.h"
#include "view/worker_type.h"

/* ---- talking to the window ---- */

void rec_worker_publish(rec_worker *worker)
{
    rec_exchange_publish(worker->exchange, &worker->now);
}

void rec_worker_tell(rec_worker *worker, int is_bad, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(worker->now.message, sizeof worker->now.message, format, arguments);
    va_end(arguments);
    worker->now.message_is_bad = is_bad;
    worker->now.messages++;
    rec_worker_publish(worker);
}

static void keep_failure(rec_worker *worker, const rec_error *error)
{
    if (!worker->failure.status)
        worker->failure = *error;
}

void rec_worker_note_numbers(rec_worker *worker)
{
    const rec_run_state *state = rec_run_get_state(worker->session.run);
    rec_view_state *now = &worker->now;
    const double mean = state->updates_per_second > 0 ? state->updates_per_second : 0;
    now->iteration = state->iterations;
    now->rate = worker->active && worker->session.rate > 0 ? worker->session.rate : mean;
    now->change = state->look.change_rms;
    now->distance = worker->session.distance;
    now->stop = state->stop;
    now->alternating = state->look.alternating;
}

/* ---- the inputs ---- */

static void close_session(rec_worker *worker)
{
    rec_exchange_set_solver(worker->exchange, NULL);
    rec_session_close(&worker->session);
    worker->active = worker->due = 0;
    worker->stepping = 0;
}

void rec_worker_give_up(rec_worker *worker, const rec_error *error)
{
    keep_failure(worker, error);
    close_session(worker);
    worker->now.phase = REC_PHASE_FAILED;
    snprintf(worker->now.failure, sizeof worker->now.failure, "%s", error->message);
    rec_worker_publish(worker);
}

static int open_input(rec_worker *worker, size_t index, int restart)
{
    rec_view_state *now = &worker->now;
    now->phase = REC_PHASE_LOADING;
    now->index = index;
    now->iteration = 0;
    now->rate = 0;
    now->change = now->distance = NAN;
    now->stop = REC_STOP_NONE;
    rec_worker_publish(worker);
    rec_error error;
    if (rec_session_open(&worker->session, worker->options, index, restart, &error)) {
        rec_worker_give_up(worker, &error);
        return 0;
    }
    now->phase = REC_PHASE_ITERATING;
    now->size = (rec_size){worker->session.input.width, worker->session.input.height};
    worker->active = worker->due = 1;
    rec_worker_note_numbers(worker);
    rec_worker_publish(worker);
    worker->run =
        rec_exchange_set_solver(worker->exchange, rec_run_solver(worker->session.run));
    return 1;
}

static int is_signalled(const rec_worker *worker)
{
    return worker->options->stop && *worker->options->stop;
}

/* The result is written, or the checkpoint when a signal ended it: then how that went is what
 * counts, whatever failed before. */
static void leave_input(rec_worker *worker)
{
    const rec_view_options *options = worker->options;
    const int signalled = is_signalled(worker);
    rec_view_leave *leave = signalled ? options->interrupted : options->finish;
    rec_error error;
    worker->now.phase = REC_PHASE_LEAVING;
    rec_worker_publish(worker);
    if (worker->session.run && leave &&
        leave(options->context, worker->now.index, worker->session.run, &error)) {
        if (signalled)
            worker->failure = error;
        keep_failure(worker, &error);
        rec_worker_tell(worker, 1, "%s", error.message);
    }
    close_session(worker);
}

/* ---- iterating and showing ---- */

void rec_worker_show(rec_worker *worker)
{
    rec_error error;
    rec_size size;
    int begun;
    const rec_size area = rec_exchange_area(worker->exchange);
    if (!area.width || !area.height) {
        worker->due = 0; /* until the window is seen again */
        return;
    }
    if (rec_session_show(&worker->session, area, &size, &begun, &error)) {
        rec_worker_give_up(worker, &error);
        return;
    }
    if (!begun)
        return;
    worker->due = 0;
    worker->now.begun =
        (rec_shot){worker->run, rec_session_shown(&worker->session), size};
    rec_worker_publish(worker);
}

void rec_worker_rest(rec_worker *worker)
{
    rec_error error;
    worker->active = 0;
    worker->stepping = 0;
    if (rec_session_look(&worker->session, &error)) {
        rec_worker_give_up(worker, &error);
        return;
    }
    rec_worker_note_numbers(worker);
    worker->now.phase = worker->now.stop ? REC_PHASE_STOPPED : REC_PHASE_PAUSED;
    worker->due = 1;
    rec_worker_publish(worker);
}

static void begin_step(rec_worker *worker)
{
    if (worker->now.stop)
        rec_run_continue(worker->session.run, worker->options->every ? worker->options->every
                                                                     : REC_DEFAULT_EVERY);
    worker->now.phase = REC_PHASE_ITERATING;
    worker->active = 1;
    rec_session_begin_batch(&worker->session, 1);
}

static void advance(rec_worker *worker)
{
    rec_error error;
    int batch_ended;
    if (rec_session_advance(&worker->session, &batch_ended, &error)) {
        rec_worker_give_up(worker, &error);
        return;
    }
    rec_worker_note_numbers(worker);
    const int steps = worker->stepping > 0;
    if (steps && batch_ended && --worker->stepping)
        begin_step(worker);
    else if (worker->now.stop || (steps && batch_ended)) {
        rec_worker_rest(worker);
        return;
    }
    rec_worker_publish(worker);
    if (worker->due || rec_session_wants_picture(&worker->session, batch_ended))
        rec_worker_show(worker);
}

/* ---- the actions ---- */

static void pause_or_go_on(rec_worker *worker)
{
    if (worker->session.jumped) {
        rec_worker_play(worker);
    } else if (worker->active) {
        rec_worker_rest(worker);
    } else if (worker->now.phase == REC_PHASE_PAUSED) {
        worker->now.phase = REC_PHASE_ITERATING;
        worker->active = 1;
        rec_session_begin_batch(&worker->session, 0);
        rec_worker_note_numbers(worker);
        rec_worker_publish(worker);
    } else if (worker->session.run) {
        rec_worker_tell(worker, 0, "it has ended: n goes on by a batch, r starts again");
    }
}

static void step(rec_worker *worker)
{
    if (worker->session.jumped && !rec_worker_play(worker))
        return;
    if (worker->session.run && !worker->stepping++)
        begin_step(worker);
}

static rec_status save_files(rec_worker *worker, rec_save_names *names, rec_error *error)
{
    rec_session *session = &worker->session;
    rec_status status =
        rec_save_find_names(names, worker->options->name(worker->options->context, worker->now.index),
                            session->jumped ? session->jump : worker->now.iteration,
                            session->input.planes, error);
    if (status)
        return status;
    rec_image view = {0}, result = {0};
    pthread_mutex_lock(&worker->exchange->handover);
    status = rec_session_copy_view(session, rec_exchange_area(worker->exchange), &view, error);
    pthread_mutex_unlock(&worker->exchange->handover);
    worker->due = 1; /* a picture on its way to the screen may be lost now */
    if (!status)
        status = rec_session_read(session, &result, error);
    if (!status)
        status = rec_save_write(names, &view, &result, error);
    rec_image_destroy(&view);
    rec_image_destroy(&result);
    return status;
}

static void save(rec_worker *worker)
{
    if (!worker->session.run)
        return;
    rec_save_names names;
    rec_error error;
    rec_worker_tell(worker, 0, "saving ...");
    if (save_files(worker, &names, &error))
        rec_worker_tell(worker, 1, "not saved: %s", error.message);
    else
        rec_worker_tell(worker, 0, "saved %s and %s", names.result, names.view);
}

static void change_input(rec_worker *worker, int forward)
{
    const size_t index = worker->now.index, inputs = worker->options->inputs;
    if (forward ? index + 1 >= inputs : index == 0 || !inputs) {
        rec_worker_tell(worker, 0, "this is the %s input",
             inputs == 1 ? "only" : forward ? "last" : "first");
        return;
    }
    leave_input(worker);
    open_input(worker, forward ? index + 1 : index - 1, 0);
}

static void act(rec_worker *worker, const rec_request *request)
{
    const rec_action action = request->action;
    switch (action) {
    case REC_ACTION_PAUSE:
        pause_or_go_on(worker);
        break;
    case REC_ACTION_STEP:
        step(worker);
        break;
    case REC_ACTION_RESTART:
        if (!worker->options->inputs)
            break;
        close_session(worker);
        open_input(worker, worker->now.index, 1);
        break;
    case REC_ACTION_SAVE:
        save(worker);
        break;
    case REC_ACTION_NEXT:
    case REC_ACTION_PREVIOUS:
        change_input(worker, action == REC_ACTION_NEXT);
        break;
    case REC_ACTION_SEEK:
        rec_worker_seek(worker, request->iteration);
        break;
    case REC_ACTION_BACK:
        rec_worker_go_back(worker);
        break;
    default: /* the window's own */
        break;
    }
    worker->now.answered = request->number;
    rec_worker_publish(worker);
}

/* ---- the thread ---- */

static rec_patience patience(const rec_worker *worker)
{
    return worker->active ? REC_PATIENCE_NONE
           : worker->due  ? REC_PATIENCE_LITTLE
                          : REC_PATIENCE_ENDLESS;
}

static void *work(void *argument)
{
    rec_worker *worker = argument;
    const int opened = worker->options->inputs && open_input(worker, 0, 0);
    const int hopeless = !opened && worker->options->inputs == 1;
    if (!worker->options->inputs) {
        worker->now.phase = REC_PHASE_FAILED;
        snprintf(worker->now.failure, sizeof worker->now.failure, "there is no input yet");
        rec_worker_publish(worker);
    }
    while (!hopeless && !is_signalled(worker)) {
        int area_changed;
        if (worker->due)
            rec_worker_show(worker);
        const rec_request request =
            rec_exchange_next(worker->exchange, patience(worker), &area_changed);
        worker->due |= area_changed && worker->session.run;
        if (request.action == REC_ACTION_LEAVE)
            break;
        if (request.action)
            act(worker, &request);
        else if (worker->active)
            advance(worker);
    }
    leave_input(worker);
    worker->now.phase = REC_PHASE_LEFT;
    rec_worker_publish(worker);
    return NULL;
}

rec_status rec_worker_create(rec_worker **worker, const rec_view_options *options,
                             rec_exchange *exchange, rec_error *error)
{
    *worker = NULL;
    rec_worker *made = calloc(1, sizeof *made);
    if (!made)
        return rec_fail(error, REC_LIMIT, "out of memory for the window");
    made->options = options;
    made->exchange = exchange;
    if (pthread_create(&made->thread, NULL, work, made)) {
        free(made);
        return rec_fail(error, REC_LIMIT, "the system has no thread left for the run");
    }
    *worker = made;
    return REC_OK;
}

rec_status rec_worker_join(rec_worker *worker, rec_error *error)
{
    pthread_join(worker->thread, NULL);
    const rec_error failure = worker->failure;
    free(worker);
    return failure.status ? rec_fail(error, failure.status, "%s", failure.message) : REC_OK;
}
