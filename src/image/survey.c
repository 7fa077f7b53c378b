/* The image as a whole: its range, what a tone would cut off, and whether it looks like a picture
 * where edges were expected; and the tones of its rows. */
#include "image/image.h"

#include <math.h>

#include "base/team.h"

#define CUT_OFF 0.01 /* of the samples: more than that, and the tone auto stretches */
enum { SOME_ROWS = 256, ENOUGH = 1024 };

static void merge(rec_survey *all, rec_survey part)
{
    *all = (rec_survey){fminf(part.low, all->low), fmaxf(part.high, all->high),
                        fminf(part.nearest, all->nearest), part.outside + all->outside,
                        part.samples + all->samples};
}

REC_TASK(inspect, rec_survey *found; const rec_image *image; unsigned maxval)
{
    const rec_image *image = job->image;
    const double most = job->maxval + 0.5; /* rounds to maxval + 1, as -0.5 rounds to -1 */
    float low = INFINITY, high = -INFINITY, nearest = INFINITY;
    size_t outside = 0;
    for (size_t i = first; i < end; i++) {
        const float *row = image->data + i * image->stride;
        for (size_t x = 0; x < image->width; x++) {
            low = row[x] < low ? row[x] : low;
            high = row[x] > high ? row[x] : high;
            nearest = fabsf(row[x]) < nearest ? fabsf(row[x]) : nearest;
            outside += row[x] <= -0.5f || row[x] >= most;
        }
    }
    rec_team_lock();
    merge(job->found, (rec_survey){low, high, nearest, outside, (end - first) * image->width});
    rec_team_unlock();
}

rec_survey rec_image_survey(const rec_image *image, unsigned maxval)
{
    const size_t rows = image->planes * image->height;
    rec_survey own = {INFINITY, -INFINITY, INFINITY, 0, 0}, all = own;
    REC_SHARE(rec_team_for(rows * image->width), rows, inspect, &own, image, maxval);
    rec_image_reduce_begin(image, &all, sizeof all);
    merge(&all, own);
    rec_image_reduce_end(image, &all, sizeof all);
    return all;
}

rec_tone rec_tone_choose(rec_tone tone, const rec_survey *survey)
{
    if (tone != REC_TONE_AUTO)
        return tone;
    return (double)survey->outside > CUT_OFF * (double)survey->samples ? REC_TONE_STRETCH
                                                                       : REC_TONE_CLAMP;
}

rec_tone_range rec_tone_range_of(const rec_survey *survey, rec_tone tone)
{
    return tone == REC_TONE_STRETCH ? (rec_tone_range){survey->low, survey->high}
           : tone == REC_TONE_EPCC
               ? (rec_tone_range){survey->nearest, fmaxf(-survey->low, survey->high)}
               : (rec_tone_range){0, 0};
}

/* ---- tones of rows; the arithmetic of a sample is kernels/tone.h's, shared with the GPU ---- */

const char *const rec_tone_names[REC_TONE_NAMES] = {
    [REC_TONE_CLAMP] = "clamp", [REC_TONE_STRETCH] = "stretch", [REC_TONE_EPCC] = "epcc",
    [REC_TONE_AUTO] = "auto"};

/* The choice of tone stands outside the loops, so that the compiler vectorises each of them. */
void rec_tone_row(const float *row, size_t count, rec_tone tone, rec_tone_range range,
                  unsigned maxval, uint16_t *out)
{
    switch (tone) {
    case REC_TONE_STRETCH:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)rec_tone_stretch(row[i], range.low, range.high, maxval);
        break;
    case REC_TONE_EPCC:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)rec_tone_epcc(row[i], range.low, range.high);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)rec_tone_clamp(row[i], maxval);
        break;
    }
}

/* ---- what is odd about edges ---- */

/* Sums over pairs of neighbours in some rows of the first plane, without its border, which depends
 * on the halo; the least sample of these rows and of the border. */
typedef struct sums {
    double count, sum, squares, products;
    float least;
} sums;

static float find_least(const float *row, size_t width, float least)
{
    for (size_t x = 0; x < width; x++)
        least = row[x] < least ? row[x] : least;
    return least;
}

static sums sum_rows(const rec_image *image)
{
    const size_t step = image->height / SOME_ROWS + 1;
    sums all = {.least = INFINITY};
    for (size_t y = 1; y + 1 < image->height; y += step) {
        const float *row = rec_image_row(image, 0, y);
        for (size_t x = 1; x + 2 < image->width; x++) {
            all.count++;
            all.sum += row[x];
            all.squares += (double)row[x] * row[x];
            all.products += (double)row[x] * row[x + 1];
        }
        all.least = find_least(row, image->width, all.least);
    }
    for (size_t i = 0; i < 2; i++)
        all.least = find_least(rec_image_row(image, 0, i ? image->height - 1 : 0), image->width,
                               all.least);
    return all;
}

/* Neighbours in a picture are alike; in its edges one rises where the other falls, and their mean
 * is close to 0. Those of a very smooth picture are alike, too, but small, or negative at the
 * border where they are positive inside. */
const char *rec_edges_doubt(const rec_image *edges, double zero_level)
{
    const sums all = sum_rows(edges);
    const double mean = all.sum / all.count, variance = all.squares / all.count - mean * mean;
    const double alike = all.products / all.count - mean * mean;
    if (all.count < ENOUGH || all.least + zero_level < 0)
        return NULL;
    if (mean * mean > 0.0004 * variance && alike > 0.5 * variance &&
        all.squares / all.count > zero_level * zero_level / 256)
        return "this looks like a picture; `reconstruct edges` makes its edges";
    return zero_level > 0 && fabs(mean) > zero_level / 2
               ? "the mean of the edges is far from 0: they have lost their sign, or need another "
                 "--zero-level"
               : NULL;
}
