/* The scale of iterates along the slider: a stop for 0, the decades from 1 to 10^9, a stop for the
 * limit. The stops are half a decade wide, so that both are easy to find. */
#ifndef REC_VIEW_SCALE_H
#define REC_VIEW_SCALE_H

#include <stdint.h>

enum { REC_SCALE_DECADES = 9 };

/* Where an iterate stands, from 0 to 1; REC_LIMIT_ITERATION has a place, and what is beyond 10^9
 * has that of 10^9. */
double rec_scale_place(uint64_t iteration);

/* The iterate at a place: 0 at 0 and below, REC_LIMIT_ITERATION at 1 and above, never falling. */
uint64_t rec_scale_iteration(double place);

/* The next iterate on the grid of tenths of a decade, forwards or back; another one unless it is
 * the last. */
uint64_t rec_scale_step(uint64_t iteration, int forward);

#endif
