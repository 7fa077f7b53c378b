/* The wall clock for durations: monotonic, in seconds. And waiting for other threads. */
#pragma once

#include <pthread.h>
#include <time.h>

#include "base/status.h"

/* Seconds since an arbitrary moment; never runs backwards. */
static inline double rec_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A condition with this clock: pthread_cond_clockwait needs glibc 2.30. */
static inline void rec_condition_create(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Waits for it, at most so many seconds; it may wake early. */
static inline void rec_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                      double seconds)
{
    const double until = rec_now() + seconds;
    const time_t whole = (time_t)until;
    pthread_cond_timedwait(condition, lock,
                           &(struct timespec){whole, (long)(1e9 * (until - (double)whole))});
}

/* Holds the lock until the block ends. */
static inline void rec_unlock_at(pthread_mutex_t **lock) { pthread_mutex_unlock(*lock); }
#define REC_HOLD(lock) \
    REC_OWNED(rec_unlock_at) pthread_mutex_t *held_ = (lock); \
    pthread_mutex_lock(held_)
