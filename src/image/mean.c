/* Means of planes, and edges whose mean is 0. */
#include "image/image.h"

#include <math.h>

#define BALANCED 1e-9 /* of the sum of magnitudes */

static double sum_plane(const rec_image *image, size_t plane, int magnitudes)
{
    double sum = 0;
    for (size_t y = 0; y < image->height; y++) {
        const float *row = rec_image_row(image, plane, y);
        double row_sum = 0;
        for (size_t x = 0; x < image->width; x++)
            row_sum += magnitudes ? fabs((double)row[x]) : (double)row[x];
        sum += row_sum;
    }
    return sum;
}

double rec_image_mean(const rec_image *image, size_t plane)
{
    return sum_plane(image, plane, 0) / ((double)image->width * (double)image->height);
}

rec_status rec_check_balance(const rec_image *edges, rec_error *error)
{
    for (size_t p = 0; p < edges->planes; p++) {
        const double sum = sum_plane(edges, p, 0), magnitudes = sum_plane(edges, p, 1);
        if (fabs(sum) > BALANCED * magnitudes)
            return rec_fail(error, REC_BAD_INPUT,
                            "the edges of plane %zu sum to %.6g, and with --boundary mirror those "
                            "of a picture sum to 0; --balance subtracts their mean first", p, sum);
    }
    return REC_OK;
}

void rec_balance(rec_image *edges)
{
    for (size_t p = 0; p < edges->planes; p++) {
        const double mean = rec_image_mean(edges, p);
        double lost = 0;
        for (size_t y = 0; mean != 0 && y < edges->height; y++) {
            float *row = rec_image_row(edges, p, y);
            for (size_t x = 0; x < edges->width; x++) {
                const double wanted = (double)row[x] - mean + lost;
                row[x] = (float)wanted;
                lost = wanted - (double)row[x];
            }
        }
    }
}
