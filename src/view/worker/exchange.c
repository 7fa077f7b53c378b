/* What the worker and the window exchange. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/signals.h"
#include "view/worker/worker_type.h"

/* ---- from the worker ---- */

const rec_outcome rec_nothing = {0};

rec_outcome rec_told(unsigned follow, const char *format, ...)
{
    rec_outcome outcome = {.follow = follow | REC_TELL};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome.error.message, sizeof outcome.error.message, format, arguments);
    va_end(arguments);
    return outcome;
}

/* The part of the state that follows from the session. */
static void describe(const rec_session *session, rec_view_state *now)
{
    const rec_edit *edit = rec_session_edit(session);
    if (session->size.width) { /* else it is still that of the input before */
        now->size = session->size;
        now->planes = session->planes;
    }
    now->doubt[0] = '\0';
    now->has_original = now->exact = now->plain = 0;
    now->painted = REC_EDIT_NONE;
    now->numbers = session->numbers;
    now->run = (rec_run_state){.look.change_rms = NAN};
    if (!session->run)
        return;
    now->run = *rec_run_get_state(session->run);
    rec_job_doubt(session->job, now->doubt);
    now->has_original = session->job->original_path || edit;
    now->of_limit = rec_job_has_limit(session->job);
    now->jump = session->jump;
    now->every = session->every ? session->every : session->between;
    now->every_is_automatic = !session->every;
    now->unknown = session->job->edit ? rec_edit_mask(session->job->edit)->count : 0;
    if (edit) {
        now->painted = session->job->settings->edit.kind;
        now->edit = rec_edit_look(edit);
        now->rule = session->paint.of_source ? NULL : rec_session_rule(session);
    }
    now->exact = rec_session_paints(session);
    if (now->exact)
        now->run.stop = REC_STOP_LIMIT;
    if (!rec_run_solver(session->run))
        return;
    rec_solver_get_info(rec_run_solver(session->run), &now->info);
    const rec_solver *edges = rec_session_solver_of(session, REC_LAYER_EDGES);
    now->plain = !edges || !rec_solver_shows(edges, REC_LAYER_EDGES);
}

void rec_worker_publish(rec_worker *worker, rec_phase phase, rec_outcome outcome)
{
    rec_view_state *now = &worker->now;
    now->phase = phase;
    now->inputs = worker->jobs->count;
    const rec_job *job = worker->session->job;
    if (now->index < now->inputs)
        snprintf(now->name, sizeof now->name, "%s",
                 job ? job->input : worker->jobs->at[now->index]->input);
    if (outcome.follow & REC_TELL) {
        snprintf(now->message, sizeof now->message, "%.*s", (int)sizeof now->message - 1,
                 outcome.error.message);
        now->message_is_bad = (outcome.follow & REC_BAD) != 0;
        now->messages++;
    }
    describe(worker->session, now);
    now->unsaved = 0;
    for (size_t i = 0; i < rec_worker_rooms(worker); i++)
        now->unsaved |= rec_session_is_unsaved(&worker->sessions[i]) &&
                        !worker->sessions[i].job->output;
    REC_HOLD(&worker->exchange.lock);
    worker->exchange.state = worker->now;
}

static void drop_preview(rec_exchange *exchange)
{
    free((void *)(uintptr_t)exchange->preview.pixels);
    exchange->preview.pixels = NULL;
}

void rec_worker_hand_over(rec_worker *worker, rec_solver *shown, rec_solver *other,
                          const rec_snapshot *preview)
{
    rec_exchange *exchange = &worker->exchange;
    REC_HOLD(&exchange->handover);
    drop_preview(exchange);
    if (preview)
        exchange->preview = *preview;
    exchange->solver[0] = shown;
    exchange->solver[1] = other;
    exchange->image = worker->session->size;
    const rec_edit *edit = shown ? rec_session_edit(worker->session) : NULL;
    exchange->mask = edit ? rec_edit_mask(edit) : NULL;
}

void rec_worker_detach(rec_worker *worker)
{
    rec_worker_hand_over(worker, NULL, NULL, NULL);
    worker->due = 0;
    worker->now.probed.known = 0;
}

void rec_worker_keep_failure(rec_worker *worker, const rec_error *error)
{
    if (!worker->failure.status && error->status != REC_SIGNALLED) /* that is no failure */
        worker->failure = *error;
}

void rec_worker_watch(rec_worker *worker, rec_watch *watch)
{
    REC_HOLD(&worker->exchange.lock);
    rec_watch_close(worker->exchange.watch);
    worker->exchange.watch = watch;
}

