/* What the rungs run on, and the speeds that they are measured by. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "bench/bench.h"

enum { COPIES = 5 };
#define COPY_BYTES ((size_t)1 << 28) /* above any cache */
#define CHUNK ((size_t)1 << 20)
#define INSTRUCTIONS_AN_UPDATE 3 /* two additions and an fma; pair sums serve two pixels */

REC_TASK(copy_chunks, char *memory)
{
    char *from = job->memory + first * CHUNK;
    memcpy(from + COPY_BYTES, from, (end - first) * CHUNK);
}

/* A copy by all threads: the best of a few, as the machine may be shared. */
static rec_status find_host_copy(bench_machine *machine, double most, rec_error *error)
{
    rec_owned char *from = NULL;
    double least = INFINITY;
    REC_TRY(rec_allocate(&from, 2 * COPY_BYTES, 1, "measuring a copy", error));
    memset(from, 1, 2 * COPY_BYTES);
    const double begin = rec_now();
    for (int i = 0; i < COPIES && (!i || rec_now() - begin < most); i++) {
        const double before = rec_now();
        REC_SHARE(rec_team_size(), COPY_BYTES / CHUNK, copy_chunks, from);
        least = fmin(least, rec_now() - before);
    }
    machine->host_copy = 2.0 * (double)COPY_BYTES / least;
    return REC_OK;
}

rec_status bench_machine_look(bench_machine *machine, int want_device, int device,
                              double seconds, rec_error *error)
{
    rec_ladder_device *found = &machine->device;
    *machine = (bench_machine){0};
    rec_processor_name(machine->host, sizeof machine->host, (int)rec_team_size());
    if (want_device) { /* first: the measured start-up time is a fresh process's */
        const rec_status status = rec_ladder_device_open(device, found, error);
        if (status && status != REC_UNAVAILABLE)
            return status;
        machine->has_device = !status;
        snprintf(machine->no_device, sizeof machine->no_device, "%.255s",
                 status ? error->message : "");
        machine->peak = found->lanes * found->multiprocessors * found->clock_measured /
                        INSTRUCTIONS_AN_UPDATE;
    }
    return find_host_copy(machine, seconds, error);
}
