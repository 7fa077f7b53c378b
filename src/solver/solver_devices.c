/* Which of the devices that it sees a rank takes. A build without CUDA sees none. */
#include <string.h>

#include "solver/solver.h"

void rec_devices_share(rec_solver_options *options)
{
    rec_device devices[REC_MOST_DEVICES];
    uint64_t mine[REC_MOST_DEVICES] = {0};
    const int given = options->device_count > 0;
    size_t count, index;
    if (rec_devices(devices, REC_MOST_DEVICES, 0, &count, NULL))
        count = 0;
    if (count > REC_MOST_DEVICES)
        count = REC_MOST_DEVICES;
    for (size_t i = 0; !given && i < count; i++)
        options->devices[options->device_count++] = (int)i;
    for (size_t i = 0; i < options->device_count; i++)
        mine[i] = (size_t)options->devices[i] < count ? devices[options->devices[i]].id : 0;
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

#if !REC_HAVE_CUDA
rec_status rec_devices(rec_device *devices, size_t capacity, int start, size_t *count,
                       rec_error *error)
{
    *count = 0;
    rec_fail(error, REC_UNAVAILABLE, "this program was built without CUDA");
    return REC_OK;
}
#endif
