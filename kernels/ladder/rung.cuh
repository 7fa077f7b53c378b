// What the rungs share: a queue with its time, the planes as a kernel sees them, and launches.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "kernels/ladder/ladder.h"
#include "kernels/stencil.h"

struct Grid {
    size_t width, height;
    size_t stride; // cells; a multiple of 32, so that every row of pixels begins on a cache line
};

// Of a launch; threads: of a block.
struct Shape {
    dim3 blocks, threads;
    size_t shared = 0; // bytes a block, besides the kernel's own
};

rec_status ladder_failed(cudaError_t result, const char *expression, const char *file, int line,
                         rec_error *error);

#define LADDER_TRY(call)                                                                           \
    do {                                                                                           \
        const cudaError_t result_ = (call);                                                        \
        if (result_ != cudaSuccess)                                                                \
            return ladder_failed(result_, #call, __FILE__, __LINE__, error);                       \
    } while (0)

// A stream, and the time of what is queued on it.
struct Queue {
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;

    rec_status open(rec_error *error)
    {
        LADDER_TRY(cudaStreamCreate(&stream));
        LADDER_TRY(cudaEventCreate(&begin));
        LADDER_TRY(cudaEventCreate(&end));
        LADDER_TRY(cudaDeviceSynchronize());
        return REC_OK;
    }
    ~Queue()
    {
        for (const cudaEvent_t event : {begin, end})
            if (event)
                cudaEventDestroy(event);
        if (stream)
            cudaStreamDestroy(stream);
    }
    template <class Work> rec_status time(double *seconds, rec_error *error, Work work)
    {
        float milliseconds;
        LADDER_TRY(cudaEventRecord(begin, stream));
        REC_TRY(work());
        LADDER_TRY(cudaEventRecord(end, stream));
        LADDER_TRY(cudaEventSynchronize(end));
        LADDER_TRY(cudaEventElapsedTime(&milliseconds, begin, end));
        *seconds = (double)milliseconds * 1e-3;
        return REC_OK;
    }
};

// Pointers lead to pixel (0, 0), and all around the pixels lies the halo (05_threads.cu). The left
// cells of a row are the last cells of the row before, so that they cost no second cache line.
struct rec_ladder_planes : Queue {
    rec_ladder_problem problem; // without its arrays
    Grid grid;
    size_t ring;                // cells of the halo on each side
    float *m, *other, *f;       // the current iterate, the next one, the edge term or the weights
    float *host;                // PAGEABLE, PINNED: the picture on the host, halo and all
    double *squares;            // two sums, on the device: the last iteration's and the one before
    uint64_t iterations;        // done or queued; squares[iterations % 2] is the last one's
    cudaGraphExec_t graph;      // 19 alone
    int multiprocessors;
    float *allocation[3];
    rec_ladder_launch launch;   // the last one

    size_t cells() const { return (grid.height + 2 * ring) * grid.stride + 32; }
    size_t bytes() const { return cells() * sizeof(float); }
    // The first cell of the allocation that holds what p leads into.
    float *whole(float *p) const { return p - ring * grid.stride - 32; }
    dim3 block() const { return dim3(problem.block.columns, problem.block.rows); }
    // A thread for each of width x height; for each of so many rows or columns; for each pixel.
    static Shape cover(size_t width, size_t height, dim3 threads)
    {
        return {dim3((unsigned)((width + threads.x - 1) / threads.x),
                     (unsigned)((height + threads.y - 1) / threads.y)), threads};
    }
    Shape lines(size_t count) const { return cover(count, 1, block()); }
    Shape pixels(dim3 threads) const { return cover(grid.width, grid.height, threads); }
    Shape pixels() const { return pixels(block()); }
    void swap()
    {
        std::swap(m, other);
        iterations++;
    }
    // After a launch: keeps it as the last one; what was wrong with it.
    rec_status launched(const Shape &shape, rec_error *error)
    {
        launch.blocks = (size_t)shape.blocks.x * shape.blocks.y;
        launch.threads = (size_t)shape.threads.x * shape.threads.y;
        LADDER_TRY(cudaGetLastError());
        return REC_OK;
    }
    // Until all that is queued is done.
    rec_status wait(rec_error *error)
    {
        LADDER_TRY(cudaStreamSynchronize(stream));
        return REC_OK;
    }
};

// The update of cell i.
__device__ inline float update(const float *m, const float *f, size_t i, size_t stride)
{
    return rec_update(m[i - stride], m[i - 1], m[i + 1], m[i + stride], f[i]);
}

// The pixel of a thread where there is one thread a pixel.
struct Pixel {
    size_t x, y, i; // column, row, cell
    bool inside;    // of the image: the last blocks are larger than what is left
};

__device__ inline Pixel own_pixel(const Grid &grid)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    return {x, y, y * grid.stride + x, x < grid.width && y < grid.height};
}

