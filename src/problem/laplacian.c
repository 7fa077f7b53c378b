/* The forward operator: a picture's edges, of which the picture is the reconstruction. It runs once
 * over an image, so it is plain; the reconstruction's update is elsewhere (kernels/stencil.h). */
#include "problem/laplacian.h"

#include "base/team.h"

float rec_sawtooth(size_t y, size_t height, int right)
{
    double v = height > 1 ? 2.0 * (double)y / (double)(height - 1) : 0;
    if (height > 1 && y >= height / 2)
        v = 2 - v;
    return (float)(int)(255 * (right ? v : 1 - v));
}

/* The index in 0..count-1 that stands for index i, which is at most one outside of it; -1: none. */
static ptrdiff_t inside(ptrdiff_t i, size_t count, rec_beyond beyond)
{
    const ptrdiff_t last = (ptrdiff_t)count - 1;
    if (i >= 0 && i <= last)
        return i;
    return beyond == REC_FIXED ? -1 : (beyond == REC_MIRRORED) == (i < 0) ? 0 : last;
}

/* NULL: it holds the halo. */
static const float *find_row(const rec_image *picture, size_t plane, ptrdiff_t y,
                             rec_boundary_kind kind)
{
    const ptrdiff_t found = inside(y, picture->height, rec_beyond_y(kind));
    return found < 0 ? NULL : rec_image_row(picture, plane, (size_t)found);
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

REC_TASK(make_rows, const rec_image *picture, *edges; rec_boundary_kind kind; float halo)
{
    const rec_image *picture = job->picture;
    const rec_boundary_kind kind = job->kind;
    const size_t width = picture->width, height = picture->height;
    for (size_t i = first; i < end; i++) {
        const size_t plane = i / height, y = i % height;
        const float *row = rec_image_row(picture, plane, y);
        float beside[2]; /* left and right of it */
        for (int right = 0; right < 2; right++) {
            const ptrdiff_t x = inside(right ? (ptrdiff_t)width : -1, width, rec_beyond_x(kind));
            beside[right] = x >= 0                          ? row[x]
                            : kind == REC_BOUNDARY_SAWTOOTH ? rec_sawtooth(y, height, right)
                                                            : job->halo;
        }
        laplacian_row(find_row(picture, plane, (ptrdiff_t)y - 1, kind), row,
                      find_row(picture, plane, (ptrdiff_t)y + 1, kind), beside, job->halo, width,
                      rec_image_row(job->edges, plane, y));
    }
}

rec_status rec_laplacian(const rec_image *picture, rec_boundary_kind kind, float halo,
                         rec_image *edges, rec_error *error)
{
    const size_t rows = picture->planes * picture->height;
    REC_TRY(rec_image_create(edges, picture->width, picture->height, picture->planes, error));
    REC_SHARE(rec_team_for(rows * picture->width), rows, make_rows, picture, edges, kind, halo);
    return REC_OK;
}
