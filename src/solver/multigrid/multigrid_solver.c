/* The multigrid solver: the limit alone, on any mask. It does not iterate. A jump begins from the
 * start; after a change, from the last picture. */
#include "solver/multigrid/multigrid.h"

void rec_multigrid_get_info(const void *state, rec_solver_info *info)
{
    *info = (rec_solver_info){.costs = ((const rec_multigrid *)state)->costs};
}

rec_status rec_multigrid_look(void *state, unsigned looks, rec_look *look, rec_error *error)
{
    const rec_multigrid_distance *distance = &((const rec_multigrid *)state)->distance;
    const int wanted = looks & REC_LOOK_DISTANCE;
    *look = (rec_look){.change_rms = NAN,
                       .change_max = NAN,
                       .distance_max = wanted ? distance->max : NAN,
                       .distance_rms = wanted ? distance->rms : NAN,
                       .missed = !distance->reached};
    return REC_OK;
}

const rec_solver_type rec_solver_multigrid = {
    .summary = "the limit alone, on any mask, by conjugate gradients and multigrid",
    .kernels = (const char *const[]){"cuda", "host", NULL},
    .host = &rec_multigrid_host,
    .device = REC_HAVE_CUDA ? &rec_multigrid_cuda : NULL,
    .device_samples = {.one = 1 << 22, .all = 1 << 22},
    REC_MULTIGRID_SHARED,
};