/* ---- from the window ---- */

/* What the worker waits for has changed. */
static void wake(rec_exchange *exchange)
{
    exchange->resting = 0;
    pthread_cond_signal(&exchange->posted);
}

static int has_news(const rec_exchange *exchange)
{
    return exchange->queued || exchange->leave || exchange->changed || exchange->saved;
}

int rec_worker_is_asked(rec_worker *worker)
{
    REC_HOLD(&worker->exchange.lock);
    return worker->exchange.queued > 0;
}

rec_request rec_worker_next(rec_worker *worker, double seconds, int resting)
{
    rec_exchange *exchange = &worker->exchange;
    rec_request request = {.act = NULL};
    REC_HOLD(&exchange->lock);
    exchange->resting = resting && !has_news(exchange);
    if (seconds > 0 && !has_news(exchange))
        rec_condition_wait(&exchange->posted, &exchange->lock, seconds);
    exchange->resting = 0;
    worker->saved |= exchange->saved;
    exchange->saved = 0;
    if (exchange->queued) {
        request = exchange->queue[0];
        exchange->queued--;
        memmove(exchange->queue, exchange->queue + 1, exchange->queued * sizeof request);
    }
    return request;
}

uint64_t rec_worker_post(rec_worker *worker, rec_request request)
{
    rec_exchange *exchange = &worker->exchange;
    REC_HOLD(&exchange->lock);
    const rec_request *last = exchange->queued ? &exchange->queue[exchange->queued - 1] : NULL;
    const int replaces = /* only a seek has an iteration */
        last && last->act == request.act && last->iteration != request.iteration;
    if (exchange->leave || (!replaces && exchange->queued == REC_QUEUED_REQUESTS) ||
        (request.path && !(request.path = strdup(request.path))))
        return 0;
    exchange->queued += !replaces;
    request.number = ++exchange->requests;
    exchange->queue[exchange->queued - 1] = request;
    wake(exchange);
    return request.number;
}

void rec_worker_ask_to_leave(rec_worker *worker)
{
    rec_exchange *exchange = &worker->exchange;
    REC_HOLD(&exchange->lock);
    while (exchange->queued && exchange->queue[exchange->queued - 1].act != exchange->saves)
        free(exchange->queue[--exchange->queued].path);
    exchange->leave = 1;
    wake(exchange);
}

void rec_worker_want(rec_worker *worker, const rec_wanted *wanted)
{
    rec_exchange *exchange = &worker->exchange;
    REC_HOLD(&exchange->lock);
    exchange->wanted = *wanted;
    exchange->changed = 1;
    wake(exchange);
}

int rec_worker_get_state(rec_worker *worker, rec_view_state *state)
{
    rec_exchange *exchange = &worker->exchange;
    REC_HOLD(&exchange->lock);
    *state = exchange->state;
    if (rec_watch_is_news(exchange->watch)) {
        exchange->saved = 1;
        wake(exchange);
    }
    if (exchange->leave && exchange->reading) /* each time: it may only be about to wait */
        rec_signals_interrupt(worker->thread);
    return exchange->resting;
}

void rec_worker_poll(rec_worker *worker, rec_worker_accept *accept, void *context)
{
    rec_exchange *exchange = &worker->exchange;
    if (pthread_mutex_trylock(&exchange->handover))
        return;
    if (exchange->preview.pixels)
        accept(context, &exchange->preview, exchange->image);
    drop_preview(exchange);
    for (int i = 0; i < 2; i++) {
        rec_solver *solver = exchange->solver[i];
        const rec_snapshot *snapshot = solver ? rec_solver_poll(solver) : NULL;
        if (!snapshot)
            continue;
        /* No picture from before a jump. */
        if (!i || rec_layers[snapshot->view.layer].source == REC_SOURCE_EDGES)
            accept(context, snapshot, exchange->image);
        rec_solver_release(solver, snapshot);
    }
    pthread_mutex_unlock(&exchange->handover);
}

const rec_mask *rec_worker_borrow_mask(rec_worker *worker)
{
    rec_exchange *exchange = &worker->exchange;
    if (pthread_mutex_trylock(&exchange->handover))
        return NULL;
    const rec_mask *mask = exchange->mask;
    if (!mask)
        rec_worker_give_back(worker);
    return mask;
}

void rec_worker_give_back(rec_worker *worker)
{
    /* It checks errors: unlocking one that another thread holds fails, and does nothing. */
    pthread_mutex_unlock(&worker->exchange.handover);
}
