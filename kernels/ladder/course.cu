// The memory of the course's steps, and their time. Not a step.
#include <cstring>
#include <vector>

#include "kernels/ladder/course.cuh"

namespace {

rec_status set_up(rec_course *course, const rec_course_problem *problem, rec_error *error)
{
    const size_t cells = course->shape.stride * (problem->side + 2 * (size_t)problem->radius);
    const size_t width = 2 * (size_t)problem->radius + 1;
    LADDER_TRY(cudaSetDevice(problem->device));
    LADDER_TRY(cudaDeviceGetAttribute(&course->multiprocessors, cudaDevAttrMultiProcessorCount,
                                      problem->device));
    LADDER_TRY(cudaMalloc(&course->in, cells * sizeof(float)));
    LADDER_TRY(cudaMalloc(&course->out, problem->side * problem->side * sizeof(float)));
    LADDER_TRY(cudaMalloc(&course->weights, width * width * sizeof(float)));
    std::vector<float> padded(cells, 0.0f);
    for (size_t y = 0; y < problem->side; y++)
        memcpy(&padded[(y + (size_t)problem->radius) * course->shape.stride +
                       (size_t)problem->radius],
               problem->input + y * problem->stride, problem->side * sizeof(float));
    LADDER_TRY(cudaMemcpy(course->in, padded.data(), cells * sizeof(float),
                          cudaMemcpyHostToDevice));
    LADDER_TRY(cudaMemcpy(course->weights, problem->weights, width * width * sizeof(float),
                          cudaMemcpyHostToDevice));
    return course->open(error);
}

} // namespace

extern "C" rec_status rec_course_create(rec_course **course, const rec_course_problem *problem,
                                        rec_error *error)
{
    *course = new rec_course();
    (*course)->shape = {problem->side,
                        (problem->side + 2 * (size_t)problem->radius + 31) / 32 * 32,
                        problem->radius};
    const rec_status status = set_up(*course, problem, error);
    if (status) {
        rec_course_destroy(*course);
        *course = nullptr;
    }
    return status;
}

extern "C" rec_status rec_course_advance(rec_course *course, rec_course_rung *rung, uint64_t n,
                                         double *seconds, rec_error *error)
{
    return course->time(seconds, error, [&] {
        rec_status status = REC_OK;
        for (uint64_t i = 0; i < n && !status; i++)
            status = rung(course, error);
        return status;
    });
}

extern "C" rec_status rec_course_read(rec_course *course, float *pixels, rec_error *error)
{
    LADDER_TRY(cudaMemcpy(pixels, course->out,
                          course->shape.side * course->shape.side * sizeof(float),
                          cudaMemcpyDeviceToHost));
    return REC_OK;
}

extern "C" void rec_course_get_launch(const rec_course *course, rec_course_launch *launch)
{
    *launch = course->launch;
}

extern "C" void rec_course_destroy(rec_course *course)
{
    if (!course)
        return;
    if (course->stream)
        cudaStreamSynchronize(course->stream);
    cudaFree(course->in);
    cudaFree(course->out);
    cudaFree(course->weights);
    course->close();
    delete course;
}
