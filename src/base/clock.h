/* The wall clock for durations: monotonic, in seconds. */
#pragma once

#include <time.h>

/* Seconds since an arbitrary moment; never runs backwards. */
static inline double rec_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
