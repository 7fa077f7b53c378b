/* NVIDIA's plate, apart from its printing. */
#ifndef REC_BENCH_PLATE_H
#define REC_BENCH_PLATE_H

#include "solver/solver.h"

typedef struct bench_plate_result {
    uint64_t iterations;
    double norm;    /* sqrt(sum of the last iteration's squared changes / side^2) */
    int reached;    /* the tolerance; else the most iterations were done */
    double seconds; /* of iterating, with a norm each time */
    rec_solver_info info;
} bench_plate_result;

/* Called after every iteration. */
typedef void bench_plate_watcher(uint64_t iteration, double norm, void *context);

/* Until the norm is 1e-4 or less, or `most` iterations are done. side >= 3; watch may be NULL.
 * REC_USAGE for a solver that jumps: it does not iterate, so that it has no norm of the change. */
rec_status bench_plate_solve(size_t side, uint64_t most, const rec_solver_type *type,
                             const rec_solver_options *options, bench_plate_watcher *watch,
                             void *context, bench_plate_result *result, rec_error *error);

#endif
