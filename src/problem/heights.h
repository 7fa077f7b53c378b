/* Height fields: edges of the heights whose slopes are known, such as those of a normal map. */
#pragma once

#include "image/image.h"
#include "problem/boundary.h"

/* Makes slopes of a normal map, in place: of three planes 0..maxval the first becomes the slope to
 * the right, the second that downwards, NaN where the surface is too steep to have one. Green
 * samples count upwards (OpenGL). 1: no normal points upwards: the map has two channels, and the
 * third follows from these. */
int rec_normals_to_slopes(rec_image *normals, unsigned maxval);

/* Green samples count downwards (DirectX). */
void rec_slopes_turn(rec_image *slopes);

/* The RMS of the curl around four pixels, and what it would be if they were turned: heights have
 * none. Pixels without a slope count nowhere; 0 and 0 if there are no others. */
void rec_slopes_curls(const rec_image *slopes, double curls[2]);

/* The edges of the heights with the slopes of the first two planes. The heights of two neighbours
 * differ by the mean of their slopes, or by the only one, or not at all. A pair that leaves the
 * image counts where its side wraps alone. `edges` is created, with one plane. */
rec_status rec_slopes_take_edges(const rec_image *slopes, rec_boundary_kind kind, rec_image *edges,
                                 rec_error *error);
