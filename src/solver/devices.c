/* Which devices a rank takes of those that it sees. */
#include <string.h>

#include "solver/solver.h"

rec_status rec_devices_share(rec_solver_options *options, rec_error *error)
{
    rec_device found[REC_MOST_DEVICES];
    uint64_t ids[REC_MOST_DEVICES] = {0};
    size_t count, index;
    const int given = options->device_count > 0;
    const rec_status status =
        rec_ranks_agree(rec_devices(found, REC_MOST_DEVICES, &count, error), error);
    if (status)
        return status;
    count = count < REC_MOST_DEVICES ? count : REC_MOST_DEVICES;
    for (size_t i = 0; !given && i < count; i++)
        options->devices[options->device_count++] = found[i].number;
    for (size_t i = 0; i < options->device_count; i++)
        for (size_t j = 0; j < count; j++)
            if (found[j].number == options->devices[i])
                ids[i] = found[j].id;
    const size_t ranks = rec_ranks_fellows(ids, sizeof ids, &index), all = options->device_count;
    const int enough = all >= ranks;
    if (!all)
        return REC_OK;
    const size_t first = enough ? all * index / ranks : index % all;
    options->device_count = enough ? all * (index + 1) / ranks - first : 1;
    memmove(options->devices, options->devices + first,
            options->device_count * sizeof *options->devices);
    options->shares_device = index >= all;
    return REC_OK;
}
