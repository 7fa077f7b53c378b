#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/worker/scene.h"

/* ---- an axis of the plot ---- */

rec_decades rec_decades_cover(double least, double most)
{
    rec_decades axis = {.low = (int)floor(log10(least)), .high = (int)ceil(log10(most))};
    if (axis.high <= axis.low)
        axis.high = axis.low + 1;
    return axis;
}

double rec_decades_place(const rec_decades *axis, double value)
{
    return axis->from + (log10(value) - axis->low) / (axis->high - axis->low) *
                            (double)(axis->to - axis->from);
}

int rec_decades_step(const rec_decades *axis, int room)
{
    const int decades = axis->high - axis->low, length = abs(axis->to - axis->from);
    /* Places are rounded to pixels: one to spare. */
    const int step = (int)ceil((room + 1.0) * decades / length);
    return step > 1 ? step : 1;
}

char *rec_decades_write(char text[16], int decade)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    if (decade < -3 || decade >= 15)
        snprintf(text, 16, "1e%d", decade);
    else if (decade < 0)
        snprintf(text, 16, "%g", pow(10, decade));
    else
        snprintf(text, 16, "%g%s", pow(10, decade % 3), units[decade / 3]);
    return text;
}

/* ---- the slider ---- */

/* In decades: 0 at 0, 1 at STOP, 10^9 at STOP + 9, the limit at the end. */
#define STOP 0.5
#define LENGTH (REC_SCALE_DECADES + 2 * STOP)
#define TENTHS ((int)(10 * LENGTH))

static uint64_t at(double decades)
{
    const double most = STOP + REC_SCALE_DECADES;
    if (!(decades >= STOP / 2))
        return 0;
    if (decades > most + STOP / 2)
        return REC_LIMIT_ITERATION;
    decades = fmin(fmax(decades, STOP), most);
    return (uint64_t)(pow(10, decades - STOP) + 0.5);
}

double rec_scale_place(uint64_t iteration)
{
    if (iteration == REC_LIMIT_ITERATION)
        return 1;
    const double decades = iteration ? STOP + log10((double)iteration) : 0;
    return fmin(decades, STOP + REC_SCALE_DECADES) / LENGTH;
}

uint64_t rec_scale_iteration(double place) { return at(place * LENGTH); }

uint64_t rec_scale_step(uint64_t iteration, int forward)
{
    uint64_t found = forward ? REC_LIMIT_ITERATION : 0;
    for (int tenth = 0; tenth <= TENTHS; tenth++) {
        const uint64_t candidate = at(tenth / 10.0);
        if (forward && candidate > iteration && candidate < found)
            found = candidate;
        if (!forward && candidate < iteration && candidate > found)
            found = candidate;
    }
    return found;
}
