#include "tests/unit/spectral_pictures.h"
#include "problem/guidance.h"

int full(void) { return tests_are("full"); }

rec_image edges_of(const rec_image *picture, float halo)
{
    rec_image edges;
    SUCCEEDS(rec_laplacian(picture, REC_BOUNDARY_HALO, halo, &edges, &error));
    return edges;
}

rec_image make_picture(content what, size_t width, size_t height, size_t planes, int maxval)
{
    rec_image picture = what == SMOOTH ? problem_picture(width, height, planes, 5)
                                       : problem_noise(width, height, planes, maxval / 2, 6);
    for (size_t p = 0; what != SMOOTH && p < planes; p++)
        for (size_t y = 0; y < height; y++) {
            float *row = rec_image_row(&picture, p, y);
            for (size_t x = 0; x < width; x++)
                row[x] = what == BLACK   ? 0
                         : what == WHITE ? (float)maxval
                         : what == SLOPE ? (float)((x * 3 + y * 5 + p) % (size_t)(maxval + 1))
                                         : row[x] + (float)(maxval / 2);
        }
    return picture;
}
