#include "view/worker/worker.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void rec_exchange_init(rec_exchange *exchange)
{
    *exchange = (rec_exchange){.resting = 0};
    exchange->state.run.look.change_rms = NAN;
    exchange->state.numbers.distance = exchange->state.numbers.psnr = NAN;
    pthread_mutex_init(&exchange->lock, NULL);
    pthread_mutex_init(&exchange->handover, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&exchange->posted, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void drop_preview(rec_exchange *exchange)
{
    free((void *)(uintptr_t)exchange->preview.pixels);
    exchange->preview.pixels = NULL;
}

void rec_exchange_destroy(rec_exchange *exchange)
{
    for (size_t i = 0; i < exchange->queued; i++)
        free(exchange->queue[i].path);
    drop_preview(exchange);
    pthread_cond_destroy(&exchange->posted);
    pthread_mutex_destroy(&exchange->handover);
    pthread_mutex_destroy(&exchange->lock);
}

void rec_exchange_publish(rec_exchange *exchange, const rec_view_state *state)
{
    pthread_mutex_lock(&exchange->lock);
    exchange->state = *state;
    pthread_mutex_unlock(&exchange->lock);
}

rec_wanted rec_exchange_wanted(rec_exchange *exchange)
{
    pthread_mutex_lock(&exchange->lock);
    const rec_wanted wanted = exchange->wanted;
    pthread_mutex_unlock(&exchange->lock);
    return wanted;
}

void rec_exchange_set_solvers(rec_exchange *exchange, rec_solver *shown, rec_solver *other,
                              rec_size image)
{
    pthread_mutex_lock(&exchange->handover);
    drop_preview(exchange);
    exchange->solver[0] = shown;
    exchange->solver[1] = other;
    exchange->image = image;
    pthread_mutex_unlock(&exchange->handover);
}

void rec_exchange_preview(rec_exchange *exchange, const rec_snapshot *preview, rec_size image)
{
    pthread_mutex_lock(&exchange->handover);
    drop_preview(exchange);
    exchange->preview = *preview;
    exchange->image = image;
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
        if (pthread_cond_timedwait(&exchange->posted, &exchange->lock, &until) == ETIMEDOUT)
            break;
}

rec_request rec_exchange_next(rec_exchange *exchange, double seconds, int resting, int *changed)
{
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

uint64_t rec_exchange_post(rec_exchange *exchange, rec_request request)
{
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

void rec_exchange_want(rec_exchange *exchange, const rec_wanted *wanted)
{
    pthread_mutex_lock(&exchange->lock);
    exchange->wanted = *wanted;
    exchange->changed = 1;
    exchange->resting = 0;
    pthread_cond_signal(&exchange->posted);
    pthread_mutex_unlock(&exchange->lock);
}

int rec_exchange_get_state(rec_exchange *exchange, rec_view_state *state)
{
    pthread_mutex_lock(&exchange->lock);
    *state = exchange->state;
    const int resting = exchange->resting;
    pthread_mutex_unlock(&exchange->lock);
    return resting;
}

void rec_exchange_poll(rec_exchange *exchange, rec_exchange_accept *accept, void *context)
{
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
