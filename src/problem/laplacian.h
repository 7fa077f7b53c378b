/* The forward operator: the edges of a picture. */
#pragma once

#include "image/image.h"
#include "problem/boundary.h"

/* edges = up + down + left + right - 4 * centre, in double, rounded once; `halo` is the constant of
 * the boundary halo. The picture is the fixed point of the reconstruction with the same boundary.
 * With mirror and wrap the edges sum to 0, but for their rounding. `edges` is created. */
rec_status rec_laplacian(const rec_image *picture, rec_boundary_kind kind, float halo,
                         rec_image *edges, rec_error *error);
