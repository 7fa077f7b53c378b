/* The forward operator: a picture's edges, of which the picture is the reconstruction. It runs once
 * over an image, so it is plain; the reconstruction's update is elsewhere (kernels/stencil.h). */
#include "image/image.h"

#include "base/team.h"

float rec_sawtooth(size_t y, size_t height, int right)
{
    double v = height > 1 ? 2.0 * (double)y / (double)(height - 1) : 0;
    if (height > 1 && y >= height / 2)
        v = 2 - v;
    return (float)(int)(255 * (right ? v : 1 - v));
}

/* What stands left and right of row y of a plane. */
static void find_beside(const rec_image *picture, size_t plane, size_t y, rec_boundary_kind kind,
                        float halo, float beside[2])
{
    const float *row = rec_image_row(picture, plane, y);
    const rec_beyond beyond = rec_beyond_x(kind);
    for (int right = 0; right < 2; right++) {
        const size_t last = picture->width - 1;
        beside[right] = beyond == REC_MIRRORED              ? row[right ? last : 0]
                        : beyond == REC_WRAPPED             ? row[right ? 0 : last]
                        : kind == REC_BOUNDARY_SAWTOOTH     ? rec_sawtooth(y, picture->height, right)
                                                            : halo;
    }
}

/* The row above or below the last one; NULL: it holds the halo. */
static const float *find_row(const rec_image *picture, size_t plane, size_t y, int down,
                             rec_beyond beyond)
{
    const size_t last = picture->height - 1;
    if (down ? y < last : y > 0)
        return rec_image_row(picture, plane, down ? y + 1 : y - 1);
    if (beyond == REC_FIXED)
        return NULL;
    return rec_image_row(picture, plane, (beyond == REC_MIRRORED) == (down != 0) ? last : 0);
}

static void laplacian_row(const float *up, const float *centre, const float *down,
                          const float beside[2], float halo, size_t width, float *out)
{
    for (size_t x = 0; x < width; x++) {
        const double above = up ? up[x] : halo, below = down ? down[x] : halo;
        const double left = x ? centre[x - 1] : beside[0];
        const double right = x + 1 < width ? centre[x + 1] : beside[1];
        out[x] = (float)(above + below + left + right - 4.0 * centre[x]);
    }
}

rec_status rec_laplacian_within(const rec_image *picture, rec_boundary_kind kind, float halo,
                                rec_image *edges, rec_error *error)
{
    const size_t height = picture->height;
    const rec_beyond beyond = rec_beyond_y(kind);
    const rec_status status =
        rec_image_create(edges, picture->width, height, picture->planes, error);
    if (status)
        return status;
    for (size_t plane = 0; plane < picture->planes; plane++)
#pragma omp parallel for if (height * picture->width > REC_WORTH_A_TEAM)
        for (size_t y = 0; y < height; y++) {
            float beside[2];
            find_beside(picture, plane, y, kind, halo, beside);
            laplacian_row(find_row(picture, plane, y, 0, beyond), rec_image_row(picture, plane, y),
                          find_row(picture, plane, y, 1, beyond), beside, halo, picture->width,
                          rec_image_row(edges, plane, y));
        }
    return REC_OK;
}

rec_status rec_laplacian(const rec_image *picture, float halo, rec_image *edges, rec_error *error)
{
    return rec_laplacian_within(picture, REC_BOUNDARY_HALO, halo, edges, error);
}
