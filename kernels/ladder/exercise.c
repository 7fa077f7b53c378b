/* Your own loops, for a machine without a GPU (docs/course.md). They are right as they stand, and
 * slow:
 *
 *     reconstruct bench --mine kernels/ladder/exercise.c
 *
 * compiles them, checks them bit for bit, and shows them between the rungs; with --exercise H1 it
 * says whether they reach the goal of lesson H1.
 *
 * The pointers lead to pixel (0, 0). Pixel (y, x) is cell y * stride + x. Around the pixels lies
 * the halo: in[-1] and in[-stride] may be read, and no cell of it may be written. `edges` are E of
 * kernels/stencil.h, not f. The order of the additions is part of the result: use rec_update. */
#include "kernels/stencil.h"

void step(float *out, const float *in, const float *edges, int width, int height, int stride)
{
    for (int x = 0; x < width; x++)
        for (int y = 0; y < height; y++) {
            const long long i = (long long)y * stride + x;
            out[i] = rec_update(in[i - stride], in[i - 1], in[i + 1], in[i + stride],
                                rec_edge_term(edges[i]));
        }
}
