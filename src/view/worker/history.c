#include "view/worker/history.h"

#include <math.h>

#define CELLS (REC_HISTORY_POINTS / 2)         /* of the grid that a series is thinned to */
#define ENOUGH (REC_HISTORY_POINTS * 3 / 4)    /* points that may be left of it */
#define LEAST_SPAN 1e-6                        /* decades: below it double's logarithm is coarse */

void rec_history_clear(rec_history *history)
{
    history->change.count = history->distance.count = 0;
}

static double decades(uint64_t iteration)
{
    return log10(iteration ? (double)iteration : 0.5); /* 0 has a cell of its own */
}

/* Which values stay whatever their cell: the smallest, the largest and the last one. */
static void find_landmarks(const rec_series *series, size_t landmark[3])
{
    double least = INFINITY, most = -INFINITY;
    landmark[0] = landmark[1] = landmark[2] = 0;
    for (size_t i = 0; i < series->count; i++) {
        const double value = series->point[i].value;
        if (isnan(value))
            continue;
        if (value < least) {
            least = value;
            landmark[0] = i;
        }
        if (value > most) {
            most = value;
            landmark[1] = i;
        }
        landmark[2] = i;
    }
}

/* Keeps the first value and the first break in each cell of the grid, the landmarks, and the last
 * point. The first point of all is never a break. */
static void thin_to(rec_series *series, double cells_per_decade)
{
    size_t landmark[3], kept = 0;
    double cell_taken[2] = {NAN, NAN}; /* by a value, by a break */
    find_landmarks(series, landmark);
    for (size_t i = 0; i < series->count; i++) {
        const rec_history_point point = series->point[i];
        const double cell = floor(decades(point.iteration) * cells_per_decade);
        const int is_break = isnan(point.value) ? 1 : 0;
        double *taken = &cell_taken[is_break];
        if (cell == *taken && i != landmark[0] && i != landmark[1] && i != landmark[2] &&
            i + 1 != series->count)
            continue;
        if (is_break && isnan(series->point[kept - 1].value)) /* what was between them is gone */
            continue;
        *taken = cell;
        series->point[kept++] = point;
    }
    series->count = kept;
}

/* A power of two of cells in a decade: a coarser grid is a part of every finer one, so that what
 * was thinned before stays even. */
static void thin(rec_series *series)
{
    const double first = decades(series->point[0].iteration);
    const double span = decades(series->point[series->count - 1].iteration) - first;
    double cells_per_decade = exp2(floor(log2(CELLS / fmax(span, LEAST_SPAN))));
    for (; series->count > ENOUGH; cells_per_decade /= 2)
        thin_to(series, cells_per_decade);
}

static void drop_after(rec_series *series, uint64_t iteration)
{
    while (series->count && series->point[series->count - 1].iteration > iteration)
        series->count--;
}

static void add(rec_series *series, uint64_t iteration, double value)
{
    rec_history_point *last = series->count ? &series->point[series->count - 1] : NULL;
    const int is_broken = !last || isnan(last->value);
    if (isnan(value) && is_broken)
        return;
    if (!isnan(value) && !is_broken && last->iteration == iteration) {
        last->value = value;
        return;
    }
    if (series->count == REC_HISTORY_POINTS)
        thin(series);
    series->point[series->count++] = (rec_history_point){iteration, value};
}

void rec_history_add(rec_history *history, uint64_t iteration, double change, double distance)
{
    rec_series *const series[] = {&history->change, &history->distance};
    const double values[] = {change, distance};
    int known[2];
    for (int i = 0; i < 2; i++) {
        known[i] = isfinite(values[i]) && values[i] >= 0;
        drop_after(series[i], iteration);
    }
    for (int i = 0; i < 2; i++)
        if (known[i])
            add(series[i], iteration, values[i]);
        else if (!known[0] && !known[1])
            add(series[i], iteration, NAN);
}
