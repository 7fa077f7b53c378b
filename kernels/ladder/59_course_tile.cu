// 59: the block first loads its tile of the input, with the cells around it, and the weights into
// shared memory. A wide stencil reads each pixel many times: here from the chip.
#include "kernels/ladder/course.cuh"

namespace {

constexpr int columns = 32, rows = 8;

__global__ void course_tile(float *__restrict__ out, const float *__restrict__ in,
                            const float *__restrict__ weights, CourseShape shape)
{
    extern __shared__ float shared[];
    const int width = 2 * shape.radius + 1;
    const int tile_columns = columns + 2 * shape.radius, tile_rows = rows + 2 * shape.radius;
    float *const tile = shared, *const taps = shared + tile_columns * tile_rows;
    const size_t left = (size_t)blockIdx.x * columns, top = (size_t)blockIdx.y * rows;
    const size_t height = shape.side + 2 * (size_t)shape.radius;
    const int thread = (int)(threadIdx.y * columns + threadIdx.x);
    for (int k = thread; k < tile_columns * tile_rows; k += columns * rows) {
        const size_t y = top + (size_t)(k / tile_columns), x = left + (size_t)(k % tile_columns);
        tile[k] = y < height && x < height ? in[y * shape.stride + x] : 0; // the image is a square
    }
    for (int k = thread; k < width * width; k += columns * rows)
        taps[k] = weights[k];
    __syncthreads();
    const size_t x = left + threadIdx.x, y = top + threadIdx.y;
    if (x >= shape.side || y >= shape.side)
        return;
    const float *const corner = tile + threadIdx.y * tile_columns + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            sum = fmaf(taps[j * width + i], corner[j * tile_columns + i], sum);
    out[y * shape.side + x] = sum;
}

} // namespace

extern "C" rec_status rec_course_tile(rec_course *course, rec_error *error)
{
    const size_t around = 2 * (size_t)course->shape.radius;
    const size_t shared = ((columns + around) * (rows + around) + (around + 1) * (around + 1)) *
                          sizeof(float);
    LADDER_TRY(launch_course(course, course_tile,
                             dim3(course_blocks(course->shape.side, columns),
                                  course_blocks(course->shape.side, rows)),
                             dim3(columns, rows), shared));
    return REC_OK;
}
