// What the rungs share: the planes as a kernel sees them, and the check of CUDA's answers.
#ifndef REC_KERNELS_LADDER_RUNG_CUH
#define REC_KERNELS_LADDER_RUNG_CUH

#include <cuda_runtime.h>

#include "kernels/ladder/ladder.h"
#include "kernels/stencil.h"

struct Grid {
    size_t width, height;
    size_t stride; // cells; a multiple of 32, so that every row of pixels begins on a cache line
};

// Pointers lead to pixel (0, 0). The halo's left cell of a row is the last cell of the row before,
// so that it costs no second cache line a row.
struct rec_planes {
    Grid grid;
    float halo;
    float *m, *other, *f;       // the current iterate, the next one, the edge term
    float *host;                // PAGEABLE, PINNED: the picture on the host, halo and all
    double *squares;            // two sums, on the device: the last iteration's and the one before
    uint64_t iterations;        // done or queued; squares[iterations % 2] is the last one's
    dim3 block, fixed_blocks;   // fixed_blocks: 28 alone; 0: its own choice
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraphExec_t graph;      // 19 alone
    rec_ladder_memory memory;
    int device;
    float *allocation[3];
    size_t launch_blocks, launch_threads; // of the last launch; threads of a block

    size_t cells() const { return (grid.height + 2) * grid.stride + 32; }
    // The first cell of the allocation that holds what p leads into.
    float *whole(float *p) const { return p - grid.stride - 32; }
    // The grid of one thread a pixel, kept as that of the last launch.
    dim3 blocks(dim3 threads)
    {
        return launched(dim3((unsigned)((grid.width + threads.x - 1) / threads.x),
                             (unsigned)((grid.height + threads.y - 1) / threads.y)),
                        threads);
    }
    dim3 launched(dim3 all, dim3 threads)
    {
        launch_blocks = (size_t)all.x * all.y;
        launch_threads = (size_t)threads.x * threads.y;
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

rec_status ladder_failed(cudaError_t result, const char *expression, const char *file, int line,
                         rec_error *error);

#define LADDER_TRY(call)                                                                           \
    do {                                                                                           \
        const cudaError_t result_ = (call);                                                        \
        if (result_ != cudaSuccess)                                                                \
            return ladder_failed(result_, #call, __FILE__, __LINE__, error);                       \
    } while (0)

#endif
