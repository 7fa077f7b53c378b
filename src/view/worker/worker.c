#include "view/worker/worker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "view/worker/save.h"
#include "view/worker/worker_type.h"

#define PROBE_SECONDS (1.0 / 30) /* between two looks at the pixel under the cursor, and the plot */

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

void rec_worker_keep_failure(rec_worker *worker, const rec_error *error)
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
    now->psnr = worker->session.psnr;
    now->every = rec_session_every(&worker->session);
    now->every_is_automatic = !worker->session.every;
    now->seconds = state->seconds.iterate;
    rec_solver_get_info(rec_run_solver(worker->session.run), &now->info);
    now->stop = state->stop;
    now->alternating = state->look.alternating;
}

/* ---- iterating ---- */

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
    rec_worker_make_due(worker, 1);
    rec_worker_publish_history(worker);
    rec_worker_probe(worker);
    rec_worker_publish(worker);
}

static void begin_step(rec_worker *worker)
{
    const uint64_t single = worker->singly ? 1 : 0;
    const uint64_t batch = single ? single
                           : worker->session.every ? worker->session.every
                                                   : REC_DEFAULT_EVERY;
    if (worker->now.stop)
        rec_run_continue(worker->session.run, batch);
    worker->now.phase = REC_PHASE_ITERATING;
    worker->active = 1;
    rec_session_begin_batch(&worker->session, batch);
}

/* A frame that cannot be written is still due when the run goes on; the change is only not shown. */
static void refuse(rec_worker *worker, const rec_error *error)
{
    const rec_session *session = &worker->session;
    if (session->not_recorded) {
        rec_worker_rest(worker);
        rec_worker_tell(worker, 1, "%s; Space tries again", error->message);
        rec_worker_keep_failure(worker, error);
    } else if (session->not_marked) {
        rec_worker_make_due(worker, 1);
        rec_worker_tell(worker, 1, "no change can be shown: %s", error->message);
    } else {
        rec_worker_give_up(worker, error);
    }
}

static void advance(rec_worker *worker)
{
    rec_error error;
    int batch_ended;
    if (rec_session_advance(&worker->session, &batch_ended, &error)) {
        refuse(worker, &error);
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
    if (!rec_session_wants_picture(&worker->session, batch_ended))
        return;
    rec_worker_make_due(worker, 1);
    rec_worker_show(worker);
    if (rec_now() - worker->probe_time < PROBE_SECONDS)
        return;
    rec_worker_publish_history(worker);
    rec_worker_probe(worker);
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
        rec_worker_tell(worker, 0, "%s", ""); /* what was said of the pause is over */
    } else if (worker->session.run) {
        rec_worker_tell(worker, 0, "it has ended: n goes on by a batch, r starts again");
    }
}

/* Steps of one kind add up; the other kind takes their place. */
static void step(rec_worker *worker, int singly)
{
    if (worker->session.jumped && !rec_worker_play(worker))
        return;
    if (!worker->session.run)
        return;
    worker->stepping = worker->singly == singly ? worker->stepping + 1 : 1;
    worker->singly = singly;
    if (worker->stepping == 1)
        begin_step(worker);
}

static void change_every(rec_worker *worker, int more)
{
    if (!worker->session.run)
        return;
    rec_session_change_every(&worker->session, more);
    rec_worker_note_numbers(worker);
}

static rec_status save_files(rec_worker *worker, rec_save_names *names, rec_error *error)
{
    const rec_view_options *options = worker->options;
    rec_session *session = &worker->session;
    rec_image view = {0}, result = {0};
    const rec_wanted wanted = rec_exchange_wanted(worker->exchange); /* the divider may have moved */
    pthread_mutex_lock(&worker->exchange->handover);
    rec_status status = rec_save_make_view(session, &wanted, &view, error);
    pthread_mutex_unlock(&worker->exchange->handover);
    rec_worker_make_due(worker, 0); /* a picture on its way to the screen may be lost now */
    if (!status)
        status = rec_save_find_names(names,
                                     options->name(options->context, worker->now.index),
                                     session->jumped ? session->jump : worker->now.iteration,
                                     view.planes, error);
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

static void act(rec_worker *worker, const rec_request *request)
{
    const rec_action action = request->action;
    switch (action) {
    case REC_ACTION_PAUSE:
        pause_or_go_on(worker);
        break;
    case REC_ACTION_STEP:
    case REC_ACTION_SINGLE:
        step(worker, action == REC_ACTION_SINGLE);
        break;
    case REC_ACTION_RESTART:
        if (!worker->now.inputs)
            break;
        rec_worker_close(worker);
        rec_worker_open(worker, worker->now.index, 1);
        break;
    case REC_ACTION_LESS_OFTEN:
    case REC_ACTION_MORE_OFTEN:
        change_every(worker, action == REC_ACTION_LESS_OFTEN);
        break;
    case REC_ACTION_USUAL_K:
        change_every(worker, -1);
        break;
    case REC_ACTION_OPEN:
    case REC_ACTION_ADD:
        rec_worker_add(worker, request->path, action == REC_ACTION_OPEN);
        break;
    case REC_ACTION_SAVE:
        save(worker);
        break;
    case REC_ACTION_NEXT:
    case REC_ACTION_PREVIOUS:
        rec_worker_change_input(worker, action == REC_ACTION_NEXT);
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
                          : REC_PATIENCE_LONG;
}

static void *work(void *argument)
{
    rec_worker *worker = argument;
    worker->wanted = rec_exchange_wanted(worker->exchange);
    worker->now.inputs = worker->options->inputs;
    const int opened = !worker->now.inputs || rec_worker_open(worker, 0, 0);
    const int hopeless = !opened && worker->now.inputs == 1;
    while (!hopeless && !rec_worker_is_signalled(worker)) {
        unsigned changed;
        if (worker->due)
            rec_worker_show(worker);
        rec_request request = rec_exchange_next(worker->exchange, patience(worker), &changed);
        if (changed)
            rec_worker_take_wanted(worker, changed);
        if (request.action == REC_ACTION_LEAVE)
            break;
        if (request.action)
            act(worker, &request);
        else if (worker->active)
            advance(worker);
        free(request.path);
        rec_worker_look_after_file(worker);
    }
    rec_worker_leave(worker);
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
