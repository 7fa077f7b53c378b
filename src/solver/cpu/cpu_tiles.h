/* Many iterations in one pass over memory: the cpu solver's temporal blocking. The same bits as
 * plain iterations, whatever the number of threads and iterations. */
#ifndef REC_SOLVER_CPU_TILES_H
#define REC_SOLVER_CPU_TILES_H

#include "solver/cpu/cpu_rows.h"

struct rec_cpu_progress;

typedef struct rec_cpu_tiles {
    const rec_cpu_loops *loops;
    size_t bands;       /* of rows, of a plane */
    size_t strips;      /* of columns: most in a pass */
    size_t handing;     /* of them, at most those of a band */
    int depth;          /* most iterations of a pass */
    size_t thread_size; /* floats of a thread's memory, */
    size_t carry_size;  /* of what a band's strips leave each other, */
    size_t handed_size; /* and of what a band leaves the one below */
    struct rec_cpu_progress *progress; /* of all planes' bands: the start of all memory */
    float *halo;        /* rec_cpu_band's, for all */
    int32_t *inside;
    float *memory;      /* of all threads */
    float *carry;       /* of all planes' bands */
    float *handed;      /* likewise */
} rec_cpu_tiles;

/* *tiles is all zeros before; tiles->progress is to be freed. */
rec_status rec_cpu_tiles_create(rec_cpu_tiles *tiles, const rec_cpu_loops *loops,
                                const rec_host *host, rec_error *error);

/* n > 0 iterations of all planes. Leaves M_N in host->m and M_(N-1) in host->other. */
void rec_cpu_tiles_iterate(const rec_cpu_tiles *tiles, rec_host *host, uint64_t n);

#endif
