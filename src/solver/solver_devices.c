/* Which devices a rank takes of those that it sees. */
#include <string.h>

#include "solver/solver.h"

void rec_devices_share(rec_solver_options *options)
{
    uint64_t ids[REC_MOST_DEVICES], mine[REC_MOST_DEVICES] = {0};
    const size_t count = rec_devices_find(ids, NULL);
    const int given = options->device_count > 0;
    size_t index;
    for (size_t i = 0; !given && i < count; i++)
        options->devices[options->device_count++] = (int)i;
    for (size_t i = 0; i < options->device_count; i++)
        mine[i] = (size_t)options->devices[i] < count ? ids[options->devices[i]] : 0;
    const size_t ranks = rec_ranks_fellows(mine, sizeof mine, &index);
    const size_t all = options->device_count;
    if (!all)
        return;
    const size_t first = all >= ranks ? all * index / ranks : index % all;
    options->device_count = all >= ranks ? all * (index + 1) / ranks - first : 1;
    memmove(options->devices, options->devices + first,
            options->device_count * sizeof *options->devices);
    options->shares_device = index >= all;
}
