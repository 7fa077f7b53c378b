/* What has been seen of a run, and the grey levels of what is seen now. */
#include "view/worker/scene.h"

#include <math.h>

#define ENOUGH_SAMPLES ((size_t)1 << 18) /* of a plane, but at least and at most so many rows: */
#define LEAST_ROWS 16
#define MOST_ROWS 128
#define LITTLE_OUTSIDE 0.001

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

void rec_levels_count(rec_levels *levels, const rec_image *rows)
{
    *levels = (rec_levels){.known = 1, .survey = rec_image_survey(rows, 255)};
    levels->first = fminf(levels->survey.low, 0);
    levels->last = fmaxf(levels->survey.high, 255);
    const double width = ((double)levels->last - (double)levels->first) / REC_LEVEL_BINS;
    for (size_t i = 0; i < rows->planes * rows->height; i++)
        for (size_t x = 0; x < rows->width; x++) {
            const double value = rows->data[i * rows->stride + x];
            const double bin = (value - (double)levels->first) / width;
            /* of a run that diverged: infinite, or not a number */
            const int inside = bin >= 0 && bin < REC_LEVEL_BINS;
            levels->bin[inside ? (size_t)bin : REC_LEVEL_BINS - 1]++;
        }
}

rec_status rec_levels_read(rec_levels *levels, rec_solver *solver, rec_size image, size_t planes,
                           rec_error *error)
{
    rec_image some;
    size_t rows = ENOUGH_SAMPLES / image.width;
    rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    rows = rows < image.height ? rows : image.height;
    rec_status status = rec_image_create(&some, image.width, rows, planes, error);
    for (size_t i = 0; !status && i < planes * rows; i++) {
        const size_t y = (2 * (i % rows) + 1) * image.height / (2 * rows);
        status = rec_solver_read(solver, i / rows, 0, y, image.width, 1,
                                 some.data + i * some.stride, some.stride, error);
    }
    if (!status)
        rec_levels_count(levels, &some);
    rec_image_destroy(&some);
    return status;
}

rec_tone rec_levels_choose(rec_tone now, const rec_levels *levels)
{
    const rec_survey *survey = &levels->survey;
    const int stays = now == REC_TONE_STRETCH &&
                      (double)survey->outside >= LITTLE_OUTSIDE * (double)survey->samples;
    return stays ? REC_TONE_STRETCH : rec_tone_choose(REC_TONE_AUTO, survey);
}
