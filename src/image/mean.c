/* Means of planes, and edges whose mean is 0. */
#include "image/image.h"

#include <math.h>

#include "base/team.h"

#define ROUNDING 0x1p-24 /* of a number to float32 changes it by at most so much of itself */
enum { SOME_ROWS = 1024 };

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

/* The sums of some rows by all threads, then from the first to the last: the number of threads
 * changes no bit. */
static double sum_plane(const rec_image *image, size_t plane, int magnitudes)
{
    double sum = 0, sums[SOME_ROWS];
    rec_image_reduce_begin(image, &sum, sizeof sum);
    for (size_t first = 0; first < image->height; first += SOME_ROWS) {
        const size_t left = image->height - first, rows = left < SOME_ROWS ? left : SOME_ROWS;
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
