/* The cpu solver: OpenMP over the rows, vectors by the compiler, the instruction set chosen when the
 * program runs. */
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "solver/cpu_rows.h"

typedef struct kernel {
    const char *name;
    rec_host_rows *rows;
    int (*works)(void); /* on this processor */
} kernel;

static int always(void) { return 1; }
#if REC_X86
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static int has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}
#endif

/* The best first. */
static const kernel kernels[] = {
#if REC_X86
    {"avx512", rec_cpu_rows_avx512, has_avx512},
    {"avx2", rec_cpu_rows_avx2, has_avx2},
#endif
    {"base", rec_cpu_rows_base, always},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* NULL: the best that works here. */
static rec_status choose_kernel(const char *name, const kernel **chosen, rec_error *error)
{
    for (size_t i = 0; i < KERNELS; i++) {
        if (name && strcmp(name, kernels[i].name))
            continue;
        if (kernels[i].works()) {
            *chosen = &kernels[i];
            return REC_OK;
        }
        if (name)
            return rec_fail(error, REC_UNAVAILABLE,
                            "this processor has no %s; without --kernel the best that it has is "
                            "taken", name);
    }
    return rec_fail(error, REC_USAGE, "the cpu solver has no kernel '%s'; it has %s", name,
#if REC_X86
                    "avx512, avx2 and base"
#else
                    "base"
#endif
    );
}

typedef struct cpu {
    rec_host host; /* first: the host's functions take a cpu for a rec_host */
    const kernel *kernel;
} cpu;

static rec_status create(void **state, const rec_problem *problem,
                         const rec_solver_options *options, rec_error *error)
{
    const kernel *chosen = NULL;
    rec_status status = choose_kernel(options->kernel, &chosen, error);
    if (status)
        return status;
    cpu *solver = calloc(1, sizeof *solver);
    if (!solver)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    int threads = 1;
#ifdef _OPENMP
    threads = omp_get_max_threads();
#endif
    if ((size_t)threads > problem->edges->height)
        threads = (int)problem->edges->height;
    solver->kernel = chosen;
    status = rec_host_create(&solver->host, problem, chosen->rows, threads, error);
    if (status)
        free(solver);
    else
        *state = solver;
    return status;
}

static void get_info(const void *state, rec_solver_info *info)
{
    rec_host_get_info(state, info);
    info->solver = rec_solver_cpu.name;
    info->kernel = ((const cpu *)state)->kernel->name;
}

const rec_solver_type rec_solver_cpu = {
    .name = "cpu",
    .summary = "all cores of the processor, with its widest vectors",
    .available = rec_host_available,
    .create = create,
    .destroy = rec_host_free,
    .get_info = get_info,
    .advance = rec_host_advance,
    .read = rec_host_read,
    .snapshot = rec_host_snapshot,
    .poll = rec_host_poll,
    .release = rec_host_release,
};
