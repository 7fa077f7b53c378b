#include "view/exchange.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define LITTLE_PATIENCE 4000000L /* nanoseconds */

void rec_exchange_init(rec_exchange *exchange)
{
    *exchange = (rec_exchange){.resting = 0};
    exchange->state.change = exchange->state.distance = NAN;
    pthread_mutex_init(&exchange->lock, NULL);
    pthread_mutex_init(&exchange->handover, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&exchange->posted, &attributes);
    pthread_condattr_destroy(&attributes);
}

void rec_exchange_destroy(rec_exchange *exchange)
{
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

rec_size rec_exchange_area(rec_exchange *exchange)
{
    pthread_mutex_lock(&exchange->lock);
    const rec_size area = exchange->area;
    pthread_mutex_unlock(&exchange->lock);
    return area;
}

unsigned rec_exchange_set_solver(rec_exchange *exchange, rec_solver *solver)
{
    pthread_mutex_lock(&exchange->handover);
    exchange->solver = solver;
    exchange->runs += solver != NULL;
    const unsigned runs = exchange->runs;
    pthread_mutex_unlock(&exchange->handover);
    return runs;
}

/* Waits as long as `patience` says, or until something happened. Under the lock. */
static void wait_for_post(rec_exchange *exchange, rec_patience patience)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LITTLE_PATIENCE;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (patience && !exchange->queued && !exchange->leave && !exchange->area_changed) {
        exchange->resting = patience == REC_PATIENCE_ENDLESS;
        if (exchange->resting)
            pthread_cond_wait(&exchange->posted, &exchange->lock);
        else if (pthread_cond_timedwait(&exchange->posted, &exchange->lock, &until) == ETIMEDOUT)
            break;
    }
    exchange->resting = 0;
}

rec_request rec_exchange_next(rec_exchange *exchange, rec_patience patience, int *area_changed)
{
    rec_request request = {REC_ACTION_NONE, 0, 0};
    pthread_mutex_lock(&exchange->lock);
    wait_for_post(exchange, patience);
    *area_changed = exchange->area_changed;
    exchange->area_changed = 0;
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

/* Under the lock. */
static unsigned enqueue(rec_exchange *exchange, rec_action action, uint64_t iteration)
{
    rec_request *last = exchange->queued ? &exchange->queue[exchange->queued - 1] : NULL;
    const int replaces = last && last->action == REC_ACTION_SEEK && action == REC_ACTION_SEEK;
    if (!replaces && exchange->queued == REC_QUEUED_ACTIONS)
        return 0;
    exchange->queued += !replaces;
    exchange->requests += exchange->requests + 1 ? 1 : 2; /* never 0 */
    exchange->queue[exchange->queued - 1] = (rec_request){action, iteration, exchange->requests};
    return exchange->requests;
}

void rec_exchange_post(rec_exchange *exchange, rec_action action)
{
    pthread_mutex_lock(&exchange->lock);
    if (action == REC_ACTION_LEAVE)
        exchange->leave = 1;
    else
        enqueue(exchange, action, 0);
    exchange->resting = 0;
    pthread_cond_signal(&exchange->posted);
    pthread_mutex_unlock(&exchange->lock);
}

unsigned rec_exchange_seek(rec_exchange *exchange, uint64_t iteration)
{
    pthread_mutex_lock(&exchange->lock);
    const unsigned number = enqueue(exchange, REC_ACTION_SEEK, iteration);
    exchange->resting = 0;
    pthread_cond_signal(&exchange->posted);
    pthread_mutex_unlock(&exchange->lock);
    return number;
}

void rec_exchange_set_area(rec_exchange *exchange, rec_size area)
{
    pthread_mutex_lock(&exchange->lock);
    if (area.width != exchange->area.width || area.height != exchange->area.height) {
        exchange->area = area;
        exchange->area_changed = 1;
        exchange->resting = 0;
        pthread_cond_signal(&exchange->posted);
    }
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
    const rec_snapshot *snapshot = exchange->solver ? rec_solver_poll(exchange->solver) : NULL;
    if (snapshot) {
        const rec_shot shot = {exchange->runs, snapshot->iteration,
                               {snapshot->width, snapshot->height}};
        accept(context, snapshot, &shot);
        rec_solver_release(exchange->solver, snapshot);
    }
    pthread_mutex_unlock(&exchange->handover);
}
