// What the rungs share: a queue with its time, the planes as a kernel sees them, and launches.
#ifndef REC_KERNELS_LADDER_RUNG_CUH
#define REC_KERNELS_LADDER_RUNG_CUH

#include <cuda_runtime.h>

#include "kernels/ladder/ladder.h"
#include "kernels/stencil.h"

struct Grid {
    size_t width, height;
    size_t stride; // cells; a multiple of 32, so that every row of pixels begins on a cache line
};

rec_status ladder_failed(cudaError_t result, const char *expression, const char *file, int line,
                         rec_error *error);

#define LADDER_TRY(call)                                                                           \
    do {                                                                                           \
        const cudaError_t result_ = (call);                                                        \
        if (result_ != cudaSuccess)                                                                \
            return ladder_failed(result_, #call, __FILE__, __LINE__, error);                       \
    } while (0)

// A stream, and the time of what is queued on it. Zeros may be closed.
struct Queue {
    cudaStream_t stream;
    cudaEvent_t begin, end;

    rec_status open(rec_error *error)
    {
        LADDER_TRY(cudaStreamCreate(&stream));
        LADDER_TRY(cudaEventCreate(&begin));
        LADDER_TRY(cudaEventCreate(&end));
        LADDER_TRY(cudaDeviceSynchronize());
        return REC_OK;
    }
    void close()
    {
        if (begin)
            cudaEventDestroy(begin);
        if (end)
            cudaEventDestroy(end);
        if (stream)
            cudaStreamDestroy(stream);
    }
    template <class Work> rec_status time(double *seconds, rec_error *error, Work work)
    {
        float milliseconds;
        LADDER_TRY(cudaEventRecord(begin, stream));
        const rec_status status = work();
        if (status)
            return status;
        LADDER_TRY(cudaEventRecord(end, stream));
        LADDER_TRY(cudaEventSynchronize(end));
        LADDER_TRY(cudaEventElapsedTime(&milliseconds, begin, end));
        *seconds = (double)milliseconds * 1e-3;
        return REC_OK;
    }
};

// Pointers lead to pixel (0, 0). The halo's left cells of a row are the last cells of the row
// before, so that they cost no second cache line a row.
struct rec_planes : Queue {
    Grid grid;
    size_t ring;                // cells of the halo on each side
    float halo;
    int radius;                 // of the course's stencil; 0: the ladder
    float *m, *other, *f;       // the current iterate, the next one, the edge term or the weights
    float *host;                // PAGEABLE, PINNED: the picture on the host, halo and all
    double *squares;            // two sums, on the device: the last iteration's and the one before
    uint64_t iterations;        // done or queued; squares[iterations % 2] is the last one's
    dim3 block, fixed_blocks;   // fixed_blocks: 28 alone; 0: its own choice
    cudaGraphExec_t graph;      // 19 alone
    rec_ladder_memory memory;
    int device;
    float *allocation[3];
    rec_ladder_launch launch;   // the last one

    size_t cells() const { return (grid.height + 2 * ring) * grid.stride + 32; }
    // The first cell of the allocation that holds what p leads into.
    float *whole(float *p) const { return p - ring * grid.stride - 32; }
    // The grid of one thread a pixel, kept as that of the last launch.
    dim3 blocks(dim3 threads)
    {
        return launched(dim3((unsigned)((grid.width + threads.x - 1) / threads.x),
                             (unsigned)((grid.height + threads.y - 1) / threads.y)),
                        threads);
    }
    dim3 launched(dim3 all, dim3 threads)
    {
        launch.blocks = (size_t)all.x * all.y;
        launch.threads = (size_t)threads.x * threads.y;
        return all;
    }
    void swap()
    {
        float *last = m;
        m = other;
        other = last;
        iterations++;
    }
};

// The update of cell i.
__device__ inline float update(const float *m, const float *f, size_t i, size_t stride)
{
    return rec_update(m[i - stride], m[i - 1], m[i + 1], m[i + stride], f[i]);
}

// A thread a pixel.
__device__ inline void update_pixel(float *__restrict__ out, const float *__restrict__ m,
                                    const float *__restrict__ f, const Grid &grid)
{
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    const size_t i = y * grid.stride + x;
    if (x < grid.width && y < grid.height)
        out[i] = update(m, f, i, grid.stride);
}

// A rung whose iterations are one call.
#define LADDER_RUNG(name, call)                                                                    \
    extern "C" rec_status rec_ladder_##name(rec_planes *planes, uint64_t n, rec_error *error)      \
    {                                                                                              \
        LADDER_TRY(call);                                                                          \
        return REC_OK;                                                                             \
    }

using LadderKernel = void (*)(float *out, const float *m, const float *f, Grid grid);

// other = J(m)
inline cudaError_t launch_once(rec_planes *planes, LadderKernel kernel, dim3 blocks, dim3 block)
{
    kernel<<<planes->launched(blocks, block), block, 0, planes->stream>>>(planes->other, planes->m,
                                                                         planes->f, planes->grid);
    return cudaGetLastError();
}

// n iterations with the pointers swapped after each.
inline cudaError_t iterate(rec_planes *planes, uint64_t n, LadderKernel kernel, dim3 blocks,
                           dim3 block)
{
    cudaError_t result = cudaSuccess;
    for (uint64_t i = 0; i < n && result == cudaSuccess; i++) {
        result = launch_once(planes, kernel, blocks, block);
        planes->swap();
    }
    return result;
}

// n iterations with the result copied back after each, as the exercise has it.
inline cudaError_t iterate_and_copy(rec_planes *planes, uint64_t n, LadderKernel kernel,
                                    dim3 blocks, dim3 block)
{
    cudaError_t result = cudaSuccess;
    for (uint64_t i = 0; i < n && result == cudaSuccess; i++) {
        result = launch_once(planes, kernel, blocks, block);
        if (result == cudaSuccess)
            result = cudaMemcpyAsync(planes->whole(planes->m), planes->whole(planes->other),
                                     planes->cells() * sizeof(float), cudaMemcpyDeviceToDevice,
                                     planes->stream);
        planes->iterations++;
    }
    return result;
}

// One thread a row: other = J(m). For 06 with the picture on the host, and 07 without. 07_row.cu
cudaError_t launch_row(rec_planes *planes);
// n iterations in blocks of planes->block threads with the pointers swapped. 10_swap.cu
cudaError_t launch_swap(rec_planes *planes, uint64_t n);

#endif
