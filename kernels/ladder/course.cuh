// What the steps of the course share.
#ifndef REC_KERNELS_LADDER_COURSE_CUH
#define REC_KERNELS_LADDER_COURSE_CUH

#include "kernels/ladder/rung.cuh"

// `in` leads to the first cell of the halo: pixel (y, x) takes in[(y + j) * stride + x + i] for row
// j and column i of the stencil.
using CourseKernel = void (*)(float *out, const float *in, const float *weights, Grid grid,
                              int radius);

// n times the convolution of the same input: the two planes change places once, so that what is
// read is the output.
inline cudaError_t launch_course(rec_planes *planes, uint64_t n, CourseKernel kernel, dim3 blocks,
                                 dim3 threads, size_t shared = 0)
{
    const bool first = n && !planes->iterations;
    if (first)
        planes->swap();
    const float *const corner = planes->other - planes->ring * (planes->grid.stride + 1);
    const cudaError_t result = repeat(n, [&] {
        return launch(planes, kernel, blocks, threads, shared, planes->m, corner, planes->f,
                      planes->grid, planes->of.radius);
    });
    int resident = 0, multiprocessors = 0;
    if (first && !result &&
        !cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel,
                                                       (int)planes->launch.threads, shared) &&
        !cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                planes->of.device) && resident)
        planes->launch.waves = (double)planes->launch.blocks / ((double)resident * multiprocessors);
    return result;
}

#endif
