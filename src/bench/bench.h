/* The program reconstruct-bench: the ladder of kernels, each checked and then timed, and the plate
 * of a tutorial. The only header of this folder for those outside. */
#pragma once

#include <stdio.h>

#include "program/program.h"
#include "solver/solver.h"

/* ---- the command line ---- */

typedef enum bench_option {
    BENCH_ITERATIONS, BENCH_SOLVER, BENCH_KERNEL, BENCH_DEVICE, BENCH_SLABS, BENCH_PROBLEM,
    BENCH_RADII, BENCH_COURSE_REFERENCE, BENCH_CREATE_REFERENCE, BENCH_SIZE, BENCH_RUNGS,
    BENCH_BLOCKS, BENCH_GRID, BENCH_TIME, BENCH_JSON, BENCH_MINE,
    BENCH_HELP, BENCH_VERSION, BENCH_OPTIONS
} bench_option;

/* Their commands are the problems that they are for: bits (1 << number of a word of --problem). */
#define BENCH_ALL 7u
extern const option_row bench_option_rows[BENCH_OPTIONS];
extern const option_set bench_options;

/* Does what the line says. */
rec_status bench_execute(const command_line *line, rec_error *error);

typedef struct bench_size {
    size_t width, height; /* pixels; of a block: threads */
} bench_size;

/* ---- the ladder ---- */

enum { BENCH_MOST_RUNGS = 64 };

typedef enum bench_problem {
    BENCH_LADDER, /* the five-point update: rungs 1 to 49 and 80 on; its exact picture: 70, 71,
                      with a mask 76, 77 */
    BENCH_COURSE  /* the course on convolution: rungs 50 to 63 */
} bench_problem;

/* A rung, for --rungs and the manual. */
typedef struct bench_about {
    int number;
    const char *name, *group, *idea;
    int asked; /* only where --rungs names it */
} bench_about;

/* Rung 0.. of this build; returns 0 behind the last. */
int bench_rung_about(bench_problem problem, size_t index, bench_about *about);

typedef struct bench_settings {
    bench_problem problem;
    const size_t *radii;         /* of the course's stencil; increasing */
    size_t radius_count;
    const char *reference;       /* the course's reference file to check against, NULL: none */
    const char *new_reference;   /* where to write one instead of measuring, NULL: nowhere */
    const bench_size *sizes, *blocks; /* blocks: for the rung that tries several */
    size_t size_count, block_count;
    bench_size grid;             /* blocks, for the rung with a grid of fixed size; 0: its choice */
    unsigned char chosen[BENCH_MOST_RUNGS]; /* 1: this rung, by its index */
    double seconds;              /* for each rung */
    rec_solver_options place;    /* devices and slabs; only the shipped solvers use several */
    const char *json;            /* an output, NULL: none; - is stdout */
    const char *mine;            /* a library with the user's own step, NULL: none */
    FILE *table;
} bench_settings;

/* Checks and times the chosen rungs, prints the table line by line, writes the files. REC_NO where
 * a rung is wrong, REC_UNAVAILABLE where none of them works on this machine. */
rec_status bench_ladder(const bench_settings *settings, rec_error *error);

/* --mine: compiles the file and runs this program again with --mine LIBRARY and these
 * options, in a process that may crash or hang. Returns the exit code of that, with an empty
 * message if it has printed its own; REC_UNAVAILABLE without a compiler, REC_BAD_INPUT if it
 * refuses. */
rec_status bench_mine_run(const char *path, const char *const *options, size_t count,
                          rec_error *error);

/* What the table's columns mean, for below the table and for --help. */
void bench_explain_columns(FILE *stream, bench_problem problem);

/* ---- the plate ---- */

/* NVIDIA's tutorial on Jacobi's method: a square plate of side * side cells on any solver. Prints
 * the norm of every 25th iteration and the result. side >= 3. REC_NO where `most` iterations were
 * not enough; REC_USAGE for a solver that jumps: it does not iterate, so it has no norm of the
 * change. */
rec_status bench_plate(size_t side, uint64_t most, const rec_solver_type *type,
                       const rec_solver_options *options, FILE *stream, rec_error *error);
