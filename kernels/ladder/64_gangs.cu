// 54 to 56, 64 to 66: the slow steps of the course on convolution: the threads of a block share a
// pixel, and most of them have nothing to do.
// 54: a block of 128 threads for each pixel, which share its weights and add up in a tree.
// 55, 56: 65 and 66 with a block for each pixel. Starting 16 million blocks hides what they do.
// 64 to 66: a gang, that is a block, takes one pixel after the other: starting it costs nothing.
// 64: the pixel's sum is a variable of its own, so a compiler may share out the innermost loop: 128
// threads over the columns of one row of the stencil. The rows come one after the other, and each
// ends with a reduction over the block, to which 121 threads of 128 bring nothing if it is 7 wide.
// 65: the loop over the rows is shared out instead. A thread adds up its row: one reduction a
// pixel. The threads of a warp read below each other: a sector for each weight.
// 66: the same with 32 threads, a warp: no shared memory and no barrier.
#include "kernels/ladder/rung.cuh"

// The sum over the threads of the block, in its first thread at least.
template <int threads> static __device__ float sum_of_gang(float sum)
{
    __shared__ float sums[threads / 32];
    sum = sum_of_warp(sum);
    if (threads == 32)
        return sum;
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int warp = 0; warp < threads / 32; warp++)
        sum += sums[warp];
    __syncthreads(); // the next sum takes the same places
    return sum;
}

enum { WEIGHTS, ROWS, COLUMNS }; // `share`: what each thread of a block has one of

template <int threads, int share>
static __device__ float sum_of_pixel(const float *corner, const float *weights, size_t stride,
                                     int width)
{
    const int thread = (int)threadIdx.x;
    float sum = 0;
    if (share == COLUMNS) {
        for (int j = 0; j < width; j++) {
            float row = 0;
            for (int i = thread; i < width; i += threads)
                row = fmaf(weights[j * width + i], corner[j * stride + i], row);
            sum += sum_of_gang<threads>(row);
        }
        return sum;
    }
    if (share == ROWS)
        for (int j = thread; j < width; j += threads)
            for (int i = 0; i < width; i++)
                sum = fmaf(weights[j * width + i], corner[j * stride + i], sum);
    else
        for (int k = thread; k < width * width; k += threads)
            sum = fmaf(weights[k], corner[k / width * stride + k % width], sum);
    return sum_of_gang<threads>(sum);
}

template <int threads, int share>
static __global__ void course_block(float *__restrict__ out, const float *__restrict__ in,
                                    const float *__restrict__ weights, Grid grid, int radius)
{
    for (size_t y = blockIdx.y; y < grid.height; y += gridDim.y)
        for (size_t x = blockIdx.x; x < grid.width; x += gridDim.x) {
            const size_t i = y * grid.stride + x;
            const float sum =
                sum_of_pixel<threads, share>(in + i, weights, grid.stride, 2 * radius + 1);
            if (!threadIdx.x)
                out[i] = sum;
        }
}

template <int threads, int share>
static rec_status convolve_by_blocks(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    return convolve(planes, n, course_block<threads, share>,
                    {planes->pixels({1, 1}).blocks, threads}, error);
}

// As many gangs as the device holds at once, in rows of 32: their pixels lie side by side.
template <int threads, int share>
static rec_status convolve_by_gangs(rec_ladder_planes *planes, uint64_t n, rec_error *error)
{
    const CourseKernel kernel = course_block<threads, share>;
    const unsigned columns = 32;
    int resident;
    LADDER_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
    const unsigned rows = (unsigned)(resident * planes->multiprocessors) / columns;
    return convolve(planes, n, kernel, {dim3(columns, rows ? rows : 1), threads}, error);
}

RUNG(course_block) { return convolve_by_blocks<128, WEIGHTS>(planes, n, error); }
RUNG(course_vector) { return convolve_by_blocks<128, ROWS>(planes, n, error); }
RUNG(course_warp) { return convolve_by_blocks<32, ROWS>(planes, n, error); }
RUNG(course_gang_columns) { return convolve_by_gangs<128, COLUMNS>(planes, n, error); }
RUNG(course_gang_rows) { return convolve_by_gangs<128, ROWS>(planes, n, error); }
RUNG(course_gang_warp) { return convolve_by_gangs<32, ROWS>(planes, n, error); }
