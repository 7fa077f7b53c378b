/* Puzzles for the tests of the multigrid solver: a picture, what is known of it, and the solver of
 * the host or of a device. Everything asserts. */
#pragma once

#include "solver/multigrid/multigrid.h"
#include "tests/unit/problems.h"

enum { MOST_STEPS = 16 };

typedef enum kind_of_mask {
    DISC,
    CURVES,
    POINTS,
    MANY_POINTS,
    HOLES,
    ONE,
    ALL_BUT_ONE,
    BLOCKS,
    ALL,
    SHAPES
} kind_of_mask;

/* The picture is of bytes, or of 16ths of either sign. The rest of edges and start is noise; a
 * third of them have a mass. */
void add_mass(case_of *made, uint64_t seed);
case_of make_puzzle(size_t width, size_t height, size_t planes, rec_boundary_kind kind,
                    kind_of_mask shape, uint64_t seed);

/* Pixels of an area become known, or unknown, with another start. */
void set_unknown(case_of *of, size_t x, size_t y, size_t width, size_t height, int unknown);

/* Tests on the host and on a device, which are skipped without one. */
#define TEST_OF_ENGINES(function) TEST_EACH(function, "host", "cuda")
void choose_engine(const char *kernel);

typedef struct solver_of {
    rec_solver *solver;
    rec_image picture; /* after solving or a change */
} solver_of;

solver_of make_engine(const rec_problem *problem);
void use_again(solver_of *engine, const rec_problem *problem);
void destroy_engine(solver_of *engine);
#define owned_engine __attribute__((cleanup(destroy_engine))) solver_of
rec_multigrid solve(solver_of *engine, double stop, double seconds);
void change(solver_of *engine, const rec_problem *problem, size_t x, size_t y, size_t width,
            size_t height);

/* The largest error; *wrong: known samples that changed, and others more than 0.02 off. */
double largest_error(const rec_image *solved, const case_of *puzzle, size_t *wrong);

/* Solves it step by step, and the estimate holds after each. */
void check_steps(solver_of *engine, const case_of *puzzle, kind_of_mask shape, uint64_t seed);
