// The symptom: all pixels at the border, and only they, are what they were before.
// The mistake: the border pixels are left out because they "have no neighbours". Their neighbours
// are the cells of the halo.
#include "kernels/stencil.h"

__global__ void update(float *out, const float *in, const float *edges, int width, int height,
                       int stride)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int i = y * stride + x;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) // here
        out[i] = rec_update(in[i - stride], in[i - 1], in[i + 1], in[i + stride],
                            rec_edge_term(edges[i]));
}

extern "C" void step(float *out, const float *in, const float *edges, int width, int height,
                     int stride)
{
    const dim3 threads(32, 8), blocks((width + 31) / 32, (height + 7) / 8);
    update<<<blocks, threads>>>(out, in, edges, width, height, stride);
}
