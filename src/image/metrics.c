/* Differences between two images: bit by bit, the maximum, and the mean. */
#include "image/image.h"

#include "base/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
