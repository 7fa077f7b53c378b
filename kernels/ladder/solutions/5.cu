// A block's squares are added up in shared memory, by half of the threads in each round.
#include "kernels/stencil.h"

__global__ void update(float *out, const float *in, const float *edges, int width, int stride,
                       double *squares)
{
    __shared__ double sums[256];
    const int x = (int)(blockIdx.x * 256 + threadIdx.x), thread = (int)threadIdx.x;
    const long long i = (long long)blockIdx.y * stride + x;
    double change = 0;
    if (x < width) {
        out[i] = rec_update(in[i - stride], in[i - 1], in[i + 1], in[i + stride],
                            rec_edge_term(edges[i]));
        change = (double)out[i] - (double)in[i];
    }
    sums[thread] = change * change;
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    if (thread == 0)
        atomicAdd(squares, sums[0]);
}

extern "C" void step_norm(float *out, const float *in, const float *edges, int width, int height,
                          int stride, double *squares)
{
    update<<<dim3((width + 255) / 256, height), 256>>>(out, in, edges, width, stride, squares);
}
