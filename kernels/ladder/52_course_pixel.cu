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
                              const CourseShape &shape, size_t y, size_t x)
{
    const int width = 2 * shape.radius + 1;
    volatile float *const sum = out + y * shape.side + x; // volatile: or it would be a register
    *sum = 0;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            *sum = fmaf(weights[j * width + i], in[(y + j) * shape.stride + x + i], *sum);
}

__global__ void course_row(float *out, const float *in, const float *weights, CourseShape shape)
{
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t x = 0; y < shape.side && x < shape.side; x++)
        sum_in_memory(out, in, weights, shape, y, x);
}

__global__ void course_pixel(float *out, const float *in, const float *weights, CourseShape shape)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (x < shape.side && y < shape.side)
        sum_in_memory(out, in, weights, shape, y, x);
}

__global__ void course_register(float *__restrict__ out, const float *__restrict__ in,
                                const float *__restrict__ weights, CourseShape shape)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= shape.side || y >= shape.side)
        return;
    const int width = 2 * shape.radius + 1;
    float sum = 0;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            sum = fmaf(weights[j * width + i], in[(y + j) * shape.stride + x + i], sum);
    out[y * shape.side + x] = sum;
}

// radius 0: any, without unrolling
template <int radius>
__global__ void course_unrolled(float *__restrict__ out, const float *__restrict__ in,
                                const float *, CourseShape shape)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= shape.side || y >= shape.side)
        return;
    const int width = radius ? 2 * radius + 1 : 2 * shape.radius + 1;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < width; j++)
#pragma unroll
        for (int i = 0; i < width; i++)
            sum = fmaf(constant_weights[j * width + i], in[(y + j) * shape.stride + x + i], sum);
    out[y * shape.side + x] = sum;
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

dim3 blocks_of(const rec_course *course)
{
    return dim3(course_blocks(course->shape.side, threads.x),
                course_blocks(course->shape.side, threads.y));
}

} // namespace

extern "C" rec_status rec_course_row(rec_course *course, rec_error *error)
{
    const unsigned rows = 64;
    LADDER_TRY(launch_course(course, course_row, course_blocks(course->shape.side, rows), rows, 0));
    return REC_OK;
}

COURSE_RUNG(pixel, launch_course(course, course_pixel, blocks_of(course), threads, 0))
COURSE_RUNG(register, launch_course(course, course_register, blocks_of(course), threads, 0))
extern "C" rec_status rec_course_unrolled(rec_course *course, rec_error *error)
{
    const size_t width = 2 * (size_t)course->shape.radius + 1;
    if (!course->has_constants)
        LADDER_TRY(cudaMemcpyToSymbolAsync(constant_weights, course->weights,
                                           width * width * sizeof(float), 0,
                                           cudaMemcpyDeviceToDevice, course->stream));
    course->has_constants = true;
    LADDER_TRY(launch_course(course, choose_unrolled(course->shape.radius), blocks_of(course),
                             threads, 0));
    return REC_OK;
}
