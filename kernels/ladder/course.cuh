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
    cudaError_t result = cudaSuccess;
    planes->launched(blocks, threads);
    if (n && !planes->iterations) {
        int resident = 0, multiprocessors = 0;
        planes->swap();
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, (const void *)kernel, (int)planes->launch.threads, shared);
        if (result == cudaSuccess)
            result = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                            planes->device);
        if (resident > 0 && multiprocessors > 0)
            planes->launch.waves =
                (double)planes->launch.blocks / ((double)resident * multiprocessors);
    }
    const float *const corner = planes->other - planes->ring * (planes->grid.stride + 1);
    for (uint64_t i = 0; i < n && result == cudaSuccess; i++) {
        kernel<<<blocks, threads, shared, planes->stream>>>(planes->m, corner, planes->f,
                                                            planes->grid, planes->radius);
        result = cudaGetLastError();
    }
    return result;
}

#endif
