// A block's tile of 64 x 4 pixels, and the cells around it.
#include "kernels/stencil.h"

__global__ void update(float *__restrict__ out, const float *__restrict__ in,
                       const float *__restrict__ edges, int width, int height, int stride)
{
    __shared__ float tile[6][66];
    const int left = (int)blockIdx.x * 64 - 1, top = (int)blockIdx.y * 4 - 1;
    const int tx = (int)threadIdx.x + 1, ty = (int)threadIdx.y + 1, x = left + tx, y = top + ty;
    for (int j = ty - 1; j < 6; j += 4)
        for (int i = tx - 1; i < 66; i += 64)
            if (left + i <= width && top + j <= height)
                tile[j][i] = in[(long long)(top + j) * stride + left + i];
    __syncthreads();
    const long long i = (long long)y * stride + x;
    if (x < width && y < height)
        out[i] = rec_update(tile[ty - 1][tx], tile[ty][tx - 1], tile[ty][tx + 1], tile[ty + 1][tx],
                            rec_edge_term(edges[i]));
}

extern "C" void step(float *out, const float *in, const float *edges, int width, int height,
                     int stride)
{
    const dim3 blocks((width + 63) / 64, (height + 3) / 4), threads(64, 4);
    update<<<blocks, threads>>>(out, in, edges, width, height, stride);
}
