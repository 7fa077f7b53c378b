/* Height fields: the edges of those whose slopes are known, such as of a normal map. */
#include <math.h>

#include "problem/guidance.h"

#define LEAST_NZ 0.01 /* of a normal, whose length is about 1 */

int rec_normals_to_slopes(rec_image *normals, double zero, double white, double *flat)
{
    const double low = floor(zero); /* it or the next one is flat in both channels */
    size_t flats[2] = {0};
    int two = 1;
    for (size_t i = 0; i < normals->height * normals->width; i++) {
        const float *red = rec_image_row(normals, 0, i / normals->width) + i % normals->width;
        const float green = red[normals->height * normals->stride];
        const float blue = red[2 * normals->height * normals->stride];
        two &= !((double)blue - zero > LEAST_NZ * (white - zero));
        for (size_t k = 0; k < 2; k++)
            flats[k] += *red == (float)low + (float)k && green == *red;
    }
    *flat = low < zero ? low + !(flats[0] && flats[0] >= 2 * flats[1]) : zero;
    for (size_t y = 0; y < normals->height; y++) {
        float *row[3];
        for (size_t p = 0; p < 3; p++)
            row[p] = rec_image_row(normals, p, y);
        for (size_t x = 0; x < normals->width; x++) {
            double n[3];
            const int level = row[0][x] == (float)*flat && row[1][x] == (float)*flat;
            for (size_t p = 0; p < 3; p++)
                n[p] = level && p < 2 ? 0 : ((double)row[p][x] - zero) / (white - zero);
            if (two)
                n[2] = sqrt(fmax(0, 1 - n[0] * n[0] - n[1] * n[1]));
            const int some = n[2] > LEAST_NZ && isfinite(n[0] / n[2]) && isfinite(n[1] / n[2]);
            row[0][x] = some ? (float)(-n[0] / n[2]) : NAN;
            row[1][x] = some ? (float)(n[1] / n[2]) : NAN;
        }
    }
    return two;
}

/* Pixels without a slope count nowhere; 0 and 0 if there are no others. */
static void find_curls(const rec_image *slopes, double curls[2])
{
    double sums[2] = {0}, count = 0;
    for (size_t y = 0; y + 1 < slopes->height; y++) {
        const float *p = rec_image_row(slopes, 0, y), *p_below = rec_image_row(slopes, 0, y + 1);
        const float *q = rec_image_row(slopes, 1, y), *q_below = rec_image_row(slopes, 1, y + 1);
        for (size_t x = 0; x + 1 < slopes->width; x++) {
            const double across = ((double)p[x] + p[x + 1] - p_below[x] - p_below[x + 1]) / 2;
            const double down = ((double)q[x + 1] + q_below[x + 1] - q[x] - q_below[x]) / 2;
            if (isnan(across + down))
                continue;
            sums[0] += (across + down) * (across + down);
            sums[1] += (across - down) * (across - down);
            count++;
        }
    }
    for (size_t i = 0; i < 2; i++)
        curls[i] = count > 0 ? sqrt(sums[i] / count) : 0;
}

/* The two ways are this far apart on maps that are no noise. */
#define CLEAR_RATIO 1.2

int rec_slopes_turn(rec_image *slopes, rec_green *green, double curls[2])
{
    find_curls(slopes, curls);
    const int down = curls[1] < curls[0];
    const int clear = !(curls[!down] < CLEAR_RATIO * curls[down]) && curls[!down] > 0;
    const int known = *green != REC_GREEN_AUTO || clear;
    if (*green == REC_GREEN_AUTO)
        *green = clear && down ? REC_GREEN_DOWN : REC_GREEN_UP;
    for (size_t y = 0; *green == REC_GREEN_DOWN && y < slopes->height; y++)
        for (size_t x = 0; x < slopes->width; x++)
            rec_image_row(slopes, 1, y)[x] *= -1;
    return known;
}

static double between(float a, float b)
{
    return isnan(a) ? (isnan(b) ? 0 : (double)b) : isnan(b) ? (double)a : ((double)a + b) / 2;
}

rec_status rec_slopes_make_edges(const rec_image *slopes, rec_boundary_kind kind, rec_image *edges,
                                 rec_error *error)
{
    const size_t width = slopes->width, height = slopes->height;
    const int across = rec_boundaries[kind].x == REC_WRAPPED;
    const int around = rec_boundaries[kind].y == REC_WRAPPED;
    REC_TRY(rec_image_create(edges, width, height, 1, error));
    for (size_t y = 0; y < height; y++) {
        const float *right = rec_image_row(slopes, 0, y), *down = rec_image_row(slopes, 1, y);
        const float *above = rec_image_row(slopes, 1, (y ? y : height) - 1);
        const float *below = rec_image_row(slopes, 1, (y + 1) % height);
        for (size_t x = 0; x < width; x++) {
            double sum = 0;
            if (x + 1 < width || across)
                sum += between(right[x], right[(x + 1) % width]);
            if (x || across)
                sum -= between(right[(x ? x : width) - 1], right[x]);
            if (y + 1 < height || around)
                sum += between(down[x], below[x]);
            if (y || around)
                sum -= between(above[x], down[x]);
            rec_image_row(edges, 0, y)[x] = (float)sum;
        }
    }
    return REC_OK;
}
