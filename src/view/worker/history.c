/* What has been seen of a run, and the grey levels of what is seen now. */
#include "view/worker/history.h"

#include <float.h>
#include <math.h>

#define ENOUGH_SAMPLES ((size_t)1 << 18) /* of a plane, but at least and at most so many rows: */
#define LEAST_ROWS 16
#define MOST_ROWS 128
#define LITTLE_OUTSIDE 0.001
#define LARGEST_BOX 16.0
#define LEFT_OUT 0.005    /* of the samples, at each end of `most` */
#define HALVINGS 20
#define LEAST_WIDTH 0.001 /* of `most`: this part of the largest magnitude; less is rounding */
#define FAINT 0.01        /* part of white */
#define FIT_SECONDS 0.2   /* in which limits come nearer by 63% */
#define NEAR_LEVEL 0.05   /* grey levels */

static double cell(uint64_t iteration)
{
    return floor(REC_HISTORY_CELLS * log10((double)iteration));
}

void rec_series_add(rec_series *series, uint64_t iteration, double value)
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
    rec_series_add(&history->change, iteration, change);
    rec_series_add(&history->distance, iteration, distance);
}

/* The level that this share of the samples lies below, by halving the interval around it. */
static double level_at(const rec_image *samples, double low, double high, double share)
{
    const size_t rows = samples->planes * samples->height;
    const double wanted = share * (double)rows * (double)samples->width;
    for (int i = 0; i < HALVINGS; i++) {
        const float middle = (float)((low + high) / 2);
        size_t below = 0;
        for (size_t y = 0; y < rows; y++)
            for (size_t x = 0; x < samples->width; x++)
                below += samples->data[y * samples->stride + x] < middle;
        *((double)below > wanted ? &high : &low) = (double)middle;
    }
    return (low + high) / 2;
}

static double least_width(double low, double high)
{
    return fmax(LEAST_WIDTH * fmax(fabs(low), fabs(high)), DBL_MIN);
}

static int is_faint(const rec_levels *levels)
{
    const double low = (double)levels->survey.low, high = (double)levels->survey.high;
    return high - low < FAINT * levels->white && high - low > least_width(low, high);
}

/* Sets `most` by the means of boxes, `box` pixels wide and high, of the rows. */
static rec_status find_most(rec_levels *levels, const rec_image *rows, size_t box,
                            rec_error *error)
{
    const double low = (double)levels->survey.low, high = (double)levels->survey.high;
    const rec_layer_plane all = {rows->data, NULL, rows->stride, rows->width,
                                 rows->planes * rows->height};
    rec_owned_image means = {0};
    REC_TRY(rec_image_create(&means, rows->width / box, rows->height / box, rows->planes, error));
    for (size_t i = 0; i < means.planes * means.height; i++)
        for (size_t x = 0; x < means.width; x++)
            means.data[i * means.stride + x] =
                rec_box_mean(REC_LAYER_PICTURE, &all, x * box, i * box, box, box);
    const double black = level_at(&means, low, high, LEFT_OUT);
    const double white = level_at(&means, low, high, 1 - LEFT_OUT);
    const double wider = fmax(least_width(black, white) - (white - black), 0) / 2;
    levels->box = box;
    levels->most = isfinite(white - black) ? (rec_limits){black - wider, white + wider}
                                           : (rec_limits){0, levels->white};
    return REC_OK;
}

void rec_levels_count(rec_levels *levels, const rec_image *rows)
{
    *levels = (rec_levels){.known = 1, .white = levels->white,
                           .survey = rec_image_survey(rows, levels->white)};
    levels->first = fminf(levels->survey.low, 0);
    levels->last = fmaxf(levels->survey.high, is_faint(levels) ? 0 : (float)levels->white);
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

size_t rec_levels_box(double scale, rec_size image)
{
    const double box = fmin(fmax(1 / scale, 1), LARGEST_BOX);
    return (size_t)fmin(box, (double)(image.width < image.height ? image.width : image.height));
}

rec_status rec_levels_read(rec_levels *levels, rec_solver *solver, rec_size image, size_t planes,
                           size_t box, rec_error *error)
{
    rec_owned_image some = {0};
    size_t bands = ENOUGH_SAMPLES / (image.width * box); /* of as many rows as a box has */
    bands = bands < LEAST_ROWS ? LEAST_ROWS : bands > MOST_ROWS ? MOST_ROWS : bands;
    bands = bands < image.height / box ? bands : image.height / box;
    REC_TRY(rec_image_create(&some, image.width, bands * box, planes, error));
    for (size_t i = 0; i < planes * bands; i++) {
        const size_t y = (2 * (i % bands) + 1) * (image.height - box + 1) / (2 * bands);
        REC_TRY(rec_solver_read(solver, i / bands, 0, y, image.width, box,
                                some.data + i * box * some.stride, some.stride, error));
    }
    rec_levels_count(levels, &some);
    return find_most(levels, &some, box, error);
}

int rec_levels_fit(int now, const rec_levels *levels)
{
    const rec_survey *survey = &levels->survey;
    const int stays =
        now && (double)survey->outside >= LITTLE_OUTSIDE * (double)survey->samples;
    return stays || is_faint(levels) || rec_tone_choose(REC_TONE_AUTO, survey) == REC_TONE_STRETCH;
}

rec_limits rec_limits_approach(rec_limits now, rec_limits end, double seconds)
{
    const double left = exp(-seconds / FIT_SECONDS);
    const double black = left * (now.black - end.black), white = left * (now.white - end.white);
    return (rec_limits){end.black + (fabs(black) < NEAR_LEVEL ? 0 : black),
                        end.white + (fabs(white) < NEAR_LEVEL ? 0 : white)};
}
