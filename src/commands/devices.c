/* reconstruct devices: the devices of this machine. */
#include <math.h>

#include "base/memory.h"
#include "commands/commands.h"

/* The side of the largest square image that all devices share: each has its part of the rows, and
 * ghost rows. */
static size_t side_of_all(const rec_device *devices, size_t count)
{
    const size_t used = count < REC_MOST_DEVICES ? count : REC_MOST_DEVICES;
    const double ghosts = 2 * 64, parts = (double)used;
    double least = (double)devices[0].largest_side;
    for (size_t i = 1; i < used; i++)
        least = fmin(least, (double)devices[i].largest_side);
    /* side * (side / parts + ghosts) = least^2 */
    return (size_t)(parts / 2 * (sqrt(ghosts * ghosts + 4 * least * least / parts) - ghosts));
}

rec_status command_devices(const command_line *line, rec_error *error)
{
    if (line->operand_count)
        return rec_fail(error, REC_USAGE, "devices takes no arguments");
    rec_device devices[REC_MOST_DEVICES];
    size_t count;
    char memory[32], available[32];
    REC_TRY(rec_devices(devices, REC_MOST_DEVICES, 1, &count, error));
    if (!count)
        printf("no CUDA device: %s\n", error->message);
    for (size_t i = 0; i < count && i < REC_MOST_DEVICES; i++) {
        const rec_device *device = &devices[i];
        printf("device %d: %s, compute capability %d.%d, %d multiprocessors, %s of %s free\n"
               "          largest square grey image that fits now: %zu x %zu pixels\n",
               device->number, device->name, device->major, device->minor,
               device->multiprocessors, rec_format_bytes(available, (double)device->available),
               rec_format_bytes(memory, (double)device->memory), device->largest_side,
               device->largest_side);
    }
    if (count > 1)
        printf("together (--device all): %zu x %zu pixels grey\n", side_of_all(devices, count),
               side_of_all(devices, count));
    printf("memory of the host: %s available\n",
           rec_format_bytes(memory, (double)rec_memory_available()));
    return REC_OK;
}
