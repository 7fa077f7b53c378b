#include "view/worker/scene.h"

#include <math.h>

#include "base/memory.h"

#define ENOUGH_SAMPLES ((size_t)1 << 18) /* of a plane, but at least and at most so many rows: */
#define LEAST_ROWS 16
#define MOST_ROWS 128
#define MUCH_OUTSIDE 0.01
#define LITTLE_OUTSIDE 0.001

void rec_levels_count(rec_levels *levels, const float *value, size_t count)
{
    size_t outside = 0;
    *levels = (rec_levels){.known = 1, .low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < count; i++) {
        levels->low = fminf(levels->low, value[i]);
        levels->high = fmaxf(levels->high, value[i]);
        outside += !(value[i] > -0.5f && value[i] < 255.5f); /* else clamp rounds into 0..255 */
    }
    levels->outside = (double)outside / (double)count;
    levels->first = fminf(levels->low, 0);
    levels->last = fmaxf(levels->high, 255);
    const double width = ((double)levels->last - (double)levels->first) / REC_LEVEL_BINS;
    for (size_t i = 0; i < count; i++) {
        const int bin = (int)(((double)value[i] - (double)levels->first) / width);
        levels->bin[bin < REC_LEVEL_BINS ? bin : REC_LEVEL_BINS - 1]++;
    }
}

rec_status rec_levels_read(rec_levels *levels, rec_solver *solver, rec_size image, size_t planes,
                           rec_error *error)
{
    size_t rows = ENOUGH_SAMPLES / image.width;
    rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    rows = rows < image.height ? rows : image.height;
    float *value;
    rec_status status = rec_allocate(&value, planes * rows * image.width, sizeof(float),
                                     "the histogram", error);
    if (status)
        return status;
    for (size_t i = 0; !status && i < planes * rows; i++) {
        const size_t y = (2 * (i % rows) + 1) * image.height / (2 * rows);
        status = rec_solver_read(solver, i / rows, 0, y, image.width, 1, value + i * image.width,
                                 image.width, error);
    }
    if (!status)
        rec_levels_count(levels, value, planes * rows * image.width);
    rec_free(value);
    return status;
}

rec_tone rec_levels_choose(rec_tone now, const rec_levels *levels)
{
    if (!levels->known)
        return REC_TONE_CLAMP;
    return levels->outside > MUCH_OUTSIDE     ? REC_TONE_STRETCH
           : levels->outside < LITTLE_OUTSIDE ? REC_TONE_CLAMP
                                              : now;
}
