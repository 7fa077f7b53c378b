/* The image as a whole: its range, its tones, what a tone cuts off, its means, edges whose mean is
 * 0, whether an image looks like a picture where edges were expected, and how two images differ. */
#include "image/image_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"

#define CUT_OFF 0.01 /* of the samples: more than that, and the tone auto stretches */
#define ROUNDING 0x1p-24 /* of a number to float32 changes it by at most so much of itself */
enum { SOME_ROWS = 128, ENOUGH = 1024, SUMMED_ROWS = 1024 };

void rec_survey_merge(rec_survey *all, rec_survey part)
{
    *all = (rec_survey){fminf(part.low, all->low), fmaxf(part.high, all->high),
                        fminf(part.nearest, all->nearest), part.outside + all->outside,
                        part.samples + all->samples};
}

REC_TASK(inspect, rec_survey *found; const rec_image *image; rec_area area; unsigned maxval)
{
    const rec_area area = job->area;
    const float most = (float)job->maxval + 0.5f; /* rounds to maxval + 1, as -0.5 rounds to -1 */
    float low = INFINITY, high = -INFINITY, nearest = INFINITY;
    size_t outside = 0;
    for (size_t i = first; i < end; i++) {
        const float *row =
            rec_image_row(job->image, i / area.height, area.y + i % area.height) + area.x;
        for (size_t x = 0; x < area.width; x++) {
            low = row[x] < low ? row[x] : low;
            high = row[x] > high ? row[x] : high;
            nearest = fabsf(row[x]) < nearest ? fabsf(row[x]) : nearest;
            outside += (row[x] <= -0.5f) | (row[x] >= most); /* a branch takes five times as long
                                                                where an iterate leaves the range */
        }
    }
    rec_team_lock();
    rec_survey_merge(job->found,
                     (rec_survey){low, high, nearest, outside, (end - first) * area.width});
    rec_team_unlock();
}

rec_survey rec_image_survey_in(const rec_image *image, rec_area area, unsigned maxval)
{
    const size_t rows = image->planes * area.height;
    rec_survey own = {INFINITY, -INFINITY, INFINITY, 0, 0}, all = own;
    REC_SHARE_ROWS(area.width, rows, inspect, &own, image, area, maxval);
    rec_image_reduce_begin(image, &all, sizeof all);
    rec_survey_merge(&all, own);
    rec_image_reduce_end(image, &all, sizeof all);
    return all;
}

REC_TASK(inspect_samples, rec_survey *found; const rec_samples *samples;
         const unsigned char *left_out; unsigned maxval; rec_error *failed)
{
    const rec_samples *samples = job->samples;
    const unsigned char *out = job->left_out;
    const size_t all = samples->width, together = rec_samples_together(samples);
    rec_survey own = {INFINITY, -INFINITY, INFINITY, 0, 0};
    rec_image row = {all, 1, 1, all, NULL, 0, 0};
    rec_owned_cache cache = {0};
    rec_error error;
    rec_status status = rec_allocate(&row.data, all, sizeof(float), "a row", &error);
    for (size_t left = 0, width; left < all && !status; left += width) {
        width = rec_smaller(together, all - left);
        for (size_t i = first; i < end && !status; i++) {
            const size_t y = i % samples->height;
            status = rec_samples_read(samples, &(rec_stretch){i / samples->height, left, y, width,
                                                              .floats = row.data, .cache = &cache},
                                      &error);
            row.width = out ? 0 : width;
            for (size_t x = 0; out && !status && x < width; x++)
                if (!out[y * all + left + x] && fabsf(row.data[x]) <= (float)REC_MAX_MAGNITUDE)
                    row.data[row.width++] = row.data[x];
            if (!status)
                rec_survey_merge(&own, rec_image_survey(&row, job->maxval));
        }
    }
    rec_free(row.data);
    rec_team_lock();
    rec_survey_merge(job->found, own);
    rec_team_unlock();
    if (status)
        rec_team_fail(job->failed, &error);
}

rec_status rec_samples_survey(const rec_samples *samples, const unsigned char *left_out,
                              unsigned maxval, rec_survey *survey, rec_error *error)
{
    rec_error failed = {0};
    *survey = (rec_survey){INFINITY, -INFINITY, INFINITY, 0, 0};
    REC_SHARE_ROWS(samples->width, samples->planes * samples->height, inspect_samples, survey,
                   samples, left_out, maxval, &failed);
    return rec_team_failed(&failed, error);
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

/* The choice of tone stands outside the loops, so that the compiler vectorises each loop. */
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
    case REC_TONE_CLAMP:
    case REC_TONE_AUTO:
    case REC_TONE_NAMES:
        for (size_t i = 0; i < count; i++)
            out[i] = (uint16_t)rec_tone_clamp(row[i], maxval);
        break;
    }
}

