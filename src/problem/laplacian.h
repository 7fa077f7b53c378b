/* The forward operator: the edges of a picture. */
#pragma once

#include "image/image.h"
#include "kernels/stencil.h"

/* edges = up + down + left + right - 4 * centre, in double, rounded once; the constant of a halo is
 * `halo`. The picture is then the fixed point of the reconstruction with the same boundary; the
 * edges of a mirrored or wrapped one sum to 0, but for their rounding. `edges` is created. */
rec_status rec_laplacian(const rec_image *picture, rec_boundary_kind kind, float halo,
                         rec_image *edges, rec_error *error);

/* What the boundary `sawtooth` has left or right of row y = 0..height-1: with v = 2 y / (height -
 * 1), or 2 minus that from row height / 2 on, the whole part of 255 (1 - v) left and of 255 v
 * right. */
float rec_sawtooth(size_t y, size_t height, int right);
