/* The tables of rungs as one. */
#ifndef REC_BENCH_RUNGS_H
#define REC_BENCH_RUNGS_H

#include "bench/bench.h"
#include "bench/rung.h"

/* Rung 0.. of the problem, NULL behind the last. */
const bench_rung *bench_rung_at(bench_problem problem, size_t index);

#endif
