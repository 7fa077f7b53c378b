/* Which kernels of the cuda solver make the iterations, and how many each: decided once, when the
 * solver is made. */
#ifndef REC_SOLVER_CUDA_PLAN_H
#define REC_SOLVER_CUDA_PLAN_H

#include "base/status.h"
#include "kernels/kernels.h"

/* The image on the device. */
typedef struct rec_cuda_iterates {
    rec_grid grid;
    float *m, *other, *f; /* M_N, the next iterate's place, -E/4 */
    void *scratch;        /* of the norms */
    unsigned *flags;      /* of the tiles */
    unsigned raised;      /* how high they are */
    float *rotated[3];    /* m, other and f by antidiagonals, for the diagonal kernel; else NULL */
    int turned;           /* 1: M_N is rotated[0], and m holds anything */
    int turned_terms;     /* rotated[2] is there */
} rec_cuda_iterates;

static inline void rec_cuda_swap(rec_cuda_iterates *of)
{
    float *m = of->m;
    of->m = of->other;
    of->other = m;
}

enum { REC_CUDA_PASSES = 2, REC_CUDA_STEPS = 96 };

typedef struct rec_cuda_plan {
    const char *kernel; /* the one that makes the bulk, by its name in the table */
    rec_resident resident;
    rec_diagonal diagonal; /* processors 0: not used */
    uint64_t rotating;     /* from so many of its passes on the image is brought into its layout */
    rec_stream pass[REC_CUDA_PASSES];
    double nanoseconds;    /* an iteration by the best of them */
    /* What to launch when n iterations are left, the last entry for all that are more: `stages` of
     * pass[index], or, where stages is 0, one plain iteration. */
    struct {
        unsigned char index, stages;
    } step[REC_CUDA_STEPS + 1];
} rec_cuda_plan;

extern const char *const rec_cuda_kernels[]; /* their names, and NULL behind them */

/* For the current device. `kernel` forces one of them; REC_UNAVAILABLE when it cannot do this image
 * on this device. */
rec_status rec_cuda_plan_make(rec_cuda_plan *plan, const rec_grid *grid, const char *kernel,
                              rec_error *error);

/* Bytes of each of the rotated planes of an image. */
size_t rec_cuda_plan_rotated(const rec_cuda_plan *plan, const rec_grid *grid);

/* An odd number of iterations takes a plain one more than the even number below it. */
int rec_cuda_plan_prefers_even(const rec_cuda_plan *plan);

/* Queues n iterations, and `more` will follow before anybody needs M_N in m; `other` is left with
 * anything. */
cudaError_t rec_cuda_plan_iterate(const rec_cuda_plan *plan, rec_cuda_iterates *of, uint64_t n,
                                  uint64_t more, cudaStream_t stream);

/* Queues the copy of bands of M_N into it or, `into` 0, out of it, wherever it is. */
cudaError_t rec_cuda_plan_bands(const rec_cuda_plan *plan, const rec_cuda_iterates *of,
                                const rec_band *bands, int count, int into, cudaStream_t stream);

/* M_N is in m from here on. */
cudaError_t rec_cuda_plan_turn_out(const rec_cuda_plan *plan, rec_cuda_iterates *of,
                                   cudaStream_t stream);

#endif