/* ---- means ---- */

REC_TASK(sum_rows, const rec_image *image; size_t plane, top; int magnitudes; double *sums)
{
    for (size_t i = first; i < end; i++) {
        const float *row = rec_image_row(job->image, job->plane, job->top + i);
        double sum = 0;
        for (size_t x = 0; x < job->image->width; x++)
            sum += job->magnitudes ? fabs((double)row[x]) : (double)row[x];
        job->sums[i] = sum;
    }
}

/* The sums of rows by all threads, then in their order: the number of threads changes no bit. */
static double sum_plane(const rec_image *image, size_t plane, int magnitudes)
{
    double sum = 0, sums[SUMMED_ROWS];
    rec_image_reduce_begin(image, &sum, sizeof sum);
    for (size_t first = 0; first < image->height; first += SUMMED_ROWS) {
        const size_t rows = rec_smaller(image->height - first, SUMMED_ROWS);
        REC_SHARE_ROWS(image->width, rows, sum_rows, image, plane, first, magnitudes, sums);
        for (size_t i = 0; i < rows; i++)
            sum += sums[i];
    }
    rec_image_reduce_end(image, &sum, sizeof sum);
    return sum;
}

double rec_image_mean(const rec_image *image, size_t plane)
{
    return sum_plane(image, plane, 0) /
           ((double)image->width * (double)rec_image_full_height(image));
}

rec_status rec_check_balance(const rec_image *edges, size_t roundings, rec_error *error)
{
    for (size_t p = 0; p < edges->planes; p++) {
        const double sum = sum_plane(edges, p, 0), magnitudes = sum_plane(edges, p, 1);
        if (fabs(sum) > (double)roundings * ROUNDING * magnitudes)
            return rec_fail(error, REC_BAD_INPUT,
                            "the edges of plane %zu sum to %.6g: with this boundary the edges of a "
                            "picture sum to 0\v--balance subtracts the mean", p, sum);
    }
    return REC_OK;
}

void rec_balance(rec_image *edges)
{
    for (size_t p = 0; p < edges->planes; p++) {
        const double mean = rec_image_mean(edges, p);
        double lost = 0;
        rec_image_reduce_begin(edges, &lost, sizeof lost);
        for (size_t y = 0; mean != 0 && y < edges->height; y++) {
            float *row = rec_image_row(edges, p, y);
            for (size_t x = 0; x < edges->width; x++) {
                const double wanted = (double)row[x] - mean + lost;
                row[x] = (float)wanted;
                lost = wanted - (double)row[x];
            }
        }
        rec_image_reduce_end(edges, &lost, sizeof lost);
    }
}

/* ---- what is odd about edges ---- */

/* Neighbours in a picture are alike, and its samples are anywhere. Most edges are near 0, but for
 * those of fine textures, where one edge rises and the next one falls. (Of 1150 edge images made
 * from 150 pictures at least half of the samples are near 0 wherever neighbours are as alike.) */
rec_doubt rec_edges_doubt(const rec_image *edges, double zero_level)
{
    /* Of some rows of the first plane: the range; and without its border, sums over samples and
     * over pairs of neighbours, how many samples are near 0, and how many near the file's own 0. */
    const size_t step = edges->height / SOME_ROWS + 1, last = edges->height - 1;
    float least = INFINITY, most = -INFINITY;
    double count = 0, sum = 0, squares = 0, across = 0, down = 0, near = 0, low = 0;
    for (size_t y = 0; y < last + step; y += step) {
        const float *row = rec_image_row(edges, 0, y < last ? y : last);
        for (size_t x = 0; x < edges->width; x++) {
            least = row[x] < least ? row[x] : least;
            most = row[x] > most ? row[x] : most;
        }
    }
    const float zero = (float)zero_level, middle = zero > 0 ? zero : most / 2;
    for (size_t y = 1; y + 2 < edges->height; y += step) {
        const float *row = rec_image_row(edges, 0, y), *below = rec_image_row(edges, 0, y + 1);
        for (size_t x = 1; x + 2 < edges->width; x++) {
            count++;
            sum += row[x];
            squares += (double)row[x] * row[x];
            across += (double)row[x] * row[x + 1];
            down += (double)row[x] * below[x];
            near += fabsf(row[x]) <= middle / 16;
            low += row[x] + zero <= middle / 8;
        }
    }
    const double mean = sum / count, variance = squares / count - mean * mean;
    const double alike = fmin(across, down) / count - mean * mean;
    if (count < ENOUGH || least + zero < 0 || !(variance > 0))
        return REC_DOUBT_NONE;
    if (low > 0.6 * count)
        return REC_DOUBT_UNSIGNED;
    if (alike > 0.3 * variance && near < 0.4 * count)
        return REC_DOUBT_PICTURE;
    return zero > 0 && fabs(mean) > zero_level / 2 ? REC_DOUBT_LEVEL : REC_DOUBT_NONE;
}

