// 52, 53, 57, 58: the steps of the course on convolution; its slow ones (tasks 2, 3): 64_gangs.cu.
// 52: a thread for each row, the sum in the output's memory: the serial loops, uncoalesced.
// 53: a thread for each pixel. Neighbouring threads read neighbouring pixels.
// 57: as 53, with the sum in a register: one store for each pixel, not one for each weight.
// 58: the weights in constant memory, which a warp reads at once; the width known, loops unrolled.
#include "kernels/ladder/rung.cuh"

static __constant__ float constant_weights[63 * 63];

// The course's inner loops as they stand: every product is added to the pixel in memory.
static __device__ void sum_in_memory(float *out, const float *in, const float *weights,
                                     const Grid &grid, int radius, size_t y, size_t x)
{
    const int width = 2 * radius + 1;
    volatile float *const sum = out + y * grid.stride + x; // volatile: or it would be a register
    *sum = 0;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            *sum = fmaf(weights[j * width + i], in[(y + j) * grid.stride + x + i], *sum);
}

static __global__ void course_row(float *out, const float *in, const float *weights, Grid grid,
                                  int radius)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t x = 0; y < grid.height && x < grid.width; x++)
        sum_in_memory(out, in, weights, grid, radius, y, x);
}

static __global__ void course_pixel(float *out, const float *in, const float *weights, Grid grid,
                                    int radius)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        sum_in_memory(out, in, weights, grid, radius, own.y, own.x);
}

static __global__ void course_register(float *__restrict__ out, const float *__restrict__ in,
                                       const float *__restrict__ weights, Grid grid, int radius)
{
    const Pixel own = own_pixel(grid);
    if (!own.inside)
        return;
    const int width = 2 * radius + 1;
    float sum = 0;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            sum = fmaf(weights[j * width + i], in[own.i + j * grid.stride + i], sum);
    out[own.i] = sum;
}

// known 0: any radius, without unrolling
template <int known>
static __global__ void course_unrolled(float *__restrict__ out, const float *__restrict__ in,
                                       const float *, Grid grid, int radius)
{
    const Pixel own = own_pixel(grid);
    if (!own.inside)
        return;
    const int width = 2 * (known ? known : radius) + 1;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < width; j++)
#pragma unroll
        for (int i = 0; i < width; i++)
            sum = fmaf(constant_weights[j * width + i], in[own.i + j * grid.stride + i], sum);
    out[own.i] = sum;
}

static const CourseKernel unrolled[] = {course_unrolled<0>, course_unrolled<1>, course_unrolled<2>,
                                        course_unrolled<3>, course_unrolled<4>, course_unrolled<5>,
                                        course_unrolled<0>, course_unrolled<7>};

// ---- launches ----

const dim3 block(32, 8); // a thread a pixel

rec_status convolve(rec_ladder_planes *planes, uint64_t n, CourseKernel kernel, const Shape &shape,
                    rec_error *error)
{
    const auto &[blocks, threads, shared] = shape;
    if (n && !planes->iterations) { // the first time
        int resident;
        planes->swap();
        LADDER_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, kernel, (int)(threads.x * threads.y), shared));
        if (resident)
            planes->launch.waves = (double)blocks.x * blocks.y /
                                   ((double)resident * planes->multiprocessors);
    }
    const float *const corner = planes->other - planes->ring * (planes->grid.stride + 1);
    for (; n; n--) {
        kernel<<<blocks, threads, shared, planes->stream>>>(planes->m, corner, planes->f,
                                                            planes->grid, planes->problem.radius);
        REC_TRY(planes->launched(shape, error));
    }
    return REC_OK;
}

RUNG(course_row)
{
    return convolve(planes, n, course_row, planes->cover(planes->grid.height, 1, 64), error);
}

RUNG(course_unrolled)
{
    const size_t radius = (size_t)planes->problem.radius, width = 2 * radius + 1;
    if (!planes->iterations) // the first time
        LADDER_TRY(cudaMemcpyToSymbolAsync(constant_weights, planes->f,
                                           width * width * sizeof(float), 0,
                                           cudaMemcpyDeviceToDevice, planes->stream));
    return convolve(planes, n, unrolled[radius < 8 ? radius : 0], planes->pixels(block), error);
}

RUNG(course_pixel) { return convolve(planes, n, course_pixel, planes->pixels(block), error); }
RUNG(course_register) { return convolve(planes, n, course_register, planes->pixels(block), error); }
