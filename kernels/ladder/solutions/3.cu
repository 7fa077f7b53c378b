// A thread a pixel. 64 x 4 is the solution of exercise 4, too; for exercise 3 any block will do.
#include "kernels/stencil.h"

__global__ void update(float *__restrict__ out, const float *__restrict__ in,
                       const float *__restrict__ edges, int width, int height, int stride)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const long long i = (long long)y * stride + x;
    if (x < width && y < height)
        out[i] = rec_update(in[i - stride], in[i - 1], in[i + 1], in[i + stride],
                            rec_edge_term(edges[i]));
}

extern "C" void step(float *out, const float *in, const float *edges, int width, int height,
                     int stride)
{
    const dim3 threads(64, 4), blocks((width + 63) / 64, (height + 3) / 4);
    update<<<blocks, threads>>>(out, in, edges, width, height, stride);
}
