#include "view/draw/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

rec_axis rec_axis_cover(double least, double most)
{
    rec_axis axis = {.low = (int)floor(log10(least)), .high = (int)ceil(log10(most))};
    if (axis.high <= axis.low)
        axis.high = axis.low + 1;
    return axis;
}

double rec_axis_place(const rec_axis *axis, double value)
{
    return axis->from + (log10(value) - axis->low) / (axis->high - axis->low) *
                            (double)(axis->to - axis->from);
}

int rec_axis_step(const rec_axis *axis, int room)
{
    const int decades = axis->high - axis->low, length = abs(axis->to - axis->from);
    if (length < 1)
        return decades + 1;
    /* Places are rounded to pixels: one to spare. */
    const int step = (int)ceil((room + 1.0) * decades / length);
    return step > 1 ? step : 1;
}

char *rec_axis_write_count(char text[16], int decade)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    static const char *const digits[] = {"1", "10", "100"};
    if (decade < 0 || decade >= 15)
        snprintf(text, 16, "1e%d", decade);
    else
        snprintf(text, 16, "%s%s", digits[decade % 3], units[decade / 3]);
    return text;
}

char *rec_axis_write_level(char text[16], int decade)
{
    static const char *const plain[] = {"0.01", "0.1", "1", "10", "100", "1000"};
    if (decade < -2 || decade > 3)
        snprintf(text, 16, "1e%d", decade);
    else
        snprintf(text, 16, "%s", plain[decade + 2]);
    return text;
}
