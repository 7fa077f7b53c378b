/* The cpu solver: many iterations in one pass over memory (cpu_tiles.h), on all cores, with the
 * widest vectors that the processor has when the program runs. The "-rows" kernels make one plain
 * iteration after the other with the compiler's vectors: for boundaries that change with every
 * iteration, for masks, and to measure the blocking against. */
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "solver/cpu/cpu_tiles.h"

static const rec_cpu_loops *const loops[] = REC_OF_CPU_SETS(rec_cpu_loops);

/* For all instruction sets first the blocked ones, then the plain ones. */
static const char *const kernels[] = {
#if REC_X86
    "avx512", "avx2", "base", "avx512-rows", "avx2-rows", "base-rows",
#else
    "base", "base-rows",
#endif
    NULL,
};
_Static_assert(sizeof kernels / sizeof *kernels == 2 * REC_CPU_SETS + 1, "two of each set");

static int has_tiles(int kernel) { return kernel < REC_CPU_SETS; }

/* The kernel of that name; NULL: the best that works here for boundary and mask. */
static rec_status choose_kernel(const char *name, const rec_problem *problem, int *chosen,
                                rec_error *error)
{
    const rec_boundary_row *row = &rec_boundaries[problem->boundary.kind];
    const int constant = row->x == REC_FIXED && row->y == REC_FIXED;
    int i = 0;
    while (name ? strcmp(name, kernels[i]) != 0
                : (has_tiles(i) && (!constant || problem->mask)) || !rec_cpu_has(i % REC_CPU_SETS))
        i++;
    *chosen = i;
    if (has_tiles(i) && problem->mask)
        return rec_fail(error, REC_USAGE, "the %s kernel takes no mask; the %s-rows kernel does",
                        name, name);
    if (has_tiles(i) && !constant)
        return rec_fail(error, REC_UNAVAILABLE,
                        "the %s kernel has no --boundary %s; the %s-rows kernel has", name,
                        row->name, name);
    return rec_cpu_has(i % REC_CPU_SETS)
               ? REC_OK
               : rec_fail(error, REC_UNAVAILABLE,
                          "this processor has no %s\vwithout --kernel the solver uses the best "
                          "taken", name);
}

enum { TINY = 64 * 64 }; /* samples: fewer iterate faster on one thread */

typedef struct cpu {
    rec_host host; /* first: the host's functions take a cpu for a rec_host */
    rec_cpu_tiles tiles; /* zeros: plain iterations only */
} cpu;

static void cpu_destroy(void *state)
{
    cpu *solver = state;
    rec_free(solver->tiles.progress);
    rec_host_destroy(&solver->host);
}

static rec_status cpu_create(void *state, const rec_problem *problem, const rec_slab *slab,
                             const rec_solver_options *options, rec_error *error)
{
    cpu *solver = state;
    const size_t height = rec_slab_height(slab), samples = problem->input->width * height;
    const size_t team = samples > TINY ? rec_team_size() : 1;
    int chosen;
    REC_TRY(choose_kernel(options->kernel, problem, &chosen, error));
    const rec_cpu_loops *own = loops[chosen % REC_CPU_SETS];
    REC_TRY(rec_host_create(&solver->host, problem, slab, kernels[chosen],
                            own->rows[problem->mask != NULL], (int)(team < height ? team : height),
                            error));
    return has_tiles(chosen) ? rec_cpu_tiles_create(&solver->tiles, own, &solver->host, error)
                             : REC_OK;
}

/* The last iteration belongs to the look. Tiles leave M_(N-1) as plain iterations do: the look, and
 * the standstill test of the next advance, compare with it. */
static rec_status cpu_advance(void *state, uint64_t n, int compares, rec_error *error)
{
    cpu *solver = state;
    const uint64_t plain = compares ? 1 : 0;
    if (solver->tiles.loops && n > plain + 1) {
        rec_cpu_tiles_iterate(&solver->tiles, &solver->host, n - plain);
        n = plain;
    }
    return n ? rec_host_advance(&solver->host, n, compares, error) : REC_OK;
}

const rec_solver_type rec_solver_cpu = {
    .name = "cpu",
    .summary = "all cores of the processor, with its widest vectors",
    .kernels = kernels,
    .convolution = &rec_convolution_cpu,
    REC_HOST_FUNCTIONS(cpu, cpu_create, cpu_destroy, cpu_advance),
};
