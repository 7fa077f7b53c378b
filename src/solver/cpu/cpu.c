/* The cpu solver: many iterations in one pass over memory (cpu_tiles.h), on all cores, with the
 * widest vectors of the processor, chosen when the program runs. The "-rows" kernels make one plain
 * iteration after the other with the compiler's vectors: what the blocking is measured against, and
 * what a boundary takes that changes with every iteration. */
#include <stdlib.h>
#include <string.h>

#include "base/processor.h"
#include "base/team.h"
#include "solver/cpu/cpu_rows.h"
#include "solver/cpu/cpu_tiles.h"

typedef struct kernel {
    const char *name;
    const rec_cpu_loops *loops;
    int tiles;          /* 0: plain iterations only */
    unsigned boundaries;
    rec_cpu_works *works; /* on this processor */
} kernel;

#define CONSTANT REC_BOUNDARY_BIT(REC_BOUNDARY_HALO)

/* The best first. */
static const kernel kernels[] = {
#if REC_X86
    {"avx512", &rec_cpu_loops_avx512, 1, CONSTANT, rec_cpu_has_avx512},
    {"avx2", &rec_cpu_loops_avx2, 1, CONSTANT, rec_cpu_has_avx2},
#endif
    {"base", &rec_cpu_loops_base, 1, CONSTANT, rec_cpu_always},
#if REC_X86
    {"avx512-rows", &rec_cpu_loops_avx512, 0, REC_ALL_BOUNDARIES, rec_cpu_has_avx512},
    {"avx2-rows", &rec_cpu_loops_avx2, 0, REC_ALL_BOUNDARIES, rec_cpu_has_avx2},
#endif
    {"base-rows", &rec_cpu_loops_base, 0, REC_ALL_BOUNDARIES, rec_cpu_always},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const char *kernel_name(size_t index)
{
    return index < KERNELS ? kernels[index].name : NULL;
}

/* NULL: the best that works here for the boundary. */
static rec_status choose_kernel(const char *name, rec_boundary_kind boundary,
                                const kernel **chosen, rec_error *error)
{
    char names[128] = "";
    for (size_t i = 0; i < KERNELS; i++) {
        strcat(strcat(names, i == 0 ? "" : i + 1 < KERNELS ? ", " : " and "), kernels[i].name);
        const int can = (kernels[i].boundaries & REC_BOUNDARY_BIT(boundary)) != 0;
        if (name ? strcmp(name, kernels[i].name) : !can)
            continue;
        if (!can)
            return rec_fail(error, REC_UNAVAILABLE,
                            "the %s kernel has no --boundary %s; the %s-rows kernel has", name,
                            rec_boundary_names[boundary], name);
        if (kernels[i].works()) {
            *chosen = &kernels[i];
            return REC_OK;
        }
        if (name)
            return rec_fail(error, REC_UNAVAILABLE,
                            "this processor has no %s; without --kernel the solver uses the best "
                            "taken", name);
    }
    return rec_fail(error, REC_USAGE, "the cpu solver has no kernel '%s'; it has %s", name, names);
}

typedef struct cpu {
    rec_host host; /* first: the host's functions take a cpu for a rec_host */
    const kernel *kernel;
    rec_cpu_tiles tiles;
} cpu;

static void destroy(void *state)
{
    cpu *solver = state;
    rec_cpu_tiles_destroy(&solver->tiles);
    rec_host_free(solver);
}

static rec_status create(void **state, const rec_problem *problem, const rec_slab *slab,
                         const rec_solver_options *options, rec_error *error)
{
    const kernel *chosen = NULL;
    rec_status status = choose_kernel(options->kernel, problem->boundary.kind, &chosen, error);
    if (status)
        return status;
    cpu *solver = calloc(1, sizeof *solver);
    if (!solver)
        return rec_fail(error, REC_LIMIT, "out of memory for a solver");
    int threads = (int)rec_team_size();
    if ((size_t)threads > rec_slab_height(slab))
        threads = (int)rec_slab_height(slab);
    solver->kernel = chosen;
    status = rec_host_create(&solver->host, problem, slab, chosen->loops->rows, threads, error);
    if (!status && chosen->tiles)
        status = rec_cpu_tiles_create(&solver->tiles, chosen->loops, &solver->host, error);
    if (status)
        destroy(solver);
    else
        *state = solver;
    return status;
}

/* The last iteration is a look's. Tiles leave the iterate before theirs as plain iterations do: a
 * look and the next advance's standstill test go by it. */
static rec_status advance(void *state, uint64_t n, unsigned looks, rec_error *error)
{
    cpu *solver = state;
    const uint64_t plain = looks ? 1 : 0;
    if (solver->kernel->tiles && n > plain + 1) {
        rec_cpu_tiles_iterate(&solver->tiles, &solver->host, n - plain);
        n = plain;
    }
    return n ? rec_host_advance(&solver->host, n, looks, error) : REC_OK;
}

static void get_info(const void *state, rec_solver_info *info)
{
    rec_host_get_info(state, info);
    info->kernel = ((const cpu *)state)->kernel->name;
}

const rec_solver_type rec_solver_cpu = {
    .name = "cpu",
    .summary = "all cores of the processor, with its widest vectors",
    .layers = REC_ALL_LAYERS,
    .kernel = kernel_name,
    .create = create,
    .load = rec_host_load,
    .destroy = destroy,
    .get_info = get_info,
    .advance = advance,
    .distance = rec_host_distance,
    .collect = rec_host_collect,
    .trade = rec_host_trade,
    .planes = rec_host_planes,
    .convolution = &rec_convolution_cpu,
};
