/* The multigrid solver: the limit alone, on any mask. It does not iterate. A jump begins from the
 * start; after a change, from the last picture. */
#include "solver/multigrid/multigrid.h"

const rec_solver_type rec_solver_multigrid = {
    .summary = "the limit alone, on any mask, by conjugate gradients and multigrid",
    .kernels = (const char *const[]){"cuda", "host", NULL},
    .host = &rec_multigrid_host,
    .device = REC_HAVE_CUDA ? &rec_multigrid_cuda : NULL,
    .device_samples = {.one = 1 << 22, .all = 1 << 22, .bytes = 40},
    REC_MULTIGRID_SHARED,
};
