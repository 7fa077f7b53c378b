/* Linked into reconstruct-late in place of the solver with a device, so that a device can be late
 * on any machine: a copy of the cpu solver. DEVICE: the milliseconds that its start takes; "hangs":
 * it never ends; "small": nothing fits on it; "absent": this machine has none;
 * "fails": its driver fails. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/type.h"

const rec_solver_type *__wrap_rec_solver_with_device(void);

static int is(const char *what)
{
    const char *device = getenv("DEVICE");
    return device && !strcmp(device, what);
}

static void start(const rec_solver_options *options)
{
    while (is("hangs"))
        pause();
    if (getenv("DEVICE"))
        usleep(1000 * (unsigned)atoi(getenv("DEVICE")));
}

static int is_there(rec_error *error)
{
    if (is("absent") || is("fails"))
        rec_fail(error, REC_UNAVAILABLE, is("fails") ? "the driver fails" : "no device");
    return is("absent") ? 0 : is("fails") ? -1 : 1;
}

static rec_status create(void *state, const rec_problem *problem, const rec_slab *slab,
                         const rec_solver_options *options, rec_error *error)
{
    return is("small") ? rec_fail(error, REC_LIMIT, "the device is too small")
                       : rec_solver_cpu.memory->create(state, problem, slab, options, error);
}

const rec_solver_type *__wrap_rec_solver_with_device(void)
{
    static rec_solver_type late;
    static rec_solver_memory memory;
    late = rec_solver_cpu;
    memory = *late.memory;
    memory.create = create;
    late.memory = &memory;
    late.name = "late";
    late.available = is_there;
    late.prepare = start;
    return &late;
}
