// 54: a block of 128 threads for each pixel, which share its weights and add up in a tree.
// 55: the same 128 threads as a vector over the rows of the stencil: a thread adds up one row.
// 56: the same with 32 threads, a warp. A stencil has few rows, so most threads have nothing to do
// in all three: the work of a pixel is too small to share.
#include "kernels/ladder/course.cuh"

namespace {

// by_row: a thread has whole rows of the stencil, else single weights.
template <int threads, bool by_row>
__global__ void course_block(float *__restrict__ out, const float *__restrict__ in,
                             const float *__restrict__ weights, Grid grid, int radius)
{
    __shared__ float sums[threads / 32];
    const int width = 2 * radius + 1, thread = (int)threadIdx.x;
    const float *const corner = in + blockIdx.y * grid.stride + blockIdx.x;
    float sum = 0;
    if (by_row) {
        for (int j = thread; j < width; j += threads)
            for (int i = 0; i < width; i++)
                sum = fmaf(weights[j * width + i], corner[j * grid.stride + i], sum);
    } else {
        for (int k = thread; k < width * width; k += threads)
            sum = fmaf(weights[k], corner[k / width * grid.stride + k % width], sum);
    }
    sum = sum_of_warp(sum);
    if (thread % 32 == 0)
        sums[thread / 32] = sum;
    __syncthreads();
    if (thread)
        return;
    for (int warp = 1; warp < threads / 32; warp++)
        sum += sums[warp];
    out[blockIdx.y * grid.stride + blockIdx.x] = sum;
}

} // namespace

#define COURSE_BLOCK(name, threads, by_row)                                                        \
    LADDER_RUNG(course_##name,                                                                     \
                launch_course(planes, n, course_block<threads, by_row>,                            \
                              planes->blocks(dim3(1, 1)), threads))
COURSE_BLOCK(block, 128, false)
COURSE_BLOCK(vector, 128, true)
COURSE_BLOCK(warp, 32, true)
