/* Problems for the tests of solvers, and short ways to solve them. Everything asserts. */
#ifndef TESTS_PROBLEMS_H
#define TESTS_PROBLEMS_H

#include "image/image.h"
#include "solver/solver.h"

/* Integer samples within -amplitude..amplitude from a seeded generator. */
rec_image problem_noise(size_t width, size_t height, size_t planes, int amplitude, unsigned seed);

/* A smooth 8-bit picture with some texture: gradients, a disc, a little noise. */
rec_image problem_picture(size_t width, size_t height, size_t planes, unsigned seed);

rec_solver *solver_make(const rec_solver_type *type, const rec_image *edges,
                        const rec_image *start, float halo);
rec_look solver_advance(rec_solver *solver, uint64_t n, unsigned looks);
rec_image solver_image(rec_solver *solver);

/* The next snapshot, which must come within half a minute. */
const rec_snapshot *solver_poll(rec_solver *solver);

/* Bit for bit, with a message that says what differed first. */
void assert_same_bits(const rec_image *expected, const rec_image *found, const char *what);

/* The solver of that name; skips the test, with the reason, where it is not available. */
const rec_solver_type *solver_or_skip(const char *name);

#endif
