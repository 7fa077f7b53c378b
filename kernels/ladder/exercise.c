/* Your own loops, for a machine without a GPU (docs/course.md). They are right as they stand, and
 * slow:
 *
 *     reconstruct bench --mine kernels/ladder/exercise.c
 *
 * compiles them, checks them bit for bit, and shows them between the rungs. Each exercise changes
 * them a little; it is named after its lesson.
 *
 * The pointers lead to pixel (0, 0). Pixel (y, x) is cell y * stride + x. Around the pixels lies
 * the halo: in[-1] and in[-stride] may be read, and no cell of it may be written. `edges` are E of
 * kernels/stencil.h, not f. The order of the additions is part of the result: use rec_update. */
#include "kernels/stencil.h"

/* exercise H1: neighbours in memory should follow each other in time: exchange the two loops.
 * exercise H2: `restrict` before each name promises that the planes do not overlap. Does the
 *              compiler need that? (Without it, it compares the addresses before the loop.)
 * exercise H3: `#pragma GCC optimize("no-tree-vectorize")` above the function: what do vectors
 *              bring at --size 512, and what at --size 4096?
 * exercise H4: `#pragma omp parallel for` above the loop over the rows. Why not above the other?
 * exercise H5: step is one iteration, so the next one cannot follow while a row is in the cache. If
 *              it made two of a block of rows, which rows would it have to make twice? */
void step(float *out, const float *in, const float *edges, int width, int height, int stride)
{
    for (int x = 0; x < width; x++)
        for (int y = 0; y < height; y++) {
            const long long i = (long long)y * stride + x;
            out[i] = rec_update(in[i - stride], in[i - 1], in[i + 1], in[i + stride],
                                rec_edge_term(edges[i]));
        }
}
