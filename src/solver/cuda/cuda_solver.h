/* The cuda solver: its plan, and its state. For the files of src/solver/cuda alone. */
#pragma once

#include "device/cuda_room.h"
#include "kernels/kernels.h"
#include "solver/type.h"

/* ---- which kernels make how many iterations: decided once, at the creation. cuda_plan.c ---- */

/* The image on the device. */
typedef struct rec_cuda_iterates {
    rec_grid grid;
    float *m, *other, *f; /* M_N, room for the next iterate, -E / 4 */
    void *scratch;        /* for the norms */
    unsigned *flags;      /* of the resident kernel's tiles, or of the diagonal kernel's shares */
    unsigned raised;      /* the value that all flags have between launches */
    float *rotated[3];    /* m, other and f by antidiagonals, for the diagonal kernel; or NULL */
    int m_is_rotated;     /* M_N is rotated[0], and m is undefined */
    int f_is_rotated;     /* rotated[2] is filled */
} rec_cuda_iterates;

static inline void rec_cuda_swap(rec_cuda_iterates *iterates)
{
    float *m = iterates->m;
    iterates->m = iterates->other;
    iterates->other = m;
}

enum { REC_CUDA_PASSES = 2, REC_CUDA_STEPS = 96 };

typedef struct rec_cuda_plan {
    const char *kernel;      /* the name of the kernel that makes most iterations */
    rec_resident resident;
    rec_diagonal diagonal;   /* processors 0: not used */
    uint64_t worth_rotating; /* the image is rotated for at least this number of diagonal passes */
    rec_stream pass[REC_CUDA_PASSES];
    double nanoseconds;      /* of an iteration by the best pass */
    /* What to launch when n iterations are left: `stages` of pass[index] or, if stages is 0, one
     * plain iteration. The last entry is for all larger n. */
    struct {
        unsigned char index, stages;
    } step[REC_CUDA_STEPS + 1];
} rec_cuda_plan;

extern const char *const rec_cuda_kernels[]; /* their names, ending with NULL */

/* Plans for the current device. `boundary` is its name, for messages. `kernel` forces a
 * kernel; NULL: the fastest. REC_UNAVAILABLE if the forced kernel cannot do this image on this
 * device. `shown`: as in rec_solver_options. */
rec_status rec_cuda_plan_make(rec_cuda_plan *plan, const rec_grid *grid, const char *boundary,
                              const char *kernel, int shown, rec_error *error);

/* Queues n iterations; `more` will follow before M_N is needed in m. Leaves `other` undefined. */
cudaError_t rec_cuda_plan_iterate(const rec_cuda_plan *plan, rec_cuda_iterates *iterates,
                                  uint64_t n, uint64_t more, cudaStream_t stream);

/* Queues the rotation of M_N back into m, if M_N is rotated. */
cudaError_t rec_cuda_plan_rotate_back(const rec_cuda_plan *plan, rec_cuda_iterates *iterates,
                                      cudaStream_t stream);

/* ---- the state ---- */

struct rec_cuda;

/* Halo exchange with one neighbour: cuda_exchange.c. All zero: no neighbour on this side. */
typedef struct rec_cuda_border {
    rec_border at;
    rec_transport transport; /* to another rank */
    size_t floats;  /* of a strip */
    float *strips;  /* on the device, or pinned: two strips */
    int pinned;
    float *neighbour; /* its two strips; NULL: MPI sends the rows */
    cudaEvent_t neighbour_packed[2];
    float words[2]; /* sent and received in place of rows */
} rec_cuda_border;

typedef struct rec_cuda {
    rec_cuda_iterates iterates;
    rec_cuda_plan plan;
    rec_slab slab;
    rec_room room;
    rec_costs costs;
    /* Pinned memory that the kernels write to: the norms of the change, by planes; the squares of
     * the change of all planes, and those of the distance. */
    rec_device_norms *norms;
    double *squares, *distances;
    rec_cuda_border borders[2]; /* above and below */
    cudaEvent_t packed[2];      /* recorded after the strips of both borders are packed */
    cudaEvent_t shared[2];      /* the same, for neighbours in other ranks */
    int next_strip;             /* 0 or 1, for both borders */
    uint64_t expected;       /* iterations that will follow, as far as known */
    int other_is_older;      /* iterates.other is M_(N-2), not M_(N-1) */
    int other_undefined;     /* iterates.other is no iterate: the iterations ended quickly */
    int moving_known;        /* the last look had M_(N-2), so it could detect a standstill */
} rec_cuda;

/* cuda_exchange.c: as in rec_solver_type */
rec_status rec_cuda_exchange(void *const *states, size_t count, rec_trade field, rec_error *error);
void rec_cuda_borders_destroy(rec_cuda *slab);
