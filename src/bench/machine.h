/* The machine that the rungs run on. */
#ifndef REC_BENCH_MACHINE_H
#define REC_BENCH_MACHINE_H

#include "bench/rung.h"

typedef struct bench_machine {
    char host[128];
    double host_copy;         /* bytes read and written a second by all threads of the host */
    int has_device;
    size_t devices, slabs;    /* that the shipped solvers use; 0: one */
    char no_device[256];      /* why not */
    rec_ladder_device device;
    double peak;              /* updates a second, if every lane did nothing but the update's three
                                 instructions: lanes * multiprocessors * measured clock / 3 */
} bench_machine;

/* With a device only where want_device; a machine without one is no failure. The host's copy is
 * measured for `seconds`, but once at least. */
rec_status bench_machine_look(bench_machine *machine, int want_device, int device, double seconds,
                              rec_error *error);

/* The copy that a rung is measured by: that of the memory in which it works. */
static inline double bench_copy_rate(const bench_machine *machine, const bench_rung *rung)
{
    return rung->device ? machine->device.copy_rate : machine->host_copy;
}

#endif
