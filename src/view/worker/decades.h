/* Decades along a line: an axis of the plot, the slider. */
#pragma once

#include "solver/solver.h"

typedef struct rec_decades {
    double low, high; /* it goes from 10^low to 10^high; low < high */
    int from, to;     /* the places of low and high, pixels; `to` may be less than `from` */
} rec_decades;

/* Whole decades around the positive values least..most, at least one; `from` and `to` stay 0. */
rec_decades rec_decades_cover(double least, double most);

/* Where a positive value stands, pixels. */
double rec_decades_place(const rec_decades *axis, double value);

/* Multiples of this number of decades have labels, at least `room` pixels apart. */
int rec_decades_step(const rec_decades *axis, int room);

/* "0.001", "1", "100", "10k", ... "100T", and beyond "1e-4", "1e15". Returns text. */
char *rec_decades_write(char text[16], int decade);

/* Of the slider: a stop for 0, the decades from 1 to 10^9, a stop for the limit. The stops are
 * half a decade wide, so that both are easy to find. */
enum { REC_SCALE_DECADES = 9 };

/* The place of an iterate, or of REC_LIMIT_ITERATION, from 0 to 1; beyond 10^9 that of 10^9. */
double rec_scale_place(uint64_t iteration);

/* The iterate at a place: 0 at 0 and below, REC_LIMIT_ITERATION at 1 and above, never falling. */
uint64_t rec_scale_iteration(double place);

/* The next iterate on a grid of tenths of a decade, if there is one. */
uint64_t rec_scale_step(uint64_t iteration, int forward);
