/* The fast way is taken, and not only its bits: nearly all iterations of a large and of a small
 * image go through temporal blocking, on the host and on a device. The linker leads the calls to
 * here. */
#include "solver/cpu/cpu_tiles.h"
#include "tests/unit/problems.h"
#if REC_HAVE_CUDA
#include "kernels/kernels.h"
#endif

static uint64_t fast, plain; /* iterations */

static void most_are_fast(const char *name, size_t width, size_t height, uint64_t n)
{
    owned_image edges = problem_noise(width, height, 1, 100, 1);
    owned_solver *solver = solver_make(solver_or_skip(name), &edges, NULL, 0);
    fast = plain = 0;
    solver_advance(solver, n, REC_LOOK_CHANGE);
    if (fast < n * 9 / 10 || plain > n / 10)
        fail_msg("%s, %zu x %zu: of %d iterations %d are fast, %d plain", name, width, height,
                 (int)n, (int)fast, (int)plain);
}

LISTEN(void, rec_cpu_tiles_iterate, (const rec_cpu_tiles *tiles, rec_host *host, uint64_t n))
{
    if (tiles->depth >= 8)
        fast += n;
    __real_rec_cpu_tiles_iterate(tiles, host, n);
}

TEST(cpu_blocks)
{
    most_are_fast("cpu", 1000, 700, 100);
    most_are_fast("cpu", 100, 80, 100);
}

#if REC_HAVE_CUDA
#define COUNTED(name, count, parameters, arguments) \
    LISTEN(cudaError_t, name, parameters) \
    { \
        count; \
        return __real_##name arguments; \
    }
COUNTED(rec_launch_pixel, plain++,
       (const rec_grid *grid, float *out, const float *m, const float *f, cudaStream_t stream),
       (grid, out, m, f, stream))
COUNTED(rec_launch_stream, fast += (uint64_t)(plan->levels * stages),
       (const rec_stream *plan, int stages, const rec_grid *grid, float *out, const float *m,
        const float *f, cudaStream_t stream),
       (plan, stages, grid, out, m, f, stream))
COUNTED(rec_launch_diagonal, fast += REC_DIAGONAL_DEPTH,
       (const rec_diagonal *plan, const rec_grid *grid, float *out, const float *m, const float *f,
        unsigned *flags, unsigned *raised, cudaStream_t stream),
       (plan, grid, out, m, f, flags, raised, stream))
COUNTED(rec_launch_resident, fast += (uint64_t)iterations,
       (const rec_resident *plan, const rec_grid *grid, float *m, float *other, const float *f,
        int iterations, unsigned *flags, unsigned *raised, cudaStream_t stream),
       (plan, grid, m, other, f, iterations, flags, raised, stream))
#endif

TEST(cuda_blocks)
{
    most_are_fast("cuda", 500, 400, 1000);   /* on the chip */
    most_are_fast("cuda", 5000, 2500, 1000); /* through memory, by rows ... */
    most_are_fast("cuda", 4000, 4000, 300);  /* ... and by diagonals */
}