/* ---- how two images differ ---- */

/* Floats in their order: neighbours are 1 apart, and -0 and +0 are one. */
static int64_t rank_of(uint32_t bits)
{
    return bits & 0x80000000u ? -(int64_t)(bits & 0x7fffffffu) : (int64_t)bits;
}

double rec_psnr(double peak, double rms) { return rms > 0 ? 20 * log10(peak / rms) : INFINITY; }

rec_status rec_image_compare(const rec_image *a, const rec_image *b, double peak,
                             rec_difference *found, rec_error *error)
{
    if (a->width != b->width || a->height != b->height || a->planes != b->planes)
        return rec_fail(error, REC_BAD_INPUT,
                        "%zu x %zu in %s and %zu x %zu in %s cannot be compared",
                        a->width, a->height, a->planes == 3 ? "colour" : "grey", b->width,
                        b->height, b->planes == 3 ? "colour" : "grey");
    rec_difference all = {.samples = a->planes * rec_image_full_height(a) * a->width};
    for (size_t plane = 0; plane < a->planes; plane++) {
        rec_image_reduce_begin(a, &all, sizeof all);
        for (size_t y = 0; y < a->height; y++) {
            const float *ours = rec_image_row(a, plane, y), *theirs = rec_image_row(b, plane, y);
            double squares = 0;
            for (size_t x = 0; x < a->width; x++) {
                uint32_t bits_a, bits_b;
                memcpy(&bits_a, ours + x, sizeof bits_a);
                memcpy(&bits_b, theirs + x, sizeof bits_b);
                if (bits_a == bits_b)
                    continue;
                const rec_pixel here = {x, a->above + y, plane};
                const double difference = fabs((double)ours[x] - (double)theirs[x]);
                const uint32_t ulps = (uint32_t)llabs(rank_of(bits_a) - rank_of(bits_b));
                if (!all.differing++)
                    all.first = all.largest = here;
                if (difference > all.maximum) {
                    all.maximum = difference;
                    all.largest = here;
                }
                all.ulps = ulps > all.ulps ? ulps : all.ulps;
                squares += difference * difference;
            }
            all.rms += squares; /* their sum, until its root */
        }
        rec_image_reduce_end(a, &all, sizeof all);
    }
    all.rms = sqrt(all.rms / (double)all.samples);
    all.psnr = rec_psnr(peak, all.rms);
    *found = all;
    return REC_OK;
}

/* Magnitudes are ordered as their bits are, which compares many at once. */
REC_TASK(find_largest, uint32_t *most; const rec_image *image; rec_area area)
{
    const rec_area area = job->area;
    uint32_t most = 0;
    for (size_t i = first; i < end; i++) {
        const float *row =
            rec_image_row(job->image, i / area.height, area.y + i % area.height) + area.x;
        for (size_t x = 0; x < area.width; x++) {
            uint32_t bits;
            memcpy(&bits, &row[x], sizeof bits);
            bits &= 0x7fffffff;
            most = most > bits ? most : bits;
        }
    }
    rec_team_lock();
    *job->most = *job->most > most ? *job->most : most;
    rec_team_unlock();
}

double rec_image_largest_in(const rec_image *image, rec_area area)
{
    uint32_t most = 0;
    float found;
    REC_SHARE_ROWS(area.width, image->planes * area.height, find_largest, &most, image, area);
    memcpy(&found, &most, sizeof found);
    return isfinite(found) ? found : INFINITY;
}

void rec_image_subtract(rec_image *a, const rec_image *b, double relative,
                        rec_difference *difference)
{
    for (size_t plane = 0; plane < a->planes; plane++)
        for (size_t y = 0; y < a->height; y++) {
            float *row = rec_image_row(a, plane, y);
            const float *other = rec_image_row(b, plane, y);
            for (size_t x = 0; x < a->width; x++) {
                const double u = row[x], v = other[x];
                row[x] = (float)fabs(u - v);
                if (fabs(u - v) > relative * (fabs(u) + fabs(v)) && !difference->beyond++)
                    difference->first_beyond = (rec_pixel){x, y, plane};
            }
        }
}
