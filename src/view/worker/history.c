#include "view/worker/scene.h"

#include <math.h>

static double cell(uint64_t iteration)
{
    return floor(REC_HISTORY_CELLS * log10((double)iteration));
}

static void add(rec_series *series, uint64_t iteration, double value)
{
    while (series->count && series->point[series->count - 1].iteration > iteration)
        series->count--;
    if (!iteration || !isfinite(value) || value < 0)
        return;
    if (series->count && (series->count == REC_HISTORY_POINTS ||
                          cell(series->point[series->count - 1].iteration) == cell(iteration)))
        series->count--;
    series->point[series->count++] = (rec_history_point){iteration, value};
}

void rec_history_add(rec_history *history, uint64_t iteration, double change, double distance)
{
    add(&history->change, iteration, change);
    add(&history->distance, iteration, distance);
}
