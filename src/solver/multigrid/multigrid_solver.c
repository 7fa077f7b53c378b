/* What the multigrid solver says on the host as on a device. */
#include "solver/multigrid/multigrid.h"

void rec_multigrid_get_info(const void *state, rec_solver_info *info)
{
    const rec_multigrid *head = state;
    *info = (rec_solver_info){.costs = head->costs, .in_place = head->in_place};
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