// Updates the thread's pixel from a tile in shared memory, with the cells around it: a thread of
// columns x rows loads its pixel, and those at the rim one more each. The rim of the last tile is
// where the image ends. Returns the square of the change; of a thread outside the image 0.
template <int columns, int rows>
__device__ inline double update_in_tile(float *out, const float *m, const float *f,
                                        const Grid &grid)
{
    __shared__ float tile[rows + 2][columns + 2];
    const int tx = (int)threadIdx.x + 1, ty = (int)threadIdx.y + 1;
    const Pixel own = own_pixel(grid);
    if (own.inside) {
        tile[ty][tx] = m[own.i];
        if (tx == 1)
            tile[ty][0] = m[own.i - 1];
        if (tx == columns || own.x + 1 == grid.width)
            tile[ty][tx + 1] = m[own.i + 1];
        if (ty == 1)
            tile[0][tx] = m[own.i - grid.stride];
        if (ty == rows || own.y + 1 == grid.height)
            tile[ty + 1][tx] = m[own.i + grid.stride];
    }
    __syncthreads();
    if (!own.inside)
        return 0;
    const float now = rec_update(tile[ty - 1][tx], tile[ty][tx - 1], tile[ty][tx + 1],
                                 tile[ty + 1][tx], f[own.i]);
    const double change = (double)now - (double)tile[ty][tx];
    out[own.i] = now;
    return change * change;
}

template <class Value> __device__ inline Value sum_of_warp(Value value)
{
    for (int distance = 16; distance; distance /= 2)
        value += __shfl_down_sync(~0u, value, distance);
    return value;
}

// The head of a rung's function: queues n iterations.
#define RUNG(name) \
    extern "C" rec_status rec_ladder_##name(rec_ladder_planes *planes, uint64_t n, rec_error *error)

// What almost every rung launches; more: what its kernel takes besides.
template <class... More>
using LadderKernel = void (*)(float *out, const float *m, const float *f, Grid grid, More... more);

// n iterations, each a launch. The result goes to another plane, since neighbours still need the
// old pixels; then the two pointers are swapped.
template <class... More>
rec_status iterate(rec_ladder_planes *planes, uint64_t n, LadderKernel<More...> kernel,
                   const Shape &shape, rec_error *error, More... more)
{
    for (; n; n--) {
        kernel<<<shape.blocks, shape.threads, shape.shared, planes->stream>>>(
            planes->other, planes->m, planes->f, planes->grid, more...);
        REC_TRY(planes->launched(shape, error));
        planes->swap();
    }
    return REC_OK;
}

// As many passes of `depth` iterations as there are in n, and the rest one by one.
inline rec_status iterate_deep(rec_ladder_planes *planes, uint64_t n, unsigned depth,
                               LadderKernel<float> kernel, const Shape &shape, rec_error *error)
{
    for (; n >= depth; n -= depth, planes->iterations += depth - 1)
        REC_TRY(iterate(planes, 1, kernel, shape, error, planes->problem.halo));
    return rec_ladder_swap(planes, n, error);
}

// A step of the course. `in` points to the first cell of the halo: pixel (y, x) takes
// in[(y + j) * stride + x + i] for row j and column i of the stencil.
using CourseKernel = void (*)(float *out, const float *in, const float *weights, Grid grid,
                              int radius);
// n times the convolution of one input: the planes change places once, so the output is read.
rec_status convolve(rec_ladder_planes *planes, uint64_t n, CourseKernel kernel, const Shape &shape,
                    rec_error *error);

// Queues the move of a plane in managed memory, so that nobody touches its pages one by one.
inline rec_status prefetch(rec_ladder_planes *planes, float *plane, bool to_host, rec_error *error)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation location = {};
    location.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = to_host ? 0 : planes->problem.device;
    LADDER_TRY(cudaMemPrefetchAsync(planes->whole(plane), planes->bytes(), location, 0,
                                    planes->stream));
#else
    LADDER_TRY(cudaMemPrefetchAsync(planes->whole(plane), planes->bytes(),
                                    to_host ? cudaCpuDeviceId : planes->problem.device,
                                    planes->stream));
#endif
    return REC_OK;
}

// When all is done the host reads one sample of every 4 KiB page, so that the looking is short.
inline rec_status look(rec_ladder_planes *planes, const float *cells, rec_error *error)
{
    [[maybe_unused]] static volatile float seen; // or the compiler would leave the looking out
    float sum = 0;
    REC_TRY(planes->wait(error));
    for (size_t i = 0; i < planes->cells(); i += 1024)
        sum += cells[i];
    seen = sum;
    return REC_OK;
}
