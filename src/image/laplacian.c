/* The forward operator: a picture's edges, of which the picture is the reconstruction. It runs once
 * over an image, so it is plain; the reconstruction's update is elsewhere (kernels/stencil.h). */
#include "image/image.h"

#include "base/team.h"

/* `halo` NULL: around the picture its border is repeated. */
static void laplacian_row(const float *up, const float *centre, const float *down,
                          const float *halo, size_t width, float *out)
{
    for (size_t x = 0; x < width; x++) {
        const double outside = halo ? *halo : centre[x];
        const double above = up ? up[x] : outside, below = down ? down[x] : outside;
        const double left = x ? centre[x - 1] : outside;
        const double right = x + 1 < width ? centre[x + 1] : outside;
        out[x] = (float)(above + below + left + right - 4.0 * centre[x]);
    }
}

static rec_status apply(const rec_image *picture, const float *halo, rec_image *edges,
                        rec_error *error)
{
    const size_t height = picture->height;
    const rec_status status =
        rec_image_create(edges, picture->width, height, picture->planes, error);
    if (status)
        return status;
    for (size_t plane = 0; plane < picture->planes; plane++)
#pragma omp parallel for if (height * picture->width > REC_WORTH_A_TEAM)
        for (size_t y = 0; y < height; y++)
            laplacian_row(y ? rec_image_row(picture, plane, y - 1) : NULL,
                          rec_image_row(picture, plane, y),
                          y + 1 < height ? rec_image_row(picture, plane, y + 1) : NULL, halo,
                          picture->width, rec_image_row(edges, plane, y));
    return REC_OK;
}

rec_status rec_laplacian(const rec_image *picture, float halo, rec_image *edges, rec_error *error)
{
    return apply(picture, &halo, edges, error);
}

rec_status rec_laplacian_mirror(const rec_image *picture, rec_image *edges, rec_error *error)
{
    return apply(picture, NULL, edges, error);
}
