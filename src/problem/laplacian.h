/* The forward operator: the edges of a picture. */
#pragma once

#include "image/image.h"
#include "kernels/stencil.h"

/* edges = up + down + left + right - 4 * centre, in double, rounded once; `halo` is the constant of
 * the boundary halo. The picture is the fixed point of the reconstruction with the same boundary.
 * With mirror and wrap the edges sum to 0, but for their rounding. `edges` is created. */
rec_status rec_laplacian(const rec_image *picture, rec_boundary_kind kind, float halo,
                         rec_image *edges, rec_error *error);

/* The fixed value of the boundary `sawtooth` left or right of row y = 0..height-1. With t = 2 y /
 * (height - 1) and v = t above row height / 2, else v = 2 - t: the whole part of 255 (1 - v) left,
 * of 255 v right. */
float rec_sawtooth(size_t y, size_t height, int right);
