// Your own kernel (docs/course.md). It is right as it stands, and slow:
//
//     reconstruct bench --mine kernels/ladder/exercise.cu
//
// compiles it, checks it bit for bit, and shows it between the rungs. Each exercise changes it a
// little; the number is that of the lesson.
//
// The pointers lead to pixel (0, 0). Pixel (y, x) is cell y * stride + x. Around the pixels lies
// the halo: in[-1] and in[-stride] may be read, and no cell of it may be written. `edges` are E of
// kernels/stencil.h, not f. The order of the additions is part of the result: use rec_update.
#include "kernels/stencil.h"

// exercise 2: neighbouring threads should have neighbouring pixels: exchange the roles of x and y.
// exercise 3: a thread a pixel: no loop at all, and a grid of two dimensions.
// exercise 5: add up the squares of all changes into a double: first by an atomic each, then a sum
//             for each block. (A __device__ variable will do; `step` has no place for it.)
// exercise 6: a tile in shared memory. Which threads load the cells around it?
// exercise 9: two iterations in one launch are not possible with this function: it is one step. But
//             a thread can make two rows: which of the loads of the first row serve the second?
__global__ void update(float *__restrict__ out, const float *__restrict__ in,
                       const float *__restrict__ edges, int width, int height, int stride)
{
    const int y = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (y >= height)
        return;
    for (int x = 0; x < width; x++) {
        const long long i = (long long)y * stride + x;
        out[i] = rec_update(in[i - stride], in[i - 1], in[i + 1], in[i + stride],
                            rec_edge_term(edges[i]));
    }
}

// exercise 4: try other blocks: 16 x 16, 32 x 8, 64 x 4, 1 x 256. Which is fastest, and why?
// exercise 7: what would a copy of the picture to the host cost here, once in 25 steps?
// exercise 8: how long does a launch take? Use --size 64, and launch an empty kernel besides.
extern "C" void step(float *out, const float *in, const float *edges, int width, int height,
                     int stride)
{
    const int threads = 64;
    update<<<(height + threads - 1) / threads, threads>>>(out, in, edges, width, height, stride);
}
