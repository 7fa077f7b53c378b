/* What has been seen of a run, thinned to a few hundred points as it grows: enough for a plot over
 * the logarithm of the iterations, however long the run. Plain structs, which may be copied. */
#ifndef REC_VIEW_HISTORY_H
#define REC_VIEW_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define REC_HISTORY_POINTS 400 /* of a series, at most */

typedef struct rec_history_point {
    uint64_t iteration;
    double value; /* grey levels RMS, 0 or more; NaN: a break, nothing connects its neighbours */
} rec_history_point;

/* Iterations never fall from one point to the next, and rise from one value to the next one
 * unless a break is between them. */
typedef struct rec_series {
    size_t count;
    rec_history_point point[REC_HISTORY_POINTS];
} rec_series;

typedef struct rec_history { /* all zero: empty */
    rec_series change;   /* of the last iteration */
    rec_series distance; /* to the limit */
} rec_history;

void rec_history_clear(rec_history *history);

/* Adds what is known of an iterate: NaN, and what is no distance at all, is not known. The newest
 * values are always there exactly; of the older ones those stay that are evenly spaced in the
 * logarithm of the iterations, and the largest and the smallest.
 * An iteration that is there already has its values replaced. One that lies back, after a restart
 * or a jump, drops what is behind it. When nothing is known, both being NaN, that is a break: the
 * run goes on from another image. */
void rec_history_add(rec_history *history, uint64_t iteration, double change, double distance);

#endif
