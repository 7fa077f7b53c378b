// 59: the block first loads its tile of the input, with the cells around it, and the weights into
// shared memory. A wide stencil reads each pixel many times: here from the chip.
#include "kernels/ladder/rung.cuh"

constexpr int columns = 32, rows = 8;

static __global__ void course_tile(float *__restrict__ out, const float *__restrict__ in,
                                   const float *__restrict__ weights, Grid grid, int radius)
{
    extern __shared__ float shared[];
    const int width = 2 * radius + 1;
    const int tile_columns = columns + 2 * radius, tile_rows = rows + 2 * radius;
    float *const tile = shared, *const taps = shared + tile_columns * tile_rows;
    const size_t left = (size_t)blockIdx.x * columns, top = (size_t)blockIdx.y * rows;
    const size_t width_in = grid.width + 2 * (size_t)radius;
    const size_t height_in = grid.height + 2 * (size_t)radius;
    const int thread = (int)(threadIdx.y * columns + threadIdx.x);
    for (int k = thread; k < tile_columns * tile_rows; k += columns * rows) {
        const size_t y = top + (size_t)(k / tile_columns), x = left + (size_t)(k % tile_columns);
        tile[k] = y < height_in && x < width_in ? in[y * grid.stride + x] : 0;
    }
    for (int k = thread; k < width * width; k += columns * rows)
        taps[k] = weights[k];
    __syncthreads();
    const size_t x = left + threadIdx.x, y = top + threadIdx.y;
    if (x >= grid.width || y >= grid.height)
        return;
    const float *const corner = tile + threadIdx.y * tile_columns + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < width; i++)
            sum = fmaf(taps[j * width + i], corner[j * tile_columns + i], sum);
    out[y * grid.stride + x] = sum;
}

RUNG(course_tile)
{
    const size_t around = 2 * (size_t)planes->problem.radius;
    const size_t shared = ((columns + around) * (rows + around) + (around + 1) * (around + 1)) *
                          sizeof(float);
    const Shape shape = planes->pixels({columns, rows});
    return convolve(planes, n, course_tile, {shape.blocks, shape.threads, shared}, error);
}
