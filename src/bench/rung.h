/* A rung of the ladder is a row of a table: how to set it up, run it and read it back. */
#ifndef REC_BENCH_RUNG_H
#define REC_BENCH_RUNG_H

#include "bench/ladder_case.h"
#include "kernels/ladder/ladder.h"
#include "solver/solver.h"

typedef struct bench_block {
    unsigned columns, rows; /* threads */
    unsigned grid_columns, grid_rows; /* blocks of the grid; 0: the rung's own choice */
} bench_block;

typedef struct bench_rung bench_rung;

typedef struct bench_type {
    const char *group; /* "cpu", "gpu", "shipped": what --rungs calls all of them */
    rec_status (*create)(void **state, const bench_rung *rung, const bench_case *problem,
                         bench_block block, const rec_solver_options *place, rec_error *error);
    /* Does n iterations and waits for them; their seconds. */
    rec_status (*advance)(void *state, uint64_t n, double *seconds, rec_error *error);
    rec_status (*read)(void *state, void *words, rec_error *error);
    /* Of the last iteration's changes, for rungs with a norm. */
    rec_status (*squares)(void *state, double *squares, rec_error *error);
    /* How the last advance was launched; NULL: no launch, or not known. */
    void (*get_launch)(const void *state, rec_ladder_launch *launch);
    void (*destroy)(void *state);
} bench_type;

struct bench_rung {
    int number;
    int from;        /* number of the rung that it changes; 0: none */
    const char *name, *idea;
    bench_check check;
    double bytes;    /* that an update moves in the memory of its side, by the kernel's own count;
                        0: not counted */
    unsigned batch;  /* iterations that belong together: timed in multiples of it */
    bench_block block; /* of threads, where it can be chosen; else 0 */
    unsigned device : 1; /* works on the GPU */
    unsigned sweeps : 1; /* timed once for every block that is asked for */
    unsigned gridded : 1; /* takes the grid that is asked for */
    unsigned deep : 1;   /* several iterations at once: checked after BENCH_MANY */
    unsigned norm : 1;   /* makes the sum of squared changes in every iteration */
    unsigned base : 1;   /* the column CPU compares with this one */
    const bench_type *type;
    const void *way; /* what the type has to know of this rung */
};

/* The tables, in the order of the numbers; each ends with a number 0. Empty in a build without
 * CUDA: those of the GPU. */
extern const bench_rung bench_cpu_rungs[], bench_gpu_rungs[], bench_shipped_rungs[];
extern const bench_rung bench_course_cpu_rungs[], bench_course_gpu_rungs[],
    bench_course_shipped_rungs[];

/* Rung 0.. of the problem, NULL behind the last. */
const bench_rung *bench_rung_at(bench_problem problem, size_t index);

#endif
