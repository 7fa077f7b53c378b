// 52: a thread for each row, the sum in the output's memory: the serial loops, moved to the device.
// Few threads, each on a row of its own, so nothing coalesces.
// 53: a thread for each pixel. Neighbouring threads read neighbouring pixels.
// 57: the sum in a register: one store for each pixel, not one for each weight.
// 58: the weights in constant memory, which a warp reads at once, and a loop that the compiler
// unrolls because it knows the width.
#include "kernels/ladder/course.cuh"

namespace {

__constant__ float constant_weights[63 * 63];

// The course's inner loops as they stand: every product is added to the pixel in memory.
__device__ void sum_in_memory(float *out, const float *in, const float *weights,
                              const Grid &grid, int radius, size_t y, size_t x)
{
    const int width = 2 * radius + 1;
    volatile float *const sum = out + y * grid.stride + x; // volatile: or it would be a register
    *sum = 0;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            *sum = fmaf(weights[j * width + i], in[(y + j) * grid.stride + x + i], *sum);
}

__global__ void course_row(float *out, const float *in, const float *weights, Grid grid,
                           int radius)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t x = 0; y < grid.height && x < grid.width; x++)
        sum_in_memory(out, in, weights, grid, radius, y, x);
}

__global__ void course_pixel(float *out, const float *in, const float *weights, Grid grid,
                             int radius)
{
    const Pixel own = own_pixel(grid);
    if (own.inside)
        sum_in_memory(out, in, weights, grid, radius, own.y, own.x);
}

__global__ void course_register(float *__restrict__ out, const float *__restrict__ in,
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
__global__ void course_unrolled(float *__restrict__ out, const float *__restrict__ in,
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

CourseKernel choose_unrolled(int radius)
{
    switch (radius) {
    case 1: return course_unrolled<1>;
    case 2: return course_unrolled<2>;
    case 3: return course_unrolled<3>;
    case 4: return course_unrolled<4>;
    case 5: return course_unrolled<5>;
    case 7: return course_unrolled<7>;
    default: return course_unrolled<0>;
    }
}

const dim3 threads(32, 8);
const unsigned rows = 64; // threads of a block, a row each

} // namespace

LADDER_RUNG(course_row,
            launch_course(planes, n, course_row, planes->blocks(planes->grid.height, rows), rows))
LADDER_RUNG(course_pixel,
            launch_course(planes, n, course_pixel, planes->blocks(threads), threads))
LADDER_RUNG(course_register,
            launch_course(planes, n, course_register, planes->blocks(threads), threads))

extern "C" rec_status rec_ladder_course_unrolled(rec_planes *planes, uint64_t n, rec_error *error)
{
    const size_t width = 2 * (size_t)planes->of.radius + 1;
    if (!planes->iterations) // the first time
        LADDER_TRY(cudaMemcpyToSymbolAsync(constant_weights, planes->f,
                                           width * width * sizeof(float), 0,
                                           cudaMemcpyDeviceToDevice, planes->stream));
    LADDER_TRY(launch_course(planes, n, choose_unrolled(planes->of.radius), planes->blocks(threads),
                             threads));
    return REC_OK;
}
