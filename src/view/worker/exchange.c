#include "view/worker/worker_type.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/run.h"

static void drop_preview(rec_exchange *exchange)
{
    free((void *)(uintptr_t)exchange->preview.pixels);
    exchange->preview.pixels = NULL;
}

void rec_worker_publish(rec_worker *worker)
{
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
    exchange->image = worker->now.size;
    pthread_mutex_unlock(&exchange->handover);
}

/* Until something happened, or for less than a second. Under the lock. */
static void wait_for_post(rec_exchange *exchange, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!exchange->queued && !exchange->leave && !exchange->changed)
        if (pthread_cond_clockwait(&exchange->posted, &exchange->lock, CLOCK_MONOTONIC, &until))
            break;
}

rec_request rec_worker_next(rec_worker *worker, double seconds, int resting, int *changed)
{
    rec_exchange *exchange = &worker->exchange;
    rec_request request = {.action = REC_ACTION_NONE};
    pthread_mutex_lock(&exchange->lock);
    exchange->resting = resting && !exchange->queued && !exchange->leave && !exchange->changed;
    if (seconds > 0)
        wait_for_post(exchange, seconds);
    exchange->resting = 0;
    *changed = exchange->changed;
    exchange->changed = 0;
    if (exchange->leave) {
        request.action = REC_ACTION_LEAVE;
    } else if (exchange->queued) {
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
        last && last->action == REC_ACTION_SEEK && request.action == REC_ACTION_SEEK;
    char *path = request.path ? strdup(request.path) : NULL;
    exchange->leave |= request.action == REC_ACTION_LEAVE;
    if (!exchange->leave && (replaces || exchange->queued < REC_QUEUED_ACTIONS) &&
        (path || !request.path)) {
        exchange->queued += !replaces;
        request.number = ++exchange->requests;
        request.path = path;
        exchange->queue[exchange->queued - 1] = request;
    } else {
        free(path);
    }
    exchange->resting = 0;
    pthread_cond_signal(&exchange->posted);
    pthread_mutex_unlock(&exchange->lock);
    return request.number;
}

void rec_worker_want(rec_worker *worker, const rec_wanted *wanted)
{
    rec_exchange *exchange = &worker->exchange;
    pthread_mutex_lock(&exchange->lock);
    exchange->wanted = *wanted;
    exchange->changed = 1;
    exchange->resting = 0;
    pthread_cond_signal(&exchange->posted);
    pthread_mutex_unlock(&exchange->lock);
}

void rec_worker_set_reading(rec_worker *worker, int reading)
{
    pthread_mutex_lock(&worker->exchange.lock);
    worker->exchange.reading = reading;
    pthread_mutex_unlock(&worker->exchange.lock);
}

void rec_worker_hurry(rec_worker *worker)
{
    pthread_mutex_lock(&worker->exchange.lock);
    if (worker->exchange.leave && worker->exchange.reading)
        rec_signals_interrupt(worker->thread);
    pthread_mutex_unlock(&worker->exchange.lock);
}

int rec_worker_get_state(rec_worker *worker, rec_view_state *state)
{
    rec_exchange *exchange = &worker->exchange;
    pthread_mutex_lock(&exchange->lock);
    *state = exchange->state;
    const int resting = exchange->resting;
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
        rec_solver_release(solver, snapshot);
    }
    pthread_mutex_unlock(&exchange->handover);
}
