/* The wall clock for durations: monotonic, in seconds. */
#ifndef REC_BASE_CLOCK_H
#define REC_BASE_CLOCK_H

/* Seconds since an arbitrary moment; never runs backwards. */
double rec_now(void);

#endif
