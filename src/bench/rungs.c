/* Access to all tables of rungs. */
#include "bench/rung.h"

const bench_rung *bench_rung_at(bench_problem problem, size_t index)
{
    static const bench_rung *const tables[][3] = {
        [BENCH_LADDER] = {bench_cpu_rungs, bench_gpu_rungs, bench_shipped_rungs},
        [BENCH_COURSE] = {bench_course_cpu_rungs, bench_course_gpu_rungs,
                          bench_course_shipped_rungs},
    };
    for (int i = 0; i < 3; i++)
        for (const bench_rung *rung = tables[problem][i]; rung->number; rung++)
            if (!index--)
                return rung;
    return NULL;
}

int bench_rung_about(bench_problem problem, size_t index, bench_about *about)
{
    const bench_rung *rung = bench_rung_at(problem, index);
    if (rung)
        *about = (bench_about){rung->number, rung->name, rung->type->group, rung->idea};
    return rung != NULL;
}
