// The symptom: many pixels differ, all by very little.
// The mistake: the same terms in another order. Float additions round, so the order is part of the
// result; a program whose bits depend on who wrote the loop cannot be checked for bits.
__global__ void update(float *out, const float *in, const float *edges, int width, int height,
                       int stride)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int i = y * stride + x;
    if (x < width && y < height) // here: kernels/stencil.h says how
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - stride] + in[i + stride] - edges[i]);
}

extern "C" void step(float *out, const float *in, const float *edges, int width, int height,
                     int stride)
{
    const dim3 threads(32, 8), blocks((width + 31) / 32, (height + 7) / 8);
    update<<<blocks, threads>>>(out, in, edges, width, height, stride);
}
