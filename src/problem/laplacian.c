/* The forward operator: a picture's edges, of which the picture is the reconstruction. It runs once
 * over an image, so it is plain; the reconstruction's update is elsewhere (kernels/stencil.h). */
#include "problem/laplacian.h"

#include "base/team.h"

/* Neighbours outside the picture: of its first and last column in `beside`, and of its first and
 * last row where `up` or `down` is NULL: `opposite` is then the row of the opposite side. */
static void laplacian_row(const float *up, const float *centre, const float *down,
                          const float *opposite, rec_beyond rule, const double beside[2],
                          double halo, size_t width, float *out)
{
    for (size_t x = 0; x < width; x++) {
        const double own = centre[x], ghost = rec_ghost(rule, own, opposite[x], halo);
        const double above = up ? up[x] : ghost, below = down ? down[x] : ghost;
        const double left = x ? centre[x - 1] : beside[0];
        const double right = x + 1 < width ? centre[x + 1] : beside[1];
        out[x] = (float)(above + below + left + right - 4.0 * own);
    }
}

REC_TASK(make_rows, const rec_image *picture, *edges; const rec_boundary_row *boundary; float halo)
{
    const rec_image *picture = job->picture;
    const rec_boundary_row *boundary = job->boundary;
    const size_t width = picture->width, height = picture->height;
    for (size_t i = first; i < end; i++) {
        const size_t plane = i / height, y = i % height;
        const float *row = rec_image_row(picture, plane, y);
        double beside[2]; /* left and right of the row */
        for (int right = 0; right < 2; right++) {
            const double fixed = boundary->side ? boundary->side(y, height, right) : job->halo;
            beside[right] = rec_ghost(boundary->x, row[right ? width - 1 : 0],
                                      row[right ? 0 : width - 1], fixed);
        }
        laplacian_row(y ? rec_image_row(picture, plane, y - 1) : NULL, row,
                      y + 1 < height ? rec_image_row(picture, plane, y + 1) : NULL,
                      rec_image_row(picture, plane, y ? 0 : height - 1), boundary->y, beside,
                      job->halo, width, rec_image_row(job->edges, plane, y));
    }
}

rec_status rec_laplacian(const rec_image *picture, rec_boundary_kind kind, float halo,
                         rec_image *edges, rec_error *error)
{
    const rec_boundary_row *boundary = &rec_boundaries[kind];
    const size_t rows = picture->planes * picture->height;
    REC_TRY(rec_image_create(edges, picture->width, picture->height, picture->planes, error));
    REC_SHARE_ROWS(picture->width, rows, make_rows, picture, edges, boundary, halo);
    return REC_OK;
}
