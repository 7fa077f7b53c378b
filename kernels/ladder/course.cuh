// What the steps of the course share.
#ifndef REC_KERNELS_LADDER_COURSE_CUH
#define REC_KERNELS_LADDER_COURSE_CUH

#include "kernels/ladder/course.h"
#include "kernels/ladder/rung.cuh"

// The input has `radius` zeros on every side: `in` leads to the first of them, and pixel (y, x) of
// the output takes in[(y + j) * stride + x + i] for row j and column i of the stencil.
struct CourseShape {
    size_t side, stride;
    int radius;
};

using CourseKernel = void (*)(float *out, const float *in, const float *weights, CourseShape shape);

struct rec_course : Queue {
    CourseShape shape;
    float *in, *out, *weights;
    int multiprocessors;
    const void *kernel; // of the last launch
    rec_course_launch launch;
    bool has_constants; // 58: the weights are in constant memory
};

// One launch, and what there is to tell of it.
inline cudaError_t launch_course(rec_course *course, CourseKernel kernel, dim3 blocks, dim3 threads,
                                 size_t shared)
{
    if (course->kernel != (const void *)kernel) {
        int resident = 0;
        const size_t count = threads.x * threads.y;
        const cudaError_t result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, (const void *)kernel, (int)count, shared);
        if (result != cudaSuccess)
            return result;
        course->kernel = (const void *)kernel;
        course->launch = {(size_t)blocks.x * blocks.y, count, 0};
        if (resident > 0)
            course->launch.waves = (double)course->launch.blocks /
                                   ((double)resident * course->multiprocessors);
    }
    kernel<<<blocks, threads, shared, course->stream>>>(course->out, course->in, course->weights,
                                                        course->shape);
    return cudaGetLastError();
}

inline unsigned course_blocks(size_t side, unsigned threads)
{
    return (unsigned)((side + threads - 1) / threads);
}

// A step that is one call.
#define COURSE_RUNG(name, call)                                                                    \
    extern "C" rec_status rec_course_##name(rec_course *course, rec_error *error)                  \
    {                                                                                              \
        LADDER_TRY(call);                                                                          \
        return REC_OK;                                                                             \
    }

#endif
