#include "bench/rungs.h"

#include "bench/bench.h"

const bench_rung *bench_rung_at(size_t index)
{
    static const bench_rung *const tables[] = {bench_cpu_rungs, bench_gpu_rungs,
                                               bench_shipped_rungs};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const bench_rung *rung = tables[i]; rung->number; rung++)
            if (!index--)
                return rung;
    return NULL;
}

int bench_rung_about(size_t index, bench_about *about)
{
    const bench_rung *rung = bench_rung_at(index);
    if (rung)
        *about = (bench_about){rung->number, rung->name, rung->type->group, rung->idea};
    return rung != NULL;
}
