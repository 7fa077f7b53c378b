/* What the worker and the window exchange, and what the worker says of itself. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "view/worker/worker_type.h"

/* ---- from the worker ---- */

static void drop_preview(rec_exchange *exchange)
{
    free((void *)(uintptr_t)exchange->preview.pixels);
    exchange->preview.pixels = NULL;
}

/* The part of the state that follows from the session. */
static void describe(rec_view_state *now, const rec_session *session)
{
    if (session->size.width) { /* else it is still that of the input before */
        now->size = session->size;
        now->planes = session->planes;
    }
    now->doubt[0] = '\0';
    now->has_original = 0;
    now->painted = REC_EDIT_NONE;
    now->filled = 0;
    if (!session->run) {
        now->run = (rec_run_state){.look.change_rms = NAN};
        now->numbers = (rec_numbers){.distance = NAN, .psnr = NAN, .equal = NAN};
        return;
    }
    now->run = *rec_run_get_state(session->run);
    rec_job_doubt(session->job, now->doubt);
    now->has_original = session->job->original_path || session->paint.brush.mask;
    now->numbers = session->numbers;
    now->jump = session->jump;
    now->every = session->every ? session->every : session->between;
    now->every_is_automatic = !session->every;
    rec_session_describe_painting(session, now);
    const rec_solver *solver = rec_run_solver(session->run);
    if (solver)
        rec_solver_get_info(solver, &now->info);
    now->plain = solver && rec_session_is_plain(session);
}

void rec_worker_publish(rec_worker *worker)
{
    rec_view_state *now = &worker->now;
    now->inputs = worker->jobs->count;
    if (now->index < now->inputs)
        snprintf(now->name, sizeof now->name, "%s", worker->jobs->at[now->index]->input);
    describe(now, worker->session);
    pthread_mutex_lock(&worker->exchange.lock);
    worker->exchange.state = worker->now;
    pthread_mutex_unlock(&worker->exchange.lock);
}

void rec_worker_hand_over(rec_worker *worker, rec_solver *shown, rec_solver *other,
                          const rec_snapshot *preview)
{
    rec_exchange *exchange = &worker->exchange;
    pthread_mutex_lock(&exchange->handover);
    drop_preview(exchange);
    if (preview)
        exchange->preview = *preview;
    exchange->solver[0] = shown;
    exchange->solver[1] = other;
    exchange->image = worker->session->size;
    exchange->mask = shown ? worker->session->paint.brush.mask : NULL;
    exchange->whole_taken = 0;
    pthread_mutex_unlock(&exchange->handover);
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
    if (!worker->failure.status && error->status != REC_SIGNALLED) /* that is no failure */
        worker->failure = *error;
}

void rec_worker_detach(rec_worker *worker)
{
    rec_worker_hand_over(worker, NULL, NULL, NULL);
    worker->due = 0;
    worker->now.probed.known = 0;
}

void rec_worker_close(rec_worker *worker)
{
    rec_worker_detach(worker);
    rec_session_close(worker->session);
}

void rec_worker_give_up(rec_worker *worker, const rec_error *error)
{
    rec_worker_keep_failure(worker, error);
    rec_worker_close(worker);
    worker->now.phase = REC_PHASE_FAILED;
    snprintf(worker->now.failure, sizeof worker->now.failure, "%s", error->message);
}

/* ---- from the window ---- */

/* Ends a change of what the worker waits for. */
static void wake(rec_exchange *exchange)
{
    exchange->resting = 0;
    pthread_cond_signal(&exchange->posted);
    pthread_mutex_unlock(&exchange->lock);
}

static int has_news(const rec_exchange *exchange)
{
    return exchange->queued || exchange->leave || exchange->changed;
}

rec_request rec_worker_next(rec_worker *worker, double seconds, int resting)
{
    rec_exchange *exchange = &worker->exchange;
    rec_request request = {.act = NULL};
    pthread_mutex_lock(&exchange->lock);
    exchange->resting = resting && !has_news(exchange);
    if (seconds > 0 && !has_news(exchange)) { /* it may wake early */
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(1e9 * seconds);
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_clockwait(&exchange->posted, &exchange->lock, CLOCK_MONOTONIC, &until);
    }
    exchange->resting = 0;
    if (exchange->queued && !exchange->leave) {
        request = exchange->queue[0];
        exchange->queued--;
        memmove(exchange->queue, exchange->queue + 1, exchange->queued * sizeof request);
    }
    pthread_mutex_unlock(&exchange->lock);
    return request;
}

uint64_t rec_worker_post(rec_worker *worker, rec_request request)
{
    rec_exchange *exchange = &worker->exchange;
    pthread_mutex_lock(&exchange->lock);
    const rec_request *last = exchange->queued ? &exchange->queue[exchange->queued - 1] : NULL;
    const int replaces =
        last && last->act == rec_worker_seek && request.act == rec_worker_seek;
    char *path = request.path ? strdup(request.path) : NULL;
    if (!exchange->leave && (replaces || exchange->queued < REC_QUEUED_REQUESTS) &&
        (path || !request.path)) {
        exchange->queued += !replaces;
        request.number = ++exchange->requests;
        request.path = path;
        exchange->queue[exchange->queued - 1] = request;
    } else {
        free(path);
    }
    wake(exchange);
    return request.number;
}

void rec_worker_ask_to_leave(rec_worker *worker)
{
    pthread_mutex_lock(&worker->exchange.lock);
    worker->exchange.leave = 1;
    wake(&worker->exchange);
}

void rec_worker_want(rec_worker *worker, const rec_wanted *wanted)
{
    rec_exchange *exchange = &worker->exchange;
    pthread_mutex_lock(&exchange->lock);
    exchange->wanted = *wanted;
    exchange->changed = 1;
    wake(exchange);
}

int rec_worker_get_state(rec_worker *worker, rec_view_state *state)
{
    rec_exchange *exchange = &worker->exchange;
    pthread_mutex_lock(&exchange->lock);
    *state = exchange->state;
    const int resting = exchange->resting;
    if (exchange->leave && exchange->reading) /* each time: it may only be about to wait */
        rec_signals_interrupt(worker->thread);
    pthread_mutex_unlock(&exchange->lock);
    return resting;
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
        if (i == 0 || snapshot->view.layer == REC_LAYER_EDGES) /* no picture from before a jump */
            accept(context, snapshot, exchange->image);
        exchange->whole_taken |= !memcmp(&snapshot->view, &exchange->whole, sizeof exchange->whole);
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
    pthread_mutex_unlock(&worker->exchange.handover); /* of another thread: refused */
}
