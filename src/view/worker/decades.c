#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/worker/decades.h"

/* ---- an axis of the plot ---- */

rec_decades rec_decades_cover(double least, double most)
{
    const double low = floor(log10(least));
    return (rec_decades){.low = low, .high = fmax(ceil(log10(most)), low + 1)};
}

double rec_decades_place(const rec_decades *axis, double value)
{
    return axis->from + (log10(value) - axis->low) / (axis->high - axis->low) *
                            (double)(axis->to - axis->from);
}

int rec_decades_step(const rec_decades *axis, int room)
{
    /* Places are rounded to pixels: one to spare. */
    const double step = (room + 1) * (axis->high - axis->low) / abs(axis->to - axis->from);
    return (int)fmax(ceil(step), 1);
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

/* 0 stands at its begin, the limit at its end. */
static const rec_decades scale = {-0.5, REC_SCALE_DECADES + 0.5, 0, 1};

double rec_scale_place(uint64_t iteration)
{
    const double seen = fmin((double)iteration, pow(10, REC_SCALE_DECADES));
    return iteration == REC_LIMIT_ITERATION ? 1 : iteration ? rec_decades_place(&scale, seen) : 0;
}

uint64_t rec_scale_iteration(double place)
{
    const double decade = scale.low + place * (scale.high - scale.low);
    if (!(decade >= scale.low / 2))
        return 0;
    if (decade > REC_SCALE_DECADES - scale.low / 2)
        return REC_LIMIT_ITERATION;
    return (uint64_t)(pow(10, fmin(fmax(decade, 0), REC_SCALE_DECADES)) + 0.5);
}

uint64_t rec_scale_step(uint64_t iteration, int forward)
{
    const int tenths = 10 * (REC_SCALE_DECADES + 1);
    uint64_t found = 0;
    for (int tenth = 1; tenth <= tenths && found <= iteration; tenth++) {
        const uint64_t next = rec_scale_iteration((double)tenth / tenths);
        if (!forward && next >= iteration)
            return found;
        found = next;
    }
    return found;
}
