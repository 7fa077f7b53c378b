/* Decades along a line: the logarithmic axes of the plot, with the labels that never meet, and the
 * scale of iterates along the slider. Knows nothing of drawing. */
#ifndef REC_VIEW_DECADES_H
#define REC_VIEW_DECADES_H

#include <stdint.h>

/* ---- an axis of the plot ---- */

typedef struct rec_decades {
    int low, high; /* it goes from 10^low to 10^high; low < high */
    int from, to;  /* where these two stand, pixels; `to` may be the smaller one */
} rec_decades;

/* The decades around the positive values least..most, at least one; `from` and `to` stay 0. */
rec_decades rec_decades_cover(double least, double most);

/* Where a positive value stands, pixels. */
double rec_decades_place(const rec_decades *axis, double value);

/* The decades from one label to the next, where labels stand `room` pixels apart or more: those
 * that are whole multiples of it are labelled. */
int rec_decades_step(const rec_decades *axis, int room);

/* 10^decade, for counts and levels alike: "0.001", "1", "100", "10k", "1M", ... "100T", and beyond
 * "1e-4", "1e15". Returns text. */
char *rec_decades_write(char text[16], int decade);

/* ---- the slider ---- */

/* A stop for 0, the decades from 1 to 10^9, a stop for the limit. The stops are half a decade wide,
 * so that both are easy to find. */
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
