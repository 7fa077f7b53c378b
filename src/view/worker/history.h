/* What is seen of a run: the grey levels of its iterate, and how change and distance fell. */
#pragma once

#include "image/survey.h"
#include "solver/solver.h"
#include "view/worker/viewport.h"

/* ---- how the grey levels are distributed ---- */

enum { REC_LEVEL_BINS = 128 };

typedef struct rec_limits { /* the grey levels that are shown black and white */
    double black, white;    /* black < white */
} rec_limits;

typedef struct rec_levels {
    int known;
    uint64_t iteration;           /* that they are of, or REC_LIMIT_ITERATION */
    unsigned white;               /* of the picture's file; of one made from edges 255 */
    rec_survey survey;            /* of some rows, for that maxval */
    size_t box;                   /* pixels across and down that the view shows as their mean */
    rec_limits most;              /* all but 0.5% of such means at each end are between them */
    float first, last;            /* the ends of the bins: around low..high and 0..white */
    unsigned bin[REC_LEVEL_BINS]; /* how many samples are in each */
} rec_levels;

/* The box of a view: 1 unless it is reduced. */
size_t rec_levels_box(double scale, rec_size image);

/* Counts rows of the iterate. Waits for the device. REC_LIMIT, REC_UNAVAILABLE. */
rec_status rec_levels_read(rec_levels *levels, rec_solver *solver, rec_size image, size_t planes,
                           size_t box, rec_error *error);

/* From some rows: all but the white, the box and `most`. */
void rec_levels_count(rec_levels *levels, const rec_image *rows);

/* 1 if the tone `auto` fits the contrast to the levels. Hysteresis, `now` is the last answer: on
 * where clamp would cut off more than 1%, off below 0.1%. It also does where black and white would
 * look alike: data from 0 to 1. */
int rec_levels_fit(int now, const rec_levels *levels);

/* The limits after `seconds` on the way from `now` to `end`. */
rec_limits rec_limits_approach(rec_limits now, rec_limits end, double seconds);

/* ---- change and distance, for the plot ---- */

enum { REC_HISTORY_CELLS = 32, REC_HISTORY_POINTS = 640 }; /* of a decade; of a series */

typedef struct rec_history_point {
    uint64_t iteration;
    double value; /* grey levels RMS, 0 or more */
} rec_history_point;

typedef struct rec_series { /* iterations rise */
    size_t count;
    rec_history_point point[REC_HISTORY_POINTS];
} rec_series;

typedef struct rec_history { /* all zero: empty */
    rec_series change;   /* of the last iteration */
    rec_series distance; /* to the limit, */
    int measured;        /* no bound on it */
    rec_series ahead;    /* the distance as it will be, by jumps; empty: not known */
} rec_history;

/* As rec_history_add, to one of them. */
void rec_series_add(rec_series *series, uint64_t iteration, double value);

/* Adds the values of an iterate. A value that is negative or not finite is ignored, and so is
 * iterate 0, which has no place on a logarithmic axis. Kept are the newest value and the last value
 * of each cell; cells are evenly spaced in the logarithm of the iterations, as in the plot. After a
 * restart (an iteration below the newest) later points are dropped. */
void rec_history_add(rec_history *history, uint64_t iteration, double change, double distance);
